import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { OWNED_TABLES } from '../src/database/citus.js';
import { facetsOf } from '../src/transactions/transaction.enums.js';
import * as contract from './support/contract.js';
import { createProperty, createTransaction } from './support/factories.js';
import { type Account, type Service, startService } from './support/service.js';

const CHECK = '23514';
const NOT_NULL = '23502';
const FOREIGN_KEY = '23503';
const UNIQUE = '23505';
const OUT_OF_RANGE = '22003';

type Row = Record<string, unknown>;

let service: Service;
let owner: Account;
let other: Account;
let propertyId: number;
let transactionId: number;

beforeAll(async () => {
  service = await startService();
  [owner, other] = [await service.account(), await service.account()];
  propertyId = (await createProperty(owner)).id;
  transactionId = (await createTransaction(owner, propertyId)).id;
});

const ROWS = {
  transactions: (): Row => ({
    ...{ owner_id: owner.id, property_id: propertyId, property_name: 'Name', type: 'INCOME' },
    ...{ category: 'CLEANING', description: 'Text', amount: '0.01', date: '2026-01-01Z' },
    ...{ status: 'PAID', recurring: false },
  }),
  properties: (): Row => ({
    ...{ owner_id: owner.id, name: 'Name', address: 'Address', base_price: '0' },
    ...{ max_guests: 1, bedrooms: 0, bathrooms: 0, active: true },
  }),
  users: (): Row => ({
    ...{ email: `${randomUUID()}@x.org`, username: randomUUID() },
    password_hash: `$2b$10$${'a'.repeat(53)}`,
  }),
};
type Table = keyof typeof ROWS;

/** The SQLSTATE with which PostgreSQL refuses the row; `taken` when it does not. */
async function insert(table: Table, columns: Row): Promise<string> {
  const row = { ...ROWS[table](), ...columns };
  const placeholders = Object.keys(row).map((_, index) => `$${index + 1}`);
  const text = `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${placeholders.join(', ')})`;
  return service.sql(text, Object.values(row)).then(
    () => 'taken',
    (error: unknown) => (error as { code: string }).code,
  );
}

const SMILEYS = (count: number): string => '😀'.repeat(count); // four octets each
const [LONG, MUCH] = [['a'.repeat(256), SMILEYS(256)], ['a'.repeat(10_001), SMILEYS(10_001)]]; // prettier-ignore
const [FIRST, LAST] = ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'];
const NEVER = ['infinity', '-infinity', '10000-01-01Z', '0001-12-31 BC', '9999-12-31T23:59:59.9996Z'];

/** Columns, the values of each, and the SQLSTATE. */
const VALUES: [Table, columns: string, values: unknown[], result: string][] = [
  ['transactions', 'amount', ['99999999999999999.99'], 'taken'],
  ['transactions', 'amount', ['NaN', '0', '-1', '0.001', '-0.01'], CHECK],
  ['transactions', 'amount', ['100000000000000000', '1e400', 'Infinity'], OUT_OF_RANGE],
  ['transactions', 'metadata', ['[]', '"text"', '1', 'null'], CHECK],
  ['transactions', 'date due_date paid_at', [FIRST, LAST], 'taken'],
  ['transactions', 'date due_date paid_at', NEVER, CHECK],
  [
    'transactions',
    'type category status payment_method frequency',
    ['UNKNOWN', 'paid', '', 'PAID '],
    NOT_NULL,
  ],
  ['transactions', 'description vendor', ['', SMILEYS(255)], 'taken'],
  ['transactions', 'subcategory description payment_reference vendor', LONG, CHECK],
  ['transactions', 'receipt_url booking_reference', LONG, CHECK],
  ['transactions', 'notes', [SMILEYS(10_000)], 'taken'],
  ['transactions', 'notes', MUCH, CHECK],
  ['transactions', 'property_id', [999_999_999], FOREIGN_KEY],
  ['properties', 'base_price', ['99999999.99'], 'taken'],
  ['properties', 'base_price', ['NaN', '-0.01', '100000000'], CHECK],
  ['properties', 'max_guests', [1, 100], 'taken'],
  ['properties', 'max_guests', [0, 101, -1], CHECK],
  ['properties', 'bedrooms bathrooms', [50], 'taken'],
  ['properties', 'bedrooms bathrooms', [-1, 51], CHECK],
  ['properties', 'name address description str_permit_number', ['', SMILEYS(255)], 'taken'],
  ['properties', 'name address description str_permit_number', LONG, CHECK],
  ['properties', 'house_rules check_in_instructions', [SMILEYS(10_000)], 'taken'],
  ['properties', 'house_rules check_in_instructions', MUCH, CHECK],
  ['properties', 'owner_id', [999_999_999], FOREIGN_KEY],
  ['users', 'role', ['USER', 'ADMIN'], 'taken'],
  ['users', 'role', ['admin', ''], CHECK],
  ['users', 'email first_name last_name', LONG, CHECK],
  ['users', 'username', ['ab', SMILEYS(51)], CHECK],
  ['users', 'password_hash', ['', 'secret', `$2b$12$${'a'.repeat(53)}`], CHECK],
];

describe('a row written past the service', () => {
  it.each(
    VALUES.flatMap(([table, columns, values, result]) =>
      values.map((value) => [table, columns, JSON.stringify(value).slice(0, 60), result, value] as const),
    ),
  )('of %s with the %s %s: %s', async (table, columns, _, result, value) => {
    for (const column of columns.split(' '))
      expect([column, await insert(table, { [column]: value })]).toEqual([column, result]);
  });

  it("without a property's name gets it, of the owner's own properties alone", async () => {
    const { id, name } = await createProperty(owner);
    const nameless = { property_id: id, property_name: null, description: 'Nameless' };
    expect(await insert('transactions', nameless)).toBe('taken');
    expect(await insert('transactions', { ...nameless, owner_id: other.id })).toBe(FOREIGN_KEY);
    expect(await insert('transactions', { ...nameless, property_id: null })).toBe(FOREIGN_KEY);
    const rows = await service.sql(`SELECT property_name FROM transactions WHERE description = 'Nameless'`);
    expect(rows).toEqual([{ property_name: name }]);
  });

  it('has an owner and an id of its own, and a property of the same owner', async () => {
    expect(await insert('transactions', { owner_id: other.id })).toBe(FOREIGN_KEY);
    expect(await insert('transactions', { id: transactionId })).toBe(UNIQUE);
    const move = 'UPDATE transactions SET owner_id = $2 WHERE id = $1';
    await expect(service.sql(move, [transactionId, other.id])).rejects.toMatchObject({ code: FOREIGN_KEY });
  });
});

const NOTHING = {
  ...{ type: null, status: null, category: null },
  ...{ paymentMethod: null, frequency: null, recurring: null },
};

it.each<[field: string, column: string, values: readonly (string | boolean | null)[]]>([
  ['type', 'type', contract.TYPES],
  ['category', 'category', contract.CATEGORIES],
  ['status', 'status', contract.STATUSES],
  ['paymentMethod', 'payment_method', [null, ...contract.PAYMENT_METHODS.toSorted()]],
  ['frequency', 'frequency', [null, ...contract.FREQUENCIES.toSorted()]],
  ['recurring', 'recurring', [false, true]],
])('each %s has the bits that searches ask for, in the order of the texts', async (field, column, values) => {
  const { mask } = facetsOf({ ...NOTHING, [field]: values.at(-1) });
  const update = `UPDATE transactions SET ${column} = $2 WHERE id = $1 RETURNING facets & $3 AS bits`;
  let last = -1;
  for (const value of values[0] === null ? values : values.toSorted()) {
    const [stored] = await service.sql<{ bits: number }>(update, [transactionId, value, mask]);
    expect([value, stored!.bits]).toEqual([value, facetsOf({ ...NOTHING, [field]: value }).bits]);
    expect(stored!.bits).toBeGreaterThan(last);
    last = stored!.bits;
  }
});

it('no tags and no metadata take no room in a row', async () => {
  const stored = await service.sql('SELECT tags, metadata FROM transactions WHERE id = $1', [transactionId]);
  expect(stored).toEqual([{ tags: null, metadata: null }]);
});

it('TypeORM would change no column of an entity, but for the default and the generated ones', async () => {
  await service.sql(
    'CREATE TABLE typeorm_metadata (type text, database text, schema text, "table" text, name text, value text)',
  );
  const source = service.app.get(DataSource);
  const { upQueries } = await source.driver.createSchemaBuilder().log();
  const OTHERS = /DROP (CONSTRAINT|INDEX|SEQUENCE|DEFAULT)| SET DEFAULT |^COMMENT|facets|typeorm_metadata/;
  expect(upQueries.map(({ query }) => query).filter((query) => !OTHERS.test(query))).toEqual([]);
});

it('in the tables without an entity only the row of a kept response may be null', async () => {
  const nullable = `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
    WHERE table_name IN ('owner_totals', 'property_totals', 'idempotency_keys') AND is_nullable = 'YES' ORDER BY 1`;
  const names = ['idempotency_keys.resource_id', 'idempotency_keys.version'];
  expect(await service.sql(nullable)).toEqual(names.map((name) => ({ name })));
});

/** So that the tables can be distributed by owner_id, which then names the server of a row. */
it.each([
  [
    'a table with an owner_id that is not among those to distribute',
    'SELECT name FROM tables WHERE owner IS NOT NULL AND NOT owned',
  ],
  [
    'a unique index without the owner',
    `SELECT i.indexrelid::regclass AS name FROM tables t JOIN pg_index i ON i.indrelid = t.oid
      WHERE t.owned AND i.indisunique AND t.owner <> ALL (i.indkey)`,
  ],
  [
    'a foreign key that does not lead from owner to owner',
    `SELECT k.conname AS name FROM pg_constraint k
       JOIN tables t ON t.oid = k.conrelid JOIN tables r ON r.oid = k.confrelid
      WHERE k.contype = 'f' AND NOT CASE
        WHEN NOT (t.owned OR r.owned) THEN true
        WHEN t.owned AND r.owned THEN array_position(k.conkey, t.owner) = array_position(k.confkey, r.owner)
        ELSE t.owned AND r.name = 'users' AND k.conkey = ARRAY[t.owner] END IS TRUE`,
  ],
  [
    'an identity column',
    `SELECT a.attname AS name FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid WHERE a.attidentity <> ''`,
  ],
])('the schema does not have %s', async (_, breach) => {
  const TABLES = `WITH tables AS (
      SELECT c.oid, c.relname::text AS name, c.relname = ANY ($1) AS owned,
             (SELECT a.attnum FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'owner_id') AS owner
        FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace)`;
  expect(await service.sql(`${TABLES} ${breach}`, [OWNED_TABLES])).toEqual([]);
});
