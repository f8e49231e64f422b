import { loadParser, ownedTablesIn, unscopedTables } from './support/owner-predicates.js';

const OWNER = '42';
const unscoped = (text: string, values: unknown[] = [OWNER, '7']): string[] =>
  unscopedTables({ text, values }, OWNER);

describe('the check of owner predicates', () => {
  beforeAll(loadParser);

  it.each([
    'SELECT 1',
    'SELECT u.role FROM users u WHERE u.id = $1',
    'SELECT t.version FROM transactions t WHERE t.owner_id = $1 AND t.id = $2',
    'SELECT transactions FROM property_totals WHERE owner_id = $1 AND property_id = $2',
    'DELETE FROM "properties" WHERE "owner_id" = $1 AND "id" = $2',
    'UPDATE "properties" SET "name" = $2 WHERE ( "owner_id" = $1 AND "id" = $2 )',
    'INSERT INTO "properties"("owner_id", "name") VALUES ($1, DEFAULT)',
    'INSERT INTO transactions AS t (owner_id, id) SELECT p.owner_id, p.id FROM properties p WHERE p.owner_id = $1',
    'UPDATE transactions t SET amount = 1 FROM properties p WHERE t.owner_id = $1 AND p.owner_id = $1',
    `SELECT (SELECT o.transactions FROM owner_totals o WHERE o.owner_id = $1), (SELECT 1 FROM (SELECT t.owner_id
       FROM transactions t WHERE t.owner_id = $1 AND (t.vendor = $2 OR NOT (t.status = 'x' OR true))) k)`,
    `SELECT (SELECT 1 FROM transactions t WHERE t.owner_id = k.owner_id) FROM
       (SELECT t.owner_id FROM transactions t WHERE t.owner_id = $1) k`,
    'SELECT t.id FROM transactions t LEFT JOIN properties p ON p.owner_id = t.owner_id WHERE t.owner_id = $1::bigint',
    `SELECT id FROM transactions WHERE owner_id = $1 UNION ALL SELECT id FROM properties WHERE $1 = owner_id`,
    `WITH old AS (SELECT owner_id, id FROM transactions WHERE owner_id = $1)
       DELETE FROM transactions t USING old WHERE t.owner_id = old.owner_id`,
  ])('passes %s', (text) => expect(unscoped(text)).toEqual([]));

  it.each([
    ['SELECT t.version FROM transactions t WHERE t.id = $2', ['transactions']],
    ['SELECT version FROM transactions', ['transactions']],
    ['SELECT t.version FROM transactions t WHERE t.owner_id = $2', ['transactions']],
    ['SELECT t.version FROM transactions t WHERE t.owner_id = $1 OR true', ['transactions']],
    ['SELECT t.version FROM transactions t WHERE NOT (t.owner_id = $1)', ['transactions']],
    ['SELECT t.version FROM transactions t WHERE (t.id = $2 OR t.owner_id = $1)', ['transactions']],
    [
      'SELECT count(*) FROM transactions t JOIN properties p ON p.id = t.property_id WHERE t.owner_id = $1',
      ['properties'],
    ],
    [
      'SELECT t.id FROM transactions t, properties p WHERE p.owner_id = $1 AND p.id = t.property_id',
      ['transactions'],
    ],
    [
      'UPDATE transactions t SET amount = 1 FROM properties p WHERE t.owner_id = $1 AND p.id = $2',
      ['properties'],
    ],
    ['UPDATE "properties" SET "owner_id" = $1 WHERE "id" = $2', ['properties']],
    ['DELETE FROM "properties" WHERE "id" = $2', ['properties']],
    ['INSERT INTO transactions (id) SELECT p.id FROM properties p WHERE p.owner_id = $1', ['transactions']],
    [
      'INSERT INTO transactions (owner_id) SELECT p.owner_id FROM properties p WHERE p.id = $2',
      ['properties'],
    ],
    [
      'SELECT (SELECT sum(o.transactions) FROM owner_totals o), 1 FROM transactions t WHERE t.owner_id = $1',
      ['owner_totals'],
    ],
    [
      'SELECT 1 WHERE EXISTS (SELECT FROM property_totals WHERE property_id = $2) AND $1 = 1',
      ['property_totals'],
    ],
    [
      'SELECT (SELECT 1 FROM transactions t WHERE t.id = k.id) FROM (SELECT t.id FROM transactions t WHERE t.owner_id = $1) k',
      ['transactions'],
    ],
    [
      'SELECT t.id FROM transactions t LEFT JOIN properties p ON t.owner_id = $1 AND p.owner_id = $1',
      ['transactions'],
    ],
    [
      'SELECT t.id FROM transactions t, properties p WHERE t.owner_id = p.owner_id AND $1 = 1',
      ['transactions', 'properties'],
    ],
    ['SELECT id FROM transactions WHERE owner_id = $1 UNION ALL SELECT id FROM properties', ['properties']],
    [
      'WITH old AS (DELETE FROM transactions RETURNING id) SELECT id FROM old WHERE id = $1',
      ['transactions'],
    ],
    ["SELECT ' WHERE owner_id = $1' FROM transactions /* owner_id = $1 */", ['transactions']],
    ['DELETE FROM transactions WHERE owner_id > $1', ['transactions']],
    ['DELETE FROM transactions USING properties p WHERE p.owner_id = $1', ['transactions']],
  ])('catches %s', (text, tables) => expect(unscoped(text)).toEqual(tables));

  it('wants the id of the owner among the parameters', () => {
    expect(unscoped('SELECT 1 FROM transactions t, properties p WHERE t.owner_id = p.owner_id', [])).toEqual([
      'transactions',
      'properties',
    ]);
  });

  it('takes no column for a table', () => {
    const text = 'SELECT o.properties, transactions FROM owner_totals o WHERE o.owner_id = $1';
    expect(ownedTablesIn({ text, values: [] })).toEqual(['owner_totals']);
  });
});
