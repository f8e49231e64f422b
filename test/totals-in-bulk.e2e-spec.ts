import pg from 'pg';
import { idsOf, pageOf } from './support/answers.js';
import { citusServers } from './support/citus.js';
import { createProperty, createTransaction } from './support/factories.js';
import { type Account, type Service, startService } from './support/service.js';
import { differencesOf } from './support/totals.js';

const COLUMNS =
  'owner_id, property_id, property_name, type, category, description, amount, date, status, recurring';
const VALUES = `'Home', 'INCOME', 'OTHER_INCOME', '', 1, now(), 'PAID', false`;

/** So many rows, spread over all properties of the owners in turn. */
const insertion = (owners: string[], rows: number): string =>
  `INSERT INTO transactions (${COLUMNS})
   SELECT p.owner_id, p.id, ${VALUES}
     FROM (SELECT p.owner_id, p.id, row_number() OVER (ORDER BY p.id) - 1 AS n, count(*) OVER () AS of
             FROM properties p WHERE p.owner_id IN (${owners.join(', ')})) p
     JOIN generate_series(1, ${rows}) g ON g % p.of = p.n ORDER BY g`;
const property = (owner: string, id: number): string =>
  `INSERT INTO properties (owner_id, id, name, address, base_price, max_guests, bedrooms, bathrooms, active)
   VALUES (${owner}, ${id}, 'Home', '', 1, 1, 1, 1, true)`;
const row = (owner: string, id: number): string =>
  `INSERT INTO transactions (${COLUMNS}) VALUES (${owner}, ${id}, ${VALUES})`;
const deletion = (owner: string): string => `DELETE FROM transactions WHERE owner_id = ${owner}`;

const ANY_ROW = 'id = (SELECT max(t.id) FROM transactions t WHERE t.owner_id = transactions.owner_id)';

let service: Service;
let client: pg.Client;
let one: Account;
let other: Account;
/** Of the first account; the other has one, too. */
let homes: number[];
let freeId = 1_000_000;

beforeAll(async () => {
  service = await startService();
  client = new pg.Client({ connectionString: service.settings.database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await service.stop();
});

afterEach(() => client.query('ROLLBACK')); // of what has failed

beforeEach(async () => {
  [one, other] = [await service.account(), await service.account()];
  homes = [];
  for (let left = 3; left > 0; left--) homes.push((await createProperty(one)).id);
  await createTransaction(one, homes[0]!);
  await createTransaction(other, (await createProperty(other)).id);
});

/** By this connection, so far in its transaction. */
async function updatesOfTotals(): Promise<number> {
  const { rows } = await client.query<{ updates: number }>(
    `SELECT sum(n_tup_upd)::int AS updates FROM pg_stat_xact_user_tables WHERE relname IN ('owner_totals', 'property_totals')`,
  );
  return rows[0]!.updates;
}

/** The statements in one transaction. */
async function transaction(...statements: string[]): Promise<void> {
  for (const statement of ['BEGIN', ...statements, 'COMMIT']) await client.query(statement);
}

async function toldTo(account: Account): Promise<number[]> {
  const answers = await Promise.all(
    ['properties', 'transactions'].map((list) => account.get(`/api/${list}`)),
  );
  return answers.map((answer) => pageOf(answer).totalElements);
}

type Made = [statements: string[], ofOne: [number, number], ofOther: [number, number]];

/** Before each, one has three properties and a transaction, and the other has one of each. */
const TRANSACTIONS: [string, () => Made][] = [
  ['many rows of one statement', () => [[insertion([one.id], 50)], [3, 51], [1, 1]]],
  [
    'many statements of one row',
    () => [Array.from({ length: 20 }, (_, n) => row(one.id, homes[n % 3]!)), [3, 21], [1, 1]],
  ],
  ['rows of several owners in turn', () => [[insertion([one.id, other.id], 40)], [3, 31], [1, 11]]],
  [
    'a deletion of many',
    () => [
      [insertion([one.id], 30), deletion(one.id)],
      [3, 0],
      [1, 1],
    ],
  ],
  [
    'a deletion of rows of several owners',
    () => [
      [
        insertion([one.id, other.id], 40),
        `DELETE FROM transactions WHERE owner_id IN (${one.id}, ${other.id})`,
      ],
      [3, 0],
      [1, 0],
    ],
  ],
  [
    'a deletion of nothing',
    () => [
      [deletion('0'), row(one.id, homes[0]!), deletion('0')],
      [3, 2],
      [1, 1],
    ],
  ],
  [
    'many deletions of one row',
    () => [
      [insertion([one.id], 30), ...Array.from({ length: 20 }, () => `${deletion(one.id)} AND ${ANY_ROW}`)],
      [3, 11],
      [1, 1],
    ],
  ],
  [
    'a deletion of what was there',
    () => [
      ['SAVEPOINT a', insertion([one.id], 30), 'RELEASE a', deletion(one.id)],
      [3, 0],
      [1, 1],
    ],
  ],
  [
    'a move of many to one property',
    () => [
      [
        insertion([one.id], 30),
        `UPDATE transactions SET property_id = ${homes[2]!} WHERE owner_id = ${one.id}`,
      ],
      [3, 31],
      [1, 1],
    ],
  ],
  [
    'an edit that names the property and does not change it',
    () => [
      [
        insertion([one.id], 9),
        `UPDATE transactions SET property_id = property_id WHERE owner_id = ${one.id}`,
      ],
      [3, 10],
      [1, 1],
    ],
  ],
  [
    'a savepoint that is undone',
    () => [
      [
        row(one.id, homes[0]!),
        'SAVEPOINT a',
        insertion([one.id, other.id], 30),
        'ROLLBACK TO a',
        row(one.id, homes[1]!),
      ],
      [3, 3],
      [1, 1],
    ],
  ],
  [
    'a savepoint that is undone before anything else is written',
    () => [
      ['SAVEPOINT a', insertion([one.id], 30), 'ROLLBACK TO a', insertion([one.id], 6)],
      [3, 7],
      [1, 1],
    ],
  ],
  [
    'a savepoint that is undone between notes',
    () => [
      [insertion([one.id], 6), 'SAVEPOINT a', deletion(one.id), 'ROLLBACK TO a', insertion([one.id], 6)],
      [3, 13],
      [1, 1],
    ],
  ],
  [
    'new properties with rows',
    () => {
      const [first, second] = [++freeId, ++freeId];
      return [
        [property(one.id, first), property(one.id, second), row(one.id, first), row(one.id, second)],
        [5, 3],
        [1, 1],
      ];
    },
  ],
  [
    'new properties that are deleted again, the first and a later one',
    () => {
      const [first, second] = [++freeId, ++freeId];
      const drop = `DELETE FROM properties WHERE id IN (${first}, ${second})`;
      return [
        [
          property(one.id, first),
          property(one.id, second),
          row(one.id, second),
          `DELETE FROM transactions WHERE property_id = ${second}`,
          drop,
        ],
        [3, 1],
        [1, 1],
      ];
    },
  ],
  [
    'a property that goes with its rows, and comes back',
    () => {
      const id = homes[0]!;
      return [
        [
          insertion([one.id], 9),
          `DELETE FROM transactions WHERE property_id = ${id}`,
          `DELETE FROM properties WHERE id = ${id}`,
          property(one.id, id),
          row(one.id, id),
        ],
        [3, 7],
        [1, 1],
      ];
    },
  ],
  [
    'constraints that are immediate from the beginning',
    () => [
      ['SET CONSTRAINTS ALL IMMEDIATE', insertion([one.id], 9), row(one.id, homes[0]!)],
      [3, 11],
      [1, 1],
    ],
  ],
  [
    'constraints that become immediate in between',
    () => [
      [
        insertion([one.id], 9),
        'SET CONSTRAINTS ALL IMMEDIATE',
        insertion([one.id], 9),
        'SET CONSTRAINTS ALL DEFERRED',
        insertion([one.id], 9),
      ],
      [3, 28],
      [1, 1],
    ],
  ],
  [
    'all that an account has, and the account',
    () => [
      [
        insertion([one.id, other.id], 20),
        deletion(other.id),
        `DELETE FROM properties WHERE owner_id = ${other.id}`,
        `DELETE FROM users WHERE id = ${other.id}`,
      ],
      [3, 16],
      [0, 0],
    ],
  ],
  ['TRUNCATE of the transactions', () => [['TRUNCATE transactions'], [3, 0], [1, 0]]],
  [
    'TRUNCATE of the transactions among other writes',
    () => [
      [property(one.id, ++freeId), insertion([one.id], 9), 'TRUNCATE transactions', insertion([one.id], 8)],
      [4, 8],
      [1, 0],
    ],
  ],
  [
    'TRUNCATE of the properties with all that hangs on them',
    () => [
      [insertion([one.id, other.id], 9), 'TRUNCATE properties CASCADE', property(one.id, ++freeId)],
      [1, 0],
      [0, 0],
    ],
  ],
];

/** A cluster's TRUNCATE fires no trigger. */
const COUNTED = TRANSACTIONS.filter(([what]) => citusServers().length === 0 || !what.startsWith('TRUNCATE'));

describe('a transaction of', () => {
  it.each(COUNTED)('%s leaves the totals right', async (_, make) => {
    const [statements, ofOne, ofOther] = make();
    await transaction(...statements);
    expect(await differencesOf(service)).toEqual([]);
    expect(await toldTo(one)).toEqual(ofOne);
    if (!statements.some((text) => text.startsWith('DELETE FROM users')))
      expect(await toldTo(other)).toEqual(ofOther);
  });

  it.each(COUNTED)('%s leaves them as they were when it is undone', async (_, make) => {
    const [statements] = make();
    for (const statement of ['BEGIN', ...statements, 'ROLLBACK']) await client.query(statement);
    expect(await differencesOf(service)).toEqual([]);
    expect([await toldTo(one), await toldTo(other)]).toEqual([
      [3, 1],
      [1, 1],
    ]);
  });

  it.each<[string, () => string[]]>([
    ['insertions', () => [insertion([one.id], 600)]],
    ['insertions one by one', () => Array.from({ length: 600 }, (__, n) => row(one.id, homes[n % 3]!))],
    ['insertions of several owners', () => [insertion([one.id, other.id], 600)]],
    ['deletions', () => [deletion(one.id)]],
    ['moves', () => [`UPDATE transactions SET property_id = ${homes[2]!} WHERE owner_id = ${one.id}`]],
    ['properties', () => Array.from({ length: 600 }, () => property(one.id, ++freeId))],
  ])('600 %s writes each row of totals a few times only', async (_, statements) => {
    await transaction(insertion([one.id], 600));
    await client.query('BEGIN');
    const before = await updatesOfTotals();
    for (const statement of [...statements(), 'SET CONSTRAINTS ALL IMMEDIATE']) await client.query(statement);
    const after = await updatesOfTotals();
    await client.query('COMMIT');
    expect(after - before).toBeLessThanOrEqual(12);
    expect(await differencesOf(service)).toEqual([]);
  });

  it.each<[string, () => string[], number]>([
    ['notes nothing', () => [], 0],
    [
      'notes their properties, not each row, where the owner was counted before',
      () => [row(one.id, homes[0]!)],
      3,
    ],
  ])('a deletion of 600 rows %s', async (_, before, notes) => {
    await transaction(insertion([one.id], 600));
    await client.query('BEGIN');
    for (const statement of [...before(), deletion(one.id)]) await client.query(statement);
    const { rows } = await client.query<{ notes: string | null }>(
      `SELECT coalesce((SELECT string_agg(d.notes, '') FROM totals_deltas d), '')
              || current_setting('totals.notes', true) AS notes`,
    );
    await client.query('COMMIT');
    expect((rows[0]!.notes ?? '').split(';').filter(Boolean)).toHaveLength(notes);
    expect(await differencesOf(service)).toEqual([]);
  });
});

it('many transactions of several rows of one owner, all at once, are counted whole', async () => {
  const clients = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const writer = new pg.Client({ connectionString: service.settings.database.url });
      await writer.connect();
      return writer;
    }),
  );
  const write = async (writer: pg.Client, index: number): Promise<void> => {
    for (let turn = 0; turn < 15; turn++) {
      await writer.query('BEGIN');
      await writer.query(row(one.id, homes[(index + turn) % 3]!));
      await writer.query(insertion([one.id], 3));
      await writer.query(turn % 5 === 4 ? 'ROLLBACK' : 'COMMIT');
    }
  };
  await Promise.all(clients.map(write)).finally(() => Promise.all(clients.map((writer) => writer.end())));
  expect(await toldTo(one)).toEqual([3, 1 + 6 * 12 * 4]);
  expect(await differencesOf(service)).toEqual([]);
});

describe('the list of a property whose total is missing', () => {
  afterEach(async () => {
    for (const table of ['transactions', 'properties', 'property_totals', 'owner_totals'])
      await service.sql(`DELETE FROM ${table} WHERE owner_id = $1`, [one.id]);
  });

  it('is answered, and counted; that of a property that is not there is 404', async () => {
    await service.sql('DELETE FROM property_totals WHERE property_id = $1', [homes[0]]);
    for (const path of ['', '?page=1', '?sortBy=amount']) {
      const answer = await one.get(`/api/transactions/property/${homes[0]!}${path}`);
      expect(answer.status).toBe(200);
      expect(pageOf(answer).totalElements).toBe(1);
      expect(idsOf(answer)).toHaveLength(path === '?page=1' ? 0 : 1);
    }
    expect((await other.get(`/api/transactions/property/${homes[0]!}`)).status).toBe(404);
    expect((await one.get('/api/transactions/property/999999999')).status).toBe(404);
  });

  it('stays missing when many rows are added, rather than tell a part of them', async () => {
    await service.sql('DELETE FROM property_totals WHERE property_id = $1', [homes[0]]);
    await transaction(insertion([one.id], 30));
    const answer = await one.get(`/api/transactions/property/${homes[0]!}`);
    expect(pageOf(answer).totalElements).toBe(11);
  });
});
