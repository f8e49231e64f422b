import { setTimeout as sleep } from 'node:timers/promises';
import type { Criterion } from '../../faults/protocol.js';
import type { Cluster } from '../../faults/support/cluster.js';
import { allSucceedFrom, criterion } from '../../faults/support/criteria.js';
import { count, tally } from '../../faults/support/figures.js';
import { type Call, Caller, type Reply, succeeded, withCaller } from '../../faults/support/http.js';
import type { Owner } from '../../faults/support/accounts.js';
import type { Rig } from '../../faults/support/rig.js';
import type { Service } from '../../faults/support/service.js';
import { rowsOf } from '../../support/connect.js';
import { transactionRequest } from '../../support/factories.js';
import { until } from '../../support/until.js';
import { batchOf, linesOf } from './rows.js';
import { type Mode, type PgBouncer, startPgBouncer } from './pgbouncer.js';

export interface Setting {
  readonly rig: Rig;
  readonly cluster: Cluster;
  readonly pgbouncer: PgBouncer;
  readonly mode: Mode;
  /** How often two instances start together. */
  readonly starts: number;
}

const REQUESTS = 300;
const AT_ONCE = 20;

/** What an operator meets who only puts PgBouncer in between. */
export async function byDefault({ rig, ...setting }: Setting): Promise<Criterion[]> {
  const databaseUrl = await startPgBouncer(rig, setting.pgbouncer, setting);
  const service = rig.launch({ databaseUrl, name: 'by-default' });
  const told = (): Service['lines'] => service.lines.filter(({ reason }) => reason !== undefined);
  await until(() => told().length > 0);
  await service.stop();
  const [first] = told();
  return [
    criterion(
      'without the setting it is not ready, and the log names it',
      first?.['reason'] === 'startup-parameters' && String(first['remedy']).includes('DB_POOLER'),
      `${String(first?.['reason'])}: ${String(first?.['remedy'])}`,
    ),
  ];
}

/** Whether no request fails, and no statement is prepared in a session that others have next. */
export async function inUse({ rig, ...setting }: Setting): Promise<Criterion[]> {
  const { pgbouncer, mode } = setting;
  const databaseUrl = await startPgBouncer(rig, pgbouncer, setting);
  const service = await rig.launch({ databaseUrl, env: { DB_POOLER: mode }, name: 'in-use' }).ready();
  const owners = await rig.owners(service.url);
  const replies = await withCaller(service.url, (caller) => requests(caller, owners));
  const prepared = mode === 'session' ? [] : await rowsOf(databaseUrl, 'SELECT FROM pg_prepared_statements');
  await service.stop();
  return [
    allSucceedFrom('no request fails', replies, 0),
    ...(mode === 'session'
      ? []
      : [
          criterion(
            'no statement is prepared',
            prepared.length === 0,
            `${count(prepared.length)} in a session`,
          ),
        ]),
  ];
}

/** Without exports where more of them would be under way than the pool has room for. */
export async function requests(
  caller: Caller,
  owners: readonly Owner[],
  { exports = true } = {},
): Promise<Reply[]> {
  const replies: Reply[] = [];
  while (replies.length < REQUESTS) {
    const next = Array.from({ length: AT_ONCE }, (_, n) => send(caller, owners, replies.length + n, exports));
    replies.push(...(await Promise.all(next)));
  }
  return replies;
}

function send(caller: Caller, owners: readonly Owner[], index: number, exports: boolean): Promise<Reply> {
  const { token, propertyId } = owners[index % owners.length]!;
  const reads = [
    '/api/transactions',
    `/api/properties/${propertyId}`,
    '/api/users/me',
    exports ? '/api/properties/export' : '/api/transactions?size=1',
    '/api/properties',
  ];
  return index % 4 === 0
    ? caller.post('/api/transactions', transactionRequest(propertyId), token)
    : caller.get(reads[index % reads.length]!, token);
}

/** A write that waits for a locked table is 503 in time; and is not stored when the table is free again. */
export async function locked({ rig, ...setting }: Setting): Promise<Criterion[]> {
  const { cluster } = setting;
  const env = { DB_STATEMENT_TIMEOUT: '1s' };
  const behind = await startPgBouncer(rig, setting.pgbouncer, setting);
  const criteria: Criterion[] = [];
  for (const [way, databaseUrl, pooler] of [
    ['behind it', behind, setting.mode],
    ['directly', cluster.url, 'none'],
    ['directly, as behind a pooler', cluster.url, setting.mode],
  ] as const) {
    const service = await rig
      .launch({ databaseUrl, env: { ...env, DB_POOLER: pooler }, name: 'locked' })
      .ready();
    criteria.push(await writesOnLockedTable(rig, cluster, service, 4, way));
    await service.stop();
  }
  return criteria;
}

/**
 * Most writes wait in the pooler, which hands them on when the service has given up, or is about to; and they then wait for
 * the table.
 */
export async function tooSmall({ rig, ...setting }: Setting): Promise<Criterion[]> {
  const databaseUrl = await startPgBouncer(rig, setting.pgbouncer, { ...setting, poolSize: 3 });
  const env = {
    DB_POOLER: setting.mode,
    DB_STATEMENT_TIMEOUT: '1500ms',
    DB_POOL_SIZE: '16',
    DB_ACQUIRE_TIMEOUT: '1s',
  };
  const service = await rig.launch({ databaseUrl, env, name: 'too-small' }).ready();
  const stored = await writesOnLockedTable(rig, setting.cluster, service, 16, 'with a pool of 3 for 16');
  const told = service.lines.some(({ reason }) => String(reason).includes('pool of the pooler smaller'));
  await service.stop();
  return [
    stored,
    criterion('the log names a pool that is too small', told, told ? 'it does' : 'it does not'),
  ];
}

async function writesOnLockedTable(
  rig: Rig,
  cluster: Cluster,
  service: Service,
  number: number,
  way: string,
): Promise<Criterion> {
  const [owner] = await rig.owners(service.url, 1);
  const vendor = `Locked out, ${way}`;
  const caller = new Caller(service.url);
  const writes = writesOf(owner!, vendor);
  const write = (_: unknown, index: number): Promise<Reply> => caller.send(writes[index % writes.length]!);
  const client = await cluster.connect();
  await client.query('BEGIN; LOCK TABLE transactions IN SHARE MODE');
  const replies = await Promise.all(Array.from({ length: number }, write));
  await client.query('COMMIT');
  await sleep(3000);
  const { rowCount } = await client.query('SELECT FROM transactions WHERE vendor = $1', [vendor]);
  await client.end();
  const after = await write(undefined, 0);
  caller.close();
  const slowest = Math.max(...replies.map(({ took }) => took));
  return criterion(
    `nothing answered 503 is stored, ${way}`,
    replies.every(({ status }) => status === 503) && rowCount === 0 && succeeded(after),
    `${tally(replies.map(({ status }) => String(status)))} in ${(slowest / 1000).toFixed(1)} s, ${rowCount ?? 0} stored; then ${after.status}`,
  );
}

/** One row, a batch, and a file: statements by themselves and in a transaction. */
function writesOf({ token, propertyId }: Owner, vendor: string): Call[] {
  const write = (path: string, body: object | string, type = 'application/json'): Call => ({
    method: 'POST',
    path: `/api/transactions${path}`,
    token,
    headers: { 'content-type': type },
    body,
  });
  const one = write('', transactionRequest(propertyId, { vendor }));
  const many = write('/batch', batchOf(propertyId, 2, vendor));
  return [one, one, many, write('/import', linesOf(propertyId, 1, vendor), 'application/x-ndjson')];
}
