import { cli, type CliResult } from './support/cli.js';
import { openConnection, rowsOf } from './support/connect.js';
import { createDatabase, createEmptyDatabase } from './support/database.js';
import { type FakeCitus, pretendCitus } from './support/fake-citus.js';
import { until } from './support/until.js';
import { environmentFor } from './support/settings.js';

const TABLES = [
  'users',
  'api_keys',
  'properties',
  'transactions',
  'owner_totals',
  'property_totals',
  'idempotency_keys',
  'deletions',
];
const DONE: CliResult = { exitCode: 0, out: ['The tables are distributed already'], err: [] };

const run = (url: string, ...words: string[]): Promise<CliResult> => cli(words, { env: environmentFor(url) });
const distribute = (url: string, ...options: string[]): Promise<CliResult> =>
  run(url, 'db', 'distribute', ...options);

/** A database that looks like one of a cluster. */
async function pretended(fake: FakeCitus = {}, database = createDatabase()): Promise<string> {
  return pretendCitus(await database, fake);
}

const triggersOf = (url: string): Promise<unknown[]> =>
  rowsOf(url, 'SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1');

/** Each distributed table with the arguments. */
async function distributedIn(url: string): Promise<string[]> {
  const text = `SELECT c.relname || ': ' || p.how AS line
                  FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid ORDER BY p.ctid`;
  return (await rowsOf<{ line: string }>(url, text)).map(({ line }) => line);
}

describe('db distribute', () => {
  it.each<[string, () => Promise<string>, RegExp]>([
    ['PostgreSQL without Citus', createDatabase, /^This database is not on Citus: .*CREATE EXTENSION citus/],
    ['an outdated schema', () => pretended({}, createEmptyDatabase()), /^The schema is not up to date: /],
    [
      'a worker',
      () => pretended({ isCoordinator: false }),
      /^Citus .* a worker.*: let DB_HOST .* name the coord/,
    ],
  ])('refuses %s', async (_, database, message) => {
    const err = [expect.stringMatching(message) as string];
    expect(await distribute(await database())).toEqual({ exitCode: 1, out: [], err });
  });

  it.each(['0', '1000', 'x', '1.5'])('--shards %s ends with code 2', async (shards) => {
    expect((await distribute('postgres://nobody@localhost/x', '--shards', shards)).exitCode).toBe(2);
  });

  it('distributes all tables with their triggers, and once', async () => {
    const url = await pretended();
    const triggers = await triggersOf(url);
    const out = ['The tables are distributed, in 8 parts each: restart every instance'];
    expect(await distribute(url, '--shards', '8')).toEqual({ exitCode: 0, out, err: [] });
    expect(await distributedIn(url)).toEqual([
      'api_keys: reference',
      'properties: owner_id 8 none',
      'transactions: owner_id properties',
      'owner_totals: owner_id properties',
      'idempotency_keys: owner_id properties',
      'deletions: owner_id properties',
      'users: reference, emptied',
      'property_totals: owner_id properties, emptied',
    ]);
    expect(await triggersOf(url)).toEqual(triggers);
    expect(await distribute(url)).toEqual(DONE);
  });

  it.each(TABLES)('waits for a write to %s that is under way before it moves any table', async (table) => {
    const url = await pretended();
    const writer = await openConnection(url);
    await writer.query(`BEGIN; LOCK TABLE ${table} IN ROW EXCLUSIVE MODE`);
    let isDone = false;
    const done = distribute(url).finally(() => (isDone = true));
    const locks =
      'SELECT FROM pg_locks WHERE database = (SELECT oid FROM pg_database WHERE datname = current_database())';
    await until(async () => isDone || (await rowsOf(url, `${locks} AND NOT granted`)).length > 0);
    const moved = await rowsOf(
      url,
      `${locks} AND relation = 'pg_dist_partition'::regclass AND mode = 'RowExclusiveLock'`,
    );
    expect([moved, await distributedIn(url)]).toEqual([[], []]);
    await writer.query('COMMIT');
    expect((await done).exitCode).toBe(0);
  });

  it('--print prints the statements, which do the same', async () => {
    const url = await pretended();
    const { exitCode, out } = await distribute(url, '--print', '--shards', '4');
    expect([exitCode, await distributedIn(url)]).toEqual([0, []]);
    // The workers get functions that are older than the extension by CREATE OR REPLACE, before the work that needs them.
    const [functions] = out.join('\n').split('\nBEGIN;\n');
    expect(functions!.match(/CREATE OR REPLACE FUNCTION public\.\w+/g)).toHaveLength(5);
    await rowsOf(url, out.join('\n'));
    expect(await distributedIn(url)).toHaveLength(TABLES.length);
    expect(await distribute(url)).toEqual(DONE);
  });

  it('is not undone by db rollback and db migrate', async () => {
    const url = await pretended();
    expect((await distribute(url)).exitCode).toBe(0);
    for (const words of ['rollback --to Totals1800000000102', 'migrate'])
      expect((await run(url, 'db', ...words.split(' '))).exitCode).toBe(0);
    expect(await distribute(url)).toEqual(DONE);
  });
});

const COORDINATOR = '13.2-1: the coordinator of';
it.each<[FakeCitus | undefined, ...string[]]>([
  [undefined],
  [{ isCoordinator: false }, 'fail: 13.2-1: this server is a worker, not the coordinator'],
  [{}, `warn: ${COORDINATOR} 2 workers; the tables are not distributed`],
  [{ workers: [] }, `warn: ${COORDINATOR} 0 workers`],
  [
    { distributed: TABLES.slice(0, 5) },
    `fail: ${COORDINATOR} 2 workers; not distributed as the others are: deletions, idempotency_keys, property_totals`,
  ],
  [{ distributed: TABLES, workers: [true] }, `ok: ${COORDINATOR} 1 worker; the tables are distributed`],
  [
    { distributed: TABLES, workers: [true, false] },
    `ok: ${COORDINATOR} 2 workers; the tables are distributed`,
    "fail: the worker worker:6001 is away: its owners, sign-up and much of ADMIN's are answered 503",
  ],
])('the doctor finds on the cluster %j: %s', async (fake, ...found) => {
  const url = fake === undefined ? await createDatabase() : await pretended(fake);
  const { findings } = JSON.parse((await run(url, 'doctor', '--json')).out.join('\n')) as {
    findings: { status: string; subject: string; text: string; remedy?: string }[];
  };
  const citus = findings.filter(({ subject }) => subject === 'citus');
  expect(citus.map(({ status, text }) => `${status}: ${text}`)).toEqual(found);
  for (const { status, remedy } of citus) expect([status, typeof remedy]).not.toEqual(['fail', 'undefined']);
});
