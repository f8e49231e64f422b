import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findBinaries } from '../../../src/quickstart/embedded-postgres/binaries.js';
import { rowsOf } from '../../support/connect.js';
import { WRONG_TOTALS } from '../../support/totals.js';
import type { Criterion, Protocol } from '../protocol.js';
import type { Cluster } from '../support/cluster.js';
import { allSucceedFrom, criterion, failuresAreProblems, serviceIsWell } from '../support/criteria.js';
import { count } from '../support/figures.js';
import { jsonIn, withCaller } from '../support/http.js';
import type { Sql } from '../support/ledger.js';
import { type Rig, settle } from '../support/rig.js';

const FAILURE_BOUND = 3000;
const TABLES = ['users', 'properties', 'transactions', 'owner_totals', 'property_totals'];
/** Count and sum of transactions, and a hash of all rows. */
const CONTENT = `SELECT (SELECT count(*) FROM transactions) AS rows, (SELECT sum(amount) FROM transactions) AS sum,
  md5(concat(${TABLES.map((table) => `(SELECT string_agg(t::text, E'\\n' ORDER BY t::text) FROM ${table} t)`).join(', ')})) AS hash`;
const { folder: BINARIES } = findBinaries(process.env);
const execute = promisify(execFile);

/** As docs/operations.md describes it. */
export const RESTORED: Protocol = {
  name: 'restored',
  title: 'the ledger is dumped while it is written to, and at its end; both are restored',
  obstacle: () =>
    existsSync(join(BINARIES, 'pg_dump'))
      ? undefined
      : 'there is no pg_dump beside this PostgreSQL; with Debian’s there is: PG_BIN=/usr/lib/postgresql/15/bin',
  async run(rig, { short }) {
    const scene = await rig.scene();
    const { cluster, load, service, owners } = scene;
    const lasting = short ? 1000 : 5000;
    load.start();
    await sleep(lasting);
    const meanwhile = await dumpAndRestore(rig, cluster, 'meanwhile');
    await sleep(lasting);
    const ledger = await settle(scene);
    const atTheEnd = await dumpAndRestore(rig, cluster, 'at_the_end');
    const [[before], [after]] = [await cluster.sql(CONTENT), await atTheEnd(CONTENT)];
    const databaseUrl = databaseOf(cluster.url, 'at_the_end');
    const restored = await rig.launch({ databaseUrl, name: 'restored' }).ready();
    const list = await withCaller(restored.url, (caller) =>
      caller.get('/api/transactions', owners[0]!.token),
    );
    const { totalElements } = jsonIn(list) as { totalElements: number };
    return [
      ...ledger,
      ...failuresAreProblems(load.replies, FAILURE_BOUND),
      allSucceedFrom('no request fails for a dump', load.replies, 0),
      await totalsAreRight('the dump under load', meanwhile),
      await totalsAreRight('the dump at the end', atTheEnd),
      criterion(
        'all rows are as before',
        before !== undefined && JSON.stringify(before) === JSON.stringify(after),
        JSON.stringify([before, after]),
      ),
      criterion('the service serves from it', totalElements > 0, `${count(totalElements)} of an owner`),
      ...serviceIsWell(service),
    ];
  },
};

/** Returns the access to the new database. */
async function dumpAndRestore(rig: Rig, cluster: Cluster, name: string): Promise<Sql> {
  const file = join(rig.folder, `${name}.dump`);
  await execute(join(BINARIES, 'pg_dump'), ['-Fc', '-d', cluster.adminUrl, '-f', file]);
  const url = databaseOf(cluster.adminUrl, name);
  const owner = new URL(cluster.url).username;
  await cluster.sql(`CREATE DATABASE ${name} OWNER ${owner} TEMPLATE template0`);
  await execute(join(BINARIES, 'pg_restore'), ['--exit-on-error', '--single-transaction', '-d', url, file]);
  return async <Row>(text: string) => (await rowsOf(url, text)) as Row[];
}

function databaseOf(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

async function totalsAreRight(name: string, sql: Sql): Promise<Criterion> {
  const wrong = (await sql(WRONG_TOTALS)).length;
  const [{ rows } = { rows: 0 }] = await sql<{ rows: number }>(
    'SELECT count(*)::int AS rows FROM transactions',
  );
  const measured = `${count(rows)} transactions, ${wrong} wrong totals`;
  return criterion(`${name}: the totals are right`, rows > 0 && wrong === 0, measured);
}
