import type pg from 'pg';
import type { QueryRunner } from 'typeorm';
import { MIGRATIONS } from '../migrations/all.js';
import { OWNED_TABLES } from '../src/database/citus.js';
import { openConnection } from './support/connect.js';
import { createDatabase } from './support/database.js';

/** `db distribute` distributes the tables of the migrations up to this one. */
const LAST_BEFORE_DISTRIBUTION = 'Indexes1800000000003';

const ALLOWED = 'SET LOCAL citus.enable_unsafe_triggers TO on';
const ONE_BY_ONE = "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'";

/** The reasons for which the statements of a migration fail on distributed tables. */
function breachesOf(name: string, text: string): string[] {
  const isNew = Number(/\d*$/.exec(name)) > Number(/\d*$/.exec(LAST_BEFORE_DISTRIBUTION));
  const tables = [...text.matchAll(/CREATE TABLE (\w+) \([^;]*\bowner_id\b/g)].map(([, table]) => table!);
  const isLate = (work: RegExp, setting: string): boolean => {
    const first = text.search(work);
    return first !== -1 && !text.slice(0, first).includes(setting);
  };
  return [
    ...(isLate(/(CREATE|DROP) TRIGGER/, ALLOWED) ? ['does not ask for triggers'] : []),
    ...(isLate(/(CREATE|DROP) FUNCTION/, ONE_BY_ONE) ? ['makes functions on parts side by side'] : []),
    ...tables
      .filter((table) => isNew && !text.includes(`create_distributed_table('${table}'`))
      .map((table) => `does not distribute ${table}`),
  ];
}

describe('a migration on distributed tables', () => {
  const RECEIPTS = 'CREATE TABLE receipts (owner_id bigint, id bigint)';
  const WORK = `CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
    CREATE TRIGGER t AFTER INSERT ON properties FOR EACH ROW EXECUTE FUNCTION f()`;

  it.each(MIGRATIONS)('can run: %p', async (Migration) => {
    for (const direction of ['up', 'down'] as const) {
      const statements: string[] = [];
      const runner = { query: (text: string) => Promise.resolve(void statements.push(text)) };
      await new Migration()[direction](runner as unknown as QueryRunner);
      expect(breachesOf(Migration.name, statements.join(';\n'))).toEqual([]);
    }
  });

  it.each([
    ['does not ask for triggers', `${ONE_BY_ONE}; ${WORK}; ${ALLOWED}`],
    ['makes functions on parts side by side', `${ALLOWED}; ${WORK}`],
    ['does not distribute receipts', RECEIPTS],
  ])('is refused where it %s', (breach, text) => {
    expect(breachesOf('Planted1900000000000', text)).toEqual([breach]);
  });

  it('that distributes a new table is taken', () => {
    const text = `${ALLOWED}; ${ONE_BY_ONE}; ${WORK}; ${RECEIPTS};
      DO $$ BEGIN
        IF EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') THEN
          IF EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'properties'::regclass) THEN
            PERFORM create_distributed_table('receipts', 'owner_id', colocate_with => 'properties');
          END IF;
        END IF;
      END $$;
      CREATE TABLE currencies (code text)`;
    expect(breachesOf('Planted1900000000000', text)).toEqual([]);
  });
});

describe('the schema, so that its tables can be distributed,', () => {
  /** By owner_id, which names the server, and nothing else a row is unique. */
  const BREACHES = `
    WITH tables AS (
      SELECT c.oid, c.relname::text AS name, c.relname = ANY ($1) AS owned,
             (SELECT a.attnum FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'owner_id') AS owner
        FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
    )
    SELECT t.name || ' is not among the tables to distribute' AS breach
      FROM tables t WHERE t.owner IS NOT NULL AND NOT t.owned
    UNION ALL
    SELECT i.indexrelid::regclass || ' is unique without the owner first'
      FROM tables t JOIN pg_index i ON i.indrelid = t.oid
     WHERE t.owned AND i.indisunique AND i.indkey[0] <> t.owner
    UNION ALL
    SELECT k.conname || ' does not lead from owner to owner'
      FROM pg_constraint k JOIN tables t ON t.oid = k.conrelid JOIN tables r ON r.oid = k.confrelid
     WHERE k.contype = 'f' AND NOT CASE
       WHEN t.owned AND r.owned
         THEN array_position(k.conkey, t.owner) = array_position(k.confkey, r.owner)
       ELSE t.owned AND r.name = 'users' AND k.conkey = ARRAY[t.owner] END IS TRUE
    UNION ALL
    SELECT t.name || '.' || a.attname || ' is an identity column'
      FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid WHERE a.attidentity <> ''`;
  let client: pg.Client;

  beforeAll(async () => void (client = await openConnection(await createDatabase())));
  beforeEach(() => client.query('BEGIN'));
  afterEach(() => client.query('ROLLBACK'));

  const CONSTRAINT = 'ALTER TABLE transactions ADD CONSTRAINT planted';
  const ASTRAY = ['planted does not lead from owner to owner'];
  it.each([
    ['SELECT', []],
    [`${CONSTRAINT} UNIQUE (id)`, ['planted is unique without the owner first']],
    [`${CONSTRAINT} FOREIGN KEY (booking_id) REFERENCES users (id)`, ASTRAY],
    [`${CONSTRAINT} FOREIGN KEY (property_id, owner_id) REFERENCES properties (owner_id, id)`, ASTRAY],
    [
      'ALTER TABLE properties ADD COLUMN planted bigint GENERATED ALWAYS AS IDENTITY',
      ['properties.planted is an identity column'],
    ],
    ['CREATE TABLE planted (owner_id bigint)', ['planted is not among the tables to distribute']],
  ])('has after %s the breaches %j', async (statement, breaches) => {
    await client.query(statement);
    const { rows } = await client.query<{ breach: string }>(BREACHES, [OWNED_TABLES]);
    expect(rows.map(({ breach }) => breach)).toEqual(breaches);
  });
});
