import { spawnSync } from 'node:child_process';
import type { Criterion } from '../../faults/protocol.js';
import { criterion } from '../../faults/support/criteria.js';
import type { Commands } from '../../support/commands.js';
import { PROMETHEUS } from '../../support/monitoring.js';
import type { PrometheusApi } from './prometheus-api.js';
import type { Stage } from './stage.js';

/** What the programs themselves say of the configuration. */
export async function configurationCriteria(
  commands: Commands,
  { configuration }: Stage,
): Promise<Criterion[]> {
  const checks: [program: string, ...args: string[]][] = [
    ['promtool', 'check', 'config', configuration.file('prometheus.yml')],
    ['promtool', 'check', 'rules', 'rules/property-finance.yml'],
    ['promtool', 'test', 'rules', 'rules.test.yml'],
    ['amtool', 'check-config', 'alertmanager.yml'],
    ['prometheus-blackbox-exporter', '--config.check', '--config.file=blackbox.yml'],
  ];
  const found: Criterion[] = [];
  for (const [program, ...args] of checks) {
    const complaint = await commands.run(program, args, { cwd: PROMETHEUS }).then(
      () => undefined,
      (error: unknown) => String(error),
    );
    const name = [program, ...args.slice(0, 2)].join(' ').replace(configuration.folder, '');
    found.push(criterion(name, complaint === undefined, complaint ?? 'passed'));
  }
  return found;
}

export async function rulesCriterion(api: PrometheusApi): Promise<Criterion> {
  const rules = await api.rules();
  const ill = rules.filter(({ health }) => health !== 'ok').map(({ name }) => name);
  const name = 'every rule is loaded and evaluated';
  return criterion(
    name,
    rules.length > 0 && ill.length === 0,
    `${rules.length} rules, ill: ${ill.join(', ') || 'none'}`,
  );
}

/** Micrometer's name for a gauge. */
const EXPECTED = 'system_cpu_count non-histogram and non-summary metrics should not have "_count" suffix';

/** Of a scrape as Prometheus makes it. */
export async function metricsCriterion(url: string, token: string): Promise<Criterion> {
  const answer = await fetch(`${url}/actuator/prometheus`, { headers: { authorization: `Bearer ${token}` } });
  const { error, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
    input: await answer.text(),
    encoding: 'utf8',
  });
  const lines = `${stdout}${stderr}`.split('\n');
  const complaints = lines.filter((line) => line !== '' && !line.startsWith(EXPECTED));
  return criterion(
    'promtool check metrics',
    answer.ok && error === undefined && complaints.length === 0,
    complaints.join('; ') || 'passed',
  );
}

/** Of an instance, in the last so many seconds. */
export async function scrapesCriterion(
  name: string,
  api: PrometheusApi,
  instance: string,
  seconds: number,
): Promise<Criterion> {
  const scrapes = `up{job="property-finance", instance="${instance}"}[${Math.ceil(seconds)}s]`;
  const all = await api.value(`count_over_time(${scrapes})`);
  const good = await api.value(`sum_over_time(${scrapes})`);
  return criterion(name, all > 1 && good === all, `${all - good} of ${all} failed`);
}
