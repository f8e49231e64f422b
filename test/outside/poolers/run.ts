import { setTimeout as sleep } from 'node:timers/promises';
import { progress } from '../../../bench/command.js';
import type { Owner } from '../../faults/support/accounts.js';
import type { Cluster } from '../../faults/support/cluster.js';
import { runCriteria } from '../../faults/support/command.js';
import { allSucceedFrom, criterion, none } from '../../faults/support/criteria.js';
import { tally } from '../../faults/support/figures.js';
import { type Call, type Caller, type Reply, succeeded, withCaller } from '../../faults/support/http.js';
import { type Rig, withRig } from '../../faults/support/rig.js';
import type { Criterion } from '../../faults/protocol.js';
import { rowsOf } from '../../support/connect.js';
import { transactionRequest } from '../../support/factories.js';
import { until } from '../../support/until.js';
import { complaintsOf, migrateTogether } from '../support/empty-database.js';
import { pgBouncers, startPgBouncer, versionOf } from './pgbouncer.js';

/** Enough for an export to fetch several times. */
const ROWS = 3000;
const ROUNDS = 15;
const STARTS = 3;
const INSTANCES = ['one', 'two'];

interface Setting {
  readonly rig: Rig;
  readonly cluster: Cluster;
  readonly mode: string;
  /** Starts another PgBouncer and returns the URL through it. */
  readonly pooler: (poolSize?: number) => Promise<string>;
}

/** DB_POOLER is not set: PgBouncer refuses the parameters of the service's connections. */
async function byDefault({ rig, pooler }: Setting): Promise<Criterion[]> {
  const service = rig.launch({ databaseUrl: await pooler(), name: 'by-default' });
  await until(() => service.lines.some(({ reason }) => reason !== undefined));
  const { reason, remedy } = service.lines.find((line) => line['reason'] !== undefined)!;
  await service.stop();
  const isNamed = reason === 'startup-parameters' && String(remedy).includes('DB_POOLER');
  return [
    criterion('without DB_POOLER the log names the setting', isNamed, `${String(reason)}: ${String(remedy)}`),
  ];
}

function writesOf({ token, propertyId }: Owner, vendor: string, rows = 1): Call[] {
  const row = transactionRequest(propertyId, { vendor });
  const write = (path: string, body: object | string, type = 'application/json'): Call => ({
    method: 'POST',
    path: `/api/transactions${path}`,
    token,
    headers: { 'content-type': type },
    body,
  });
  return [
    write('', row),
    write('/batch', { transactions: [row, row] }),
    write('/import?duplicates=allow', `${JSON.stringify(row)}\n`.repeat(rows), 'application/x-ndjson'),
  ];
}

/** Reads and writes of every kind at once: single statements, transactions, cursors. */
async function requests(caller: Caller, owners: readonly Owner[]): Promise<Reply[]> {
  const calls = owners.flatMap((owner) => {
    const paths = ['transactions', `properties/${owner.propertyId}`, 'users/me', 'properties/export'];
    const reads = paths.map((path) => ({ method: 'GET', path: `/api/${path}`, token: owner.token }));
    return [...writesOf(owner, 'In passing'), ...reads];
  });
  const replies: Reply[] = [];
  for (let round = 0; round < ROUNDS; round++)
    replies.push(...(await Promise.all(calls.map((call) => caller.send(call)))));
  return replies;
}

async function inUse({ rig, mode, pooler }: Setting): Promise<Criterion[]> {
  const databaseUrl = await pooler();
  const service = await rig.launch({ databaseUrl, env: { DB_POOLER: mode }, name: 'in-use' }).ready();
  const owners = await rig.owners(service.url, 2);
  const vendor = 'From a file';
  const { replies, exported } = await withCaller(service.url, async (caller) => {
    const files = await Promise.all(
      owners.flatMap((owner) => writesOf(owner, vendor, ROWS).map((call) => caller.send(call))),
    );
    const others = requests(caller, owners);
    const path = '/api/transactions/export';
    const headers = { accept: 'application/x-ndjson' };
    const exports = owners.map(({ token }) =>
      caller.send({ method: 'POST', path, token, headers, body: { vendor } }),
    );
    return { replies: [...files, ...(await others)], exported: await Promise.all(exports) };
  });
  const prepared = mode === 'session' ? [] : await rowsOf(databaseUrl, 'SELECT FROM pg_prepared_statements');
  await service.stop();
  const lines = exported.map(({ text }) => text.split('\n').length - 1);
  const isWhole = lines.every((found) => found === ROWS + 3);
  return [
    allSucceedFrom('no request fails', replies, 0),
    criterion(`exports have all ${ROWS + 3} rows that were sent`, isWhole, lines.join(', ')),
    criterion('transaction mode: no statement is prepared', prepared.length === 0, String(prepared.length)),
  ];
}

/** Writes wait for a locked table; behind a pool of 3, most of them wait in the pooler, which hands them on late. */
async function locked({ rig, cluster, mode, pooler }: Setting, poolSize?: number): Promise<Criterion[]> {
  const haste = { DB_STATEMENT_TIMEOUT: '1500ms', DB_ACQUIRE_TIMEOUT: '1s', DB_POOL_SIZE: '16' };
  const launch = { databaseUrl: await pooler(poolSize), env: { DB_POOLER: mode, ...haste }, name: 'locked' };
  const service = await rig.launch(launch).ready();
  const owners = await rig.owners(service.url, 16); // an account's second write would wait for its first
  const vendor = `Locked out of ${poolSize ?? 'the default'}`;
  const lock = await cluster.connect();
  await lock.query('BEGIN; LOCK TABLE transactions IN SHARE MODE');
  const kinds = [0, 1, 0, 2]; // single rows, more than a pool of 3 serves in time, between batches and files
  const calls = owners.map((owner, index) => writesOf(owner, vendor)[kinds[index % 4]!]!);
  const [replies, stored, after] = await withCaller(service.url, async (caller) => {
    const refused = await Promise.all(calls.map((call) => caller.send(call)));
    await lock.query('COMMIT');
    await sleep(3000); // what the pooler still holds arrives
    const { rows } = await lock.query('SELECT FROM transactions WHERE vendor = $1', [vendor]);
    return [refused, rows.length, await caller.send(calls[0]!)];
  });
  await lock.end();
  const reasons = service.lines.flatMap(({ reason }) => (typeof reason === 'string' ? [reason] : []));
  await service.stop();
  const isRight = replies.every(({ status }) => status === 503) && stored === 0 && succeeded(after);
  const found = `${tally(replies.map(({ status }) => String(status)))}, ${stored} stored; then ${after.status}`;
  const isNamed = reasons.some((reason) => reason.includes('pool of the pooler smaller'));
  return [
    criterion(`no write that was answered 503 is stored, pool of ${poolSize ?? 20} for 16`, isRight, found),
    ...(poolSize === undefined
      ? []
      : [criterion('the log names the pool that is too small', isNamed, tally(reasons))]),
  ];
}

/** Two instances on an empty database, with exactly the connections that they hold: DB_POOL_SIZE + 2 each. */
async function together({ rig, cluster, mode, pooler }: Setting): Promise<Criterion[]> {
  const faults: string[] = [];
  const url = new URL(await pooler(3 * INSTANCES.length));
  for (let start = 0; start < STARTS; start++) {
    url.pathname = `together_${start}`;
    const database = url.pathname.slice(1);
    await cluster.sql(`CREATE DATABASE ${database} OWNER ${url.username} TEMPLATE template0`);
    const env = { DB_POOLER: mode, DB_POOL_SIZE: '1' };
    const [services, found] = await migrateTogether(cluster, database, () =>
      INSTANCES.map((name) => rig.launch({ databaseUrl: url.href, env, name: `${database}-${name}` })),
    );
    faults.push(...found);
    for (const service of services) {
      const [owner] = await rig.owners(service.url, 1);
      const replies = await withCaller(service.url, (caller) =>
        Promise.all(writesOf(owner!, 'Together').map((call) => caller.send(call))),
      );
      faults.push(...replies.filter((reply) => !succeeded(reply)).map(({ status }) => String(status)));
      faults.push(...complaintsOf(service));
    }
    await Promise.all(services.map((service) => service.stop()));
    await cluster.sql(`DROP DATABASE ${database} WITH (FORCE)`); // PgBouncer keeps its connections for ten minutes
  }
  return [none('fault when two instances with DB_POOL_SIZE=1 start together', faults)];
}

const CASES = { byDefault, inUse, locked, tooSmall: (setting: Setting) => locked(setting, 3), together };

await runCriteria({
  call: 'npm run test:poolers',
  about:
    'Runs the service behind PgBouncer of the installed Debian and of Debian 13, in session and in transaction mode: ' +
    'without DB_POOLER, with requests of every kind, on a locked table, with too small a pool, and with two instances ' +
    'that start together on an empty database. Needs root, PgBouncer and mmdebstrap.',
  options: {},
  async run(_, atTheEnd, tell) {
    for (const command of await pgBouncers())
      for (const mode of ['session', 'transaction'])
        await withRig(atTheEnd, async (rig) => {
          const cluster = await rig.cluster();
          const pooler = (poolSize?: number): Promise<string> =>
            startPgBouncer(rig, command, { cluster, mode, poolSize });
          for (const [name, judge] of Object.entries(CASES)) {
            const title = `${await versionOf(command)}, ${mode} mode: ${name}`;
            progress(title);
            tell(await judge({ rig, cluster, mode, pooler }), title);
          }
        });
  },
});
