import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cli } from './support/cli.js';
import { TABLES } from '../src/database/citus.js';
import { openConnection, rowsOf } from './support/connect.js';
import { createDatabase, createEmptyDatabase, serverUrl } from './support/database.js';
import { poolerBefore, transactionPoolerBefore } from './support/fake-pooler.js';
import { opened } from './support/opened.js';
import { Service, startService } from './support/service.js';
import { environmentFor } from './support/settings.js';

type Environment = Record<string, string>;
type Finding = Readonly<Record<'status' | 'subject' | 'text' | 'remedy', string>>;

const SECRET = 'Zk3v9QmT8sLx2pWc7RbY4nHd6GfJ1aKe5UoV0iXq';
const AWAY = 'postgres://127.0.0.1:1/x';

let url: string;
beforeAll(async () => void (url = await createDatabase()));

/** The exit code and all findings, each in a line. */
async function doctor(env: Environment = {}, ...options: string[]): Promise<[number, ...string[]]> {
  const given = { ...environmentFor(url), JWT_SECRET: SECRET, ...env };
  const { exitCode, out } = await cli(['doctor', '--json', ...options], { env: given });
  const { findings } = JSON.parse(out.join('\n')) as { findings: Finding[] };
  return [exitCode, ...findings.map((it) => `${it.status} ${it.subject}: ${it.text} → ${it.remedy}`)];
}

/** The exit code and the findings that are not "ok". */
async function complaints(env: Environment, ...options: string[]): Promise<[number, ...string[]]> {
  const [code, ...lines] = await doctor(env, ...options);
  return [code, ...lines.filter((line) => !line.startsWith('ok '))];
}

it('doctor prints a line for each subject where everything is in order, and exits with 0', async () => {
  const { exitCode, out } = await cli(['doctor'], { env: { ...environmentFor(url), JWT_SECRET: SECRET } });
  expect(exitCode).toBe(0);
  const subjects = [
    'settings',
    'secret',
    'CORS',
    'bounds',
    'database',
    'connections',
    'schema',
    'rights',
    'port',
  ];
  const lines = [...subjects.map((subject) => `ok ${subject}`), '', 'Everything is'];
  expect(out.map((line) => line.split(/ +/, 2).join(' '))).toEqual(lines);
});

it('doctor has the heap of the service, by which it says the number of connections', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const heapOf = (script: string): string[] | null => scripts[script]!.match(/--max-\S+-size=\d+/g);
  expect(heapOf('cli')).toEqual(heapOf('start'));
});

it('doctor prints a remedy below each fault, and the number of faults', async () => {
  const env = { ...environmentFor(AWAY), JWT_SECRET: SECRET, DB_PASS: 'x' };
  const { out } = await cli(['doctor'], { env });
  expect(out.join('\n')).toMatch(
    /\nFAIL {2}database {5}connection-refused.*\n {19}→ start .*\n[^]*\n\nFaults: 1, warnings: 1\.$/,
  );
});

/** A database with a limit of 3 connections, and the user `limited`. */
async function limited(statement: (database: string) => string): Promise<Environment> {
  const found = new URL(await createDatabase());
  const role = `DO $$ BEGIN CREATE ROLE limited LOGIN IN ROLE pg_read_all_data, pg_write_all_data, pg_read_all_stats;
    EXCEPTION WHEN duplicate_object THEN
      ALTER ROLE limited CONNECTION LIMIT -1; GRANT pg_read_all_stats TO limited; END $$`;
  await rowsOf(found.href, `${role}; ${statement(found.pathname.slice(1))} CONNECTION LIMIT 3`);
  found.username = 'limited';
  return { DB_URL: found.href };
}

async function asciiDatabase(): Promise<Environment> {
  await rowsOf(serverUrl('postgres'), 'DROP DATABASE IF EXISTS ascii');
  await rowsOf(serverUrl('postgres'), "CREATE DATABASE ascii ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0");
  return { DB_URL: serverUrl('ascii') };
}

const absent = { DB_URL: serverUrl('absent') };
const blind = async (): Promise<Environment> => {
  const env = await limited(() => 'ALTER ROLE limited');
  await rowsOf(url, 'ALTER ROLE limited CONNECTION LIMIT -1; REVOKE pg_read_all_stats FROM limited');
  return env;
};
const limitedRole = (): Promise<Environment> => limited(() => 'ALTER ROLE limited');
const limitedDatabase = (): Promise<Environment> => limited((name) => `ALTER DATABASE ${name}`);
const empty = async (): Promise<Environment> => ({
  ...{ DB_URL: await createEmptyDatabase(), DB_MIGRATE: 'false' },
});
/** A database that a later release has migrated. */
const later = async (env: Environment = {}): Promise<Environment> => {
  const DB_URL = await createDatabase();
  await rowsOf(DB_URL, `INSERT INTO migrations (timestamp, name) VALUES (1, 'Later')`);
  return { DB_URL, ...env };
};
const pooled = async (refuses: boolean): Promise<Environment> => ({
  DB_URL: await poolerBefore(url, refuses),
});

const shared = async (): Promise<Environment> => ({
  ...{ DB_URL: await transactionPoolerBefore(url), DB_POOLER: 'session' },
});

type Cause = Environment | (() => Environment | Promise<Environment>);

it.each<[string, Cause, finding: RegExp, options?: string[]]>([
  ['a database away', { DB_URL: AWAY }, /^fail database: connection-refused: x at .* → start PostgreSQL/],
  [
    'no such database',
    absent,
    /^fail .*: no-such-.*: absent at .* CREATE DATABASE "absent" OWNER "postgres" /,
  ],
  ['a locale of ASCII letters', asciiDatabase, /^warn .*élise does not find ÉLISE → dump .*LOCALE 'C.UTF-8'/],
  ['sessions that it may not see', blind, /^warn database: it hides .* → as superuser: GRANT pg_read_all_st/],
  [
    'a pool too large',
    { DB_POOL_SIZE: '1000' },
    /^fail .* 1 instance wants 1002 .*; max_connections .* → DB_PO/,
  ],
  ['2 instances', { DB_POOL_SIZE: '99' }, /^fail .* 2 instances want 202 connections/, ['--instances', '2']],
  [
    'a limit that others reach with it',
    async () => {
      await openConnection(serverUrl('postgres'));
      return { ...(await limitedRole()), DB_POOL_SIZE: '1' };
    },
    /^warn .* 1 instance wants 3 .* role allows 3; .* → DB_POOL_SIZE=1, or .* to at least ([4-9]|\d\d)/,
  ],
  ['a limit of the role', limitedRole, /^fail connections: .* the CONNECTION LIMIT of the role allows 3/],
  ['a limit of the database', limitedDatabase, /^fail .* the CONNECTION LIMIT of the database allows 3/],
  ['a schema that it will not migrate', empty, /^fail schema: (\d) of \1 migrations .* → .* db migrate$/],
  ['a schema of a later release', later, /^fail schema: .* not know: Later → start .* them, or set DB_MIG/],
  [
    'a schema of a later release, on which it starts all the same',
    () => later({ DB_MIGRATE: 'false' }),
    /^warn schema: .* not know: Later → start the version that has them; or, if/,
  ],
  ['an unnamed pooler', () => pooled(false), /^fail pooler: one stands .* → DB_POOLER=session or /],
  ['a pooler that refuses parameters', () => pooled(true), /^fail pooler: .* → DB_POOLER=session or /],
  [
    'a pooler of another mode',
    shared,
    /^fail .* prepared-statements: .* → .*mode set DB_POOLER=transaction$/,
  ],
  ['a missing pooler', { DB_POOLER: 'session' }, /^warn .* is session, but no .* found → remove DB_POOLER$/],
  ['JWT_SECRET of words', { JWT_SECRET: 'password'.repeat(5) }, /^warn secret: .* easy .* → .*openssl rand /],
  ['JWT_SECRET of eight characters', { JWT_SECRET: 'a1B2c3D4'.repeat(5) }, /^warn secret: .* easy to guess/],
  ['LOGLEVEL', { LOGLEVEL: 'x' }, /^warn settings: LOGLEVEL is not a .* ignored → use LOG_LEVEL$/],
  ['CORS_ALLOWED_ORIGIN', { CORS_ALLOWED_ORIGIN: 'x' }, /^warn .* → use CORS_ALLOWED_ORIGINS$/],
  ['DATABASE_URL', { DATABASE_URL: 'x' }, /^warn .* → remove it, or see \.env\.example for its name$/],
])('doctor reports %s, and exits with 1 unless it only warns', async (_, cause, finding, options = []) => {
  const env = typeof cause === 'function' ? await cause() : cause;
  const code = finding.source.startsWith('^warn') ? 0 : 1;
  expect(await complaints(env, ...options)).toEqual([code, expect.stringMatching(finding)]);
});

it.each(['SELECT', 'INSERT', 'UPDATE', 'DELETE'])('doctor names each table without %s', async (right) => {
  const found = new URL(await createDatabase());
  const role = `rightless_${right.toLowerCase()}`;
  await rowsOf(
    found.href,
    `CREATE ROLE ${role} LOGIN; GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role};
     REVOKE ${right} ON ALL TABLES IN SCHEMA public FROM ${role}; GRANT SELECT ON migrations TO ${role}`,
  );
  found.username = role;
  const named = `the role may not read and write ${[...TABLES].sort().join(', ')} → as the owner`;
  const [, ...lines] = await complaints({ DB_URL: found.href });
  expect(lines).toContainEqual(expect.stringContaining(named));
});

it('doctor counts the connections to every database of the server, and the service on its own alone', async () => {
  await startService();
  const DB_URL = await createDatabase();
  const ours = `${DB_URL}&application_name=property-finance`;
  for (const each of [ours, ours, ours, ours, serverUrl('postgres')]) await openConnection(each);
  const [, ...lines] = await doctor({ DB_URL, DB_POOL_SIZE: '1' });
  expect(lines).toContainEqual(
    expect.stringMatching(/: 2 instances want 6 .*; the service holds 4 now, others [1-9]/),
  );
});

it.each<[string, () => Promise<string>, RegExp]>([
  ['current', createDatabase, /^ok schema: up to date: \d migrations are applied/],
  [
    'old',
    createEmptyDatabase,
    /^ok schema: (\d) of \1 migrations are missing, and are applied at the next start/,
  ],
])('doctor finds nothing wrong with a schema that is %s', async (_, database, text) => {
  expect(await doctor({ DB_URL: await database() })).toContainEqual(expect.stringMatching(text));
});

it('doctor reports every fault of the settings, and then examines no database', async () => {
  const env = { JWT_SECRET: '', LOG_LEVEL: 'x', CORS_ALLOWED_ORIGINS: 'https://a.example/x', DB_URL: AWAY };
  expect(await doctor(env)).toEqual([
    1,
    expect.stringMatching(/^fail settings: LOG_LEVEL must be one of .* → correct it in the environment,/),
    expect.stringMatching(/^fail settings: CORS_ALLOWED_ORIGINS must .* → correct it in the env/),
    expect.stringMatching(/^fail settings: JWT_SECRET is missing → make one with: openssl rand -base64 48$/),
    expect.stringMatching(/^warn database: not examined.* → correct the settings above/),
  ]);
});

it('doctor is silent about variables of PostgreSQL and of other programs', async () => {
  const names = ['PATH', 'HOSTNAME', 'PGHOST', 'PGPORT', 'PGUSER', 'PGDATABASE', 'PGPASSWORD', 'PG_BIN'];
  const others = Object.fromEntries(names.map((name) => [name, '1']));
  expect(await complaints({ ...others, JWT_SECRET: 'a1B2c3D4e'.repeat(5) })).toEqual([0]);
});

it.each([
  ['session', 'its pool must hold DB_POOL_SIZE + 2 connections for each instance'],
  ['transaction', 'a request waits where its pool is smaller than DB_POOL_SIZE of all instances'],
])('doctor says how large the pool of a pooler in %s mode has to be', async (mode, text) => {
  const said = expect.stringContaining(`ok pooler: in ${mode} mode by DB_POOLER: ${text}`) as string;
  expect(await doctor({ ...(await pooled(true)), DB_POOLER: mode })).toContainEqual(said);
});

describe('doctor, while something listens on the port,', () => {
  const portOf = async (PORT: string, env: Environment = {}): Promise<string | undefined> => {
    const [, ...lines] = await doctor({ PORT, ...env });
    return lines.find((line) => line.includes(' port: '));
  };

  it('reports a service that is ready, with and without a database of its own', async () => {
    const { port } = new URL((await startService()).url);
    for (const env of [{}, { DB_URL: AWAY }] as Environment[])
      expect(await portOf(port, env)).toMatch(`ok port: the service runs on ${port} already`);
  });

  it('warns of a service without its database', async () => {
    const { port } = new URL((await Service.at(AWAY)).anonymous.url);
    expect(await portOf(port)).toMatch(`warn port: the service runs on ${port} already, but is not ready`);
  });

  it.each(['hello', '{"status":"UP"}'])('fails where a program answers %s, without a token', async (text) => {
    const tokens: unknown[] = [];
    const other = createServer((request, response) => {
      tokens.push(request.headers.authorization);
      response.end(text);
    });
    opened(() => void other.close());
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    expect(await portOf(String(port))).toMatch(
      /^fail port: \d+ on .*\(EADDRINUSE\) → something else listens/,
    );
    expect(tokens).toEqual([undefined]);
  });
});
