import { isUtf8 } from 'node:buffer';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseEnv } from 'node:util';
import { getHeapStatistics } from 'node:v8';
import { DatabaseSettings } from './database-settings.js';
import * as parse from './parsers.js';
import { type Environment, explained, given, Group, read, Secret, SECRETS, Variable } from './variables.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const LOGGED_REQUESTS = ['off', 'errors', 'all'] as const;

const HEAP = getHeapStatistics().heap_size_limit;
/**
 * One for each 128 KiB of V8's heap, of which a connection with half a head holds a quarter. With half as many, requests that
 * wait for a database that hangs were cut off.
 */
const CONNECTIONS = Math.floor(HEAP / (128 * 1024));
/** Bytes. A container of twice --max-old-space-size has so much left beside the heap and what the process itself needs. */
const BESIDE_HEAP = Math.min(128 * 1024 ** 2, Math.floor(HEAP / 4));

class ImportSettings {
  @Variable('IMPORT_BODY_LIMIT', parse.size(), '10MiB') readonly bodyLimit!: number;
  @Variable('IMPORT_ROW_LIMIT', parse.whole(1, 100_000), '10000') readonly rowLimit!: number;
  /** Files in memory at once. Another waits, then 503. */
  @Variable('IMPORTS_AT_ONCE', parse.whole(1, 100), '2') readonly concurrency!: number;
}

class TokenSettings {
  @Secret('JWT_SECRET', parse.secret, '') readonly secret!: string;
  /** Also verifies tokens, and signs none. */
  @Secret('JWT_SECRET_PREVIOUS', parse.secret) readonly previousSecret: string | undefined;
  @Variable('JWT_EXPIRATION', parse.duration, '1h') readonly lifetime!: number;
}

/** All settings of the process. Times are milliseconds, sizes are bytes. */
export class Settings {
  @Variable('PORT', parse.whole(0, 65_535), '8080') readonly port!: number;
  @Variable('HOST', parse.text, '0.0.0.0') readonly host!: string;
  @Variable('APPLICATION_NAME', parse.text, 'property-finance') readonly applicationName!: string;
  @Variable('LOG_LEVEL', parse.oneOf(LOG_LEVELS), 'info') readonly logLevel!: (typeof LOG_LEVELS)[number];
  /** The requests that get a line in the log, beside those of every 5xx. */
  @Variable('LOG_REQUESTS', parse.oneOf(LOGGED_REQUESTS), 'off')
  readonly logRequests!: (typeof LOGGED_REQUESTS)[number];
  /** Open connections. A further one ends the one that has been longest without a complete request. */
  @Variable('MAX_CONNECTIONS', parse.whole(10, 100_000), String(CONNECTIONS))
  readonly maxConnections!: number;
  @Variable('BODY_LIMIT', parse.size(), '1MiB') readonly bodyLimit!: number;
  /** The longest time for a request to arrive, then 408. */
  @Variable('REQUEST_TIMEOUT', parse.duration, '15s') readonly requestTimeout!: number;
  /** The longest time for a client to read nothing of its response; then its connection is closed. */
  @Variable('RESPONSE_TIMEOUT', parse.duration, '15s') readonly responseTimeout!: number;
  /** Bytes of bodies, files and responses under way, beside V8's heap. What has no room waits, then 429 or 503. */
  @Variable('CLIENT_MEMORY', parse.size(1024), String(BESIDE_HEAP)) readonly clientMemory!: number;
  /** The longest wait of an account for its own requests, then 429. */
  @Variable('SHARE_TIMEOUT', parse.duration, '10s') readonly shareTimeout!: number;
  /** The time in which a stopping process fails its readiness probe and still serves requests. */
  @Variable('SHUTDOWN_DELAY', parse.delay, '7s') readonly shutdownDelay!: number;
  /** The time for requests under way after that. */
  @Variable('SHUTDOWN_TIMEOUT', parse.timerDuration, '20s') readonly shutdownTimeout!: number;
  @Variable('CORS_ALLOWED_ORIGINS', parse.origins, '') readonly corsAllowedOrigins!: readonly string[];
  /** Deletions are known to those who follow the changes for so long; an older cursor is 410. */
  @Variable('CHANGES_RETENTION', parse.duration, '90d') readonly changesRetention!: number;
  /** Closed, accounts come from the command line alone. */
  @Variable('SIGN_UP', parse.oneOf(['open', 'closed']), 'open') readonly signUp!: 'open' | 'closed';
  /** Whether the reference page and the API document are served, to everybody. */
  @Variable('API_DOCS', parse.flag, 'false') readonly apiDocs!: boolean;
  /** The line of Schedule E for each category, in the tax report: JSON, or a file with it. */
  @Variable('SCHEDULE_E_LINES', parse.text, '{}') readonly scheduleELines!: string;
  @Group(ImportSettings) readonly imports!: ImportSettings;
  @Group(TokenSettings) readonly jwt!: TokenSettings;
  /** Opens the metrics, and nothing else. */
  @Secret('METRICS_TOKEN', parse.metricsToken) readonly metricsToken: string | undefined;
  @Variable('PASSWORD_HASH_WAIT', parse.duration, '5s') readonly passwordHashWait!: number;
  /** libuv's threads, for password hashes, files and DNS. */
  @Variable('UV_THREADPOOL_SIZE', parse.whole(1, 1024), '4') readonly threadPoolSize!: number;
  @Group(DatabaseSettings) readonly database!: DatabaseSettings;

  /** Password hashes at once. One thread stays free for files and DNS. */
  get passwordHashes(): number {
    return Math.max(1, Math.min(availableParallelism(), this.threadPoolSize - 1));
  }
}

/** The settings are not usable. The message names every faulty variable and its remedy, never a value. */
export class ConfigurationError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`The configuration is not usable:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

/**
 * The environment, with what `.env` in the working directory adds, where there is one. Variables that are set win, also over
 * the other name of a secret. Those of libpq go, or the driver would take TLS from them. Throws {@link ConfigurationError}.
 */
export function loadEnvironmentFile(env: Environment = process.env, file = '.env'): Environment {
  for (const name of Object.keys(env)) if (/^PG[A-Z]+$/.test(name)) Reflect.deleteProperty(env, name);
  for (const [name, value] of Object.entries(existsSync(file) ? parseEnv(textOf(file)) : {})) {
    const otherName = name.replace(/_FILE$|$/, (end) => (end === '' ? '_FILE' : ''));
    if (given(env, otherName) === undefined) env[name] ??= value;
  }
  return env;
}

/** A value without quotes that Node cuts at its #. One between blanks begins a comment. */
const CUT = /^\s*(?:export\s+)?(\w+)\s*=[ \t]*(?![ \t'"`])[^\n#]*(?:(?<=[^\s=])#|#[^\s#])/gm;

function textOf(file: string): string {
  const bytes = readFileSync(file);
  const text = isUtf8(bytes) ? bytes.toString().replace(/^\uFEFF/, '') : '\0';
  const faults = Array.from(text.matchAll(CUT), ([, name]) => `${name} has a # in ${file}: quote its value`);
  if (text.includes('\0')) faults.push(`${file} is not in UTF-8: save it in that encoding`);
  if (faults.length > 0) throw new ConfigurationError(faults);
  return text;
}

/** Reads and checks everything at once, and removes the secrets from `env`. Throws {@link ConfigurationError}. */
export function loadSettings(env: Environment = process.env): Settings {
  const [settings, faults] = read(Settings, { ...env });
  faults.push(...equalSecrets(settings));
  for (const name of SECRETS) Reflect.deleteProperty(env, name);
  if (faults.length > 0) throw new ConfigurationError(faults.map((fault) => explained(env, fault)));
  return settings;
}

/** A metrics token must not sign, and a previous secret equal to the current one rotates nothing. */
function equalSecrets({ jwt: { secret, previousSecret }, metricsToken }: Settings): string[] {
  const faults: string[] = [];
  if (previousSecret === secret)
    faults.push('JWT_SECRET_PREVIOUS must differ from JWT_SECRET: leave it out unless you rotate');
  if (metricsToken !== undefined && [secret, previousSecret].includes(metricsToken))
    faults.push(`METRICS_TOKEN must differ from the secrets that sign tokens: ${parse.MAKE_SECRET}`);
  return faults;
}
