import { MIGRATIONS } from '../migrations/all.js';
import { migrate, withDataSource } from '../src/database/migrate.js';
import { expectProblem } from './support/responses.js';
import { cli, type CliResult } from './support/cli.js';
import { rowsOf } from './support/connect.js';
import { createDatabase, createEmptyDatabase, serverUrl } from './support/database.js';
import { LogLines } from './support/log-lines.js';
import { watchStatements } from './support/sent-statements.js';
import { Service } from './support/service.js';
import { until } from './support/until.js';
import { environmentFor } from './support/settings.js';

const NAMES = MIGRATIONS.map((migration) => new migration().name);
const [FIRST = '', ...OTHERS] = NAMES;
const LATER = 'LedgerOfTomorrow1999000000000';
const READINESS = '/actuator/health/readiness';

const run = (url: string, words: string, env: Record<string, string> = {}): Promise<CliResult> =>
  cli(words.split(' '), { env: { ...environmentFor(url), ...env } });

/** The objects of the schema without those of extensions, the list of migrations and what PostgreSQL names by numbers. */
async function objectsIn(url: string): Promise<string[]> {
  const rows = await rowsOf<{ object: string }>(
    url,
    `SELECT DISTINCT pg_describe_object(classid, objid, 0) AS object FROM pg_depend d
      WHERE classid = ANY ('{pg_class,pg_proc,pg_constraint,pg_trigger}'::regclass[]) AND objid >= 16384
        AND pg_describe_object(classid, objid, 0) !~ 'migrations|toast|RI_|PK_'
        AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.classid = d.classid AND e.objid = d.objid AND e.deptype = 'e')
      ORDER BY 1`,
  );
  return rows.map(({ object }) => object);
}

describe('an empty database', () => {
  it('is migrated once by three instances that start together', async () => {
    const url = await createEmptyDatabase();
    const services = await Promise.all([1, 2, 3].map(() => Service.at(url)));
    await Promise.all(services.map((service) => service.ready()));
    expect(await rowsOf(url, 'SELECT name FROM migrations ORDER BY id')).toEqual(
      NAMES.map((name) => ({ name })),
    );
    for (const service of services) expect((await service.anonymous.get(READINESS)).status).toBe(200);
  });

  it('is left alone with DB_MIGRATE=false, and used once somebody else has migrated it', async () => {
    const url = await createEmptyDatabase();
    const log = new LogLines();
    const service = await Service.at(url, { DB_MIGRATE: 'false', LOG_LEVEL: 'warn' });
    await until(() => log.text.includes('The schema is not up to date'));
    expectProblem(await service.caller().get('/api/properties'), 'service-unavailable', '/api/properties');
    expect(await objectsIn(url)).toEqual([]);
    expect(await withDataSource(service.settings.database, migrate)).toEqual(NAMES);
    await service.ready();
    expect((await service.caller().get('/api/properties')).status).toBe(401);
  });
});

/** Settings come from the schema public first. */
const PRETENDED = `CREATE FUNCTION current_setting(text) RETURNS text LANGUAGE sql AS $$ SELECT CASE $1
  WHEN 'server_version_num' THEN '140023' ELSE pg_catalog.current_setting($1) END $$`;

it.each([
  ['PostgreSQL 14', 'server-too-old', "ENCODING 'UTF8'", PRETENDED, 'take PostgreSQL 15 or newer'],
  ['a LATIN1 database', 'wrong-encoding', "ENCODING 'LATIN1'", 'SELECT', /one made with ENCODING 'UTF8'/],
])('%s is %s for the log, the doctor and db migrate, and never ready', async (...row) => {
  const [, reason, encoding, statement, said] = row;
  const name = `refused_${reason.replaceAll('-', '_')}`;
  await rowsOf(serverUrl('postgres'), `CREATE DATABASE ${name} ${encoding} LOCALE 'C' TEMPLATE template0`);
  await rowsOf(serverUrl('postgres'), `ALTER DATABASE ${name} SET search_path = public, pg_catalog`);
  const url = serverUrl(name);
  await rowsOf(url, statement);
  const log = new LogLines();
  const service = await Service.at(url, { LOG_LEVEL: 'warn' });
  await until(() => log.at('warn').length > 0);
  const remedy: unknown = expect.stringMatching(said);
  expect(log.at('warn')).toMatchObject([{ reason, remedy }]);
  expect(service.isReady).toBe(false);
  expect(await objectsIn(url)).not.toContain('table users');
  const { exitCode, err } = await run(url, 'db migrate');
  expect([exitCode, ...err]).toEqual([1, expect.stringContaining(`(${reason}): `)]);
  const finding: unknown = expect.stringMatching(`^FAIL +database +${reason}: `);
  expect((await run(url, 'doctor')).out).toContainEqual(finding);
});

describe('a schema that another version has migrated', () => {
  const REFUSAL: unknown = expect.stringMatching(`^The schema has .*${LATER}.*dump the rows`);
  let url: string;

  beforeAll(async () => {
    url = await createDatabase();
    await rowsOf(url, `INSERT INTO migrations (timestamp, name) VALUES (1999000000000, '${LATER}')`);
  });

  it('leaves the service unready, with a line that names the unknown migration', async () => {
    const log = new LogLines();
    const service = await Service.at(url, { LOG_LEVEL: 'warn' });
    await until(() => log.at('warn').length > 0);
    expect(log.at('warn')).toMatchObject([{ reason: 'migration-failed', err: { message: REFUSAL } }]);
    expect(service.isReady).toBe(false);
  });

  it('is refused by db migrate and db rollback, and shown by db status and the doctor', async () => {
    expect((await run(url, 'db status')).out.at(-1)).toBe(`unknown  ${LATER}`);
    expect(await run(url, 'db migrate')).toMatchObject({ exitCode: 1, err: [REFUSAL] });
    expect(await run(url, `db rollback --to ${FIRST}`)).toMatchObject({ exitCode: 1, out: [] });
    const finding: unknown = expect.stringMatching(/^FAIL +schema +.*does not know: Ledger/);
    expect((await run(url, 'doctor')).out).toContainEqual(finding);
  });

  it('is used where DB_MIGRATE is false, with a warning of the doctor', async () => {
    await (await Service.at(url, { DB_MIGRATE: 'false' })).ready();
    const finding: unknown = expect.stringMatching(/^warn +schema +.*does not know: Ledger/);
    expect((await run(url, 'doctor', { DB_MIGRATE: 'false' })).out).toContainEqual(finding);
  });
});

describe('db rollback --to', () => {
  it('undoes the migrations after the named one, the latest first, and db migrate repeats them', async () => {
    const url = await createDatabase();
    const before = await objectsIn(url);
    const undone = OTHERS.toReversed().map((name) => `Undone ${name}`);
    for (const out of [undone, [`${FIRST} is the latest already`]])
      expect(await run(url, `db rollback --to ${FIRST}`)).toEqual({ exitCode: 0, out, err: [] });
    const states = [`applied  ${FIRST}`, ...OTHERS.map((name) => `pending  ${name}`)];
    expect(await run(url, 'db status')).toEqual({ exitCode: 0, out: states, err: [] });
    const LATER_OBJECTS = /^(function \w+\(\)$|trigger )|^index \w+_idx$/;
    expect((await objectsIn(url)).filter((object) => LATER_OBJECTS.test(object))).toEqual([]);
    const out = OTHERS.map((name) => `Applied ${name}`);
    const sent = watchStatements();
    expect(await run(url, 'db migrate')).toEqual({ exitCode: 0, out, err: [] });
    expect(sent.all().filter(({ text }) => text.includes('EXTENSION'))).toEqual([]); // Citus wants its owner
    expect(await objectsIn(url)).toEqual(before);
  });

  it('refuses a migration that has not been applied, and changes nothing', async () => {
    const url = await createDatabase();
    const err = ['No migration Nothing1 has been applied: "db status" lists them.'];
    expect(await run(url, 'db rollback --to Nothing1')).toEqual({ exitCode: 1, out: [], err });
    expect((await run(url, 'db status')).out).toEqual(NAMES.map((name) => `applied  ${name}`));
  });
});
