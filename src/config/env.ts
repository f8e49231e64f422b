import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { databaseUrl, type DatabaseAddress } from './database-url.js';
import { parseDuration, parseOrigin, parseSize, secretFault } from './parsers.js';

/** Everything the process takes from its environment. Times are milliseconds, sizes are bytes. */
export interface Settings {
  readonly applicationName: string;
  readonly host: string;
  readonly port: number;
  readonly logLevel: LogLevel;
  readonly bodyLimit: number;
  /** The longest a request may take to arrive; later the answer is 408. */
  readonly requestTimeout: number;
  /** How long a stopping process waits for the requests under way. */
  readonly shutdownTimeout: number;
  readonly corsAllowedOrigins: readonly string[];
  /** Whether the reference page and the API document are served, to everybody. */
  readonly apiDocs: boolean;
  readonly jwt: { readonly secret: string; readonly lifetime: number };
  /** libuv's threads, for password hashes, files and DNS. */
  readonly threadPoolSize: number;
  readonly passwords: { readonly concurrency: number; readonly longestWait: number };
  readonly database: DatabaseSettings;
}

export interface DatabaseSettings {
  /** A `postgres://` URL with user and password in it: never log it. */
  readonly url: string;
  readonly poolSize: number;
  /** The longest wait for a free or new connection; later the answer is 503. */
  readonly acquireTimeout: number;
  /** The longest a statement may run in PostgreSQL; later the answer is 503. */
  readonly statementTimeout: number;
  readonly preparedStatements: boolean;
  readonly migrate: boolean;
}

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Every variable that is read, in the order of `.env.example`. */
export const VARIABLES = [
  'PORT',
  'HOST',
  'APPLICATION_NAME',
  'LOG_LEVEL',
  'BODY_LIMIT',
  'REQUEST_TIMEOUT',
  'SHUTDOWN_TIMEOUT',
  'CORS_ALLOWED_ORIGINS',
  'API_DOCS',
  'JWT_SECRET',
  'JWT_SECRET_FILE',
  'JWT_EXPIRATION',
  'PASSWORD_HASH_WAIT',
  'UV_THREADPOOL_SIZE',
  'DB_URL',
  'DB_HOST',
  'DB_PORT',
  'DB_NAME',
  'DB_USERNAME',
  'DB_PASSWORD',
  'DB_PASSWORD_FILE',
  'DB_POOL_SIZE',
  'DB_ACQUIRE_TIMEOUT',
  'DB_STATEMENT_TIMEOUT',
  'DB_PREPARED_STATEMENTS',
  'DB_MIGRATE',
] as const;
type Variable = (typeof VARIABLES)[number];

/** They are taken out of the environment once read, so that no child process or dump shows them. */
const SECRETS = ['JWT_SECRET', 'DB_PASSWORD', 'DB_URL'] as const satisfies readonly Variable[];

/** In the place of a secret whose file is there and tells nothing. */
const UNREADABLE = Symbol('unreadable');

const FILE_REMEDIES: Readonly<Record<string, string>> = {
  ENOENT: 'there is none, correct the name',
  EACCES: 'give the user that the service runs as the right to read it',
  EISDIR: 'it is a folder, name a file in it',
};

type Environment = Record<string, string | undefined>;

/** The settings are not usable. The message names every faulty variable and its remedy, never a value. */
export class ConfigurationError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`The configuration is not usable:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

/** Reads `.env` in the working directory, where there is one. Variables that are set already win. */
export function loadEnvironmentFile(): void {
  if (existsSync('.env')) process.loadEnvFile('.env');
}

/** Reads and checks everything at once, and removes the secrets from `env`. Throws {@link ConfigurationError}. */
export function loadSettings(env: Environment = process.env): Settings {
  const read = new Reader(env);
  const threadPoolSize = read.integer('UV_THREADPOOL_SIZE', 4, 1, 1024);
  const settings: Settings = {
    applicationName: read.text('APPLICATION_NAME', 'property-finance'),
    host: read.text('HOST', '0.0.0.0'),
    port: read.integer('PORT', 8080, 0, 65_535),
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
    bodyLimit: read.parsed('BODY_LIMIT', '1MiB', parseSize),
    requestTimeout: read.parsed('REQUEST_TIMEOUT', '15s', parseDuration),
    shutdownTimeout: read.parsed('SHUTDOWN_TIMEOUT', '20s', parseDuration),
    corsAllowedOrigins: read.list('CORS_ALLOWED_ORIGINS', parseOrigin),
    apiDocs: read.flag('API_DOCS', false),
    jwt: { secret: read.jwtSecret(), lifetime: read.parsed('JWT_EXPIRATION', '1h', parseDuration) },
    threadPoolSize,
    passwords: {
      concurrency: hashConcurrency(threadPoolSize),
      longestWait: read.parsed('PASSWORD_HASH_WAIT', '5s', parseDuration),
    },
    database: {
      url: read.databaseUrl(),
      poolSize: read.integer('DB_POOL_SIZE', 10, 1, 1000),
      acquireTimeout: read.parsed('DB_ACQUIRE_TIMEOUT', '2s', parseDuration),
      statementTimeout: read.parsed('DB_STATEMENT_TIMEOUT', '5s', parseDuration),
      preparedStatements: read.flag('DB_PREPARED_STATEMENTS', true),
      migrate: read.flag('DB_MIGRATE', true),
    },
  };
  for (const name of SECRETS) Reflect.deleteProperty(env, name);
  if (read.faults.length > 0) throw new ConfigurationError(read.faults);
  return settings;
}

/** What is left of libuv's threads and of the cores stays free for files, DNS and the event loop. */
function hashConcurrency(threads: number): number {
  return Math.max(1, Math.min(availableParallelism(), threads - 1));
}

class Reader {
  readonly faults: string[] = [];

  constructor(private readonly env: Environment) {}

  text(name: Variable, fallback: string): string {
    return this.given(name) ?? fallback;
  }

  integer(name: Variable, fallback: number, min: number, max: number): number {
    return this.parsed(name, String(fallback), (text) => {
      const value = /^-?\d{1,15}$/.test(text) ? Number(text) : NaN;
      if (value >= min && value <= max) return value;
      throw new Error(`must be a whole number from ${min} to ${max}`);
    });
  }

  flag(name: Variable, fallback: boolean): boolean {
    return this.oneOf(name, ['true', 'false'], fallback ? 'true' : 'false') === 'true';
  }

  oneOf<T extends string>(name: Variable, allowed: readonly T[], fallback: T): T {
    return this.parsed(name, fallback, (text) => {
      const found = allowed.find((value) => value === text.toLowerCase());
      if (found !== undefined) return found;
      throw new Error(`must be one of ${allowed.join(', ')}`);
    });
  }

  list(name: Variable, parse: (text: string) => string): string[] {
    return this.parsed(name, '', (text) =>
      text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '')
        .map(parse),
    );
  }

  parsed<T>(name: Variable, fallback: string, parse: (text: string) => T): T {
    try {
      return parse(this.given(name) ?? fallback);
    } catch (error) {
      this.faults.push(`${name} ${(error as Error).message}`);
      return parse(fallback);
    }
  }

  jwtSecret(): string {
    const secret = this.secret('JWT_SECRET', 'JWT_SECRET_FILE') ?? '';
    if (secret === UNREADABLE) return '';
    const fault = secretFault(secret);
    if (fault !== undefined) this.faults.push(`JWT_SECRET ${fault}`);
    return secret;
  }

  databaseUrl(): string {
    const password = this.secret('DB_PASSWORD', 'DB_PASSWORD_FILE');
    const address: DatabaseAddress = {
      host: this.text('DB_HOST', 'localhost'),
      port: this.integer('DB_PORT', 5432, 1, 65_535),
      name: this.text('DB_NAME', 'property_finance'),
      username: this.given('DB_USERNAME'),
      password: password === UNREADABLE ? 'unreadable' : password, // it is a fault already, and the only one
    };
    try {
      return databaseUrl(this.given('DB_URL'), address);
    } catch (error) {
      this.faults.push((error as Error).message);
      return '';
    }
  }

  /** The value itself, or the content of the file that the `…_FILE` variable names. */
  private secret(name: Variable, fileName: Variable): string | undefined | typeof UNREADABLE {
    const file = this.given(fileName);
    if (file === undefined) return this.given(name);
    if (this.given(name) !== undefined)
      this.faults.push(`${fileName} is set beside ${name}: keep one of them`);
    try {
      return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      const remedy = FILE_REMEDIES[code] ?? 'name another';
      this.faults.push(`${fileName} names a file that cannot be read (${code}): ${remedy}`);
      return UNREADABLE;
    }
  }

  /** A blank variable counts as one that is not set. */
  private given(name: Variable): string | undefined {
    const value = this.env[name];
    return value === undefined || value.trim() === '' ? undefined : value;
  }
}
