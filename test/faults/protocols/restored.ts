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
import { count, tally } from '../support/figures.js';
import { jsonIn, withCaller } from '../support/http.js';
import type { Sql } from '../support/ledger.js';
import { type Rig, type Scene, settle } from '../support/rig.js';

const FAILURE_BOUND = 3000;
const TABLES = ['users', 'properties', 'transactions', 'owner_totals', 'property_totals'];
/** How many rows there are, the sum of their amounts, and a hash of all that is in them. */
const CONTENT = `SELECT (SELECT count(*) FROM transactions) AS rows, (SELECT sum(amount) FROM transactions) AS sum,
  md5(concat(${TABLES.map((table) => `(SELECT string_agg(t::text, E'\\n' ORDER BY t::text) FROM ${table} t)`).join(', ')})) AS hash`;
const execute = promisify(execFile);

interface Content {
  readonly rows: string;
  readonly sum: string;
  readonly hash: string;
}

/** As docs/operations.md tells operators to do it. */
export const RESTORED: Protocol = {
  name: 'restored',
  title: 'the ledger is dumped while it is written to, and at its end; both are restored',
  obstacle() {
    const { folder } = findBinaries(process.env);
    return existsSync(join(folder, 'pg_dump'))
      ? undefined
      : 'there is no pg_dump beside this PostgreSQL; with Debian’s there is: PG_BIN=/usr/lib/postgresql/15/bin';
  },
  async run(rig, { short }) {
    const scene = await rig.scene();
    const { cluster, load, service } = scene;
    const lasting = short ? 1000 : 5000;
    load.start();
    await sleep(lasting);
    const meanwhile = await dumpAndRestore(rig, cluster, 'meanwhile');
    await sleep(lasting);
    const ledger = await settle(scene);
    const atTheEnd = await dumpAndRestore(rig, cluster, 'at_the_end');
    return [
      ...ledger,
      ...failuresAreProblems(load.replies, FAILURE_BOUND),
      allSucceedFrom('no request fails for a dump', load.replies, 0),
      ...(await judgeDump('the dump under load', meanwhile)),
      ...(await judgeDump('the dump at the end', atTheEnd)),
      await isTheSame(cluster.sql, atTheEnd),
      await serves(rig, scene, 'at_the_end'),
      ...serviceIsWell(service),
    ];
  },
};

/** Returns how the new database is asked. */
async function dumpAndRestore(rig: Rig, cluster: Cluster, name: string): Promise<Sql> {
  const { folder } = findBinaries(process.env);
  const file = join(rig.folder, `${name}.dump`);
  await execute(join(folder, 'pg_dump'), ['-Fc', '-d', cluster.adminUrl, '-f', file]);
  const url = databaseUrl(cluster.adminUrl, name);
  const owner = new URL(cluster.url).username;
  await cluster.sql(`CREATE DATABASE ${name} OWNER ${owner} TEMPLATE template0`);
  const options = ['--exit-on-error', '--single-transaction', '-d', url, file];
  await execute(join(folder, 'pg_restore'), options);
  return async <Row>(text: string) => (await rowsOf(url, text)) as Row[];
}

function databaseUrl(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

async function judgeDump(name: string, sql: Sql): Promise<Criterion[]> {
  const [content] = await sql<Content>(CONTENT);
  const wrong = await sql(WRONG_TOTALS);
  const { rows = '0', sum } = content ?? {};
  return [
    criterion(
      `${name}: the totals are right`,
      Number(rows) > 0 && wrong.length === 0,
      `${rows} transactions, ${sum ?? '-'} in sum, ${wrong.length} wrong totals`,
    ),
  ];
}

async function isTheSame(before: Sql, after: Sql): Promise<Criterion> {
  const [[wanted], [found]] = [await before<Content>(CONTENT), await after<Content>(CONTENT)];
  return criterion(
    'counts, sums and all that is in the rows are as before',
    wanted !== undefined && JSON.stringify(wanted) === JSON.stringify(found),
    tally([wanted, found].map((content) => JSON.stringify(content))),
  );
}

async function serves(rig: Rig, { cluster, owners }: Scene, name: string): Promise<Criterion> {
  const service = await rig.launch({ databaseUrl: databaseUrl(cluster.url, name), name }).ready();
  const answer = await withCaller(service.url, (caller) => caller.get('/api/transactions', owners[0]!.token));
  const { totalElements } = jsonIn(answer) as { totalElements: number };
  return criterion('the service serves from it', totalElements > 0, `${count(totalElements)} of an owner`);
}
