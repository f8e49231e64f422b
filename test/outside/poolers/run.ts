import { setTimeout as sleep } from 'node:timers/promises';
import { MIGRATIONS } from '../../../migrations/all.js';
import { newOwners, type Owner } from '../../faults/support/accounts.js';
import type { Cluster } from '../../faults/support/cluster.js';
import { runCriteria } from '../../faults/support/command.js';
import { allSucceedFrom, criterion, none } from '../../faults/support/criteria.js';
import { tally } from '../../faults/support/figures.js';
import { succeeded, withCaller, wordOf } from '../../faults/support/http.js';
import { Load } from '../../faults/support/load.js';
import { type Rig, withRig } from '../../faults/support/rig.js';
import type { Criterion } from '../../faults/protocol.js';
import type { HttpRequest } from '../../support/client.js';
import { openConnection } from '../../support/connect.js';
import { transactionRequest } from '../../support/factories.js';
import { until } from '../../support/until.js';
import { pgBouncers, startPgBouncer, versionOf } from './pgbouncer.js';

/** Enough for an export to fetch several times. */
const ROWS = 3000;
/** Requests per second. */
const RATE = { writes: 50, reads: 50 };

interface Setting {
  readonly rig: Rig;
  readonly cluster: Cluster;
  readonly mode: string;
  /** Starts another PgBouncer and returns the URL through it. */
  readonly pooler: (poolSize?: number) => Promise<string>;
}

/** DB_POOLER is not set: PgBouncer refuses the parameters of the service's connections. */
async function byDefault({ rig, pooler }: Setting): Promise<Criterion[]> {
  const service = rig.launch({ databaseUrl: await pooler() });
  await until(() => service.lines.some(({ reason }) => reason !== undefined));
  const { reason, remedy } = service.lines.find((line) => line['reason'] !== undefined)!;
  await service.stop();
  const isNamed = reason === 'startup-parameters' && String(remedy).includes('DB_POOLER');
  const line = `${String(reason)}: ${String(remedy)}`;
  return [criterion('without DB_POOLER the log names the setting', isNamed, line)];
}

/** The pooler of one mode, and the setting of the other: version 1.24 keeps prepared statements all the same. */
async function otherMode({ rig, mode, pooler }: Setting): Promise<Criterion[]> {
  if (mode === 'session') return [];
  const service = rig.launch({ databaseUrl: await pooler(), env: { DB_POOLER: 'session' } });
  await until(() =>
    service.lines.some(({ reason, msg }) => reason !== undefined || msg === 'the database is ready'),
  );
  const found = service.lines.find(({ reason }) => reason !== undefined);
  await service.stop();
  const line = `${String(found?.['reason'])}: ${String(found?.['remedy'])}`;
  const isNamed = /^prepared-statements: .* DB_POOLER=transaction$/.test(line);
  return [
    criterion(
      'with DB_POOLER=session it is ready, or the log names the setting',
      isNamed || found === undefined,
      line,
    ),
  ];
}

function writesOf({ token, propertyId }: Owner, vendor: string, rows = 1): HttpRequest[] {
  const row = transactionRequest(propertyId, { vendor });
  const write = (path: string, body: object | string, type = 'application/json'): HttpRequest => {
    const headers = { 'content-type': type };
    return { method: 'POST', path: `/api/transactions${path}`, token, headers, body };
  };
  return [
    write('', row),
    write('/batch', { transactions: [row, row] }),
    write('/import?duplicates=allow', `${JSON.stringify(row)}\n`.repeat(rows), 'application/x-ndjson'),
  ];
}

/** Files and exports beside single reads and writes: statements, transactions and cursors at once. */
async function inUse({ rig, cluster, mode, pooler }: Setting): Promise<Criterion[]> {
  const { url } = await rig.launch({ databaseUrl: await pooler(), env: { DB_POOLER: mode } }).ready();
  const load = new Load(rig, url, await newOwners(url), RATE).start();
  const body = { vendor: 'From a file' };
  const [sent, exported] = await withCaller(url, async (caller) => {
    const owners = await newOwners(url, 2);
    const calls = owners.flatMap((owner) => writesOf(owner, body.vendor, ROWS));
    const writes = await Promise.all(calls.map((call) => caller.send(call)));
    const [path, headers] = ['/api/transactions/export', { accept: 'application/x-ndjson' }];
    const exports = owners.map(({ token }) => caller.send({ method: 'POST', path, token, headers, body }));
    return [writes, await Promise.all(exports)];
  });
  await load.stop();
  const lines = exported.map(({ text }) => text.split('\n').length - 1);
  const isWhole = lines.every((found) => found === ROWS + 3);
  return [
    allSucceedFrom('no request fails', [...load.replies, ...sent], 0),
    criterion(`exports have all ${ROWS + 3} rows that were sent`, isWhole, lines.join(', ')),
    ...(await load.ledger.check(cluster.sql)),
  ];
}

/** Writes wait for a locked table: 3 of 16 in PostgreSQL, the others in the pooler, which hands them on late. */
async function locked({ rig, cluster, mode, pooler }: Setting): Promise<Criterion[]> {
  const haste = { DB_STATEMENT_TIMEOUT: '1500ms', DB_ACQUIRE_TIMEOUT: '1s', DB_POOL_SIZE: '16' };
  const launch = { databaseUrl: await pooler(3), env: { DB_POOLER: mode, ...haste } };
  const service = await rig.launch(launch).ready();
  const owners = await newOwners(service.url, 16); // an account's second write would wait for its first
  const vendor = 'Locked out';
  const lock = await openConnection(cluster.adminUrl);
  await lock.query('BEGIN; LOCK TABLE transactions IN SHARE MODE');
  const kinds = [0, 1, 0, 2]; // single rows, more than a pool of 3 serves in time, between batches and files
  const calls = owners.map((owner, index) => writesOf(owner, vendor)[kinds[index % 4]!]!);
  const [replies, stored, after] = await withCaller(service.url, async (caller) => {
    const refused = await Promise.all(calls.map((call) => caller.send(call)));
    await lock.query('COMMIT');
    await sleep(3000); // until late statements of the pooler have arrived
    const { rows } = await lock.query('SELECT FROM transactions WHERE vendor = $1', [vendor]);
    return [refused, rows.length, await caller.send(calls[0]!)];
  });
  await lock.end();
  await service.stop();
  const isRight = replies.every(({ status }) => status === 503) && stored === 0 && succeeded(after);
  const found = `${tally(replies.map(wordOf))}, ${stored} stored; then ${after.status}`;
  return [criterion('no write that was answered 503 is stored, pool of 3 for 16', isRight, found)];
}

/** Two instances on an empty database, with exactly the connections that they hold: DB_POOL_SIZE + 2 each. */
async function together({ rig, cluster, mode, pooler }: Setting): Promise<Criterion[]> {
  const url = new URL(await pooler(2 * 3));
  url.pathname = 'together';
  await cluster.sql(`CREATE DATABASE together OWNER ${url.username} TEMPLATE template0`);
  const launch = { databaseUrl: url.href, env: { DB_POOLER: mode, DB_POOL_SIZE: '1' } };
  const services = [rig.launch(launch), rig.launch(launch)];
  await Promise.all(services.map((service) => service.ready()));
  const replies = services.map(async ({ url: own }) => {
    const [owner] = await newOwners(own, 1);
    return withCaller(own, (caller) =>
      Promise.all(writesOf(owner!, 'Together').map((call) => caller.send(call))),
    );
  });
  const failed = (await Promise.all(replies)).flat().filter((reply) => !succeeded(reply));
  const lines = services.flatMap((service) => service.lines);
  const applied = lines.flatMap(({ msg, migrations }) => (msg === 'the database is ready' ? migrations : []));
  const warnings = lines.filter(({ level }) => level !== 'info');
  const complaints = warnings.map(({ msg = '', reason = '' }) => `${msg} ${String(reason)}`);
  await Promise.all(services.map((service) => service.stop()));
  const faults = [...failed.map(wordOf), ...complaints, ...services.flatMap(({ strayLines }) => strayLines)];
  return [
    criterion('each migration is applied once', applied.length === MIGRATIONS.length, applied.join(', ')),
    none('fault when two instances with DB_POOL_SIZE=1 start together', faults),
  ];
}

const CASES = { byDefault, otherMode, inUse, locked, together };

await runCriteria({
  call: 'npm run test:poolers',
  about:
    'Runs the service behind PgBouncer of the installed Debian and of Debian 13, in session and in transaction mode: ' +
    'without DB_POOLER, with requests of every kind, on a locked table with too small a pool, and with two instances ' +
    'that start together on an empty database. Needs root, PgBouncer and mmdebstrap.',
  async run(_, atTheEnd, tell) {
    for (const command of await pgBouncers())
      for (const mode of ['session', 'transaction'])
        await withRig(atTheEnd, async (rig) => {
          const cluster = await rig.cluster();
          const pooler = (poolSize?: number): Promise<string> =>
            startPgBouncer(rig, command, { cluster, mode, poolSize });
          for (const [name, judge] of Object.entries(CASES)) {
            const title = `${await versionOf(command)}, ${mode} mode: ${name}`;
            tell(await judge({ rig, cluster, mode, pooler }), title);
          }
        });
  },
});
