import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MIGRATIONS } from '../migrations/all.js';
import { cli, environmentFor } from './support/cli.js';
import { openConnection } from './support/connect.js';
import { createDatabase, createEmptyDatabase, serverUrl } from './support/database.js';
import { FakePooler } from './support/fake-pooler.js';
import { Launched } from './support/launched.js';
import { opened } from './support/opened.js';
import { startService } from './support/service.js';

type Environment = Record<string, string>;

type Finding = Readonly<Record<'mark' | 'subject' | 'text' | 'remedy', string>>;

const SECRET = 'Zk3v9QmT8sLx2pWc7RbY4nHd6GfJ1aKe5UoV0iXq';
const AWAY = 'postgres://127.0.0.1:1/x';

let url: string;
beforeAll(async () => void (url = await createDatabase()));

/** The exit code and the findings that are not "ok", each in a line. */
async function doctor(env: Environment = {}, ...options: string[]): Promise<[number, ...string[]]> {
  const given = { ...environmentFor(url), JWT_SECRET: SECRET, ...env };
  const { exitCode, out } = await cli(['doctor', '--json', ...options], { env: given });
  const { findings } = JSON.parse(out.join('\n')) as { findings: Finding[] };
  const wrong = findings.filter(({ mark }) => mark !== 'ok');
  return [exitCode, ...wrong.map((it) => `${it.mark} ${it.subject}: ${it.text} → ${it.remedy}`)];
}

/** The finding of this subject, whatever its mark. */
async function found(subject: string, env: Environment): Promise<string> {
  const { out } = await cli(['doctor'], { env: { ...environmentFor(url), JWT_SECRET: SECRET, ...env } });
  return out.find((line) => line.slice(6).startsWith(`${subject} `))!.replaceAll(/ +/g, ' ');
}

it('doctor finds nothing wrong where nothing is', async () => {
  const { exitCode, out } = await cli(['doctor'], { env: { ...environmentFor(url), JWT_SECRET: SECRET } });
  expect(exitCode).toBe(0);
  const subjects = ['settings', 'secret', 'CORS', 'database', 'connections', 'schema', 'rights', 'port'];
  const lines = [...subjects.map((subject) => `ok ${subject}`), '', 'Everything is'];
  expect(out.map((line) => line.split(/ +/, 2).join(' '))).toEqual(lines);
});

type Cause = Environment | (() => Environment | Promise<Environment>);

it.each<[string, Cause, finding: RegExp, options?: string[]]>([
  [
    'no secret',
    { JWT_SECRET: '' },
    /^fail secret: JWT_SECRET is missing → echo "JWT_SECRET=\$\(openssl .*>> \.env$/,
  ],
  [
    'an origin with a path',
    { CORS_ALLOWED_ORIGINS: 'https://a.example/x' },
    /^fail CORS: CORS_ALLOWED_ORIGINS must list .* → correct CORS_ALLOWED_ORIGINS in the environment, or in \.env$/,
  ],
  ['a database away', { DB_URL: AWAY }, /^fail database: connection-refused: x at .* → start PostgreSQL/],
  [
    'no such database',
    () => ({ DB_URL: serverUrl('absent') }),
    /^fail database: no-such-database: absent at .* → as superuser: CREATE DATABASE "absent" OWNER "postgres" /,
  ],
  [
    'a pool larger than PostgreSQL has connections',
    { DB_POOL_SIZE: '1000' },
    /1 instance wants 1002 connections; max_connections allows \d+; .* → DB_POOL_SIZE=\d+, or .* raise max_connections/,
  ],
  [
    'more instances than PostgreSQL has connections for',
    { DB_POOL_SIZE: '99' },
    /^fail connections: DB_POOL_SIZE is 99: 2 instances want 202 connections; max_connections allows/,
    ['--instances', '2'],
  ],
  [
    'a schema that the service will not migrate',
    async () => ({ DB_URL: await createEmptyDatabase(), DB_MIGRATE: 'false' }),
    RegExp(`^fail schema: (${MIGRATIONS.length}) of \\1 migrations are missing → npm run cli -- db migrate$`),
  ],
])('doctor exits with 1 on %s', async (_, cause, finding, options = []) => {
  const env = typeof cause === 'function' ? await cause() : cause;
  expect(await doctor(env, ...options)).toEqual([1, expect.stringMatching(finding)]);
});

it.each([
  ['JWT_SECRET', 'password'.repeat(5), /^warn secret: .* easy to guess → .*openssl rand -base64 48$/],
  ['JWT_SECRET', 'a1B2'.repeat(10), /easy to guess/],
  ['JWT_SECRET', 'my-super-secret-jwt-key-for-production-2024', /easy to guess/],
  ['LOGLEVEL', 'x', /^warn settings: LOGLEVEL is no setting of this .* ignored → call it LOG_LEVEL$/],
  ['PORTS', 'x', /→ remove it: PORT is set as well$/],
  ['CORS_ALLOWED_ORIGIN', 'x', /→ call it CORS_ALLOWED_ORIGINS$/],
  ['DB_PASS', 'x', /→ remove it: DB_PASSWORD is set as well$/],
  ['DATABASE_URL', 'x', /→ remove it: DB_URL is set as well$/],
  ['DB_FOO', 'x', /→ remove it, or see \.env\.example for its name$/],
])('doctor exits with 0 and warns of %s=%s', async (name, value, finding) => {
  expect(await doctor({ [name]: value })).toEqual([0, expect.stringMatching(finding)]);
});

it('doctor is silent about variables of PostgreSQL and of other programs', async () => {
  const names = ['PATH', 'HOSTNAME', 'PGHOST', 'PGPORT', 'PGUSER', 'PGDATABASE', 'PGPASSWORD', 'PG_BIN'];
  expect(await doctor(Object.fromEntries(names.map((name) => [name, '1'])))).toEqual([0]);
});

it('doctor goes on past faulty settings to the database and the port', async () => {
  expect(await doctor({ JWT_SECRET: '', LOG_LEVEL: 'x' })).toEqual([
    1,
    expect.stringMatching(/^fail settings: LOG_LEVEL must be one of/),
    expect.stringMatching(/^fail secret/),
  ]);
  expect(await found('schema', { LOG_LEVEL: 'x' })).toMatch(/^ok schema/);
});

it.each([
  ['the role', 'ALTER ROLE limited CONNECTION LIMIT 3'],
  ['the database', 'ALTER DATABASE %I CONNECTION LIMIT 3'],
])('doctor compares the pool with the CONNECTION LIMIT of %s', async (whose, statement) => {
  const limited = new URL(await createDatabase());
  const client = await openConnection(limited.href);
  await client.query(`DO $$ BEGIN CREATE ROLE limited LOGIN PASSWORD 'x' IN ROLE pg_read_all_data, pg_write_all_data;
    EXCEPTION WHEN duplicate_object THEN NULL; END $$`);
  await client.query(`ALTER ROLE limited CONNECTION LIMIT -1`);
  await client.query(statement.replace('%I', limited.pathname.slice(1)));
  limited.username = 'limited';
  expect((await doctor({ DB_URL: limited.href })).join('\n')).toMatch(
    `the CONNECTION LIMIT of ${whose} allows 3`,
  );
});

it('doctor warns of a locale that knows the case of ASCII letters alone', async () => {
  const client = await openConnection(serverUrl('postgres'));
  await client.query('DROP DATABASE IF EXISTS ascii');
  await client.query("CREATE DATABASE ascii ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0");
  expect(await doctor({ DB_URL: serverUrl('ascii') })).toEqual([
    0,
    expect.stringMatching(/^warn database: .*élise does not find ÉLISE → dump it, .*LOCALE 'C.UTF-8'/),
  ]);
});

describe('doctor, while something listens on the port,', () => {
  it('finds a service that is ready, with and without settings of its own', async () => {
    const { port } = new URL((await startService({ JWT_SECRET: SECRET })).url);
    for (const env of [{}, { JWT_SECRET: '' }, { DB_URL: AWAY }] as Environment[])
      expect(await found('port', { PORT: port, ...env })).toMatch(
        /^ok port the service runs on \d+ already$/,
      );
  });

  it('warns of a service without its database', async () => {
    const lonely = await Launched.at(AWAY, { JWT_SECRET: SECRET });
    const { port } = new URL(lonely.anonymous.url);
    expect(await found('port', { PORT: port })).toMatch(/^warn .* runs on \d+ already, but is not ready/);
  });

  it.each(['hello', '{"status":"UP"}'])(
    'fails where a program answers %s, and sends it no token',
    async (text) => {
      const headers: unknown[] = [];
      const other = createServer((request, response) => {
        headers.push(request.headers.authorization);
        response.end(text);
      });
      opened(() => void other.close());
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const { port } = other.address() as AddressInfo;
      expect(await found('port', { PORT: String(port) })).toMatch(/^FAIL port \d+ on .*\(EADDRINUSE\)$/);
      expect(headers).toEqual([undefined]);
    },
  );
});

describe('doctor behind a pooler', () => {
  it.each([{ refuses: true }, {}])('fails where DB_POOLER is none: %j', async (manners) => {
    const behind = await FakePooler.before(url, manners);
    expect(await doctor({ DB_URL: behind })).toEqual([
      1,
      expect.stringMatching(/^fail pooler: one stands before PostgreSQL: .* → DB_POOLER=session or /),
    ]);
  });

  it.each([
    ['session', 'its pool must hold DB_POOL_SIZE + 2 connections for each instance'],
    ['transaction', 'a request waits where its pool is smaller than DB_POOL_SIZE of all instances'],
  ])('says how large its pool has to be in %s mode', async (mode, text) => {
    const behind = await FakePooler.before(url, { refuses: true });
    expect(await found('pooler', { DB_URL: behind, DB_POOLER: mode })).toBe(
      `ok pooler in ${mode} mode by DB_POOLER: ${text}`,
    );
  });

  it('warns of DB_POOLER where no pooler was found', async () => {
    expect(await doctor({ DB_POOLER: 'transaction' })).toEqual([
      0,
      'warn pooler: DB_POOLER is transaction, but no pooler was found → remove DB_POOLER',
    ]);
  });
});
