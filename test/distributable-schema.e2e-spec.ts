import type pg from 'pg';
import { MIGRATIONS } from '../migrations/all.js';
import { openConnection } from './support/connect.js';
import { createDatabase } from './support/database.js';
import { loadParser } from './support/owner-predicates.js';
import { migrationBreaches, schemaBreaches, statementsIn } from './support/schema-rules.js';

const ALLOWED = 'SET LOCAL citus.enable_unsafe_triggers TO on';
const ONE_BY_ONE = "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'";
const FUNCTION = 'CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$';
const TRIGGER = 'CREATE TRIGGER t AFTER INSERT ON properties FOR EACH ROW EXECUTE FUNCTION f()';

describe('a migration, where the tables may be distributed,', () => {
  beforeAll(loadParser);

  it.each(MIGRATIONS.map((migration) => [migration.name, migration] as const))(
    'can run: %s',
    async (name, Migration) => {
      for (const direction of ['up', 'down'] as const)
        expect(migrationBreaches(name, await statementsIn(new Migration(), direction))).toEqual([]);
    },
  );

  it.each([
    ['does not ask for triggers', [TRIGGER, ALLOWED]],
    [
      'makes functions while parts of a table may be changed side by side',
      [ONE_BY_ONE.replace('sequential', 'parallel'), FUNCTION],
    ],
    ['does not distribute receipts', ['CREATE TABLE receipts (owner_id bigint, id bigint)']],
  ])('%s: %j', (breach, statements) =>
    expect(migrationBreaches('Planted1900000000000', statements)).toEqual([breach]),
  );

  it('passes what does all that', () => {
    const statements = [
      `${ALLOWED}; ${ONE_BY_ONE}`,
      FUNCTION,
      TRIGGER,
      'CREATE TABLE receipts (owner_id bigint, id bigint)',
      `DO $$ BEGIN
         IF EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') THEN
           IF EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'properties'::regclass) THEN
             PERFORM create_distributed_table('receipts', 'owner_id', colocate_with => 'properties');
           END IF;
         END IF;
       END $$`,
      'CREATE TABLE currencies (code text)',
    ];
    expect(migrationBreaches('Planted1900000000000', statements)).toEqual([]);
  });
});

describe('the schema, so that its tables can be distributed,', () => {
  let client: pg.Client;

  beforeAll(async () => void (client = await openConnection(await createDatabase())));
  beforeEach(() => client.query('BEGIN'));
  afterEach(() => client.query('ROLLBACK'));

  it('has all keys begin with the owner', async () => expect(await schemaBreaches(client)).toEqual([]));

  it.each([
    [
      'ALTER TABLE transactions ADD CONSTRAINT planted UNIQUE (id)',
      ['planted is unique without the owner first'],
    ],
    [
      'ALTER TABLE transactions ADD CONSTRAINT planted FOREIGN KEY (booking_id) REFERENCES users (id)',
      ['planted does not lead from owner to owner'],
    ],
    [
      `ALTER TABLE transactions ADD CONSTRAINT planted FOREIGN KEY (property_id, owner_id)
         REFERENCES properties (owner_id, id)`,
      ['planted does not lead from owner to owner'],
    ],
    [
      'ALTER TABLE properties ADD COLUMN planted bigint GENERATED ALWAYS AS IDENTITY',
      ['properties.planted is an identity column'],
    ],
    ['CREATE TABLE planted (owner_id bigint)', ['planted is not among the tables to distribute']],
  ])('is none with %s', async (statement, breaches) => {
    await client.query(statement);
    expect(await schemaBreaches(client)).toEqual(breaches);
  });
});
