import { cli, type CliResult, environmentFor } from './support/cli.js';
import { rowsOf } from './support/connect.js';
import { createDatabase, createEmptyDatabase } from './support/database.js';
import { type FakeCitus, pretendCitus } from './support/fake-citus.js';

const TABLES = ['users', 'properties', 'transactions', 'owner_totals', 'property_totals', 'idempotency_keys'];
const DONE: CliResult = { exitCode: 0, out: ['The tables are distributed already'], err: [] };

const run = (url: string, ...words: string[]): Promise<CliResult> => cli(words, { env: environmentFor(url) });
const distribute = (url: string, ...options: string[]): Promise<CliResult> =>
  run(url, 'db', 'distribute', ...options);

/** A migrated database that looks like one of a cluster. */
async function pretended(fake: FakeCitus = {}): Promise<string> {
  const url = await createDatabase();
  await pretendCitus(url, fake);
  return url;
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
  it.each<[string, FakeCitus, RegExp]>([
    ['a worker', { isCoordinator: false }, /^This is a worker .* must name the coordinator\.$/],
    ['a cluster without a worker', { workers: [] }, /^The cluster has no worker: .*citus_add_node/],
    [
      'a part of the tables',
      { distributed: TABLES.slice(0, 3) },
      /^Some tables are distributed, but not owner_totals, property_totals, idempotency_keys: /,
    ],
  ])('refuses %s, and changes nothing', async (_, fake, message) => {
    const url = await pretended(fake);
    const triggers = await triggersOf(url);
    const err = [expect.stringMatching(message) as string];
    expect(await distribute(url)).toEqual({ exitCode: 1, out: [], err });
    expect(await triggersOf(url)).toEqual(triggers);
    expect(await distributedIn(url)).toHaveLength(fake.distributed?.length ?? 0);
  });

  it('refuses PostgreSQL without Citus, and an outdated schema', async () => {
    const empty = await createEmptyDatabase();
    await pretendCitus(empty, {});
    expect((await distribute(await createDatabase())).err).toEqual([
      'This database is not on Citus: as a superuser, CREATE EXTENSION citus on every server of the cluster.',
    ]);
    const outdated = 'The schema is not up to date: run "npm run cli -- db migrate".';
    expect((await distribute(empty)).err).toEqual([outdated]);
  });

  it.each(['0', '1000', 'x', '1.5'])('--shards %s ends with code 2', async (shards) => {
    expect((await distribute('postgres://nobody@localhost/x', '--shards', shards)).exitCode).toBe(2);
  });

  it('distributes all tables with their triggers, and once', async () => {
    const url = await pretended();
    const triggers = await triggersOf(url);
    expect(await distribute(url, '--shards', '8')).toEqual({
      exitCode: 0,
      out: ['The tables are distributed, in 8 parts each'],
      err: [],
    });
    expect(await distributedIn(url)).toEqual([
      'properties: owner_id 8 none',
      'transactions: owner_id properties',
      'owner_totals: owner_id properties',
      'idempotency_keys: owner_id properties',
      'users: reference, emptied',
      'property_totals: owner_id properties, emptied',
    ]);
    expect(await triggersOf(url)).toEqual(triggers);
    expect(await distribute(url)).toEqual(DONE);
  });

  it('changes nothing when it fails in the middle', async () => {
    const url = await pretended();
    const triggers = await triggersOf(url);
    await rowsOf(url, 'DROP FUNCTION create_reference_table');
    expect((await distribute(url)).exitCode).toBe(1);
    expect(await triggersOf(url)).toEqual(triggers);
  });

  it('--print prints the statements, which do the same', async () => {
    const url = await pretended();
    const { exitCode, out } = await distribute(url, '--print', '--shards', '4');
    expect([exitCode, await distributedIn(url)]).toEqual([0, []]);
    // The workers get functions that are older than the extension by CREATE OR REPLACE, before the work that needs them.
    const [functions] = out.join('\n').split('\nBEGIN;\n');
    expect(functions!.match(/CREATE OR REPLACE FUNCTION public\.\w+/g)).toHaveLength(4);
    await rowsOf(url, out.join('\n'));
    expect(await distributedIn(url)).toHaveLength(TABLES.length);
    expect(await distribute(url)).toEqual(DONE);
  });
});

describe('the doctor on Citus', () => {
  /** Its findings about Citus. */
  async function findingsOn(url: string): Promise<string[]> {
    const { findings } = JSON.parse((await run(url, 'doctor', '--json')).out.join('\n')) as {
      findings: { mark: string; subject: string; text: string; remedy?: string }[];
    };
    return findings
      .filter(({ subject }) => subject === 'citus')
      .map(({ mark, text, remedy = '' }) => [mark, text, remedy].join(': ').replace(/: $/, ''));
  }

  const of = (workers: string): string => `13.2-1: the coordinator of ${workers}`;

  it.each<[FakeCitus, string[]]>([
    [
      { isCoordinator: false },
      [
        'fail: 13.2-1: this server is a worker, not the coordinator: let DB_HOST (or DB_URL) name the coordinator',
      ],
    ],
    [{}, [`warn: ${of('2 workers')}; the tables are not distributed: npm run cli -- db distribute`]],
    [
      { workers: [] },
      [`warn: ${of('0 workers')}: as a superuser, for each: SELECT citus_add_node('…', 5432)`],
    ],
    [
      { distributed: TABLES.slice(0, 5) },
      [
        `fail: ${of('2 workers')}; not distributed as the others are: idempotency_keys: ` +
          'docs/scaling.md says how to distribute a table by itself',
      ],
    ],
    [{ distributed: TABLES, workers: [true] }, [`ok: ${of('1 worker')}; the tables are distributed`]],
    [
      { distributed: TABLES, workers: [true, false] },
      [
        `ok: ${of('2 workers')}; the tables are distributed`,
        "fail: the worker worker:6001 is away: its owners, sign-up and much of ADMIN's are answered 503: " +
          'start it, or promote its standby and name that: SELECT citus_update_node(…)',
      ],
    ],
  ])('finds on %j', async (fake, findings) => {
    expect(await findingsOn(await pretended(fake))).toEqual(findings);
  });

  it('finds nothing on PostgreSQL without Citus', async () => {
    expect(await findingsOn(await createDatabase())).toEqual([]);
  });
});
