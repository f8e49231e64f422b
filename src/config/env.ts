import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { databaseUrl, type DatabaseAddress, SSL_MODES } from './database-url.js';
import {
  parseDuration,
  parseDelay,
  parseTimerDuration,
  parseOrigin,
  parseSize,
  metricsTokenFault,
  secretFault,
} from './parsers.js';
import { parseScheduleELines, type ScheduleELines } from './schedule-e.js';
import { type Environment, EnvironmentReader, UNREADABLE } from './environment-reader.js';
import type { Variable } from './variables.js';

/** Everything the process takes from its environment. Times are milliseconds, sizes are bytes. */
export interface Settings {
  readonly applicationName: string;
  readonly host: string;
  readonly port: number;
  readonly logLevel: LogLevel;
  readonly bodyLimit: number;
  /** The longest a request may take to arrive; later the answer is 408. */
  readonly requestTimeout: number;
  /** The longest a client may take nothing of its answer; then its connection is closed. */
  readonly responseTimeout: number;
  /** What the answers under way may hold in memory together; past it the answer is 503. */
  readonly responseMemory: number;
  readonly exports: ExportSettings;
  /** How long a stopping process says that it is not ready, and takes requests all the same. */
  readonly shutdownDelay: number;
  /** How long it waits after that for the requests under way. */
  readonly shutdownTimeout: number;
  readonly corsAllowedOrigins: readonly string[];
  /** Whether the reference page and the API document are served, to everybody. */
  readonly apiDocs: boolean;
  /** Which line of Schedule E takes which category. */
  readonly scheduleELines: ScheduleELines;
  readonly imports: {
    /** Of a file. */
    readonly bodyLimit: number;
    /** The most rows of a file. */
    readonly rowLimit: number;
    /** Files in memory at once; past it the answer is 503. */
    readonly concurrency: number;
  };
  /** Admits whoever sends it to the metrics, and to nothing else. */
  readonly metricsToken: string | undefined;
  readonly jwt: {
    readonly secret: string;
    /** Verifies tokens as well, and signs none. */
    readonly previousSecret: string | undefined;
    readonly lifetime: number;
  };
  /** libuv's threads, for password hashes, files and DNS. */
  readonly threadPoolSize: number;
  readonly passwords: { readonly concurrency: number; readonly longestWait: number };
  readonly database: DatabaseSettings;
}

interface ExportSettings {
  /** Each holds a connection to the database. */
  readonly atOnce: number;
  /** How long one may last; then its connection is closed. */
  readonly longest: number;
}

export interface DatabaseSettings {
  /** A `postgres://` URL with user and password in it: never log it. */
  readonly url: string;
  readonly poolSize: number;
  /** The longest wait for a free or new connection; later the answer is 503. */
  readonly acquireTimeout: number;
  /** The longest a connection is kept. */
  readonly maxLifetime: number;
  /** The longest a statement may run in PostgreSQL; later the answer is 503. */
  readonly statementTimeout: number;
  /**
   * What shares out the connections between here and PostgreSQL. Without one the timeouts are startup parameters, with
   * one each transaction sets them; in transaction mode no statement is prepared by name.
   */
  readonly pooler: Pooler;
  readonly migrate: boolean;
}

const POOLERS = ['none', 'session', 'transaction'] as const;
type Pooler = (typeof POOLERS)[number];

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

/** They are taken out of the environment once read, so that no child process or dump shows them. */
const SECRETS = [
  'JWT_SECRET',
  'JWT_SECRET_PREVIOUS',
  'METRICS_TOKEN',
  'DB_PASSWORD',
  'DB_URL',
] as const satisfies readonly Variable[];

/** The settings are not usable. The message names every faulty variable and its remedy, never a value. */
export class ConfigurationError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`The configuration is not usable:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

/** The environment, with what `.env` in the working directory adds, where there is one. Variables that are set win. */
export function loadEnvironmentFile(): Environment {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}

/** Reads and checks everything at once, and removes the secrets from `env`. Throws {@link ConfigurationError}. */
export function loadSettings(env: Environment = process.env): Settings {
  const read = new SettingsReader(env);
  const threadPoolSize = read.integer('UV_THREADPOOL_SIZE', 4, 1, 1024);
  const poolSize = read.integer('DB_POOL_SIZE', 10, 1, 1000);
  const settings: Settings = {
    applicationName: read.text('APPLICATION_NAME', 'property-finance'),
    host: read.text('HOST', '0.0.0.0'),
    port: read.integer('PORT', 8080, 0, 65_535),
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
    bodyLimit: read.parsed('BODY_LIMIT', '1MiB', (text) => parseSize(text)),
    requestTimeout: read.parsed('REQUEST_TIMEOUT', '15s', parseDuration),
    responseTimeout: read.parsed('RESPONSE_TIMEOUT', '15s', parseDuration),
    responseMemory: read.parsed('RESPONSE_MEMORY', '96MiB', (text) => parseSize(text, 1024)),
    exports: read.exports(poolSize),
    shutdownDelay: read.parsed('SHUTDOWN_DELAY', '7s', parseDelay),
    shutdownTimeout: read.parsed('SHUTDOWN_TIMEOUT', '20s', parseTimerDuration),
    corsAllowedOrigins: read.list('CORS_ALLOWED_ORIGINS', parseOrigin),
    apiDocs: read.flag('API_DOCS', false),
    scheduleELines: read.parsed('SCHEDULE_E_LINES', '{}', parseScheduleELines),
    imports: {
      bodyLimit: read.parsed('IMPORT_BODY_LIMIT', '10MiB', (text) => parseSize(text)),
      rowLimit: read.integer('IMPORT_ROW_LIMIT', 10_000, 1, 100_000),
      concurrency: read.integer('IMPORTS_AT_ONCE', 2, 1, 100),
    },
    jwt: read.jwt(),
    metricsToken: read.optionalSecret('METRICS_TOKEN', 'METRICS_TOKEN_FILE', metricsTokenFault),
    threadPoolSize,
    passwords: {
      concurrency: hashConcurrency(threadPoolSize),
      longestWait: read.parsed('PASSWORD_HASH_WAIT', '5s', parseDuration),
    },
    database: read.database(poolSize),
  };
  read.compareSecrets(settings);
  for (const name of SECRETS) Reflect.deleteProperty(env, name);
  if (read.faults.length > 0) throw new ConfigurationError(read.faults);
  return settings;
}

/** What is left of libuv's threads and of the cores stays free for files, DNS and the event loop. */
function hashConcurrency(threads: number): number {
  return Math.max(1, Math.min(availableParallelism(), threads - 1));
}

class SettingsReader extends EnvironmentReader<Variable> {
  jwt(): Settings['jwt'] {
    return {
      secret: this.jwtSecret(),
      previousSecret: this.optionalSecret('JWT_SECRET_PREVIOUS', 'JWT_SECRET_PREVIOUS_FILE', secretFault),
      lifetime: this.parsed('JWT_EXPIRATION', '1h', parseDuration),
    };
  }

  private jwtSecret(): string {
    const secret = this.secret('JWT_SECRET', 'JWT_SECRET_FILE') ?? '';
    if (secret === UNREADABLE) return '';
    const fault = secretFault(secret);
    if (fault !== undefined) this.faults.push(`JWT_SECRET ${fault}`);
    return secret;
  }

  optionalSecret(name: Variable, file: Variable, faultOf: typeof secretFault): string | undefined {
    const secret = this.secret(name, file);
    if (secret === undefined || secret === UNREADABLE) return undefined;
    const fault = faultOf(secret);
    if (fault !== undefined) this.faults.push(`${name} ${fault}`);
    return secret;
  }

  /** Whoever knows the token for the metrics must not be able to sign with it. */
  compareSecrets({ jwt, metricsToken }: Settings): void {
    if (jwt.previousSecret !== undefined && jwt.previousSecret === jwt.secret)
      this.faults.push('JWT_SECRET_PREVIOUS must be another than JWT_SECRET: leave it out unless you rotate');
    const remedy = 'make one with: openssl rand -base64 48';
    if (metricsToken === undefined) return;
    if (metricsToken === jwt.secret)
      this.faults.push(`METRICS_TOKEN must be another than JWT_SECRET: ${remedy}`);
    if (metricsToken === jwt.previousSecret)
      this.faults.push(`METRICS_TOKEN must be another than JWT_SECRET_PREVIOUS: ${remedy}`);
  }

  database(poolSize: number): DatabaseSettings {
    return {
      url: this.databaseUrl(),
      poolSize,
      acquireTimeout: this.parsed('DB_ACQUIRE_TIMEOUT', '2s', parseDuration),
      maxLifetime: this.parsed('DB_MAX_LIFETIME', '30m', parseTimerDuration),
      statementTimeout: this.parsed('DB_STATEMENT_TIMEOUT', '5s', parseDuration),
      pooler: this.oneOf('DB_POOLER', POOLERS, 'none'),
      migrate: this.flag('DB_MIGRATE', true),
    };
  }

  exports(poolSize: number): ExportSettings {
    const halfThePool = Math.max(1, Math.floor(poolSize / 2));
    return {
      atOnce: this.integer('EXPORTS_AT_ONCE', halfThePool, 1, halfThePool),
      longest: this.parsed('EXPORT_TIMEOUT', '10m', parseTimerDuration),
    };
  }

  private databaseUrl(): string {
    const password = this.secret('DB_PASSWORD', 'DB_PASSWORD_FILE');
    const address: DatabaseAddress = {
      host: this.text('DB_HOST', 'localhost'),
      port: this.integer('DB_PORT', 5432, 1, 65_535),
      name: this.text('DB_NAME', 'property_finance'),
      username: this.given('DB_USERNAME'),
      sslMode:
        this.given('DB_SSLMODE') === undefined ? undefined : this.oneOf('DB_SSLMODE', SSL_MODES, 'disable'),
      sslCa: this.given('DB_SSL_CA'),
      password: password === UNREADABLE ? 'unreadable' : password, // it is a fault already, and the only one
    };
    try {
      return databaseUrl(this.given('DB_URL'), address);
    } catch (error) {
      this.faults.push((error as Error).message);
      return '';
    }
  }
}
