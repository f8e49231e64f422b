import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findBinaries } from '../../../src/quickstart/embedded-postgres/binaries.js';
import { rowsOf } from '../../support/connect.js';
import { WRONG_TOTALS } from '../../support/totals.js';
import type { Criterion, Protocol } from '../protocol.js';
import { allSucceedFrom, criterion, failuresAreProblems, serviceIsWell } from '../support/criteria.js';
import { count } from '../support/figures.js';
import { withCaller } from '../support/http.js';
import { type Rig, type Scene, settle } from '../support/rig.js';

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
  async run(rig, short) {
    const scene = await rig.scene();
    const { cluster, load, service, owners } = scene;
    load.start();
    await sleep(short ? 1000 : 5000);
    const meanwhile = await dumpAndRestore(rig, scene, 'meanwhile');
    await sleep(short ? 1000 : 5000);
    const ledger = await settle(scene);
    const atTheEnd = await dumpAndRestore(rig, scene, 'at_the_end');
    const [before] = await cluster.sql(CONTENT);
    const [after] = await rowsOf(atTheEnd, CONTENT);
    const databaseUrl = named(cluster.url, 'at_the_end');
    const restored = await rig.launch({ databaseUrl }).ready();
    const served = await withCaller(restored.url, (caller) =>
      caller.get('/api/transactions', owners[0]!.token),
    );
    const [, found = '0'] = /"totalElements":(\d+)/.exec(served.text) ?? [];
    const [content, expected] = [JSON.stringify(after), JSON.stringify(before)];
    return [
      ...ledger,
      ...failuresAreProblems(load.replies, FAILURE_BOUND),
      allSucceedFrom('no request fails for a dump', load.replies, 0),
      await totalsAreRight('the dump under load', meanwhile),
      await totalsAreRight('the dump at the end', atTheEnd),
      criterion('all rows are as before', content === expected, `${content}, before ${expected}`),
      criterion('the service serves from it', found !== '0', `${found} of an owner`),
      ...serviceIsWell(service),
    ];
  },
};

/** Returns the address of the new database, for the superuser. */
async function dumpAndRestore({ folder }: Rig, { cluster }: Scene, name: string): Promise<string> {
  const file = join(folder, `${name}.dump`);
  const url = named(cluster.adminUrl, name);
  await execute(join(BINARIES, 'pg_dump'), ['-Fc', '-d', cluster.adminUrl, '-f', file]);
  await cluster.sql(`CREATE DATABASE ${name} OWNER ${new URL(cluster.url).username} TEMPLATE template0`);
  await execute(join(BINARIES, 'pg_restore'), ['--exit-on-error', '--single-transaction', '-d', url, file]);
  return url;
}

function named(url: string, database: string): string {
  return Object.assign(new URL(url), { pathname: `/${database}` }).href;
}

async function totalsAreRight(name: string, url: string): Promise<Criterion> {
  const wrong = (await rowsOf(url, WRONG_TOTALS)).length;
  const rows = (await rowsOf(url, 'SELECT FROM transactions')).length;
  const measured = `${count(rows)} transactions, ${wrong} wrong totals`;
  return criterion(`${name}: the totals are right`, rows > 0 && wrong === 0, measured);
}
