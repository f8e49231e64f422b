import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../migrations/all.js';
import { migrationOptions } from '../src/database/data-source.js';
import { migrate, migrationStatus } from '../src/database/migrate.js';
import { cli } from './support/cli.js';
import { rowsOf } from './support/connect.js';
import { createDatabase, createEmptyDatabase } from './support/database.js';
import { Launched } from './support/launched.js';
import { LogLines } from './support/log-lines.js';
import { opened } from './support/opened.js';
import { expectDocument } from './support/problem-document.js';
import { Build } from './support/process.js';
import { TEST_SECRET, testSettings } from './support/settings.js';
import { until } from './support/until.js';

const NAMES = MIGRATIONS.map((migration) => new migration().name);

const applied = async (url: string): Promise<string[]> =>
  (await rowsOf<{ name: string }>(url, 'SELECT name FROM migrations ORDER BY id')).map(({ name }) => name);

/** Everything in the schema that is ours: neither an extension's nor the list of migrations. */
async function objectsIn(url: string): Promise<string[]> {
  const rows = await rowsOf<{ object: string }>(
    url,
    `WITH mine AS (
       SELECT 'pg_class'::regclass AS class, oid, relname::text AS name FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relname !~ '^migrations|^PK_'
       UNION ALL
       SELECT 'pg_proc'::regclass, oid, proname::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace
       UNION ALL
       SELECT 'pg_constraint'::regclass, oid, conname::text FROM pg_constraint
        WHERE connamespace = 'public'::regnamespace AND conrelid <> coalesce(to_regclass('migrations'), 0::oid)
       UNION ALL
       SELECT 'pg_trigger'::regclass, oid, tgname::text FROM pg_trigger WHERE NOT tgisinternal
       UNION ALL
       SELECT 'pg_type'::regclass, oid, typname::text FROM pg_type
        WHERE typnamespace = 'public'::regnamespace AND typname !~ '^_?migrations' AND typcategory <> 'A')
     SELECT class || ' ' || name AS object FROM mine
      WHERE NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = class AND d.objid = oid AND d.deptype = 'e')
      ORDER BY 1`,
  );
  return rows.map(({ object }) => object);
}

const LATER = 'LedgerOfTomorrow1999000000000';

it('several instances that start together on an empty database become ready, and each migration is applied once', async () => {
  const url = await createEmptyDatabase();
  const services = await Promise.all([1, 2, 3].map(() => Launched.at(url)));
  await Promise.all(services.map((service) => service.ready()));
  expect(await applied(url)).toEqual(NAMES);
  for (const service of services)
    expect((await service.anonymous.get('/actuator/health/readiness')).status).toBe(200);
});

it('DB_MIGRATE=false waits with a 503 until somebody else has migrated, and changes nothing itself', async () => {
  const url = await createEmptyDatabase();
  const log = new LogLines();
  const service = await Launched.at(url, { DB_MIGRATE: 'false', LOG_LEVEL: 'warn' });
  await until(() => log.at('warn').length > 0);
  expect(log.text).toContain('the schema is not current');
  expectDocument(await service.caller().get('/api/properties'), 'service-unavailable', '/api/properties');
  expect((await service.anonymous.get('/actuator/health/liveness')).status).toBe(200);
  expect((await service.anonymous.get('/actuator/health/readiness')).status).toBe(503);
  expect(await objectsIn(url)).toEqual([]);

  expect(await migrate(service.settings.database)).toEqual(NAMES);
  await service.ready();
  expect((await service.anonymous.get('/actuator/health/readiness')).status).toBe(200);
  expect((await service.caller().get('/api/properties')).status).toBe(401);
});

it('migrating by hand says what is to be applied, and then was, and has nothing to do the second time', async () => {
  const url = await createEmptyDatabase();
  const { database } = testSettings(url);
  expect(await migrationStatus(database)).toEqual(NAMES.map((name) => ({ name, state: 'pending' })));
  expect(await rowsOf(url, `SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace`)).toEqual([]);
  const results = await Promise.all([1, 2, 3].map(() => migrate(database))); // from several sides at once
  expect(results.flat().sort()).toEqual([...NAMES].sort());
  expect(await migrationStatus(database)).toEqual(NAMES.map((name) => ({ name, state: 'applied' })));
  const before = await objectsIn(url);
  expect(await migrate(database)).toEqual([]);
  expect(await objectsIn(url)).toEqual(before);
});

describe('a schema that a later version has migrated', () => {
  let build: Build;
  let url: string;

  beforeAll(async () => {
    build = Build.make();
    url = await createDatabase();
    await rowsOf(url, `INSERT INTO migrations (timestamp, name) VALUES (1999000000000, '${LATER}')`);
  });

  it('is refused by a start, in one line that names what is unknown', async () => {
    const running = build.start({ DB_URL: url });
    expect(await running.exited).toEqual({ code: 1, signal: null });
    expect(running.lines.filter(({ level }) => level === 'fatal')).toEqual([
      expect.objectContaining({
        unknown: [LATER],
        msg: expect.stringMatching(/^The schema is newer than .* set DB_MIGRATE=false /) as string,
      }),
    ]);
    expect(running.output).not.toContain('the database is ready');
  });

  it('is worked on where DB_MIGRATE is false', async () => {
    const service = await Launched.at(url, { DB_MIGRATE: 'false' });
    await service.ready();
    expect((await service.anonymous.get('/actuator/health/readiness')).status).toBe(200);
    await service.stop();
  });

  it('is told by db status and the doctor, and refused by db migrate', async () => {
    const env = { DB_URL: url, DB_PASSWORD: 'unused', JWT_SECRET: TEST_SECRET, PORT: '0' };
    expect((await cli(['db', 'status'], { env })).out.at(-1)).toBe(`unknown  ${LATER}`);
    expect(await cli(['db', 'migrate'], { env })).toMatchObject({
      exitCode: 1,
      err: [expect.stringMatching(`^The schema is newer than .*${LATER}`)],
    });
    const found = async (migrate: string): Promise<string | undefined> =>
      (await cli(['doctor'], { env: { ...env, DB_MIGRATE: migrate } })).out.find((line) =>
        line.includes('newer than this version'),
      );
    expect(await found('true')).toMatch(/^FAIL +schema /);
    expect(await found('false')).toMatch(/^warn +schema /);
  });
});

it('a schema of the migrations before these is refused by every way in, and told how its rows get out', async () => {
  const url = await createEmptyDatabase();
  await rowsOf(
    url,
    `CREATE TABLE migrations (id serial, timestamp bigint NOT NULL, name text NOT NULL);
     INSERT INTO migrations (timestamp, name) VALUES (1795000000001, 'Accounts1795000000001')`,
  );
  const refusal =
    /^The schema is older than the first migration .*Accounts1795000000001.*: dump its rows and load them/;
  await expect(migrate(testSettings(url).database)).rejects.toThrow(refusal);
  const env = { DB_URL: url, DB_PASSWORD: 'unused', JWT_SECRET: TEST_SECRET, PORT: '0' };
  expect(await cli(['db', 'migrate'], { env })).toMatchObject({
    exitCode: 1,
    err: [expect.stringMatching(refusal)],
  });
  expect((await cli(['doctor'], { env })).out).toContainEqual(
    expect.stringMatching(/^FAIL +schema +older than the first migration/),
  );
  expect(await objectsIn(url)).toEqual([]);
});

it('where standard_conforming_strings is off, the checks are those of any other database', async () => {
  const checksOf = (url: string): Promise<unknown[]> =>
    rowsOf(
      url,
      `SELECT conrelid::regclass::text AS "table", conname, pg_get_constraintdef(oid) FROM pg_constraint
        WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2`,
    );
  const url = await createEmptyDatabase();
  const name = new URL(url).pathname.slice(1);
  await rowsOf(url, `ALTER DATABASE ${name} SET standard_conforming_strings = off`);
  await migrate(testSettings(url).database);
  expect(await checksOf(url)).toEqual(await checksOf(await createDatabase()));
});

it('undoing each migration takes away what it brought, and it can be done again', async () => {
  const url = await createEmptyDatabase();
  const options = migrationOptions(testSettings(url).database);
  for (const [index, name] of NAMES.entries()) {
    const migrations = MIGRATIONS.slice(0, index + 1);
    const dataSource = await new DataSource({ ...options, migrations }).initialize();
    const close = opened(() => dataSource.destroy());
    const before = await objectsIn(url);
    await dataSource.runMigrations();
    const after = await objectsIn(url);
    await dataSource.undoLastMigration();
    expect([name, await objectsIn(url)]).toEqual([name, before]);
    await dataSource.runMigrations();
    expect([name, await objectsIn(url)]).toEqual([name, after]);
    await close();
  }
  expect((await objectsIn(url)).length).toBeGreaterThan(50);
});

describe('db rollback --to', () => {
  const run = async (url: string, ...words: string[]): Promise<unknown> => {
    const env = { DB_URL: url, DB_PASSWORD: 'unused', JWT_SECRET: TEST_SECRET };
    const { exitCode, out, err } = await cli(['db', ...words], { env });
    return { exitCode, out, err };
  };

  it('undoes what is behind the migration, the latest first, and db migrate brings it back', async () => {
    const url = await createDatabase();
    const before = await objectsIn(url);
    const [first, ...others] = NAMES;
    const undone = others.toReversed().map((name) => `Undone ${name}`);
    expect(await run(url, 'rollback', '--to', first!)).toEqual({ exitCode: 0, out: undone, err: [] });
    const latest = [`${first!} is the latest already`];
    expect(await run(url, 'rollback', '--to', first!)).toEqual({ exitCode: 0, out: latest, err: [] });
    const states = [`applied  ${first!}`, ...others.map((name) => `pending  ${name}`)];
    expect(await run(url, 'status')).toEqual({ exitCode: 0, out: states, err: [] });
    expect(await run(url, 'migrate')).toMatchObject({ exitCode: 0 });
    expect(await objectsIn(url)).toEqual(before);
  });

  it('refuses a migration that has not been applied, and changes nothing', async () => {
    const url = await createDatabase();
    const err = ['No migration Nothing1 has been applied: "db status" names them.'];
    expect(await run(url, 'rollback', '--to', 'Nothing1')).toEqual({ exitCode: 1, out: [], err });
    expect(await run(url, 'status')).toMatchObject({ out: NAMES.map((name) => `applied  ${name}`) });
  });

  it('refuses a schema that a later version has migrated', async () => {
    const url = await createDatabase();
    await rowsOf(url, `INSERT INTO migrations (timestamp, name) VALUES (1900000000001, '${LATER}')`);
    expect(await run(url, 'rollback', '--to', NAMES[0]!)).toMatchObject({
      exitCode: 1,
      out: [],
      err: [expect.stringMatching(/^The schema is newer than this version/)],
    });
  });
});

describe('the names in the schema', () => {
  let url: string;
  beforeAll(async () => void (url = await createDatabase()));

  it('of constraints are given by hand', async () => {
    const constraints = await rowsOf<{ type: string; table: string; name: string }>(
      url,
      `SELECT contype AS type, conrelid::regclass::text AS "table", conname AS name FROM pg_constraint
        WHERE connamespace = 'public'::regnamespace AND contype NOT IN ('n', 't') AND conrelid <> 'migrations'::regclass`,
    );
    expect(constraints.length).toBeGreaterThan(30);
    const meant = (type: string, table: string, name: string): boolean => {
      if (!name.startsWith(`${table}_`) || /\d$/.test(name)) return false;
      if (type === 'p') return name === `${table}_pkey`;
      if (type === 'f') return name.endsWith('_fkey');
      if (type === 'u') return name.endsWith('_key');
      // PostgreSQL itself ends the name of a check in _check.
      return type === 'c' && /_(length|range|known|period|object|bcrypt)$/.test(name);
    };
    expect(constraints.filter(({ type, table, name }) => !meant(type, table, name))).toEqual([]);
  });

  it('of indexes are given by hand', async () => {
    const indexes = await rowsOf<{ table: string; name: string; unique: boolean; primary: boolean }>(
      url,
      `SELECT indrelid::regclass::text AS "table", indexrelid::regclass::text AS name, indisunique AS unique,
              indisprimary AS primary
         FROM pg_index WHERE indrelid::regclass::text IN (SELECT tablename FROM pg_tables WHERE schemaname = 'public')
          AND indrelid <> 'migrations'::regclass`,
    );
    expect(indexes.length).toBeGreaterThan(10);
    const ending = (index: { unique: boolean; primary: boolean }): string => {
      if (index.primary) return 'pkey';
      return index.unique ? 'key' : 'idx';
    };
    for (const index of indexes)
      expect(index.name).toMatch(new RegExp(`^${index.table}_([a-z_]+_)?${ending(index)}$`));
  });

  it('of sequences are those of their columns', async () => {
    const sequences = await rowsOf<{ name: string; column: string }>(
      url,
      `SELECT s.oid::regclass::text AS name, d.refobjid::regclass || '.' || a.attname AS column
         FROM pg_class s JOIN pg_depend d ON d.objid = s.oid AND d.classid = 'pg_class'::regclass AND d.deptype = 'a'
         JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
        WHERE s.relkind = 'S' AND s.relname !~ '^migrations' ORDER BY 1`,
    );
    expect(sequences).toEqual([
      { name: 'properties_id_seq', column: 'properties.id' },
      { name: 'transactions_id_seq', column: 'transactions.id' },
      { name: 'users_id_seq', column: 'users.id' },
    ]);
  });
});

describe('the schema', () => {
  let url: string;
  beforeAll(async () => void (url = await createDatabase()));

  it('says what its names do not say', async () => {
    const comments = await rowsOf<{ column: string; comment: string }>(
      url,
      `SELECT attrelid::regclass || '.' || attname AS column, col_description(attrelid, attnum) AS comment
         FROM pg_attribute WHERE attrelid IN ('users'::regclass, 'properties'::regclass, 'transactions'::regclass)
          AND attnum > 0 AND col_description(attrelid, attnum) IS NOT NULL`,
    );
    const byColumn = Object.fromEntries(comments.map(({ column, comment }) => [column, comment]));
    expect(byColumn).toMatchObject({
      'users.password_hash': expect.stringMatching(/bcrypt/) as string,
      'transactions.property_name': expect.stringMatching(/last written/) as string,
    });
  });

  it('holds texts without a length of their type, which would cut off blanks', async () => {
    const rows = await rowsOf(
      url,
      `SELECT table_name, column_name FROM information_schema.columns
        WHERE table_schema = 'public' AND table_name <> 'migrations' AND data_type IN ('character varying', 'character')`,
    );
    expect(rows).toEqual([]);
  });

  it('holds points in time with their zone, to milliseconds', async () => {
    const rows = await rowsOf(
      url,
      `SELECT table_name, column_name FROM information_schema.columns
        WHERE table_schema = 'public' AND data_type ~ '^(timestamp|date|time)' AND table_name <> 'migrations'
          AND NOT (data_type = 'timestamp with time zone' AND datetime_precision = 3)`,
    );
    expect(rows).toEqual([]);
  });

  it('holds money as exact decimals of precision 19 and scale 2', async () => {
    const rows = await rowsOf<{ column: string; precision: number; scale: number }>(
      url,
      `SELECT column_name AS column, numeric_precision AS precision, numeric_scale AS scale
         FROM information_schema.columns WHERE table_schema = 'public' AND data_type IN ('numeric', 'real', 'double precision')`,
    );
    expect(rows.map(({ column }) => column).sort()).toEqual([
      'amount',
      'base_price',
      'refund_amount',
      'tax_amount',
    ]);
    for (const { precision, scale } of rows) expect([precision, scale]).toEqual([19, 2]);
  });
});
