import fs, { readFileSync, rmSync, writeFileSync, mkdtempSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError, loadSettings, type Settings, VARIABLES } from '../src/config/env.js';
import { Build } from './support/process.js';

const SECRET = 'k'.repeat(32);
const REQUIRED = { JWT_SECRET: SECRET, DB_PASSWORD: 'db-password' };
const REMEDY = 'make one with: openssl rand -base64 48';
const EXAMPLE = readFileSync(new URL('../.env.example', import.meta.url), 'utf8');

type Environment = Record<string, string>;

/** The settings of an environment that has the required secrets and what is given. */
const load = (env: Environment = {}): Settings => loadSettings({ ...REQUIRED, ...env });

/** What is wrong with this environment, one text for each fault. */
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

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'property-finance-config-'))));
afterAll(() => rmSync(folder, { recursive: true }));

function file(content: string): string {
  const name = join(folder, `secret-${Math.random()}`);
  writeFileSync(name, content);
  return name;
}

describe('the defaults', () => {
  it('are those of the contract', () => {
    expect(load()).toEqual({
      applicationName: 'property-finance',
      host: '0.0.0.0',
      port: 8080,
      logLevel: 'info',
      logRequests: 'errors',
      bodyLimit: 1024 * 1024,
      requestTimeout: 15_000,
      responseTimeout: 15_000,
      responseMemory: 96 * 1024 * 1024,
      threadPoolSize: 4,
      shutdownDelay: 7000,
      shutdownTimeout: 20_000,
      corsAllowedOrigins: [],
      apiDocs: false,
      scheduleELines: '{}',
      imports: { bodyLimit: 10 * 1024 * 1024, rowLimit: 10_000, concurrency: 2 },
      jwt: { secret: SECRET, previousSecret: undefined, lifetime: 3_600_000 },
      metricsToken: undefined,
      passwords: { concurrency: Math.max(1, Math.min(availableParallelism(), 3)), longestWait: 5000 },
      database: {
        url: 'postgres://property_finance:db-password@localhost:5432/property_finance',
        poolSize: 10,
        poolShare: 3,
        acquireTimeout: 2000,
        maxLifetime: 1_800_000,
        statementTimeout: 5000,
        pooler: 'none',
        migrate: true,
      },
    });
  });

  it('are taken for blank variables, too', () => {
    const blank = Object.fromEntries(VARIABLES.map((name) => [name, ' ']));
    expect(load({ ...blank, ...REQUIRED })).toEqual(load());
    expect(faultsOf({ ...blank })).toEqual(faultsOf({}));
  });

  it('leave what else is in the environment alone', () => {
    const env = { ...REQUIRED, DATABASE_URL: 'postgres://elsewhere/x', HOME: '/root', NODE_ENV: 'test' };
    expect(loadSettings(env)).toEqual(load());
    expect(Object.keys(env).sort()).toEqual(['DATABASE_URL', 'HOME', 'NODE_ENV']);
  });
});

describe('every variable', () => {
  const EFFECTS: Record<string, [value: string, read: (settings: Settings) => unknown, effect: unknown]> = {
    PORT: ['9090', ({ port }) => port, 9090],
    HOST: ['::1', ({ host }) => host, '::1'],
    APPLICATION_NAME: ['ledger', ({ applicationName }) => applicationName, 'ledger'],
    LOG_LEVEL: ['WARN', ({ logLevel }) => logLevel, 'warn'],
    LOG_REQUESTS: ['All', ({ logRequests }) => logRequests, 'all'],
    BODY_LIMIT: ['64KiB', ({ bodyLimit }) => bodyLimit, 65_536],
    RESPONSE_TIMEOUT: ['3s', ({ responseTimeout }) => responseTimeout, 3000],
    RESPONSE_MEMORY: ['1024MiB', ({ responseMemory }) => responseMemory, 1_073_741_824],
    REQUEST_TIMEOUT: ['2s', ({ requestTimeout }) => requestTimeout, 2000],
    SHUTDOWN_DELAY: ['0s', ({ shutdownDelay }) => shutdownDelay, 0],
    SHUTDOWN_TIMEOUT: ['3s', ({ shutdownTimeout }) => shutdownTimeout, 3000],
    CORS_ALLOWED_ORIGINS: [
      'https://a.example',
      ({ corsAllowedOrigins }) => corsAllowedOrigins,
      ['https://a.example'],
    ],
    API_DOCS: ['TRUE', ({ apiDocs }) => apiDocs, true],
    SCHEDULE_E_LINES: ['{"MORTGAGE":12}', ({ scheduleELines }) => scheduleELines, '{"MORTGAGE":12}'],
    IMPORT_BODY_LIMIT: ['2MiB', ({ imports }) => imports.bodyLimit, 2 * 1024 * 1024],
    IMPORT_ROW_LIMIT: ['500', ({ imports }) => imports.rowLimit, 500],
    IMPORTS_AT_ONCE: ['3', ({ imports }) => imports.concurrency, 3],
    JWT_SECRET: ['s'.repeat(40), ({ jwt }) => jwt.secret, 's'.repeat(40)],
    JWT_SECRET_FILE: ['', ({ jwt }) => jwt.secret, 'f'.repeat(32)],
    JWT_SECRET_PREVIOUS: ['p'.repeat(40), ({ jwt }) => jwt.previousSecret, 'p'.repeat(40)],
    JWT_SECRET_PREVIOUS_FILE: ['', ({ jwt }) => jwt.previousSecret, 'q'.repeat(32)],
    JWT_EXPIRATION: ['30m', ({ jwt }) => jwt.lifetime, 1_800_000],
    METRICS_TOKEN: ['t'.repeat(40), ({ metricsToken }) => metricsToken, 't'.repeat(40)],
    METRICS_TOKEN_FILE: ['', ({ metricsToken }) => metricsToken, 'm'.repeat(32)],
    PASSWORD_HASH_WAIT: ['700ms', ({ passwords }) => passwords.longestWait, 700],
    UV_THREADPOOL_SIZE: ['1', ({ passwords }) => passwords.concurrency, 1],
    DB_URL: ['postgres://db.example/x', ({ database }) => new URL(database.url).host, 'db.example:5432'],
    DB_HOST: ['db.example', ({ database }) => new URL(database.url).hostname, 'db.example'],
    DB_PORT: ['6432', ({ database }) => new URL(database.url).port, '6432'],
    DB_NAME: ['ledger', ({ database }) => new URL(database.url).pathname, '/ledger'],
    DB_USERNAME: ['app', ({ database }) => new URL(database.url).username, 'app'],
    DB_PASSWORD: ['other', ({ database }) => new URL(database.url).password, 'other'],
    DB_PASSWORD_FILE: ['', ({ database }) => new URL(database.url).password, 'from-a-file'],
    DB_SSLMODE: ['Require', ({ database }) => new URL(database.url).searchParams.get('sslmode'), 'require'],
    DB_SSL_CA: [
      'package.json',
      ({ database }) => new URL(database.url).searchParams.get('sslrootcert'),
      'package.json',
    ],
    DB_POOL_SIZE: ['3', ({ database }) => database.poolSize, 3],
    DB_POOL_SHARE: ['4', ({ database }) => database.poolShare, 4],
    DB_ACQUIRE_TIMEOUT: ['750ms', ({ database }) => database.acquireTimeout, 750],
    DB_MAX_LIFETIME: ['24d', ({ database }) => database.maxLifetime, 24 * 86_400_000],
    DB_STATEMENT_TIMEOUT: ['PT10S', ({ database }) => database.statementTimeout, 10_000],
    DB_POOLER: ['Transaction', ({ database }) => database.pooler, 'transaction'],
    DB_MIGRATE: ['False', ({ database }) => database.migrate, false],
  };

  it.each(VARIABLES)('%s has its effect', (name) => {
    const [value, read, effect] = EFFECTS[name]!;
    const env: Record<string, string> = { ...REQUIRED, [name]: value };
    if (name.endsWith('_FILE')) {
      env[name] = file(String(effect));
      Reflect.deleteProperty(env, name.replace('_FILE', ''));
    }
    expect(read(load())).not.toEqual(effect);
    expect(read(loadSettings(env))).toEqual(effect);
  });

  it('is in .env.example, and no other is', () => {
    expect([...EXAMPLE.matchAll(/^# ([A-Z_]+)=/gm)].map(([, name]) => name).sort()).toEqual(
      [...VARIABLES].sort(),
    );
  });

  it('is set by .env.example in no way, for what starts with a copy of it has defaults of its own', () => {
    expect(EXAMPLE).not.toMatch(/^[^#\n]/m);
  });

  it('has the default in .env.example that it has without it, and a secret one that is refused', () => {
    const example = Object.fromEntries(
      [...EXAMPLE.matchAll(/^# ([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]),
    );
    expect(load({ ...example, ...REQUIRED })).toEqual(load());
    expect(faultsOf(example).join()).toMatch(/JWT_SECRET.*DB_PASSWORD/s);
  });
});

describe('faults', () => {
  const FAULTY: Environment = {
    PORT: 'eighty-secret',
    LOG_LEVEL: 'loud-secret',
    BODY_LIMIT: 'much-secret',
    REQUEST_TIMEOUT: 'long-secret',
    RESPONSE_TIMEOUT: 'longer-secret',
    RESPONSE_MEMORY: '1025MiB',
    SHUTDOWN_DELAY: '2h',
    SHUTDOWN_TIMEOUT: '25d',
    CORS_ALLOWED_ORIGINS: '*-secret',
    API_DOCS: 'public-secret',
    JWT_SECRET: 'short-secret',
    JWT_SECRET_PREVIOUS: 'older-secret',
    JWT_EXPIRATION: 'forever-secret',
    METRICS_TOKEN: 'token-secret',
    PASSWORD_HASH_WAIT: '-1s',
    UV_THREADPOOL_SIZE: '0',
    DB_URL: 'mysql://secret:secret@secret/secret',
    DB_PORT: '99999',
    DB_SSLMODE: 'secret',
    DB_POOL_SIZE: 'ten-secret',
    DB_POOL_SHARE: '0',
    DB_ACQUIRE_TIMEOUT: '2 parsecs-secret',
    DB_MAX_LIFETIME: '25d',
    DB_STATEMENT_TIMEOUT: 'P1Y-secret',
    DB_POOLER: 'secret',
    DB_MIGRATE: 'secret',
  };

  it('are named all at once, each with its remedy, and without the values', () => {
    const faults = faultsOf(FAULTY);
    const named = faults.map((fault) => /^[A-Z_]+/.exec(fault)?.[0]);
    expect([...named].sort()).toEqual(Object.keys(FAULTY).sort());
    for (const fault of faults) expect(fault).toMatch(/^[A-Z_]+ (must|is) .{10,}/);
    expect(String(faults.map((fault) => fault.replace(/^JWT_SECRET\w*/, '')))).not.toMatch(/secret|99999/);
  });

  it('are the message of the error, one in a line', () => {
    expect(() => loadSettings({ PORT: 'x' })).toThrow(
      /^The configuration is not usable:\n {2}- PORT .*\n {2}- JWT_SECRET .*\n {2}- DB_PASSWORD .*$/,
    );
  });

  it.each([
    ['PORT', '0', '65535', '65536'],
    ['DB_PORT', '1', '65535', '0'],
    ['DB_POOL_SIZE', '1', '1000', '0'],
    ['UV_THREADPOOL_SIZE', '1', '1024', '0'],
  ])('are all for %s but whole numbers from %s to %s', (name, least, most, beyond) => {
    for (const value of [least, most]) expect(faultsBeside({ [name]: value })).toEqual([]);
    for (const value of [beyond, 'x', '1.5', '1e3', '0x10', '+1', '-1', '99999999'])
      expect(faultsBeside({ [name]: value })).toEqual([
        `${name} must be a whole number from ${least} to ${most}`,
      ]);
  });

  it.each(['API_DOCS', 'DB_MIGRATE'])('are what is neither true nor false in %s', (name) => {
    for (const value of ['yes', '1', 'null'])
      expect(faultsBeside({ [name]: value })).toEqual([`${name} must be one of true, false`]);
  });

  it.each([
    ['LOG_LEVEL', 'verbose', 'fatal, error, warn, info, debug, trace, silent'],
    ['DB_POOLER', 'statement', 'none, session, transaction'],
    ['DB_SSLMODE', 'prefer', 'disable, require, verify-ca, verify-full'],
  ])('are values of %s such as %s', (name, value, allowed) => {
    expect(faultsBeside({ [name]: value })).toEqual([`${name} must be one of ${allowed}`]);
  });
});

describe.each(['JWT_SECRET', 'JWT_SECRET_PREVIOUS', 'METRICS_TOKEN'])('%s', (name) => {
  const faultsWith = (env: Environment): readonly string[] =>
    faultsOf({ DB_PASSWORD: 'x', ...(name === 'JWT_SECRET' ? {} : { JWT_SECRET: SECRET }), ...env });

  it.each([
    ['31 bytes', 'k'.repeat(31), 'shorter than 32 bytes'],
    ['31 bytes in 16 characters', `${'\u00e9'.repeat(15)}k`, 'shorter than 32 bytes'],
    ['a variable that nobody has filled in', '${JWT_SECRET}', 'still a placeholder'],
    ['a placeholder with blanks around it', ' {{ jwt_secret }} ', 'still a placeholder'],
    ['words with change-me in them', `${'k'.repeat(30)}-change-me`, 'still a placeholder'],
  ])('that is %s is refused', (_, secret, reason) => {
    const fault = `${name} is ${reason}: ${REMEDY}`;
    expect(faultsWith({ [name]: secret })).toEqual([fault]);
    expect(faultsWith({ [`${name}_FILE`]: file(`${secret}\n`) })).toEqual([fault]);
  });

  it('that is an empty file is refused, and not taken for none', () => {
    for (const content of ['', '\n', ' '.repeat(40)])
      expect(faultsWith({ [`${name}_FILE`]: file(content) })).toEqual([`${name} is missing: ${REMEDY}`]);
  });
});

describe('JWT_SECRET', () => {
  it.each([
    ['32 bytes in 8 characters', '\u{1f511}'.repeat(8)],
    ['what openssl makes', 'qL0Yz3v9c2m8Tn1xWb7RkP4sJd6HfGuAoE5iVhNlCyQtZrXwMaKpBjSgDeUF+/=='],
    ['with blanks around it', ` ${'k'.repeat(32)} `],
  ])('that is %s is taken as it is', (_, secret) => {
    expect(load({ JWT_SECRET: secret }).jwt.secret).toBe(secret);
  });

  it.each(['', ' '.repeat(40), '\n'.repeat(40)])('that is %j is missing', (secret) => {
    expect(faultsBeside({ JWT_SECRET: secret })).toEqual([`JWT_SECRET is missing: ${REMEDY}`]);
  });
});

describe('METRICS_TOKEN', () => {
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlc2lnbmF0dXJlc2lnbmF0dXJl';

  it.each([
    ['with a blank in it', `${'t'.repeat(20)} ${'t'.repeat(20)}`, 'holds what a bearer token cannot'],
    ['with a letter beyond ASCII', 'é'.repeat(32), 'holds what a bearer token cannot'],
    ['like an access token', jwt, "looks like an account's access token"],
    ['like one without a signature', jwt.replace(/[^.]*$/, ''), "looks like an account's access token"],
  ])('that is %s is refused', (_, token, reason) => {
    expect(faultsBeside({ METRICS_TOKEN: token })).toEqual([`METRICS_TOKEN ${reason}: ${REMEDY}`]);
  });

  it.each(['qL0Yz3v9c2m8Tn1xWb7RkP4sJd6HfGuAoE5iVhNl+/==', 'a.b.c.d'.repeat(8), '~-._+/'.repeat(6)])(
    'may be %s',
    (token) => {
      expect(load({ METRICS_TOKEN: token }).metricsToken).toBe(token);
    },
  );
});

it.each([
  [{ JWT_SECRET_PREVIOUS: SECRET }, 'JWT_SECRET_PREVIOUS', 'JWT_SECRET: leave it out unless you rotate'],
  [{ METRICS_TOKEN: SECRET }, 'METRICS_TOKEN', `JWT_SECRET: ${REMEDY}`],
  [
    { JWT_SECRET_PREVIOUS: 's'.repeat(32), METRICS_TOKEN: 's'.repeat(32) },
    'METRICS_TOKEN',
    `JWT_SECRET_PREVIOUS: ${REMEDY}`,
  ],
])('no two secrets are one: %j', (env, name, other) => {
  expect(faultsBeside(env)).toEqual([`${name} must differ from ${other}`]);
});

describe('secrets in files', () => {
  it.each([
    ['without the line end', `${'f'.repeat(32)}\n`, 'f'.repeat(32)],
    ['with their blanks, without the line end of Windows', ` ${'f'.repeat(32)} \r\n`, ` ${'f'.repeat(32)} `],
    ['with all line ends but the last', `${'f'.repeat(32)}\n\n`, `${'f'.repeat(32)}\n`],
  ])('are read %s', (_, content, secret) => {
    const settings = loadSettings({ JWT_SECRET_FILE: file(content), DB_PASSWORD_FILE: file('p\n') });
    expect(settings.jwt.secret).toBe(secret);
    expect(new URL(settings.database.url).password).toBe('p');
  });

  it('must not be empty, that of the database neither', () => {
    expect(faultsOf({ JWT_SECRET: SECRET, DB_PASSWORD_FILE: file('\n') })).toEqual([
      expect.stringMatching(/^DB_PASSWORD is missing: /),
    ]);
  });

  it('must be there', () => {
    const missing = join(folder, 'not-there');
    expect(faultsOf({ JWT_SECRET_FILE: missing, DB_PASSWORD_FILE: folder })).toEqual([
      'JWT_SECRET_FILE names a file that cannot be read (ENOENT): there is none, correct the name',
      'DB_PASSWORD_FILE names a file that cannot be read (EISDIR): it is a folder, name a file in it',
    ]);
  });

  it('that may not be read are a fault each, and hide no other', () => {
    const read = jest.spyOn(fs, 'readFileSync').mockImplementation(() => {
      throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    });
    const env = { JWT_SECRET_FILE: 'jwt', DB_PASSWORD_FILE: 'db', DB_URL: 'mysql://h/n' };
    const faults = faultsOf(env);
    read.mockRestore();
    const may = `give the user that the service runs as, uid ${process.getuid!()}, the right to read it, and to enter its folder`;
    expect(faults).toEqual([
      `JWT_SECRET_FILE names a file that cannot be read (EACCES): ${may}`,
      expect.stringMatching(/^DB_URL must look like/),
      `DB_PASSWORD_FILE names a file that cannot be read (EACCES): ${may}`,
    ]);
  });

  it('must not stand beside the variable itself', () => {
    const env = { JWT_SECRET_FILE: file(SECRET), DB_PASSWORD_FILE: file('x') };
    expect(faultsBeside(env)).toEqual([
      expect.stringMatching(/^JWT_SECRET_FILE is set beside JWT_SECRET/),
      expect.stringMatching(/^DB_PASSWORD_FILE is set beside DB_PASSWORD/),
    ]);
  });
});

describe('the environment afterwards', () => {
  const env = { ...REQUIRED, JWT_SECRET_PREVIOUS: 'p'.repeat(32), METRICS_TOKEN: 't'.repeat(32) };
  const urls = { DB_URL: 'postgres://u:p@h/n' };

  it('holds no secret any more', () => {
    const used = { ...env, ...urls, PORT: '1' };
    loadSettings(used);
    expect(used).toEqual({ PORT: '1' });
  });

  it('holds no secret even when the configuration is not usable', () => {
    const used = { ...env, ...urls, PORT: 'x' };
    expect(() => loadSettings(used)).toThrow(ConfigurationError);
    expect(used).toEqual({ PORT: 'x' });
  });
});

describe('CORS_ALLOWED_ORIGINS', () => {
  it.each([
    ['http://localhost:5173', ['http://localhost:5173']],
    [' https://a.example , https://b.example ,', ['https://a.example', 'https://b.example']],
    ['HTTPS://App.Example.com', ['https://app.example.com']],
    ['http://[::1]:3000', ['http://[::1]:3000']],
    [',', []],
  ])('%s is read', (text, origins) => {
    expect(load({ CORS_ALLOWED_ORIGINS: text }).corsAllowedOrigins).toEqual(origins);
  });

  it.each([
    '*',
    'https://*',
    'http://*.example.com',
    'null',
    'https://app.example.com/',
    'https://app.example.com#x',
    'https://app.example.com:*',
    'https://user@app.example.com',
    'app.example.com',
    'localhost:5173',
    'ftp://app.example.com',
    'file://',
    'https://a.example https://b.example',
    'https://a.example;https://b.example',
    'https://good.example,null,https://other.example',
  ])('%s is refused', (text) => {
    expect(faultsBeside({ CORS_ALLOWED_ORIGINS: text })).toEqual([
      expect.stringMatching(/^CORS_ALLOWED_ORIGINS must list origins such as https:\/\/app\.example\.com/),
    ]);
  });
});

describe('durations', () => {
  it.each([
    ['1ms', 1],
    ['15s', 15_000],
    ['90m', 5_400_000],
    ['365d', 31_536_000_000],
    ['1 h', 3_600_000],
    ['1H', 3_600_000],
    [' 30s ', 30_000],
    ['PT1H30M15S', 5_415_000],
    ['P1DT12H', 129_600_000],
    ['P1D', 86_400_000],
    ['pt1h', 3_600_000],
  ])('%s is %i milliseconds', (text, milliseconds) => {
    expect(load({ JWT_EXPIRATION: text }).jwt.lifetime).toBe(milliseconds);
  });

  it.each([
    ...['3600', '0s', 'PT0S', '-1h', '+1h', '1.5h', '1e3s', '1h30m', '1 hour', '1w', 'h', 'Infinity'],
    ...['P', 'PT', 'P1', 'PT1', 'PT1D', 'P1H', 'P1DT', 'P1Y', 'P1M', 'P1W', 'PT1M1H', '366d', 'P366D'],
  ])('%s is refused', (text) => {
    expect(faultsBeside({ JWT_EXPIRATION: text })).toEqual([
      expect.stringMatching(/^JWT_EXPIRATION must be (a duration such as|longer than nothing and at most)/),
    ]);
  });

  it.each([
    ['0', 0],
    ['0s', 0],
    ['PT1H', 3_600_000],
  ])('a shutdown may be delayed by %s', (text, ms) => {
    expect(load({ SHUTDOWN_DELAY: text }).shutdownDelay).toBe(ms);
  });

  it.each(['-1s', '61m', '00', 'none'])('a shutdown is not delayed by %s', (text) => {
    expect(faultsBeside({ SHUTDOWN_DELAY: text })).toEqual([
      expect.stringMatching(/^SHUTDOWN_DELAY must be /),
    ]);
  });
});

describe('sizes', () => {
  it.each([
    ['1024', 1024],
    ['2048b', 2048],
    ['1kb', 1024],
    ['1KIB', 1024],
    ['1 MiB', 1_048_576],
    ['64mb', 67_108_864],
  ])('%s is %i bytes', (text, bytes) => {
    expect(load({ BODY_LIMIT: text }).bodyLimit).toBe(bytes);
  });

  it.each(['1023', '65MiB', '1GiB', '-1KiB', '1.5MiB', '1e6', 'MiB', '1 K'])('%s is refused', (text) => {
    expect(faultsBeside({ BODY_LIMIT: text })).toEqual([
      expect.stringMatching(/^BODY_LIMIT must be a size from 1KiB to 64MiB/),
    ]);
  });
});

describe('the address of the database', () => {
  const urlOf = (env: Environment): string => loadSettings({ JWT_SECRET: SECRET, ...env }).database.url;
  const MINE = 'postgres://property_finance:p@';

  // The port is there in any case, or pg would take that of PGPORT.
  it.each<[name: string, env: Environment, url: string]>([
    ['nothing but a password', { DB_PASSWORD: 'p' }, `${MINE}localhost:5432/property_finance`],
    [
      'parts',
      { DB_HOST: 'h', DB_PORT: '1', DB_NAME: 'n', DB_USERNAME: 'u', DB_PASSWORD: 'p' },
      'postgres://u:p@h:1/n',
    ],
    ['an IPv6 address', { DB_HOST: '::1', DB_NAME: 'n', DB_PASSWORD: 'p' }, `${MINE}[::1]:5432/n`],
    ['one in brackets', { DB_HOST: '[fe80::1]', DB_NAME: 'n', DB_PASSWORD: 'p' }, `${MINE}[fe80::1]:5432/n`],
    [
      'a socket',
      { DB_HOST: '/var/run/postgresql', DB_NAME: 'n', DB_PASSWORD: 'p' },
      `${MINE}localhost:5432/n?host=%2Fvar%2Frun%2Fpostgresql`,
    ],
    ['a URL', { DB_URL: 'postgres://u:p@[::1]:1/n' }, 'postgres://u:p@[::1]:1/n'],
    [
      'a URL of the longer scheme, with blanks around it',
      { DB_URL: ' postgresql://u:p@h/n ' },
      'postgresql://u:p@h:5432/n',
    ],
    ['a URL without a user', { DB_URL: 'postgres://h/n', DB_PASSWORD: 'p' }, `${MINE}h:5432/n`],
    [
      'a URL whose user and password are encoded',
      { DB_URL: 'postgres://u%40x:p%40%2F%3A%25%20%C3%A9@h/n' },
      'postgres://u%40x:p%40%2F%3A%25%20%C3%A9@h:5432/n',
    ],
    [
      'a URL of a socket without a host',
      { DB_URL: 'postgres:///n?host=/run/pg', DB_PASSWORD: 'p' },
      `${MINE}localhost:5432/n?host=/run/pg`,
    ],
    [
      'a URL of a socket with a user alone',
      { DB_URL: 'postgres://u:p@/n?host=/run/pg' },
      'postgres://u:p@localhost:5432/n?host=/run/pg',
    ],
    [
      'a URL with parameters',
      { DB_URL: 'postgres://u:p@h/n?sslrootcert=package.json' },
      'postgres://u:p@h:5432/n?sslrootcert=package.json&sslmode=verify-full&uselibpqcompat=true',
    ],
    [
      'a URL whose TLS another setting overrides',
      { DB_URL: 'postgres://u:p@h/n?sslmode=verify-full', DB_SSLMODE: 'require' },
      'postgres://u:p@h:5432/n?sslmode=require&uselibpqcompat=true',
    ],
    [
      'a URL with a client certificate in place of a password',
      { DB_URL: 'postgres://u@h/n?sslcert=package.json&sslkey=package.json' },
      'postgres://u@h:5432/n?sslcert=package.json&sslkey=package.json&sslmode=verify-full&uselibpqcompat=true',
    ],
    [
      'a URL of a socket with a port',
      { DB_URL: 'postgres://u:p@/n?host=/run/pg&port=5433' },
      'postgres://u:p@localhost/n?host=/run/pg&port=5433',
    ],
    [
      'a URL, with user and password beside it',
      { DB_URL: 'postgres://old:old@h/n', DB_USERNAME: 'u', DB_PASSWORD: 'p' },
      'postgres://u:p@h:5432/n',
    ],
    [
      'a URL and parts that it makes void',
      { DB_URL: 'postgres://u:p@h/n', DB_HOST: 'x', DB_NAME: 'x', DB_PORT: '9' },
      'postgres://u:p@h:5432/n',
    ],
  ])('is read from %s', (_, env, url) => {
    expect(urlOf(env)).toBe(url);
  });

  it.each(['p@ss/w:rd?#&=%', '%41', ' blank ', '\u00e9\u{1f511}', `'"\\`, '[::1]', '+', '..', '%', 'a\tb'])(
    'takes the password %p as it is',
    (password) => {
      for (const env of [{}, { DB_URL: 'postgres://u@h/n' }] as Environment[])
        expect(decodeURIComponent(new URL(urlOf({ ...env, DB_PASSWORD: password })).password)).toBe(password);
    },
  );

  it.each(['a b', 'a/b', 'a?b', 'a#b', '%41'])('takes the database name %s as it is', (name) => {
    const { pathname } = new URL(urlOf({ DB_NAME: name, DB_PASSWORD: 'p' }));
    expect(decodeURIComponent(pathname)).toBe(`/${name}`);
  });

  it.each([
    'mysql://u:p@h/n',
    'h:5432/n',
    'postgres:',
    'postgres://h',
    'postgres://h/',
    'postgres://h:port/n',
    'postgres://h:0x/n',
    'postgres:n',
    'jdbc:postgresql://h/n',
    'host=h dbname=n',
  ])('is not to be read from %s', (url) => {
    expect(faultsBeside({ DB_URL: url })).toEqual([
      expect.stringMatching(/^DB_URL must look like postgres:\/\//),
    ]);
  });

  it.each([
    'postgres://a,b/n',
    'postgres://a:1,b:2/n',
    'postgres:///n?host=a,b',
    'postgres:///n?host=/a&port=1,2',
  ])('is not to be read from %s, which names several hosts', (url) => {
    expect(faultsBeside({ DB_URL: url })).toEqual([
      'DB_URL names several hosts: give one, and put a proxy that leads to the primary in front of them (deploy/patroni)',
    ]);
  });

  it.each([
    [
      'target_session_attrs=read-write',
      'only the parameters host, port, sslmode, sslrootcert, sslcert, sslkey',
    ],
    ['user=u&password=p', 'only the parameters host, port, sslmode, sslrootcert, sslcert, sslkey'],
    ['host=h', 'as the parameter host only the folder of a Unix socket'],
    ['port=x', 'as the parameter port only a number'],
    ['sslmode=prefer', 'as sslmode disable, require, verify-ca, verify-full'],
  ])('is not to be read from a URL with ?%s', (parameters, fault) => {
    expect(faultsBeside({ DB_URL: `postgres://h/n?${parameters}` })).toEqual([`DB_URL takes ${fault}`]);
  });

  it.each([
    'postgres://u:100%@h/n',
    'postgres://%FF:p@h/n',
    'postgres://u:p@%FF/n',
    'postgres://u:p@h/%ED%A0%80',
    'postgresql://u:p@h/%C3',
  ])('is not to be read from %s, whose escape says nothing', (url) => {
    const fault = 'DB_URL must hold no % but in escapes of UTF-8: write %25 for the sign itself';
    expect(faultsOf({ JWT_SECRET: SECRET, DB_URL: url })).toEqual([fault]);
    expect(faultsBeside({ DB_URL: url })).toEqual([fault]);
  });

  it.each(['a b', 'a/b', 'h:5432', 'user@h', '%FF', 'h%41'])('is not to be read from the host %s', (host) => {
    expect(faultsBeside({ DB_HOST: host })).toEqual(['DB_HOST must be a host name or an address']);
  });

  it.each<[Environment, string]>([
    [
      { DB_SSL_CA: '/no/such/file' },
      'DB_SSL_CA names a file that cannot be read (ENOENT): there is none, correct the name',
    ],
    [
      { DB_URL: 'postgres://h/n?sslcert=/no/such/file' },
      'DB_URL names a file that cannot be read (ENOENT): there is none, correct the name',
    ],
    [
      { DB_SSLMODE: 'verify-ca' },
      "DB_SSL_CA is missing: verify-ca needs the certificate that signed the server's",
    ],
  ])('is not to be read from %p', (env, fault) => {
    expect(faultsBeside(env)).toEqual([fault]);
  });

  it('is not to be read from several hosts in DB_HOST', () => {
    expect(faultsBeside({ DB_HOST: 'a,b' })).toEqual([
      expect.stringMatching(/^DB_HOST names several hosts: /),
    ]);
  });

  it.each<Environment>([{ DB_URL: 'postgres://u@h/n' }, { DB_HOST: 'h' }])(
    'needs a password beside %p',
    (env) => {
      expect(faultsOf({ JWT_SECRET: SECRET, ...env })).toEqual([
        'DB_PASSWORD is missing: set it to the password of the database user, or name a file in DB_PASSWORD_FILE',
      ]);
    },
  );
});

describe('a process', () => {
  it('without its secrets ends at once, names both and never listens', async () => {
    const started = performance.now();
    const process_ = Build.make().startBare({ PORT: '0', HOST: '127.0.0.1' });
    const { code } = await process_.exited;
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(code).toBe(1);
    expect(process_.output).toMatch(/JWT_SECRET is missing: .*\n.*DB_PASSWORD is missing: /);
    expect(process_.output).not.toMatch(/\n\s+at |node:internal|listening/);
  });

  it('reads .env of its folder, behind what is set already', async () => {
    const build = Build.make();
    writeFileSync(join(build.folder, '.env'), `JWT_SECRET=${SECRET}\nPORT=x\nLOG_LEVEL=y\nDB_PASSWORD=p\n`);
    const process_ = build.startBare({ LOG_LEVEL: 'info' });
    expect((await process_.exited).code).toBe(1);
    expect(process_.output.match(/- \w+/g)).toEqual(['- PORT']);
  });
});
