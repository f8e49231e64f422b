import fs, { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError, loadSettings, type Settings, VARIABLES } from '../src/config/env.js';
import { Build } from './support/process.js';

type Environment = Record<string, string>;

const SECRET = 'k'.repeat(32);
const REQUIRED = { JWT_SECRET: SECRET, DB_PASSWORD: 'p' };
const MAKE = 'make one with: openssl rand -base64 48';
const EXAMPLE = readFileSync(new URL('../.env.example', import.meta.url), 'utf8');

const load = (env: Environment = {}): Settings => loadSettings({ ...REQUIRED, ...env });

/** The faults of exactly this environment. */
function faultsOf(env: Environment): readonly string[] {
  try {
    loadSettings({ ...env });
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
  return [];
}

const faultsBeside = (env: Environment): readonly string[] => faultsOf({ ...REQUIRED, ...env });

const words = (text: string): string[] => text.split(' ');

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'property-finance-config-'))));
afterAll(() => rmSync(folder, { recursive: true }));

function file(content: string): string {
  const name = join(folder, `secret-${Math.random()}`);
  writeFileSync(name, content);
  return name;
}

const address = (settings: Settings): URL => new URL(settings.database.url);

/** Each variable with a value, the setting that it changes, the setting's value then, and a value that is refused. */
const EFFECTS: Record<string, readonly [string, (settings: Settings) => unknown, unknown, string?]> = {
  PORT: ['9090', ({ port }) => port, 9090, 'eighty-secret'],
  HOST: ['::1', ({ host }) => host, '::1'],
  APPLICATION_NAME: ['ledger', ({ applicationName }) => applicationName, 'ledger'],
  LOG_LEVEL: ['WARN', ({ logLevel }) => logLevel, 'warn', 'loud-secret'],
  LOG_REQUESTS: ['All', ({ logRequests }) => logRequests, 'all', 'some-secret'],
  BODY_LIMIT: ['64KiB', ({ bodyLimit }) => bodyLimit, 65_536, 'much-secret'],
  RESPONSE_TIMEOUT: ['3s', ({ responseTimeout }) => responseTimeout, 3000, 'longer-secret'],
  RESPONSE_MEMORY: ['1024MiB', ({ responseMemory }) => responseMemory, 1_073_741_824, '1025MiB'],
  REQUEST_TIMEOUT: ['2s', ({ requestTimeout }) => requestTimeout, 2000, 'long-secret'],
  SHUTDOWN_DELAY: ['0s', ({ shutdownDelay }) => shutdownDelay, 0, '2h'],
  SHUTDOWN_TIMEOUT: ['3s', ({ shutdownTimeout }) => shutdownTimeout, 3000, '25d'],
  CORS_ALLOWED_ORIGINS: [
    'https://a.example',
    (it) => it.corsAllowedOrigins,
    ['https://a.example'],
    '*-secret',
  ],
  API_DOCS: ['TRUE', ({ apiDocs }) => apiDocs, true, 'public-secret'],
  SCHEDULE_E_LINES: ['{"MORTGAGE":12}', ({ scheduleELines }) => scheduleELines, '{"MORTGAGE":12}'],
  IMPORT_BODY_LIMIT: ['2MiB', ({ imports }) => imports.bodyLimit, 2 * 1024 * 1024, '65MiB'],
  IMPORT_ROW_LIMIT: ['500', ({ imports }) => imports.rowLimit, 500, '100001'],
  IMPORTS_AT_ONCE: ['3', ({ imports }) => imports.concurrency, 3, '101'],
  JWT_SECRET: ['s'.repeat(40), ({ jwt }) => jwt.secret, 's'.repeat(40), 'short-secret'],
  JWT_SECRET_FILE: ['', ({ jwt }) => jwt.secret, 'f'.repeat(32)],
  JWT_SECRET_PREVIOUS: ['p'.repeat(40), ({ jwt }) => jwt.previousSecret, 'p'.repeat(40), 'older-secret'],
  JWT_SECRET_PREVIOUS_FILE: ['', ({ jwt }) => jwt.previousSecret, 'q'.repeat(32)],
  JWT_EXPIRATION: ['30m', ({ jwt }) => jwt.lifetime, 1_800_000, 'forever-secret'],
  METRICS_TOKEN: ['t'.repeat(40), ({ metricsToken }) => metricsToken, 't'.repeat(40), 'token-secret'],
  METRICS_TOKEN_FILE: ['', ({ metricsToken }) => metricsToken, 'm'.repeat(32)],
  PASSWORD_HASH_WAIT: ['700ms', ({ passwords }) => passwords.longestWait, 700, '-1s'],
  UV_THREADPOOL_SIZE: ['1', ({ passwords }) => passwords.concurrency, 1, '0'],
  DB_URL: [
    'postgres://db.example/x',
    (it) => address(it).host,
    'db.example:5432',
    'mysql://secret:secret@secret/secret',
  ],
  DB_HOST: ['db.example', (it) => address(it).hostname, 'db.example'],
  DB_PORT: ['6432', (it) => address(it).port, '6432', '99999'],
  DB_NAME: ['ledger', (it) => address(it).pathname, '/ledger'],
  DB_USERNAME: ['app', (it) => address(it).username, 'app'],
  DB_PASSWORD: ['other', (it) => address(it).password, 'other'],
  DB_PASSWORD_FILE: ['', (it) => address(it).password, 'from-a-file'],
  DB_SSLMODE: ['Require', (it) => address(it).searchParams.get('sslmode'), 'require', 'secret'],
  DB_SSL_CA: ['package.json', (it) => address(it).searchParams.get('sslrootcert'), 'package.json'],
  DB_POOL_SIZE: ['3', ({ database }) => database.poolSize, 3, 'ten-secret'],
  DB_POOL_SHARE: ['4', ({ database }) => database.poolShare, 4, '0'],
  DB_ACQUIRE_TIMEOUT: ['750ms', ({ database }) => database.acquireTimeout, 750, '2 parsecs-secret'],
  DB_MAX_LIFETIME: ['24d', ({ database }) => database.maxLifetime, 24 * 86_400_000, '25d'],
  DB_STATEMENT_TIMEOUT: ['PT10S', ({ database }) => database.statementTimeout, 10_000, 'P1Y-secret'],
  DB_POOLER: ['Transaction', ({ database }) => database.pooler, 'transaction', 'secret'],
  DB_MIGRATE: ['False', ({ database }) => database.migrate, false, 'secret'],
};

it('a blank variable counts as a missing one', () => {
  const blank = Object.fromEntries(VARIABLES.map((name) => [name, ' ']));
  expect(load({ ...blank, ...REQUIRED })).toEqual(load());
  expect(faultsOf(blank)).toEqual(faultsOf({}));
});

it.each(VARIABLES)('%s has its effect', (name) => {
  const [value, read, effect] = EFFECTS[name]!;
  const env: Environment = { ...REQUIRED, [name]: value };
  if (name.endsWith('_FILE')) {
    env[name] = file(String(effect));
    Reflect.deleteProperty(env, name.replace('_FILE', ''));
  }
  expect(read(load())).not.toEqual(effect);
  expect(read(loadSettings(env))).toEqual(effect);
});

it.each([
  ['PORT', 8080],
  ['HOST', '0.0.0.0'],
  ['APPLICATION_NAME', 'property-finance'],
  ['JWT_EXPIRATION', 3_600_000],
  ['BODY_LIMIT', 1024 * 1024],
  ['DB_HOST', 'localhost'],
  ['DB_PORT', '5432'],
  ['DB_NAME', '/property_finance'],
  ['DB_USERNAME', 'property_finance'],
  ['DB_POOL_SIZE', 10],
])('%s has the default of the contract, %p', (name, value) => expect(EFFECTS[name]![1](load())).toBe(value));

it('.env.example has each variable with its default, and sets none', () => {
  const example = Object.fromEntries(
    Array.from(EXAMPLE.matchAll(/^# ([A-Z_]+)=(.*)$/gm), ([, name, value]) => [name!, value!]),
  );
  expect(Object.keys(example).sort()).toEqual([...VARIABLES].sort());
  expect(load({ ...example, ...REQUIRED })).toEqual(load());
  expect(EXAMPLE).not.toMatch(/^[^#\n]/m);
});

const FAULTY = Object.fromEntries(
  Object.entries(EFFECTS).flatMap(([name, [, , , fault]]) => (fault === undefined ? [] : [[name, fault]])),
);

it('a fault names its variable and the remedy, all faults at once, and never a value', () => {
  const faults = faultsOf(FAULTY);
  expect(faults.map((fault) => fault.split(' ', 1)[0]).sort()).toEqual(Object.keys(FAULTY).sort());
  for (const fault of faults) expect(fault).toMatch(/^[A-Z_]+ (must|is) .{10,}/);
  expect(faults.map((fault) => fault.replace(/^JWT_SECRET\w*/, '')).join()).not.toMatch(/secret|99999/);
  expect(() => loadSettings({ PORT: 'x' })).toThrow(
    /^The configuration is not usable:\n {2}- PORT .*\n {2}- JWT_SECRET .*\n {2}- DB_PASSWORD .*$/,
  );
});

it.each<[name: string, taken: Record<string, unknown>, refused: string[], fault: string]>([
  [
    'PORT',
    { '0': 0, '65535': 65_535 },
    words('65536 x 1.5 1e3 0x10 +1 -1 99999999'),
    'must be a whole number from 0 to 65535',
  ],
  [
    'LOG_LEVEL',
    { Trace: 'trace' },
    ['verbose'],
    'must be one of fatal, error, warn, info, debug, trace, silent',
  ],
  ['API_DOCS', { True: true }, ['yes', '1', 'null'], 'must be one of true, false'],
  [
    'SHUTDOWN_DELAY',
    { '0': 0, '0s': 0, PT1H: 3_600_000 },
    ['-1s', '61m', '00', 'none'],
    'must be a duration such as 500ms, 30s, 15m, 1h, 7d or PT1H, of at most 1h',
  ],
  [
    'JWT_EXPIRATION',
    { '1ms': 1, ' 90 M ': 5_400_000, '365d': 31_536_000_000, pt1h30m15s: 5_415_000, P1DT12H: 129_600_000 },
    words(
      '3600 0s PT0S -1h 1.5h 1e3s 1h30m 1hour 1w h Infinity 366d P366D P PT P1 PT1 PT1D P1H P1DT P1Y P1M P1W',
    ),
    'must be a duration such as 500ms, 30s, 15m, 1h, 7d or PT1H, of at most 365d',
  ],
  [
    'BODY_LIMIT',
    { '1024': 1024, '2048b': 2048, '1kb': 1024, '1 MiB': 1_048_576, '64mb': 67_108_864 },
    ['1023', '65MiB', '1GiB', '-1KiB', '1.5MiB', '1e6', 'MiB', '1 K'],
    'must be a size from 1KiB to 64MiB, such as 1MiB',
  ],
  [
    'CORS_ALLOWED_ORIGINS',
    {
      'http://localhost:5173': ['http://localhost:5173'],
      ' https://a.example , HTTPS://B.Example ,': ['https://a.example', 'https://b.example'],
      'http://[::1]:3000': ['http://[::1]:3000'],
      ',': [],
    },
    words(
      '* https://* http://*.example.com null https://a.example/ https://a.example#x https://a.example:* a.example ' +
        'https://user@a.example localhost:5173 ftp://a.example file:// https://a.example;https://b.example https://a,null',
    ),
    'must list origins such as https://app.example.com, without patterns, paths or a slash at the end',
  ],
  [
    'METRICS_TOKEN',
    { 'qL0Yz3v9c2m8Tn1xWb7RkP4sJd6HfGu+/==': 'qL0Yz3v9c2m8Tn1xWb7RkP4sJd6HfGu+/==' },
    [`${'t'.repeat(20)} ${'t'.repeat(20)}`, 'é'.repeat(32)],
    `holds what a bearer token cannot: ${MAKE}`,
  ],
  [
    'METRICS_TOKEN',
    {},
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlc2lnbmF0dXJl', `${'e'.repeat(30)}.e.`],
    `looks like an account's access token: ${MAKE}`,
  ],
])('%s reads and refuses these values', (name, taken, refused, fault) => {
  for (const [text, value] of Object.entries(taken))
    expect(EFFECTS[name]![1](load({ [name]: text }))).toEqual(value);
  for (const text of refused)
    expect([text, ...faultsBeside({ [name]: text })]).toEqual([text, `${name} ${fault}`]);
});

it.each(['JWT_SECRET', 'JWT_SECRET_PREVIOUS', 'METRICS_TOKEN'])(
  '%s refuses a weak secret, also in its file',
  (name) => {
    for (const [secret, reason] of [
      ['k'.repeat(31), 'shorter than 32 bytes'],
      [`${'\u00e9'.repeat(15)}k`, 'shorter than 32 bytes'],
      ['${JWT_SECRET}', 'still a placeholder'],
      [`${'k'.repeat(30)}-change-me`, 'still a placeholder'],
    ]) {
      const faults = [`${name} is ${reason}: ${MAKE}`];
      expect(faultsBeside({ [name]: secret! })).toEqual(faults);
      expect(faultsOf({ DB_PASSWORD: 'p', [`${name}_FILE`]: file(`${secret}\n`) })).toContain(faults[0]);
    }
    for (const content of ['', '\n', ' '.repeat(40)])
      expect(faultsOf({ DB_PASSWORD: 'p', [`${name}_FILE`]: file(content) })).toContain(
        `${name} is missing: ${MAKE}`,
      );
  },
);

it.each(['\u{1f511}'.repeat(8), ` ${'k'.repeat(32)} `])('JWT_SECRET %p is taken as it is', (secret) => {
  expect(load({ JWT_SECRET: secret }).jwt.secret).toBe(secret);
});

it.each<[Environment, string]>([
  [
    { JWT_SECRET_PREVIOUS: SECRET },
    'JWT_SECRET_PREVIOUS must differ from JWT_SECRET: leave it out unless you rotate',
  ],
  [{ METRICS_TOKEN: SECRET }, `METRICS_TOKEN must differ from JWT_SECRET: ${MAKE}`],
  [
    { JWT_SECRET_PREVIOUS: 's'.repeat(32), METRICS_TOKEN: 's'.repeat(32) },
    `METRICS_TOKEN must differ from JWT_SECRET_PREVIOUS: ${MAKE}`,
  ],
])('two equal secrets are refused: %j', (env, fault) => expect(faultsBeside(env)).toEqual([fault]));

describe('a secret in a file', () => {
  it.each([
    [`${'f'.repeat(32)}\n`, 'f'.repeat(32)],
    [` ${'f'.repeat(32)} \r\n`, ` ${'f'.repeat(32)} `],
    [`${'f'.repeat(32)}\n\n`, `${'f'.repeat(32)}\n`],
  ])('%j is read without its last line end', (content, secret) => {
    const settings = loadSettings({ JWT_SECRET_FILE: file(content), DB_PASSWORD_FILE: file('p\n') });
    expect([settings.jwt.secret, address(settings).password]).toEqual([secret, 'p']);
  });

  it('is refused where the file is missing, a folder, empty or beside the variable', () => {
    const cannot = 'names a file that cannot be read';
    expect(faultsOf({ JWT_SECRET_FILE: join(folder, 'none'), DB_PASSWORD_FILE: folder })).toEqual([
      `JWT_SECRET_FILE ${cannot} (ENOENT): there is none, correct the name`,
      `DB_PASSWORD_FILE ${cannot} (EISDIR): it is a folder, name a file in it`,
    ]);
    expect(faultsOf({ JWT_SECRET: SECRET, DB_PASSWORD_FILE: file('\n') })[0]).toMatch(
      /^DB_PASSWORD is missing: /,
    );
    expect(faultsBeside({ JWT_SECRET_FILE: file(SECRET), DB_PASSWORD_FILE: file('x') })).toEqual([
      'JWT_SECRET_FILE is set beside JWT_SECRET: keep one of them',
      'DB_PASSWORD_FILE is set beside DB_PASSWORD: keep one of them',
    ]);
  });

  it('is refused where the file is closed to the user, and hides no other fault', () => {
    const read = jest.spyOn(fs, 'readFileSync').mockImplementation(() => {
      throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    });
    const faults = faultsOf({ JWT_SECRET_FILE: 'jwt', DB_PASSWORD_FILE: 'db', DB_URL: 'mysql://h/n' });
    read.mockRestore();
    const closed = `names a file that cannot be read (EACCES): give the user that the service runs as, uid ${process.getuid!()}`;
    expect(faults).toEqual([
      expect.stringContaining(`JWT_SECRET_FILE ${closed}`),
      expect.stringMatching(/^DB_URL must look like/),
      expect.stringContaining(`DB_PASSWORD_FILE ${closed}`),
    ]);
  });
});

it.each(['1', 'x'])(
  'loading takes the secrets and nothing else from the environment, with PORT=%s',
  (PORT) => {
    const secrets = {
      JWT_SECRET_PREVIOUS: 'p'.repeat(32),
      METRICS_TOKEN: 't'.repeat(32),
      DB_URL: 'postgres://h/n',
    };
    const others = { PORT, HOME: '/root', DATABASE_URL: 'postgres://elsewhere/x' };
    const env = { ...REQUIRED, ...secrets, ...others };
    if (PORT === 'x') expect(() => loadSettings(env)).toThrow(ConfigurationError);
    else loadSettings(env);
    expect(env).toEqual(others);
  },
);

describe('the address of the database', () => {
  const urlOf = (env: Environment): string => loadSettings({ JWT_SECRET: SECRET, ...env }).database.url;
  const MINE = 'postgres://property_finance:p@';
  const CERTIFICATE = 'sslcert=package.json&sslkey=package.json';

  // With the port in any case, or pg would take that of PGPORT.
  it.each<[env: Environment, url: string]>([
    [{ DB_PASSWORD: 'p' }, `${MINE}localhost:5432/property_finance`],
    [
      { DB_HOST: 'h', DB_PORT: '1', DB_NAME: 'n', DB_USERNAME: 'u', DB_PASSWORD: 'p' },
      'postgres://u:p@h:1/n',
    ],
    [{ DB_HOST: '::1', DB_NAME: 'n', DB_PASSWORD: 'p' }, `${MINE}[::1]:5432/n`],
    [{ DB_HOST: '[fe80::1]', DB_NAME: 'n', DB_PASSWORD: 'p' }, `${MINE}[fe80::1]:5432/n`],
    [{ DB_HOST: '/run/pg', DB_NAME: 'n', DB_PASSWORD: 'p' }, `${MINE}localhost:5432/n?host=%2Frun%2Fpg`],
    [{ DB_URL: ' postgresql://u:p@[::1]:1/n ' }, 'postgresql://u:p@[::1]:1/n'],
    [{ DB_URL: 'postgres://h/n', DB_PASSWORD: 'p' }, `${MINE}h:5432/n`],
    [{ DB_URL: 'postgres://u%40x:%40%2F%C3%A9@h/n' }, 'postgres://u%40x:%40%2F%C3%A9@h:5432/n'],
    [{ DB_URL: 'postgres://u:p@h/n?host=/run&port=5433' }, 'postgres://u:p@h/n?host=/run&port=5433'],
    [{ DB_URL: 'postgres://a:b@h/n', DB_USERNAME: 'u', DB_PASSWORD: 'p' }, 'postgres://u:p@h:5432/n'],
    [{ DB_URL: 'postgres://u:p@h/n', DB_HOST: 'x', DB_NAME: 'x', DB_PORT: '9' }, 'postgres://u:p@h:5432/n'],
    [
      { DB_URL: 'postgres://u:p@h/n?sslrootcert=package.json' },
      'postgres://u:p@h:5432/n?sslrootcert=package.json&sslmode=verify-full&uselibpqcompat=true',
    ],
    [
      { DB_URL: 'postgres://u:p@h/n?sslmode=verify-full', DB_SSLMODE: 'require' },
      'postgres://u:p@h:5432/n?sslmode=require&uselibpqcompat=true',
    ],
    [
      { DB_URL: `postgres://u@h/n?${CERTIFICATE}` },
      `postgres://u@h:5432/n?${CERTIFICATE}&sslmode=verify-full&uselibpqcompat=true`,
    ],
  ])('%j becomes %s', (env, url) => expect(urlOf(env)).toBe(url));

  it.each(['p@ss/w:rd?#&=%', '%41', ' a\tb ', '\u00e9\u{1f511}', `'"\\\``, '[::1]', '+', '..'])(
    'keeps the password and the name %p as they are',
    (text) => {
      for (const env of [{}, { DB_URL: 'postgres://u@h/n' }] as Environment[])
        expect(decodeURIComponent(new URL(urlOf({ ...env, DB_PASSWORD: text })).password)).toBe(text);
      const { pathname } = new URL(urlOf({ DB_NAME: text, DB_PASSWORD: 'p' }));
      if (text.trim() !== '..') expect(decodeURIComponent(pathname)).toBe(`/${text}`);
    },
  );

  const FORM =
    'must look like postgres://host:5432/name, with one host: deploy/patroni shows a proxy for several';
  const ESCAPE = 'must hold no % but in escapes of UTF-8: write %25 for the sign itself';
  const ONLY = 'takes only the parameters host, port, sslmode, sslrootcert, sslcert, sslkey';

  it.each([
    ['mysql://u:p@h/n', FORM],
    ['h:5432/n', FORM],
    ['postgres:n', FORM],
    ['postgres://h', FORM],
    ['postgres://h/', FORM],
    ['postgres://h:port/n', FORM],
    ['jdbc:postgresql://h/n', FORM],
    ['host=h dbname=n', FORM],
    ['postgres://a,b/n', FORM],
    ['postgres://a:1,b:2/n', FORM],
    ['postgres:///n?host=/run/pg', FORM],
    ['postgres://u:100%@h/n', ESCAPE],
    ['postgres://%FF:p@h/n', ESCAPE],
    ['postgres://u:p@%FF/n', ESCAPE],
    ['postgres://u:p@h/%ED%A0%80', ESCAPE],
    ['postgres://h/n?target_session_attrs=read-write', ONLY],
    ['postgres://h/n?user=u&password=p', ONLY],
    ['postgres://h/n?host=h', 'takes as the parameter host only the folder of a Unix socket'],
    ['postgres://h/n?host=/a,/b', 'takes as the parameter host only the folder of a Unix socket'],
    ['postgres://h/n?port=1,2', 'takes as the parameter port only a number'],
    ['postgres://h/n?sslmode=prefer', 'takes as sslmode disable, require, verify-ca, verify-full'],
    [
      'postgres://h/n?sslcert=/none',
      'names a file that cannot be read (ENOENT): there is none, correct the name',
    ],
  ])('DB_URL=%s is refused', (url, fault) => {
    for (const env of [{}, { DB_PASSWORD: 'p' }] as Environment[])
      expect(faultsOf({ JWT_SECRET: SECRET, ...env, DB_URL: url })).toEqual([`DB_URL ${fault}`]);
  });

  it.each<[Environment, string]>([
    ...['a b', 'a/b', 'h:5432', 'user@h', '%FF', 'h%41', 'a,b'].map((host): [Environment, string] => [
      { ...REQUIRED, DB_HOST: host },
      'DB_HOST must be one host name or address',
    ]),
    [
      { ...REQUIRED, DB_SSL_CA: '/none' },
      'DB_SSL_CA names a file that cannot be read (ENOENT): there is none',
    ],
    [{ ...REQUIRED, DB_SSLMODE: 'verify-ca' }, 'DB_SSL_CA is missing: verify-ca needs the certificate'],
    [{ JWT_SECRET: SECRET, DB_URL: 'postgres://u@h/n' }, 'DB_PASSWORD is missing: set it to the password'],
    [{ JWT_SECRET: SECRET, DB_HOST: 'h' }, 'DB_PASSWORD is missing: set it to the password'],
  ])('%j is refused', (env, fault) => expect(faultsOf(env)).toEqual([expect.stringContaining(fault)]));
});

describe('npm start', () => {
  it('without its secrets exits with 1, names both and never listens', async () => {
    const started = Build.make().startBare({ PORT: '0', HOST: '127.0.0.1' });
    expect((await started.exited).code).toBe(1);
    expect(started.output).toMatch(/JWT_SECRET is missing: .*\n.*DB_PASSWORD is missing: /);
    expect(started.output).not.toMatch(/\n\s+at |node:internal|listening/);
  });

  it('reads .env in its folder after the environment', async () => {
    const build = Build.make();
    writeFileSync(join(build.folder, '.env'), `JWT_SECRET=${SECRET}\nPORT=x\nLOG_LEVEL=y\nDB_PASSWORD=p\n`);
    const started = build.startBare({ LOG_LEVEL: 'info' });
    expect((await started.exited).code).toBe(1);
    expect(started.output.match(/- \w+/g)).toEqual(['- PORT']);
  });
});
