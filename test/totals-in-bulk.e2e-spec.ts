import type pg from 'pg';
import { idsOf, pageOf } from './support/answers.js';
import { openConnection } from './support/connect.js';
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
const move = (owner: string, to: number | string): string =>
  `UPDATE transactions SET property_id = ${to} WHERE owner_id = ${owner}`;
const undone = (statement: string): string[] => ['SAVEPOINT a', statement, 'ROLLBACK TO a'];
const times = (count: number, make: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => make(index));
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
  client = await openConnection(service.settings.database.url);
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

/** Its properties and its transactions, as `3/51`. */
async function toldTo(account: Account): Promise<string> {
  const answers = await Promise.all(
    ['properties', 'transactions'].map((list) => account.get(`/api/${list}`)),
  );
  return answers.map((answer) => pageOf(answer).totalElements).join('/');
}

/**
 * What a transaction does, and the properties and transactions that one and other have afterwards. Before each, one has
 * three properties and a transaction, and the other has one of each.
 */
const TRANSACTIONS: [what: string, totals: string, statements: () => string[]][] = [
  ['many rows of one statement', '3/51 1/1', () => [insertion([one.id], 50)]],
  ['many statements of one row', '3/21 1/1', () => times(20, (n) => row(one.id, homes[n % 3]!))],
  ['rows of several owners in turn', '3/31 1/11', () => [insertion([one.id, other.id], 40)]],
  ['a deletion of many', '3/0 1/1', () => [insertion([one.id], 30), deletion(one.id)]],
  [
    'a deletion of rows of several owners',
    '3/0 1/0',
    () => [
      insertion([one.id, other.id], 40),
      `DELETE FROM transactions WHERE owner_id IN (${one.id}, ${other.id})`,
    ],
  ],
  ['a deletion of nothing', '3/2 1/1', () => [deletion('0'), row(one.id, homes[0]!), deletion('0')]],
  [
    'many deletions of one row',
    '3/11 1/1',
    () => [insertion([one.id], 30), ...times(20, () => `${deletion(one.id)} AND ${ANY_ROW}`)],
  ],
  [
    'a deletion of what was there',
    '3/0 1/1',
    () => ['SAVEPOINT a', insertion([one.id], 30), 'RELEASE a', deletion(one.id)],
  ],
  ['a move of many to one property', '3/31 1/1', () => [insertion([one.id], 30), move(one.id, homes[2]!)]],
  [
    'an edit that names the property and does not change it',
    '3/10 1/1',
    () => [insertion([one.id], 9), move(one.id, 'property_id')],
  ],
  [
    'a savepoint that is undone',
    '3/3 1/1',
    () => [row(one.id, homes[0]!), ...undone(insertion([one.id, other.id], 30)), row(one.id, homes[1]!)],
  ],
  [
    'a savepoint that is undone before anything else is written',
    '3/7 1/1',
    () => [...undone(insertion([one.id], 30)), insertion([one.id], 6)],
  ],
  [
    'a deletion that is undone between insertions',
    '3/13 1/1',
    () => [insertion([one.id], 6), ...undone(deletion(one.id)), insertion([one.id], 6)],
  ],
  [
    'new properties with rows',
    '5/3 1/1',
    () => {
      const both = [++freeId, ++freeId];
      return [...both.map((id) => property(one.id, id)), ...both.map((id) => row(one.id, id))];
    },
  ],
  [
    'new properties that are deleted again, the first and a later one',
    '3/1 1/1',
    () => {
      const [first, second] = [++freeId, ++freeId];
      return [
        property(one.id, first),
        property(one.id, second),
        row(one.id, second),
        `DELETE FROM transactions WHERE property_id = ${second}`,
        `DELETE FROM properties WHERE id IN (${first}, ${second})`,
      ];
    },
  ],
  [
    'a property that goes with its rows, and comes back',
    '3/7 1/1',
    () => {
      const id = homes[0]!;
      return [
        insertion([one.id], 9),
        `DELETE FROM transactions WHERE property_id = ${id}`,
        `DELETE FROM properties WHERE id = ${id}`,
        property(one.id, id),
        row(one.id, id),
      ];
    },
  ],
  [
    'all that an account has, and the account',
    '3/16',
    () => [
      insertion([one.id, other.id], 20),
      deletion(other.id),
      `DELETE FROM properties WHERE owner_id = ${other.id}`,
      `DELETE FROM users WHERE id = ${other.id}`,
    ],
  ],
];

describe('a transaction of', () => {
  it.each(TRANSACTIONS)('%s leaves the totals right: %s', async (_, totals, statements) => {
    await transaction(...statements());
    expect(await differencesOf(service)).toEqual([]);
    const [ofOne, ofOther] = totals.split(' ');
    expect(await toldTo(one)).toBe(ofOne);
    if (ofOther !== undefined) expect(await toldTo(other)).toBe(ofOther);
  });

  it.each(TRANSACTIONS)(
    '%s leaves them as they were when it is undone',
    async (_what, _totals, statements) => {
      for (const statement of ['BEGIN', ...statements(), 'ROLLBACK']) await client.query(statement);
      expect(await differencesOf(service)).toEqual([]);
      expect([await toldTo(one), await toldTo(other)]).toEqual(['3/1', '1/1']);
    },
  );

  it.each<[string, () => string[]]>([
    ['insertions', () => [insertion([one.id], 600)]],
    ['insertions of several owners', () => [insertion([one.id, other.id], 600)]],
    ['deletions', () => [deletion(one.id)]],
  ])('600 %s in one statement write each row of totals a few times only', async (_, statements) => {
    await transaction(insertion([one.id], 600));
    await client.query('BEGIN');
    const before = await updatesOfTotals();
    for (const statement of statements()) await client.query(statement);
    const after = await updatesOfTotals();
    await client.query('COMMIT');
    expect(after - before).toBeLessThanOrEqual(12);
    expect(await differencesOf(service)).toEqual([]);
  });
});

it('many transactions of several rows of one owner, all at once, are counted whole', async () => {
  const clients = await Promise.all(
    Array.from({ length: 6 }, () => openConnection(service.settings.database.url)),
  );
  const write = async (writer: pg.Client, index: number): Promise<void> => {
    for (let turn = 0; turn < 15; turn++) {
      await writer.query('BEGIN');
      await writer.query(row(one.id, homes[(index + turn) % 3]!));
      await writer.query(insertion([one.id], 3));
      await writer.query(turn % 5 === 4 ? 'ROLLBACK' : 'COMMIT');
    }
  };
  await Promise.all(clients.map(write));
  expect(await toldTo(one)).toBe(`3/${1 + 6 * 12 * 4}`);
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
