import { cli, type CliResult, environmentFor } from './support/cli.js';
import { rowsOf } from './support/connect.js';
import { createDatabase, createEmptyDatabase } from './support/database.js';
import { type FakeCitus, pretendCitus } from './support/fake-citus.js';

const TABLES = ['users', 'properties', 'transactions', 'owner_totals', 'property_totals', 'idempotency_keys'];

const NOT_ON_CITUS =
  'This database is not on Citus: as a superuser, CREATE EXTENSION citus on every server of the cluster.';

const run = (url: string, ...words: string[]): Promise<CliResult> => cli(words, { env: environmentFor(url) });

const distribute = (url: string, ...options: string[]): Promise<CliResult> =>
  run(url, 'db', 'distribute', ...options);

/** A migrated database that looks like one of a cluster. */
async function pretended(fake: FakeCitus): Promise<string> {
  const url = await createDatabase();
  await pretendCitus(url, fake);
  return url;
}

const triggersOf = (url: string): Promise<{ definition: string }[]> =>
  rowsOf(
    url,
    'SELECT pg_get_triggerdef(oid) AS definition FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1',
  );

const partsOf = (url: string): Promise<{ name: string; how: string }[]> =>
  rowsOf(
    url,
    'SELECT c.relname AS name, p.how FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid ORDER BY p.ctid',
  );

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
    expect(await distribute(url)).toEqual({
      exitCode: 1,
      out: [],
      err: [expect.stringMatching(message) as string],
    });
    expect(await triggersOf(url)).toEqual(triggers);
    expect(await partsOf(url)).toHaveLength(fake.distributed?.length ?? 0);
  });

  it('refuses PostgreSQL itself, and a schema that is not up to date', async () => {
    expect((await distribute(await createDatabase())).err).toEqual([NOT_ON_CITUS]);
    const empty = await createEmptyDatabase();
    await pretendCitus(empty, {});
    expect((await distribute(empty)).err).toEqual([
      'The schema is not up to date: run "npm run cli -- db migrate".',
    ]);
  });

  it.each(['0', '1000', 'x', '1.5'])('takes no --shards %s', async (shards) => {
    expect((await distribute('postgres://nobody@localhost/x', '--shards', shards)).exitCode).toBe(2);
  });

  it('distributes all tables with their triggers as they were, and does so once', async () => {
    const url = await pretended({});
    const triggers = await triggersOf(url);
    const result = await distribute(url, '--shards', '8');
    expect([result.exitCode, result.err]).toEqual([0, []]);
    expect(result.out).toEqual([
      expect.stringMatching(/^The tables are distributed, in 8 parts each, after /),
    ]);
    expect(await partsOf(url)).toEqual([
      { name: 'properties', how: 'owner_id 8 none' },
      ...['transactions', 'owner_totals', 'idempotency_keys'].map((name) => ({
        name,
        how: 'owner_id properties',
      })),
      { name: 'users', how: 'reference, emptied' },
      { name: 'property_totals', how: 'owner_id properties, emptied' },
    ]);
    expect(await triggersOf(url)).toEqual(triggers);
    expect(await distribute(url)).toEqual({
      exitCode: 0,
      out: ['The tables are distributed already'],
      err: [],
    });
  });

  it('changes nothing when it fails in the middle', async () => {
    const url = await pretended({});
    const triggers = await triggersOf(url);
    await rowsOf(url, 'DROP FUNCTION create_reference_table');
    expect((await distribute(url)).exitCode).toBe(1);
    expect(await triggersOf(url)).toEqual(triggers);
  });

  it('prints the statements, with which somebody else can do it', async () => {
    const url = await pretended({});
    const { exitCode, out } = await distribute(url, '--print', '--shards', '4');
    expect(exitCode).toBe(0);
    expect(await partsOf(url)).toEqual([]);
    // Functions that are older than the extension get to the workers by being made anew, before what needs them.
    const [functions] = out.join('\n').split('\nBEGIN;\n');
    expect(functions!.match(/CREATE OR REPLACE FUNCTION public\.\w+/g)).toHaveLength(4);
    await rowsOf(url, out.join('\n'));
    expect(await partsOf(url)).toHaveLength(TABLES.length);
    expect((await distribute(url)).out).toEqual(['The tables are distributed already']);
  });
});

describe('the doctor on Citus', () => {
  /** What it says of Citus, each finding in a line. */
  async function findingsOn(url: string): Promise<string[]> {
    const { findings } = JSON.parse((await run(url, 'doctor', '--json')).out.join('\n')) as {
      findings: { mark: string; subject: string; text: string; remedy?: string }[];
    };
    return findings
      .filter(({ subject }) => subject === 'citus')
      .map(({ mark, text, remedy }) => [mark, text, ...(remedy === undefined ? [] : [remedy])].join(': '));
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
  ])('says of %j what it is', async (fake, findings) => {
    expect(await findingsOn(await pretended(fake))).toEqual(findings);
  });

  it('says nothing of PostgreSQL itself', async () => {
    expect(await findingsOn(await createDatabase())).toEqual([]);
  });
});
