import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Criterion } from '../../faults/protocol.js';
import { criterion } from '../../faults/support/criteria.js';
import { tally } from '../../faults/support/figures.js';
import type { Owner } from '../../faults/support/accounts.js';
import { withCaller } from '../../faults/support/http.js';
import type { Rig } from '../../faults/support/rig.js';
import type { Service } from '../../faults/support/service.js';
import { transactionRequest } from '../../support/factories.js';
import type { Tools } from './tools.js';
import type { Span, Zipkin } from './zipkin.js';

const CALLER = join(import.meta.dirname, 'caller.js');
export const NAME = 'property-finance';
const GIVEN = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', parent: '00f067aa0ba902b7' };
/** The statements of POST /api/transactions, as `DB_PREPARED_STATEMENTS` names them. */
const STATEMENTS = ['pg.query:users.callers', 'pg.query:transactions.insert'];
const TIMEOUT = '500ms';
const execute = promisify(execFile);

/** The variables that a program is traced with. */
export function traced(tools: Tools, zipkin: Zipkin, name: string): Record<string, string> {
  return {
    NODE_OPTIONS: tools.nodeOptions,
    OTEL_SERVICE_NAME: name,
    OTEL_TRACES_EXPORTER: 'zipkin',
    OTEL_EXPORTER_ZIPKIN_ENDPOINT: zipkin.endpoint,
    OTEL_BSP_SCHEDULE_DELAY: '1000',
  };
}

interface Called {
  readonly status: number;
  readonly trace: string;
}

/** Follows a request from its caller through the service to its statements, as Zipkin has been told of them. */
export async function followed(rig: Rig, tools: Tools, zipkin: Zipkin): Promise<Criterion[]> {
  const cluster = await rig.cluster();
  const env = { ...traced(tools, zipkin, NAME), DB_STATEMENT_TIMEOUT: TIMEOUT };
  const service = await rig.launch({ databaseUrl: cluster.url, env }).ready();
  const [owner] = await rig.owners(service.url, 1);
  const call = (): Promise<Called> => callTraced(service, owner!, traced(tools, zipkin, 'caller'));
  const first = await call();
  const criteria = [
    ...chain(first, await zipkin.trace(first.trace, 2 + STATEMENTS.length)),
    await bare(service, owner!, zipkin),
    await untraced(service, owner!, zipkin),
  ];
  const locker = await cluster.connect();
  await locker.query('BEGIN; LOCK TABLE transactions');
  const failed = await call();
  await locker.end();
  return [...criteria, ...told(failed, service, await zipkin.trace(failed.trace, 2 + STATEMENTS.length))];
}

async function callTraced(
  { url }: Service,
  { token, propertyId }: Owner,
  env: Record<string, string>,
): Promise<Called> {
  const args = [CALLER, url, token, String(propertyId)];
  const { stdout } = await execute(process.execPath, args, { env: { ...process.env, ...env } });
  const { status, traceresponse = '' } = JSON.parse(stdout) as { status: number; traceresponse?: string };
  return { status, trace: traceresponse.split('-')[1] ?? '' };
}

function chain({ status, trace }: Called, spans: readonly Span[]): Criterion[] {
  const caller = spans.find(({ parentId }) => parentId === undefined);
  const server = spans.find(({ kind }) => kind === 'SERVER');
  const statements = spans.filter(({ name }) => name?.startsWith('pg.query') === true);
  const names = statements.map(({ name = '' }) => name.split(' ')[0] ?? '');
  const isRight =
    serviceOf(caller) === 'caller' && serviceOf(server) === NAME && server?.parentId === caller?.id;
  return [
    criterion(
      'the caller’s span is the parent of the service’s, in the trace that traceresponse names',
      status === 200 && isRight && spans.every(({ traceId }) => traceId === trace),
      `${serviceOf(caller)}: ${caller?.name ?? '-'} → ${serviceOf(server)}: ${server?.name ?? '-'}`,
    ),
    criterion(
      'below it is each statement, by its name',
      STATEMENTS.every((name) => names.includes(name)) &&
        statements.every((span) => isBelow(span, server, spans)),
      tally(names),
    ),
    criterion(
      'no span holds a value',
      !JSON.stringify(spans).includes(String(transactionRequest(0)['description'])),
      tagsOf(statements).join(', '),
    ),
  ];
}

/** Somebody who is not instrumented, but names a trace. */
async function bare({ url }: Service, { token }: Owner, zipkin: Zipkin): Promise<Criterion> {
  const headers = { traceparent: `00-${GIVEN.trace}-${GIVEN.parent}-01` };
  await withCaller(url, (caller) => caller.send({ method: 'GET', path: '/api/properties', token, headers }));
  const spans = await zipkin.trace(GIVEN.trace, 2);
  const server = spans.find(({ kind }) => kind === 'SERVER');
  return criterion(
    'a traceparent that is given is the parent of the service’s span',
    server?.parentId === GIVEN.parent && spans.some(({ name }) => name?.startsWith('pg.query:') === true),
    `${GIVEN.parent} → ${server?.name ?? '-'} → ${tally(spans.filter((span) => span !== server).map(({ name = '' }) => name))}`,
  );
}

/** Somebody who names none. */
async function untraced({ url }: Service, { token }: Owner, zipkin: Zipkin): Promise<Criterion> {
  const answer = await withCaller(url, (caller) => caller.get('/api/users/me', token));
  const response = String(answer.headers['traceresponse']);
  const spans = await zipkin.trace(response.split('-')[1] ?? '', 2);
  const server = spans.find(({ kind }) => kind === 'SERVER');
  return criterion(
    'without one a trace begins, which traceresponse names',
    server !== undefined && server.parentId === undefined,
    `${response}: ${server?.name ?? '-'}`,
  );
}

function told({ status, trace }: Called, service: Service, spans: readonly Span[]): Criterion[] {
  const lines = service.lines.filter(({ traceId }) => traceId === trace);
  const failed = spans.filter(({ tags }) => tags?.['error'] !== undefined);
  return [
    criterion(
      'a 503 has its trace in the line of the log',
      status === 503 && lines.length === 1 && lines[0]?.level === 'warn',
      lines.map(({ level, msg, traceId }) => `${level}, ${String(traceId)}, ${msg ?? ''}`).join('; ') ||
        'none',
    ),
    criterion(
      'and in its trace the statement that has failed',
      failed.some(({ name }) => name?.startsWith('pg.query:transactions.') === true),
      failed.map(({ name, tags }) => `${name ?? ''}: ${tags?.['error'] ?? ''}`).join('; '),
    ),
  ];
}

function tagsOf(spans: readonly Span[]): string[] {
  const names = spans.flatMap(({ tags = {} }) => Object.keys(tags));
  return [...new Set(names)].filter((name) => name.startsWith('db.'));
}

function serviceOf(span: Span | undefined): string {
  return span?.localEndpoint?.serviceName ?? '-';
}

function isBelow(span: Span, above: Span | undefined, spans: readonly Span[]): boolean {
  const parent = spans.find(({ id }) => id === span.parentId);
  return parent !== undefined && (parent === above || isBelow(parent, above, spans));
}
