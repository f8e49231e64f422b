import type { QueryRunner } from 'typeorm';
import { MIGRATIONS } from '../migrations/all.js';
import { OWNED_TABLES } from '../src/database/citus.js';
import { rowsOf } from './support/connect.js';
import { createDatabase } from './support/database.js';

/** `db distribute` distributes the tables of the migrations up to this one. */
const LAST_BEFORE_DISTRIBUTION = 'Indexes1800000000003';

it('every later migration that creates a table with an owner_id distributes it beside properties', async () => {
  for (const Migration of MIGRATIONS.slice(
    MIGRATIONS.findIndex(({ name }) => name === LAST_BEFORE_DISTRIBUTION) + 1,
  )) {
    const statements: string[] = [];
    const runner = { query: (text: string) => Promise.resolve(void statements.push(text)) };
    await new Migration().up(runner as unknown as QueryRunner);
    const text = statements.join(';\n');
    for (const [, table] of text.matchAll(/CREATE TABLE (\w+) \([^;]*\bowner_id\b/g))
      expect(text).toContain(
        `create_distributed_table('${table}', 'owner_id', colocate_with => 'properties')`,
      );
  }
});

/** By owner_id, which names the server, and nothing else a row is unique. */
it.each([
  [
    'a table with an owner_id that is not among those to distribute',
    'SELECT name FROM tables WHERE owner IS NOT NULL AND NOT owned',
  ],
  [
    'a unique index without the owner first',
    `SELECT i.indexrelid::regclass AS name FROM tables t JOIN pg_index i ON i.indrelid = t.oid
      WHERE t.owned AND i.indisunique AND i.indkey[0] <> t.owner`,
  ],
  [
    'a foreign key that does not lead from owner to owner',
    `SELECT k.conname AS name FROM pg_constraint k
       JOIN tables t ON t.oid = k.conrelid JOIN tables r ON r.oid = k.confrelid
      WHERE k.contype = 'f' AND NOT CASE
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
  expect(await rowsOf(await createDatabase(), `${TABLES} ${breach}`, [OWNED_TABLES])).toEqual([]);
});
