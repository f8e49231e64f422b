import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Criterion } from '../../faults/protocol.js';
import { newOwners } from '../../faults/support/accounts.js';
import { runCriteria } from '../../faults/support/command.js';
import { criterion } from '../../faults/support/criteria.js';
import { tally } from '../../faults/support/figures.js';
import { Rig } from '../../faults/support/rig.js';
import { openConnection } from '../../support/connect.js';
import type { LogLine } from '../../support/log-lines.js';
import { transactionRequest } from '../../support/factories.js';
import { cacheFolder, fromMaven, requirePrograms, run } from '../support/commands.js';
import { type Span, spansOf, startZipkin } from './zipkin.js';

const CALLER = join(import.meta.dirname, 'caller.js');
const ZIPKIN = 'io.zipkin:zipkin-server:3.5.1:jar:exec';
const JAR = 'zipkin-server-3.5.1-exec.jar';
const NAME = 'property-finance';
/** The statements of POST /api/transactions, as `DB_PREPARED_STATEMENTS` names them. */
const STATEMENTS = ['pg.query:users.by_id', 'pg.query:transactions.insert'];
const SPANS = 2 + STATEMENTS.length;
const VALUE = String(transactionRequest(0)['description']);

interface Called {
  readonly status: number;
  readonly trace: string;
}

/** Zipkin, and deploy/opentelemetry as its README installs it. Returns the jar and the NODE_OPTIONS. */
async function install(): Promise<[jar: string, nodeOptions: string]> {
  requirePrograms(['java', 'mvn'], 'On Debian: apt-get install default-jre-headless maven');
  const cache = cacheFolder('traces');
  const [jar, folder] = [join(cache, JAR), join(cache, 'opentelemetry')];
  if (!existsSync(jar)) await fromMaven(ZIPKIN, cache);
  cpSync('deploy/opentelemetry', folder, { recursive: true });
  await run('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit'], { cwd: folder });
  return [jar, `--import ${pathToFileURL(join(folder, 'tracing.mjs')).href}`];
}

const nameOf = ({ name = '' }: Span): string => name.split(' ')[0] ?? '';

function isBelow(span: Span, above: Span | undefined, spans: readonly Span[]): boolean {
  const parent = spans.find(({ id }) => id === span.parentId);
  return parent !== undefined && (parent === above || isBelow(parent, above, spans));
}

function followed({ status, trace }: Called, spans: readonly Span[]): Criterion[] {
  const caller = spans.find(({ parentId }) => parentId === undefined);
  const server = spans.find(({ kind }) => kind === 'SERVER');
  const statements = spans.filter((span) => nameOf(span).startsWith('pg.query'));
  const names = statements.map(nameOf);
  const services = [caller, server].map((span) => span?.localEndpoint?.serviceName).join(' → ');
  const isLinked = services === `caller → ${NAME}` && server?.parentId === caller?.id;
  const isOneTrace = status === 200 && isLinked && spans.every(({ traceId }) => traceId === trace);
  const areNamed = STATEMENTS.every((name) => names.includes(name));
  const areBelow = areNamed && statements.every((span) => isBelow(span, server, spans));
  const isSilent = !JSON.stringify(spans).includes(VALUE);
  return [
    criterion('the caller’s span is above the service’s, in one trace', isOneTrace, services),
    criterion('each statement is below it, by its name', areBelow, tally(names)),
    criterion('no span holds a value', isSilent, `${spans.length} spans`),
  ];
}

function failed({ status, trace }: Called, lines: readonly LogLine[], spans: readonly Span[]): Criterion[] {
  const warnings = lines.filter(({ traceId, level }) => traceId === trace && level === 'warn');
  const errors = spans.filter(({ tags }) => tags?.['error'] !== undefined).map(nameOf);
  const isLogged = status === 503 && warnings.length === 1;
  const isShown = errors.some((name) => name.startsWith('pg.query:transactions.'));
  return [
    criterion('a 503 is logged once, with its trace', isLogged, tally(warnings.map(({ msg = '' }) => msg))),
    criterion('and the failed statement in its trace', isShown, tally(errors)),
  ];
}

await runCriteria({
  call: 'npm run test:traces',
  about:
    'Starts the service with deploy/opentelemetry in front of a real Zipkin, and follows requests of a traced client to ' +
    'their statements and to the log. Needs Java 17 and Maven; Zipkin (131 MB) comes from Maven Central.',
  async run(_, cleanup, tell) {
    const [jar, nodeOptions] = await install();
    const rig = new Rig(cleanup);
    const zipkin = await startZipkin(rig, jar);
    const tracing = (name: string): Record<string, string> => ({
      NODE_OPTIONS: nodeOptions,
      OTEL_SERVICE_NAME: name,
      OTEL_TRACES_EXPORTER: 'zipkin',
      OTEL_EXPORTER_ZIPKIN_ENDPOINT: `${zipkin}/api/v2/spans`,
      OTEL_BSP_SCHEDULE_DELAY: '1000',
    });
    const cluster = await rig.cluster();
    const env = { ...tracing(NAME), DB_STATEMENT_TIMEOUT: '500ms' };
    const service = await rig.launch({ databaseUrl: cluster.url, env }).ready();
    const [owner] = await newOwners(service.url, 1);
    const call = async (): Promise<Called> => {
      const args = [CALLER, service.url, owner!.token, String(owner!.propertyId)];
      return JSON.parse(await run(process.execPath, args, { env: tracing('caller') })) as Called;
    };
    const first = await call();
    tell(followed(first, await spansOf(zipkin, first.trace, SPANS)));
    const locker = await openConnection(cluster.adminUrl);
    await locker.query('BEGIN; LOCK TABLE transactions');
    const second = await call();
    await locker.end();
    tell(failed(second, service.lines, await spansOf(zipkin, second.trace, SPANS)));
  },
});
