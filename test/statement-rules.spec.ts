import { loadParser } from './support/owner-predicates.js';
import { statementsNaming } from './support/source-statements.js';
import { type Breach, breachesOf } from './support/statement-rules.js';

beforeAll(loadParser);

describe('the check of the texts', () => {
  it.each<[Breach, string]>([
    ['selects no column', 'SELECT FROM properties'],
    ['selects no column', 'SELECT 1 WHERE EXISTS (SELECT FROM properties p WHERE p.id = $1)'],
    ['selects no column', 'SELECT 1 FROM properties UNION ALL (SELECT FROM properties)'],
    [
      'leaves the id of an INSERT … SELECT to its sequence',
      'INSERT INTO transactions (owner_id) SELECT p.owner_id FROM properties p',
    ],
    [
      'leaves the id of an INSERT … SELECT to its sequence',
      'WITH w AS (INSERT INTO properties (owner_id) SELECT $1 RETURNING id) SELECT w.id FROM w',
    ],
    ['has a subquery without FROM', 'SELECT (SELECT t.id) FROM transactions t'],
    ['has a subquery without FROM', 'SELECT v.id FROM (SELECT t.id FROM (SELECT 1 AS id) t) v'],
    [
      'has a correlated subquery',
      'SELECT (SELECT p.name FROM properties p WHERE p.id = t.property_id) FROM transactions t',
    ],
    [
      'has a correlated subquery',
      'SELECT t.id FROM transactions t WHERE EXISTS (SELECT 1 FROM (SELECT p.id FROM properties p WHERE p.id = t.id) q)',
    ],
    [
      'has a correlated subquery',
      'SELECT v.id FROM transactions t CROSS JOIN LATERAL (SELECT p.id FROM properties p WHERE p.id = t.id) v',
    ],
    [
      'makes JSON of rows without LIMIT',
      'SELECT row_to_json(v)::text FROM (SELECT t.id FROM transactions t) v',
    ],
    ['makes JSON of rows without LIMIT', 'SELECT row_to_json(t) FROM transactions t LIMIT 1'],
    ['makes JSON of rows without LIMIT', 'SELECT row_to_json(ROW(t.id)) FROM transactions t LIMIT 1'],
  ])('sees what %s: %s', (breach, text) => expect(breachesOf(text, 'every-owner')).toContain(breach));

  it.each([
    'SELECT row_to_json(v)::text FROM (SELECT t.id FROM transactions t LIMIT 9) v',
    'INSERT INTO transactions (owner_id, id) SELECT p.owner_id, $1 FROM properties p',
    'INSERT INTO transactions (owner_id, property_id) VALUES ($1, $2)',
    'SELECT 1 FROM properties p WHERE EXISTS (SELECT 1 FROM transactions t WHERE t.id = $1)',
    'SELECT (SELECT count(*) FROM transactions t), t.id FROM (SELECT p.id FROM properties p) t',
    'SELECT t.id FROM transactions t WHERE t.id = ANY (ARRAY(SELECT k.id FROM (SELECT t.id FROM transactions t) k))',
  ])('passes %s', (text) => expect(breachesOf(text, 'every-owner')).toEqual([]));

  it("takes of one owner's statement what goes to a server as it is", () => {
    const text =
      'SELECT (SELECT row_to_json(v) FROM (SELECT t.id) v) FROM transactions t WHERE t.owner_id = $1';
    expect([breachesOf(text, 'one-owner'), breachesOf(text, 'every-owner')]).toEqual([
      [],
      ['has a subquery without FROM', 'has a correlated subquery', 'makes JSON of rows without LIMIT'],
    ]);
  });
});

describe('the look for statements in a source', () => {
  const SENT =
    'SELECT t.id, (SELECT 1 FROM properties p WHERE p.id = $1) FROM transactions t WHERE t.owner_id = $1';
  const unsent = (text: string): string[] =>
    statementsNaming(['properties', 'transactions'], { path: 'src/x.ts', text })
      .filter((statement) => !statement.isPartOf(SENT))
      .map(({ place }) => place);

  it.each([
    `const A = 'SELECT t.amount FROM transactions t WHERE t.owner_id = $1';`,
    'const A = `SELECT ${columns} FROM transactions t WHERE ${where} AND t.id = $2`;',
    'const A = `SELECT ${`(SELECT 2 FROM properties p)`} FROM transactions t`;',
    "query('DELETE FROM properties p WHERE p.owner_id = $1');",
    'const A = `WITH old AS (SELECT 1) UPDATE users u SET id = $1 FROM old, transactions t`;',
    'const A = `INSERT INTO\n  properties (owner_id) VALUES ($1)`;',
  ])('finds what was not sent: %s', (text) => expect(unsent(text)).toHaveLength(1));

  it.each([
    `const A = 'FROM transactions t WHERE t.owner_id = $1';`,
    'const A = `SELECT ${columns} FROM transactions t WHERE ${where}`;',
    'const A = `SELECT ${`(SELECT 1 FROM properties p`} FROM transactions t`;',
    "const A = 'The properties, transactions and totals of an owner';",
    '// SELECT t.amount FROM transactions t',
  ])('passes %s', (text) => expect(unsent(text)).toEqual([]));
});
