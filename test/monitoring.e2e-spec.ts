import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { type Families, parseExposition } from './support/exposition.js';
import { labelValues, PROMETHEUS, readAlerts, readDashboards, readYaml } from './support/monitoring.js';
import { startService } from './support/service.js';

/** What Prometheus itself, the blackbox exporter and the one of PostgreSQL supply. */
const OTHERS = new Set([
  ...['up', 'ALERTS', 'probe_success', 'probe_ssl_earliest_cert_expiry', 'pg_up'],
  ...['pg_replication_lag_seconds', 'pg_stat_activity_count', 'pg_settings_max_connections'],
  ...['pg_stat_database_xact_commit', 'pg_stat_database_xact_rollback'],
]);

const ALERTS = readAlerts();
const DASHBOARDS = readDashboards();
const GUIDE = readFileSync('docs/operations.md', 'utf8');

/** Words of PromQL that name no metric, and its strings, labels and ranges. */
const KEYWORDS = new Set(['and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan']);
const STRINGS = /"(?:[^"\\]|\\.)*"/g;
const LABELS = /\{[^}]*\}|\[[^\]]*\]|\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g;

/** The metrics that an expression of PromQL names. */
function metricsIn(expression: string): string[] {
  const names = expression
    .replaceAll(STRINGS, '""')
    .replaceAll(LABELS, ' ')
    .match(/[a-zA-Z_:][\w:]*\b(?!\s*\()/g);
  return (names ?? []).filter((name) => !KEYWORDS.has(name));
}

let families: Families;
let served: ReadonlySet<string>;

beforeAll(async () => {
  const service = await startService();
  const admin = await service.account('ADMIN');
  await admin.get('/api/properties');
  families = parseExposition((await admin.get('/actuator/prometheus')).text);
  served = new Set([...families.values()].flatMap(({ samples }) => samples.map(({ name }) => name)));
  await service.stop();
});

const unknown = (expression: string): string[] =>
  metricsIn(expression).filter((name) => !served.has(name) && !OTHERS.has(name));

it.each(ALERTS)('the alert $alert names metrics that there are, and has a section in the guide', (rule) => {
  expect(metricsIn(rule.expr)).not.toHaveLength(0);
  expect(unknown(rule.expr)).toEqual([]);
  expect(GUIDE).toContain(`\n### ${rule.alert}\n`);
});

it('every alert has a test', () => {
  const { tests } = readYaml(`${PROMETHEUS}/rules.test.yml`) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[] }[];
  };
  const firing = tests.flatMap((test) => test.alert_rule_test).filter((one) => one.exp_alerts?.length);
  const names = firing.map(({ alertname }) => alertname);
  expect(names).toEqual(expect.arrayContaining(ALERTS.map(({ alert }) => alert)));
});

it.each(DASHBOARDS)('the dashboard $file names metrics and variables that there are', (dashboard) => {
  const { panels, templating } = dashboard;
  const used = [...JSON.stringify(dashboard).matchAll(/\$\{?(?!__|1)(\w+)/g)].map(([, name]) => name);
  expect([...new Set(used)].sort()).toEqual(templating.list.map(({ name }) => name).sort());
  const expressions = [
    ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...templating.list.flatMap(({ query }) => labelValues(query)?.expression ?? []),
  ];
  expect(expressions.flatMap(unknown)).toEqual([]);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
});

const COMPILER: ts.CompilerOptions = {
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['lib.es5.d.ts'],
  types: [],
  strict: true,
  noEmit: true,
  skipLibCheck: true,
};

/** The compiler's errors in each text as a dashboard's literal; of imported JSON, enumerations would be any text. */
function typeFaultsOf(dashboards: readonly string[]): string[] {
  const path = 'test/dashboards.ts'; // is not written: node_modules is found from there
  const lines = dashboards.map((json, index) => {
    return `export const d${index}: import('@grafana/schema').Dashboard = ${JSON.stringify(JSON.parse(json))};`;
  });
  const file = ts.createSourceFile(path, lines.join('\n'), ts.ScriptTarget.ES2022);
  const host = ts.createCompilerHost(COMPILER);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) => (name === path ? file : read(name, ...rest));
  const found = ts.getPreEmitDiagnostics(ts.createProgram([path], COMPILER, host));
  return found.map(({ start = 0, messageText }) => {
    const { line } = file.getLineAndCharacterOfPosition(start);
    return `${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

it('the dashboards are such by the types of Grafana, which refuse one that is none', () => {
  const none = '{ "panels": [{ "type": "stat", "gridPos": { "x": 0, "y": 0, "w": 8, "h": "8" } }] }';
  const texts = DASHBOARDS.map(({ file }) => readFileSync(file, 'utf8'));
  const fault = `${texts.length}: Type 'string' is not assignable to type 'number'.`;
  expect(typeFaultsOf([...texts, none])).toEqual([fault]);
});

it('the guide names every metric that is served', () => {
  const own = [...families.keys()].filter((name) => !/^(nodejs|process)_/.test(name));
  expect(own.filter((name) => !GUIDE.includes(name.replace(/_max$/, '')))).toEqual([]);
});
