import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { progress } from '../../../bench/command.js';
import type { Criterion } from '../../faults/protocol.js';
import type { Owner } from '../../faults/support/accounts.js';
import { runCriteria } from '../../faults/support/command.js';
import { criterion } from '../../faults/support/criteria.js';
import { tally } from '../../faults/support/figures.js';
import { withCaller } from '../../faults/support/http.js';
import { withRig } from '../../faults/support/rig.js';
import type { Service } from '../../faults/support/service.js';
import { transactionRequest } from '../../support/factories.js';
import { cacheFolder, fromMaven, requirePrograms, run } from '../support/commands.js';
import { type Span, Zipkin } from './zipkin.js';

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
  progress('downloading Zipkin and OpenTelemetry');
  if (!existsSync(jar)) await fromMaven(ZIPKIN, cache);
  cpSync('deploy/opentelemetry', folder, { recursive: true });
  await run('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit'], { cwd: folder });
  return [jar, `--import ${pathToFileURL(join(folder, 'tracing.mjs')).href}`];
}

const serviceOf = (span: Span | undefined): string => span?.localEndpoint?.serviceName ?? '-';
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
  const services = `${serviceOf(caller)} → ${serviceOf(server)}`;
  const isLinked = services === `caller → ${NAME}` && server?.parentId === caller?.id;
  const isOneTrace = status === 200 && isLinked && spans.every(({ traceId }) => traceId === trace);
  const areNamed = STATEMENTS.every((name) => names.includes(name));
  const areBelow = areNamed && statements.every((span) => isBelow(span, server, spans));
  return [
    criterion(
      'the caller’s span is above the service’s, in the trace of traceresponse',
      isOneTrace,
      services,
    ),
    criterion('each statement is below it, by its name', areBelow, tally(names)),
    criterion('no span holds a value', !JSON.stringify(spans).includes(VALUE), `${spans.length} spans`),
  ];
}

/** A request without a traceparent. */
async function begun({ url }: Service, { token }: Owner, zipkin: Zipkin): Promise<Criterion> {
  const call = { method: 'GET', path: '/api/properties', token };
  const { headers } = await withCaller(url, (caller) => caller.send(call));
  const traceresponse = String(headers.get('traceresponse'));
  const spans = await zipkin.trace(traceresponse.split('-')[1] ?? '', 2);
  const first = spans.find(({ kind }) => kind === 'SERVER');
  const isFirst = first !== undefined && first.parentId === undefined;
  return criterion('without a traceparent a trace begins, which traceresponse names', isFirst, traceresponse);
}

function failed({ status, trace }: Called, service: Service, spans: readonly Span[]): Criterion[] {
  const lines = service.lines.filter(({ traceId, level }) => traceId === trace && level === 'warn');
  const errors = spans.filter(({ tags }) => tags?.['error'] !== undefined);
  const warnings = lines.map(({ msg = '' }) => msg).join('; ') || 'none';
  const isShown = errors.some((span) => nameOf(span).startsWith('pg.query:transactions.'));
  return [
    criterion('a 503 is logged once, with its trace', status === 503 && lines.length === 1, warnings),
    criterion('and the failed statement in its trace', isShown, tally(errors.map(nameOf))),
  ];
}

await runCriteria({
  call: 'npm run test:traces',
  about:
    'Starts the service with deploy/opentelemetry in front of a real Zipkin, and follows requests of a traced client to ' +
    'their statements and to the log. Needs Java 17 and Maven; Zipkin (131 MB) comes from Maven Central.',
  options: {},
  async run(_, cleanup, tell) {
    const [jar, nodeOptions] = await install();
    await withRig(cleanup, async (rig) => {
      const zipkin = await Zipkin.start(rig, jar);
      const cluster = await rig.cluster();
      const env = { ...zipkin.environment(nodeOptions, NAME), DB_STATEMENT_TIMEOUT: '500ms' };
      const service = await rig.launch({ databaseUrl: cluster.url, env }).ready();
      const [owner] = await rig.owners(service.url, 1);
      const call = async (): Promise<Called> => {
        const args = [CALLER, service.url, owner!.token, String(owner!.propertyId)];
        const traced = { env: zipkin.environment(nodeOptions, 'caller') };
        return JSON.parse(await run(process.execPath, args, traced)) as Called;
      };
      const first = await call();
      tell(followed(first, await zipkin.trace(first.trace, SPANS)));
      tell([await begun(service, owner!, zipkin)]);
      const locker = await cluster.connect();
      await locker.query('BEGIN; LOCK TABLE transactions');
      const second = await call();
      await locker.end();
      tell(failed(second, service, await zipkin.trace(second.trace, SPANS)));
    });
  },
});
