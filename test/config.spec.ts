import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError, loadEnvironmentFile, loadSettings, type Settings } from '../src/config/env.js';
import { VARIABLES } from '../src/config/variables.js';
import { cleanup } from './support/opened.js';
import { temporaryFolder } from './support/temporary-folder.js';

type Environment = Record<string, string>;

const SECRET = 'k'.repeat(32);
const OTHER = 's'.repeat(32);
const REQUIRED = { JWT_SECRET: SECRET, DB_PASSWORD: 'p' };
const MAKE = 'make one with: openssl rand -base64 48';
const EXAMPLE = readFileSync(new URL('../.env.example', import.meta.url), 'utf8');

const load = (env: Environment = {}): Settings => loadSettings({ ...REQUIRED, ...env });

/** The faults of exactly this environment. */
function faultsOf(env: Environment): readonly string[] {
  try {
    loadSettings({ ...env });
    return [];
  } catch (error) {
    return (error as ConfigurationError).faults;
  }
}

const faultsBeside = (env: Environment): readonly string[] => faultsOf({ ...REQUIRED, ...env });

const words = (text: string): string[] => text.split(' ');
/** An environment written as `NAME=value NAME=value`. */
const envOf = (text: string): Environment =>
  Object.fromEntries(words(text).map((pair) => pair.split(/=(.*)/, 2) as [string, string]));

let folder: string;
beforeAll(() => void (folder = temporaryFolder(cleanup, 'config')));

function file(content: string): string {
  const name = join(folder, `secret-${Math.random()}`);
  writeFileSync(name, content);
  return name;
}

/** The setting at a path, as `jwt.secret`; `db` is the address of the database. */
function settingAt(path: string, settings: Settings): unknown {
  const db = new URL(settings.database.url);
  const all: object = Object.assign({ db, tls: Object.fromEntries(db.searchParams) }, settings);
  return path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], all);
}

/** Each variable with the path of its setting, a value, the setting's value then, and a value that is refused. */
const EFFECTS: Record<string, readonly [path: string, value: string, effect: unknown, refused?: string]> = {
  PORT: ['port', '9090', 9090, 'eighty-secret'],
  HOST: ['host', '::1', '::1'],
  APPLICATION_NAME: ['applicationName', 'ledger', 'ledger'],
  LOG_LEVEL: ['logLevel', 'WARN', 'warn', 'loud-secret'],
  LOG_REQUESTS: ['logRequests', 'All', 'all', 'some-secret'],
  BODY_LIMIT: ['bodyLimit', '64KiB', 65_536, 'much-secret'],
  SHARE_TIMEOUT: ['shareTimeout', '5s', 5000, 'for-ever-secret'],
  CHANGES_RETENTION: ['changesRetention', '30d', 2_592_000_000, 'for-ever-secret'],
  MAX_CONNECTIONS: ['maxConnections', '500', 500, '9'],
  RESPONSE_TIMEOUT: ['responseTimeout', '3s', 3000, 'longer-secret'],
  CLIENT_MEMORY: ['clientMemory', '1024MiB', 1_073_741_824, '1025MiB'],
  REQUEST_TIMEOUT: ['requestTimeout', '2s', 2000, 'long-secret'],
  SHUTDOWN_DELAY: ['shutdownDelay', '0s', 0, '2h'],
  SHUTDOWN_TIMEOUT: ['shutdownTimeout', '3s', 3000, '25d'],
  CORS_ALLOWED_ORIGINS: ['corsAllowedOrigins', 'https://a.example', ['https://a.example'], '*-secret'],
  SIGN_UP: ['signUp', 'Closed', 'closed', 'ajar-secret'],
  API_DOCS: ['apiDocs', 'TRUE', true, 'public-secret'],
  SCHEDULE_E_LINES: ['scheduleELines', '{"MORTGAGE":12}', '{"MORTGAGE":12}'],
  IMPORT_BODY_LIMIT: ['imports.bodyLimit', '2MiB', 2 * 1024 * 1024, '65MiB'],
  IMPORT_ROW_LIMIT: ['imports.rowLimit', '500', 500, '100001'],
  IMPORTS_AT_ONCE: ['imports.concurrency', '3', 3, '101'],
  JWT_SECRET: ['jwt.secret', 's'.repeat(40), 's'.repeat(40), 'short-secret'],
  JWT_SECRET_FILE: ['jwt.secret', '', 'f'.repeat(32)],
  JWT_SECRET_PREVIOUS: ['jwt.previousSecret', 'p'.repeat(40), 'p'.repeat(40), 'older-secret'],
  JWT_SECRET_PREVIOUS_FILE: ['jwt.previousSecret', '', 'q'.repeat(32)],
  JWT_EXPIRATION: ['jwt.lifetime', '30m', 1_800_000, 'forever-secret'],
  METRICS_TOKEN: ['metricsToken', 't'.repeat(40), 't'.repeat(40), 'token-secret'],
  METRICS_TOKEN_FILE: ['metricsToken', '', 'm'.repeat(32)],
  PASSWORD_HASH_WAIT: ['passwordHashWait', '700ms', 700, '-1s'],
  UV_THREADPOOL_SIZE: ['threadPoolSize', '1', 1, '0'],
  DB_URL: ['db.host', 'postgres://db.example/x', 'db.example:5432', 'mysql://secret:secret@secret/secret'],
  DB_HOST: ['db.hostname', 'db.example', 'db.example'],
  DB_PORT: ['db.port', '6432', '6432', '99999'],
  DB_NAME: ['db.pathname', 'ledger', '/ledger'],
  DB_USERNAME: ['db.username', 'app', 'app'],
  DB_PASSWORD: ['db.password', 'other', 'other'],
  DB_PASSWORD_FILE: ['db.password', '', 'from-a-file'],
  DB_SSLMODE: ['tls.sslmode', 'Require', 'require', 'secret'],
  DB_SSL_CA: ['tls.sslrootcert', 'package.json', 'package.json'],
  DB_POOL_SIZE: ['database.poolSize', '3', 3, 'ten-secret'],
  DB_POOL_SHARE: ['database.poolShare', '4', 4, '0'],
  DB_ACQUIRE_TIMEOUT: ['database.acquireTimeout', '750ms', 750, '2 parsecs-secret'],
  DB_MAX_LIFETIME: ['database.maxLifetime', '24d', 24 * 86_400_000, '25d'],
  DB_STATEMENT_TIMEOUT: ['database.statementTimeout', 'PT10S', 10_000, 'P1Y-secret'],
  DB_POOLER: ['database.pooler', 'Transaction', 'transaction', 'secret'],
  DB_MIGRATE: ['database.migrate', 'False', false, 'secret'],
};

it('a blank variable counts as a missing one', () => {
  const blank = Object.fromEntries(VARIABLES.map((name) => [name, ' ']));
  expect(load({ ...blank, ...REQUIRED })).toEqual(load());
  expect(faultsOf(blank)).toEqual(faultsOf({}));
});

it.each(VARIABLES)('%s has its effect', (name) => {
  const [path, value, effect] = EFFECTS[name]!;
  const env: Environment = { ...REQUIRED, [name]: value };
  if (name.endsWith('_FILE')) {
    env[name] = file(String(effect));
    Reflect.deleteProperty(env, name.replace('_FILE', ''));
  }
  expect(settingAt(path, load())).not.toEqual(effect);
  expect(settingAt(path, loadSettings(env))).toEqual(effect);
});

it('the defaults are those of the contract', () => {
  const url = 'postgres://property_finance:p@localhost:5432/property_finance';
  const groups = { jwt: { lifetime: 3_600_000 }, database: { poolSize: 10, url } };
  const names = { host: '0.0.0.0', applicationName: 'property-finance' };
  expect(load()).toMatchObject({ port: 8080, ...names, bodyLimit: 1024 * 1024, ...groups });
});

it('.env.example has each variable with its default, and sets none', () => {
  const pairs = EXAMPLE.matchAll(/^# ([A-Z_]+)=(.*)$/gm);
  const example = Object.fromEntries(Array.from(pairs, ([, name, value]) => [name!, value!]));
  expect(Object.keys(example).sort()).toEqual([...VARIABLES].sort());
  expect(load({ ...example, ...REQUIRED })).toEqual(load());
  expect(EXAMPLE).not.toMatch(/^[^#\n]/m);
});

it('a fault names its variable and the remedy, all faults at once, and never a value', () => {
  const FAULTY: Environment = {};
  for (const [name, [, , , fault]] of Object.entries(EFFECTS)) if (fault !== undefined) FAULTY[name] = fault;
  const faults = faultsOf(FAULTY);
  expect(faults.map((fault) => fault.split(' ', 1)[0]).sort()).toEqual(Object.keys(FAULTY).sort());
  for (const fault of faults) expect(fault).toMatch(/^[A-Z_]+ (must|is) .{10,}/);
  expect(faults.map((fault) => fault.replace(/^JWT_SECRET\w*/, '')).join()).not.toMatch(/secret|99999/);
  expect(() => loadSettings({ PORT: 'x' })).toThrow(
    /^The configuration is not usable:\n {2}- PORT .*\n {2}- JWT_SECRET .*\n {2}- DB_PASSWORD .*$/,
  );
});

it.each<[names: string, least: string, most: string, below: string, above: string]>([
  ['PORT', '0', '65535', '-1', '65536'],
  ['DB_PORT', '1', '65535', '0', '65536'],
  ['MAX_CONNECTIONS', '10', '100000', '9', '100001'],
  ['IMPORT_ROW_LIMIT', '1', '100000', '0', '100001'],
  ['IMPORTS_AT_ONCE', '1', '100', '0', '101'],
  ['UV_THREADPOOL_SIZE', '1', '1024', '0', '1025'],
  ['DB_POOL_SIZE DB_POOL_SHARE', '1', '1000', '0', '1001'],
  ['BODY_LIMIT IMPORT_BODY_LIMIT', '1024', '64MiB', '1023', '67108865'],
  ['CLIENT_MEMORY', '1024', '1024MiB', '1023', '1025MiB'],
  ['REQUEST_TIMEOUT RESPONSE_TIMEOUT SHARE_TIMEOUT JWT_EXPIRATION', '1ms', '8760h', '0ms', '8761h'],
  ['PASSWORD_HASH_WAIT DB_ACQUIRE_TIMEOUT DB_STATEMENT_TIMEOUT', '1ms', '8760h', '0ms', '8761h'],
  ['SHUTDOWN_TIMEOUT DB_MAX_LIFETIME', '1ms', '576h', '0ms', '577h'],
  ['SHUTDOWN_DELAY', '0ms', '60m', '-1ms', '61m'],
])('%s takes %s to %s, and nothing beyond', (names, ...values) => {
  for (const name of words(names))
    expect(values.map((value) => faultsBeside({ [name]: value }).length)).toEqual([0, 0, 1, 1]);
});

const DURATION = 'must be a duration such as 500ms, 30s, 15m, 1h, 7d or PT1H, of at most';
const DURATIONS = { '1ms': 1, ' 90 M ': 54e5, '365d': 31_536_000_000, pt1h30m15s: 5_415_000, P1DT1H: 9e7 };
const NO_DURATIONS =
  '3600 0s PT0S -1h 1.5h 1e3s 1h30m 1hour 1w h Infinity 366d P366D P PT P1 PT1 PT1D P1H P1DT P1Y P1M P1W';
const WHOLE = 'must be a whole number from 0 to 65535';
const SIZE = 'must be a size from 1KiB to 64MiB, such as 1MiB';
const SIZES = { '1024': 1024, '2048b': 2048, '1kb': 1024, '1 MiB': 1_048_576, '64mb': 67_108_864 };
const ORIGIN =
  'must list origins such as https://app.example.com, without patterns, paths or a slash at the end';
const ORIGINS = {
  ' http://localhost:5173 , HTTPS://B.Example ,': ['http://localhost:5173', 'https://b.example'],
  'http://[::1]:3000': ['http://[::1]:3000'],
  ',': [],
};
const NO_ORIGINS =
  '* https://* http://*.example.com null https://a.example/ https://a.example#x https://a.example:* a.example ' +
  'https://user@a.example localhost:5173 ftp://a.example file:// https://a.example;https://b.example https://a,null';
const KEYS = '\u{1f511}'.repeat(8);
const PADDED = ` ${SECRET} `;
const TOKEN = { 'qL0Yz3v9c2m8Tn1xWb7RkP4sJd6HfGu+/==': 'qL0Yz3v9c2m8Tn1xWb7RkP4sJd6HfGu+/==' };
const FORM =
  'must look like postgres://host:5432/name, with one host: deploy/patroni shows a proxy for several';
const JWTS = ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlc2lnbmF0dXJl', `${'e'.repeat(30)}.e.`];

const SHORT = `is shorter than 32 bytes: ${MAKE}`;
const PLACEHOLDER = `is still a placeholder: ${MAKE}`;
const ESCAPES = 'must hold % only in escapes of UTF-8: write %25 for the sign itself';
const ONLY = 'takes only the parameters host, sslmode, sslrootcert, sslcert, sslkey';
const SOCKET = 'takes only the folder of a Unix socket as the parameter host';

it.each<[name: string, fault: string, taken: Record<string, unknown>, refused: string[]]>([
  ['PORT', WHOLE, { '0': 0, '65535': 65_535 }, words('65536 x 1.5 1e3 0x10 +1 -1')],
  ['API_DOCS', 'must be one of true, false', { True: true }, words('yes 1 null')],
  ['SHUTDOWN_DELAY', `${DURATION} 1h`, { '0': 0, '0s': 0, PT1H: 3_600_000 }, words('-1s 61m 00 none')],
  ['JWT_EXPIRATION', `${DURATION} 365d`, DURATIONS, words(NO_DURATIONS)],
  ['BODY_LIMIT', SIZE, SIZES, words('1023 65MiB 1GiB -1KiB 1.5MiB 1e6 MiB')],
  ['CORS_ALLOWED_ORIGINS', ORIGIN, ORIGINS, words(NO_ORIGINS)],
  ['METRICS_TOKEN', `holds what a bearer token cannot: ${MAKE}`, TOKEN, ['t '.repeat(20), 'é'.repeat(32)]],
  ['METRICS_TOKEN', `looks like an account's access token: ${MAKE}`, {}, JWTS],
  ['METRICS_TOKEN', SHORT, {}, ['k'.repeat(31)]],
  ['JWT_SECRET', SHORT, { [KEYS]: KEYS, [PADDED]: PADDED }, ['k'.repeat(31), `${'\u00e9'.repeat(15)}k`]],
  ['JWT_SECRET', PLACEHOLDER, {}, ['${JWT_SECRET}', `${'k'.repeat(30)}-change-me`]],
  ['JWT_SECRET_PREVIOUS', PLACEHOLDER, {}, ['${JWT_SECRET}']],
  ['DB_HOST', 'must be one host name or address', {}, ['a b', ...words('a/b h:5432 user@h %FF h%41 a,b')]],
  ['DB_URL', FORM, {}, words('mysql://h/n h:5432/n postgres:n postgres://h postgres://h/ host=h')],
  ['DB_URL', FORM, {}, words('postgres://h:port/n jdbc:postgresql://h/n postgres://a,b/n')],
  ['DB_URL', FORM, {}, words('postgres://a:1,b:2/n postgres:///n?host=/run/pg')],
  ['DB_URL', ESCAPES, {}, words('postgres://u:100%@h/n postgres://%FF:p@h/n postgres://u:p@%FF/n')],
  ['DB_URL', ESCAPES, {}, ['postgres://u:p@h/%ED%A0%80']],
  ['DB_URL', ONLY, {}, words('postgres://h/n?port=1 postgres://h/n?user=u&password=p')],
  ['DB_URL', SOCKET, {}, words('postgres://h/n?host=h postgres://h/n?host=/a,/b')],
  [
    'DB_URL',
    'takes as sslmode disable, require, verify-ca, verify-full',
    {},
    ['postgres://h/n?sslmode=allow'],
  ],
])('%s takes some values and refuses others: %s', (name, fault, taken, refused) => {
  for (const [text, value] of Object.entries(taken))
    expect(settingAt(EFFECTS[name]![0], load({ [name]: text }))).toEqual(value);
  for (const text of refused)
    expect([text, ...faultsBeside({ [name]: text })]).toEqual([text, `${name} ${fault}`]);
});

it.each<[Environment, string]>([
  [{ JWT_SECRET_PREVIOUS: SECRET }, 'JWT_SECRET_PREVIOUS must differ from JWT_SECRET: leave it out'],
  [{ METRICS_TOKEN: SECRET }, 'METRICS_TOKEN must differ from the secrets that sign'],
  [{ JWT_SECRET_PREVIOUS: OTHER, METRICS_TOKEN: OTHER }, 'METRICS_TOKEN must differ from the secrets that'],
  [{ DB_SSL_CA: '/none' }, 'DB_SSL_CA names a file that cannot be read (ENOENT): '],
  [{ DB_URL: 'postgres://h/n?sslcert=/none' }, 'DB_URL names a file that cannot be read (ENOENT): '],
  [{ DB_SSLMODE: 'verify-ca' }, 'DB_SSL_CA is missing: verify-ca needs the certificate'],
  [{ DB_PASSWORD: '', DB_URL: 'postgres://u@h/n' }, 'DB_PASSWORD is missing: set it to the password'],
  [{ DB_PASSWORD: '', DB_HOST: 'h' }, 'DB_PASSWORD is missing: set it to the password'],
  [{ DB_PASSWORD: '', DB_URL: 'mysql://h/n' }, FORM],
  [{ DB_PASSWORD: '', DB_PASSWROD: 'p', DB_PASS: 'p' }, '. DB_PASS is set: did you mean DB_PASSWORD?'],
  [{ DB_PASSWORD: '', POSTGRES_PASSWORD: 'p' }, '. POSTGRES_PASSWORD is set: did you mean DB_PASSWORD?'],
  [{ JWT_SECRET: '', JWTSECRET: SECRET }, '. JWTSECRET is set: did you mean JWT_SECRET?'],
])('%j is refused', (env, fault) => expect(faultsBeside(env)).toEqual([expect.stringContaining(fault)]));

it('a variable of the service, or one unlike the missing, is never told as its misspelling', () => {
  const others = { DB_USERNAME: 'u', DB_POOL_SIZE: '5', PASSWORD_HASH_WAIT: '5s', HOME: '/', PASSPORT: 'x' };
  expect(faultsBeside({ ...others, DB_PASSWORD: '' })).toEqual([expect.stringMatching(/DB_PASSWORD_FILE$/)]);
});

describe('.env', () => {
  const DATABASE = { DB_PASSWORD: 'p' };
  const read = (content: string | Buffer, env: Environment = {}): unknown => {
    const name = join(folder, 'env');
    writeFileSync(name, content);
    return loadEnvironmentFile({ ...env }, name);
  };

  it.each<[string, string | Buffer, unknown, Environment?]>([
    ['a byte order mark', '\uFEFFDB_PASSWORD=p\n', DATABASE],
    ['comments', 'DB_PASSWORD=p # one #2\n# DB_NAME=a#b\nDB_HOST= #\n', { ...DATABASE, DB_HOST: '' }],
    ['quotes', `DB_PASSWORD='p#q'\nexport DB_NAME="a #b"`, { DB_PASSWORD: 'p#q', DB_NAME: 'a #b' }],
    ['a variable that is set', 'PORT=1\nDB_NAME=n\n', { PORT: '', DB_NAME: 'n' }, { PORT: '' }],
    ['a secret whose file is set', 'DB_PASSWORD=p\n', { DB_PASSWORD_FILE: 'f' }, { DB_PASSWORD_FILE: 'f' }],
    ['the file of a secret that is set', 'DB_PASSWORD_FILE=f\n', DATABASE, DATABASE],
    [
      'variables of libpq in the environment',
      'PORT=1\n',
      { PORT: '1', PG_BIN: 'b' },
      { PGSSLMODE: 'require', PG_BIN: 'b' },
    ],
  ])('with %s is read', (...[, content, env, given]) => expect(read(content, given)).toEqual(env));

  const UTF8 = /env is not in UTF-8: save it in that encoding$/;
  it.each<[string, string | Buffer, RegExp]>([
    ['in UTF-16', Buffer.from('\uFEFFDB_PASSWORD=p\n', 'utf16le'), UTF8],
    ['in UTF-16 without its mark', Buffer.from('DB_PASSWORD=p\n', 'utf16le'), UTF8],
    ['in LATIN1', Buffer.from('DB_PASSWORD=é\n', 'latin1'), UTF8],
    [
      'with a # in a value',
      'PORT=1\nDB_PASSWORD=ab#cd\n',
      /- DB_PASSWORD has a # in .*env: quote its value$/,
    ],
    ['with a # after a blank', ' export DB_PASSWORD=ab #cd\r\n', /- DB_PASSWORD has a #/],
    ['with a # at once', 'DB_PASSWORD=#cd\n', /- DB_PASSWORD has a #/],
    ['with a # before a blank', 'DB_PASSWORD=ab# cd', /- DB_PASSWORD has a #/],
  ])('%s is refused by name', (_, content, message) => expect(() => read(content)).toThrow(message));
});

describe('a secret in a file', () => {
  it.each([
    [`${'f'.repeat(32)}\n`, 'f'.repeat(32)],
    [` ${'f'.repeat(32)} \r\n`, ` ${'f'.repeat(32)} `],
    [`${'f'.repeat(32)}\n\n`, `${'f'.repeat(32)}\n`],
  ])('%j is read without its last line end', (content, secret) => {
    const settings = loadSettings({ JWT_SECRET_FILE: file(content), DB_PASSWORD_FILE: file('p\n') });
    expect([settings.jwt.secret, new URL(settings.database.url).password]).toEqual([secret, 'p']);
  });

  it('is refused where the file is missing, a folder, empty or beside the variable', () => {
    const missing = join(folder, 'none');
    expect(faultsOf({ JWT_SECRET_FILE: missing, DB_PASSWORD_FILE: folder, DB_URL: 'mysql://h/n' })).toEqual([
      expect.stringMatching(
        /^JWT_SECRET_FILE names .* \(ENOENT\): correct the name, or let uid \d+ read it and /,
      ),
      expect.stringMatching(/^DB_URL must look like/),
      expect.stringMatching(/^DB_PASSWORD_FILE names .* \(EISDIR\): correct the name, or /),
    ]);
    expect(faultsOf({ JWT_SECRET_FILE: file('short\n'), DB_PASSWORD_FILE: file('\n') })).toEqual([
      `JWT_SECRET ${SHORT}`,
      expect.stringMatching(/^DB_PASSWORD is missing: /),
    ]);
    expect(faultsBeside({ JWT_SECRET_FILE: file(SECRET), DB_PASSWORD_FILE: file('x') })).toEqual([
      'JWT_SECRET_FILE is set beside JWT_SECRET: keep one of them',
      'DB_PASSWORD_FILE is set beside DB_PASSWORD: keep one of them',
    ]);
  });
});

it.each(['1', 'x'])('loading takes the secrets alone from the environment, with PORT=%s', (PORT) => {
  const secrets = { METRICS_TOKEN: OTHER, JWT_SECRET_PREVIOUS: 'p'.repeat(32), DB_URL: 'postgres://h/n' };
  const others = { PORT, HOME: '/root', DATABASE_URL: 'postgres://elsewhere/x' };
  const env = { ...REQUIRED, ...secrets, ...others };
  if (PORT === 'x') expect(() => loadSettings(env)).toThrow(ConfigurationError);
  else loadSettings(env);
  expect(env).toEqual(others);
});

describe('the address of the database', () => {
  const urlOf = (env: Environment): string => loadSettings({ JWT_SECRET: SECRET, ...env }).database.url;

  const COMPAT = '&uselibpqcompat=true';
  const FULL = `package.json&sslmode=verify-full${COMPAT}`;

  // With the port in any case, or pg would take that of PGPORT.
  it.each([
    ['DB_HOST=h DB_PORT=1 DB_NAME=n DB_USERNAME=u DB_PASSWORD=p', 'u:p@h:1/n'],
    ['DB_HOST=::1 DB_NAME=n DB_PASSWORD=p', 'property_finance:p@[::1]:5432/n'],
    ['DB_HOST=[fe80::1] DB_NAME=n DB_PASSWORD=p', 'property_finance:p@[fe80::1]:5432/n'],
    ['DB_HOST=/run/pg DB_NAME=n DB_PASSWORD=p', 'property_finance:p@localhost:5432/n?host=%2Frun%2Fpg'],
    ['DB_URL=postgresql://u:p@[::1]:1/n', 'u:p@[::1]:1/n'],
    ['DB_URL=postgres://h/n DB_PASSWORD=p', 'property_finance:p@h:5432/n'],
    ['DB_URL=postgres://u%40x:%40%2F%C3%A9@h/n', 'u%40x:%40%2F%C3%A9@h:5432/n'],
    ['DB_URL=postgres://u:p@h:5433/n?host=/run', 'u:p@h:5433/n?host=/run'],
    ['DB_URL=postgres://a:b@h/n DB_USERNAME=u DB_PASSWORD=p', 'u:p@h:5432/n'],
    ['DB_URL=postgres://u:p@h/n DB_HOST=x DB_NAME=x DB_PORT=9', 'u:p@h:5432/n'],
    ['DB_URL=postgres://u:p@h/n?sslrootcert=package.json', `u:p@h:5432/n?sslrootcert=${FULL}`],
    [
      'DB_URL=postgres://u:p@h/n?sslmode=verify-full DB_SSLMODE=require',
      `u:p@h:5432/n?sslmode=require${COMPAT}`,
    ],
    ['DB_URL=postgres://u@h/n?sslcert=package.json', `u@h:5432/n?sslcert=${FULL}`],
  ])('%s becomes postgres://%s', (env, url) =>
    expect(urlOf(envOf(env)).replace('postgresql:', 'postgres:')).toBe(`postgres://${url}`),
  );

  it.each(['p@ss/w:rd?#&=%', '%41', ' a\tb ', '\u00e9\u{1f511}', `'"\\\``, '[::1]', '+', '..'])(
    'keeps the password and the name %p as they are',
    (text) => {
      for (const env of [{}, { DB_URL: 'postgres://u@h/n' }] as Environment[])
        expect(decodeURIComponent(new URL(urlOf({ ...env, DB_PASSWORD: text })).password)).toBe(text);
      const { pathname } = new URL(urlOf({ DB_NAME: text, DB_PASSWORD: 'p' }));
      if (text !== '..') expect(decodeURIComponent(pathname)).toBe(`/${text}`);
    },
  );
});
