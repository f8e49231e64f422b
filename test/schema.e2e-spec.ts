import { DataSource, type EntityMetadata } from 'typeorm';
import * as vocabulary from '../src/transactions/transaction.enums.js';
import * as contract from './support/contract.js';
import { createProperty, createTransaction } from './support/factories.js';
import { brief } from './support/raw-json.js';
import { type Account, type Service, startService } from './support/service.js';

const CHECK_VIOLATION = '23514';
const NOT_NULL_VIOLATION = '23502';
const FOREIGN_KEY_VIOLATION = '23503';
const UNIQUE_VIOLATION = '23505';
const OUT_OF_RANGE = '22003';

type Row = Record<string, unknown>;

let service: Service;
let owner: Account;
let other: Account;
let propertyId: number;

beforeAll(async () => {
  service = await startService();
  [owner, other] = [await service.account(), await service.account()];
  propertyId = (await createProperty(owner)).id;
});

/** The SQLSTATE with which PostgreSQL refuses the row, or undefined when it takes it. */
async function refusalOf(table: string, row: Row): Promise<string | undefined> {
  const columns = Object.keys(row);
  const placeholders = columns.map((_, index) => `$${index + 1}`);
  const statement = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${placeholders.join(', ')})`;
  return service.sql(statement, Object.values(row)).then(
    () => undefined,
    (error: unknown) => (error as { code?: string }).code,
  );
}

/** One row for each value of each column, and the reason to refuse it. */
const refusals = (
  code: string,
  values: Readonly<Record<string, readonly unknown[]>>,
): [string, string, Row][] =>
  Object.entries(values).flatMap(([column, list]) =>
    list.map((value): [string, string, Row] => [
      `${column} ${brief(JSON.stringify(value))}`,
      code,
      { [column]: value },
    ]),
  );
const same = (columns: readonly string[], values: readonly unknown[]): Record<string, readonly unknown[]> =>
  Object.fromEntries(columns.map((column) => [column, values]));

const TOO_LONG = ['a'.repeat(256), '😀'.repeat(256)];
/** Of the three fields that take paragraphs. */
const MUCH_TOO_LONG = ['a'.repeat(10_001), '😀'.repeat(10_001)];

const transactionRow = (columns: Row): Row => ({
  owner_id: owner.id,
  property_id: propertyId,
  property_name: 'Name',
  type: 'INCOME',
  category: 'CLEANING',
  description: 'Text',
  amount: '0.01',
  date: '2026-01-01T00:00:00Z',
  status: 'PAID',
  recurring: false,
  ...columns,
});

const propertyRow = (columns: Row): Row => ({
  owner_id: owner.id,
  name: 'Name',
  address: 'Address',
  base_price: '0',
  max_guests: 1,
  bedrooms: 0,
  bathrooms: 0,
  active: true,
  ...columns,
});

describe('the table of transactions, past the service,', () => {
  it.each<Row>([
    {},
    { amount: '99999999999999999.99' },
    { date: '0001-01-01T00:00:00Z' },
    {
      date: '9999-12-31T23:59:59.999Z',
      due_date: '9999-12-31T23:59:59.999Z',
      paid_at: '0001-01-01T00:00:00Z',
    },
    { description: '😀', vendor: '', notes: null },
    { payment_method: null, frequency: null },
  ])('takes %j', async (columns) => {
    expect(await refusalOf('transactions', transactionRow(columns))).toBeUndefined();
  });

  it.each([
    ...refusals(CHECK_VIOLATION, {
      amount: ['NaN', '0', '-1', '0.001', '-0.01'],
      metadata: ['[]', '"text"', '1', 'null'],
      ...same(
        ['date', 'due_date', 'paid_at'],
        ['infinity', '-infinity', '10000-01-01Z', '0001-12-31 BC', '9999-12-31T23:59:59.9996Z'],
      ),
      ...same(
        ['type', 'category', 'status', 'payment_method', 'frequency'],
        ['UNKNOWN', 'paid', '', 'PAID '],
      ),
      ...same(
        ['subcategory', 'description', 'payment_reference', 'vendor', 'receipt_url', 'booking_reference'],
        TOO_LONG,
      ),
      notes: MUCH_TOO_LONG,
    }),
    ...refusals(OUT_OF_RANGE, { amount: ['100000000000000000', '1e400', 'Infinity'] }),
    ...refusals(NOT_NULL_VIOLATION, {
      ...same(['type', 'category', 'description', 'amount', 'date'], [null]),
      ...same(['status', 'recurring', 'tags', 'metadata'], [null]),
    }),
    ...refusals(NOT_NULL_VIOLATION, { property_id: [null] }),
    ...refusals(FOREIGN_KEY_VIOLATION, { property_id: [999_999_999] }),
  ])('refuses %s (%s)', async (_name, code, columns) => {
    expect(await refusalOf('transactions', transactionRow(columns))).toBe(code);
  });

  it("takes the property's name where none is given, of the owner's own properties alone", async () => {
    const { id, name } = await createProperty(owner);
    const nameless = transactionRow({ property_id: id, property_name: null, description: 'Nameless' });
    expect(await refusalOf('transactions', nameless)).toBeUndefined();
    expect(await refusalOf('transactions', { ...nameless, owner_id: other.id })).toBe(FOREIGN_KEY_VIOLATION);
    expect(await refusalOf('transactions', { ...nameless, property_id: null })).toBe(FOREIGN_KEY_VIOLATION);
    const [row] = await service.sql(`SELECT property_name FROM transactions WHERE description = 'Nameless'`);
    expect(row).toEqual({ property_name: name });
  });

  it('takes texts of 255 characters and notes of 10,000, however many bytes they have', async () => {
    const description = '😀'.repeat(255);
    expect(
      await refusalOf('transactions', transactionRow({ description, vendor: description })),
    ).toBeUndefined();
    const notes = '😀'.repeat(10_000);
    expect(await refusalOf('transactions', transactionRow({ notes }))).toBeUndefined();
    const long = { name: description, house_rules: notes, check_in_instructions: notes };
    expect(await refusalOf('properties', propertyRow(long))).toBeUndefined();
  });

  it('refuses a transaction of one owner in a property of another', async () => {
    expect(await refusalOf('transactions', transactionRow({ owner_id: other.id }))).toBe(
      FOREIGN_KEY_VIOLATION,
    );
    const { id } = await createTransaction(owner, propertyId);
    const moved = service.sql('UPDATE transactions SET owner_id = $2 WHERE id = $1', [id, other.id]);
    await expect(moved).rejects.toMatchObject({ code: FOREIGN_KEY_VIOLATION });
  });

  it('refuses an id that the owner has already', async () => {
    const { id } = await createTransaction(owner, propertyId);
    expect(await refusalOf('transactions', transactionRow({ id }))).toBe(UNIQUE_VIOLATION);
  });
});

describe('the table of properties, past the service,', () => {
  it.each<Row>([
    {},
    { base_price: '99999999.99', max_guests: 100, bedrooms: 50, bathrooms: 50 },
    { name: '😀', address: '', house_rules: null },
  ])('takes %j', async (columns) => {
    expect(await refusalOf('properties', propertyRow(columns))).toBeUndefined();
  });

  it.each([
    ...refusals(CHECK_VIOLATION, {
      base_price: ['NaN', '-0.01', '100000000'],
      max_guests: [0, 101, -1],
      ...same(['bedrooms', 'bathrooms'], [-1, 51]),
      ...same(['name', 'address', 'description', 'str_permit_number'], TOO_LONG),
      ...same(['house_rules', 'check_in_instructions'], MUCH_TOO_LONG),
    }),
    ...refusals(NOT_NULL_VIOLATION, {
      ...same(['owner_id', 'name', 'address', 'base_price'], [null]),
      ...same(['max_guests', 'bedrooms', 'bathrooms', 'active'], [null]),
    }),
    ...refusals(FOREIGN_KEY_VIOLATION, { owner_id: [999_999_999] }),
  ])('refuses %s (%s)', async (_name, code, columns) => {
    expect(await refusalOf('properties', propertyRow(columns))).toBe(code);
  });

  it('lets go of no property that a transaction refers to, and of no account that has one', async () => {
    const { id } = await createProperty(owner);
    await createTransaction(owner, id);
    const restricted = { code: expect.stringMatching(/^(23503|23001)$/) as string }; // 23001 from PostgreSQL 18 on
    await expect(service.sql('DELETE FROM properties WHERE id = $1', [id])).rejects.toMatchObject(restricted);
    await expect(service.sql('DELETE FROM users WHERE id = $1', [owner.id])).rejects.toMatchObject(
      restricted,
    );
  });
});

describe('the enumerations', () => {
  const LISTS = [
    { column: 'type', code: vocabulary.TRANSACTION_TYPES, specified: contract.TYPES },
    { column: 'category', code: vocabulary.CATEGORIES, specified: contract.CATEGORIES },
    { column: 'status', code: vocabulary.STATUSES, specified: contract.STATUSES },
    { column: 'payment_method', code: vocabulary.PAYMENT_METHODS, specified: contract.PAYMENT_METHODS },
    { column: 'frequency', code: vocabulary.FREQUENCIES, specified: contract.FREQUENCIES },
  ];

  it.each(LISTS)(
    'of $column are those of the specification, in the code and in the table',
    async ({ column, code, specified }) => {
      expect([...code].sort()).toEqual([...specified].sort());
      const [facets] = await service.sql<{ definition: string }>(
        `SELECT pg_get_expr(adbin, adrelid) AS definition FROM pg_attrdef JOIN pg_attribute a
             ON a.attrelid = adrelid AND a.attnum = adnum WHERE adrelid = 'transactions'::regclass AND attname = 'facets'`,
      );
      const [, values] = new RegExp(`'{([A-Z_,]+)}'::text\\[\\], ${column}\\)`).exec(facets!.definition)!;
      expect(values!.split(',')).toEqual([...specified].sort());
    },
  );
});

describe('the entities', () => {
  type ColumnMetadata = EntityMetadata['columns'][number];

  interface Column {
    readonly name: string;
    readonly type: string;
    readonly nullable: boolean;
    readonly key: boolean;
  }

  const byName = (columns: Column[]): Column[] => columns.sort((a, b) => (a.name < b.name ? -1 : 1));

  /** As information_schema would say it. */
  function declared(source: DataSource, column: ColumnMetadata): Column {
    const type = source.driver.normalizeType(column);
    const bounds: Record<string, string> = {
      numeric: `(${String(column.precision)},${String(column.scale)})`,
      'timestamp with time zone': `(${String(column.precision)})`,
    };
    return {
      name: column.databaseName,
      type: `${type}${bounds[type] ?? ''}${column.isArray ? '[]' : ''}`,
      nullable: column.isNullable,
      key: column.isPrimary,
    };
  }

  async function migrated(table: string): Promise<Column[]> {
    return service.sql<Row & Column>(
      `SELECT a.attname AS name, NOT a.attnotnull AS nullable,
              regexp_replace(format_type(a.atttypid, a.atttypmod), '^timestamp(\\(\\d\\)) (.*)$', 'timestamp \\2\\1') AS type,
              coalesce(a.attnum = ANY (k.conkey), false) AS key
         FROM pg_attribute a LEFT JOIN pg_constraint k ON k.conrelid = a.attrelid AND k.contype = 'p'
        WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped`,
      [table],
    );
  }

  it('are the tables of accounts and of the ledger', () => {
    const { entityMetadatas } = service.app.get(DataSource);
    expect(entityMetadatas.map(({ tableName }) => tableName).sort()).toEqual([
      'properties',
      'transactions',
      'users',
    ]);
  });

  it.each(['users', 'properties', 'transactions'])(
    'of %s have the columns that the migrations made',
    async (table) => {
      const source = service.app.get(DataSource);
      const entity = source.entityMetadatas.find(({ tableName }) => tableName === table)!;
      const columns = entity.columns.map((column) => declared(source, column));
      expect(byName(columns)).toEqual(byName(await migrated(table)));
    },
  );
});
