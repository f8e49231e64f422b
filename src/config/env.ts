import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { DatabaseSettings } from './database-settings.js';
import {
  flag,
  list,
  MAKE_SECRET,
  oneOf,
  parseDelay,
  parseDuration,
  parseMetricsToken,
  parseOrigin,
  parseSecret,
  parseTimerDuration,
  size,
  text,
  whole,
} from './parsers.js';
import { type Environment, faultsIn, Group, read, Secret, Variable } from './variables.js';

export { DatabaseSettings } from './database-settings.js';
export { VARIABLES } from './variables.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const LOGGED_REQUESTS = ['off', 'errors', 'all'] as const;

/** They are taken out of the environment once read, so that no child process or dump shows them. */
const SECRETS = ['JWT_SECRET', 'JWT_SECRET_PREVIOUS', 'METRICS_TOKEN', 'DB_PASSWORD', 'DB_URL'];

class ImportSettings {
  /** Of a file. */
  @Variable('IMPORT_BODY_LIMIT', size(), '10MiB') readonly bodyLimit!: number;
  /** The most rows of a file. */
  @Variable('IMPORT_ROW_LIMIT', whole(1, 100_000), '10000') readonly rowLimit!: number;
  /** Files in memory at once; past it the answer is 503. */
  @Variable('IMPORTS_AT_ONCE', whole(1, 100), '2') readonly concurrency!: number;
}

class TokenSettings {
  @Secret('JWT_SECRET', parseSecret, '') readonly secret!: string;
  /** Verifies tokens as well, and signs none. */
  @Secret('JWT_SECRET_PREVIOUS', parseSecret) readonly previousSecret: string | undefined;
  @Variable('JWT_EXPIRATION', parseDuration, '1h') readonly lifetime!: number;
}

class PasswordSettings {
  /** Hashes at once. The other threads and cores stay free for files, DNS and the event loop. */
  @Variable('UV_THREADPOOL_SIZE', hashConcurrency, '4') readonly concurrency!: number;
  @Variable('PASSWORD_HASH_WAIT', parseDuration, '5s') readonly longestWait!: number;
}

/** Everything the process takes from its environment. Times are milliseconds, sizes are bytes. */
export class Settings {
  @Variable('PORT', whole(0, 65_535), '8080') readonly port!: number;
  @Variable('HOST', text, '0.0.0.0') readonly host!: string;
  @Variable('APPLICATION_NAME', text, 'property-finance') readonly applicationName!: string;
  @Variable('LOG_LEVEL', oneOf(LOG_LEVELS), 'info') readonly logLevel!: (typeof LOG_LEVELS)[number];
  /** The requests that get a line in the log. */
  @Variable('LOG_REQUESTS', oneOf(LOGGED_REQUESTS), 'errors')
  readonly logRequests!: (typeof LOGGED_REQUESTS)[number];
  @Variable('BODY_LIMIT', size(), '1MiB') readonly bodyLimit!: number;
  /** The longest a request may take to arrive; later the answer is 408. */
  @Variable('REQUEST_TIMEOUT', parseDuration, '15s') readonly requestTimeout!: number;
  /** The longest a client may take nothing of its answer; then its connection is closed. */
  @Variable('RESPONSE_TIMEOUT', parseDuration, '15s') readonly responseTimeout!: number;
  /** What the answers under way may hold in memory together; past it the answer is 503. */
  @Variable('RESPONSE_MEMORY', size(1024), '96MiB') readonly responseMemory!: number;
  /** How long a stopping process says that it is not ready, and takes requests all the same. */
  @Variable('SHUTDOWN_DELAY', parseDelay, '7s') readonly shutdownDelay!: number;
  /** How long it waits after that for the requests under way. */
  @Variable('SHUTDOWN_TIMEOUT', parseTimerDuration, '20s') readonly shutdownTimeout!: number;
  @Variable('CORS_ALLOWED_ORIGINS', list(parseOrigin), '') readonly corsAllowedOrigins!: readonly string[];
  /** Whether the reference page and the API document are served, to everybody. */
  @Variable('API_DOCS', flag, 'false') readonly apiDocs!: boolean;
  /** JSON, or a file of it, that the tax report reads: the line of Schedule E for each category. */
  @Variable('SCHEDULE_E_LINES', text, '{}') readonly scheduleELines!: string;
  @Group(ImportSettings) readonly imports!: ImportSettings;
  @Group(TokenSettings) readonly jwt!: TokenSettings;
  /** Opens the metrics, and nothing else. */
  @Secret('METRICS_TOKEN', parseMetricsToken) readonly metricsToken: string | undefined;
  @Group(PasswordSettings) readonly passwords!: PasswordSettings;
  /** libuv's threads, for password hashes, files and DNS. */
  @Variable('UV_THREADPOOL_SIZE', threads, '4') readonly threadPoolSize!: number;
  @Group(DatabaseSettings) readonly database!: DatabaseSettings;
}

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
  const settings = read(Settings, { ...env });
  const faults = [...faultsIn(settings), ...equalSecrets(settings)];
  for (const name of SECRETS) Reflect.deleteProperty(env, name);
  if (faults.length > 0) throw new ConfigurationError(faults);
  return settings;
}

/** The token for the metrics must not sign, and a previous secret that is the current one rotates nothing. */
function equalSecrets({ jwt, metricsToken }: Settings): string[] {
  const secrets = [
    ['JWT_SECRET', jwt.secret],
    ['JWT_SECRET_PREVIOUS', jwt.previousSecret],
    ['METRICS_TOKEN', metricsToken],
  ] as const;
  return secrets.flatMap(([name, secret], index) => {
    const [other] =
      secrets.slice(0, index).find(([, earlier]) => typeof secret === 'string' && earlier === secret) ?? [];
    const remedy = name === 'METRICS_TOKEN' ? MAKE_SECRET : 'leave it out unless you rotate';
    return other === undefined ? [] : [`${name} must differ from ${other}: ${remedy}`];
  });
}

function threads(given: string): number {
  return whole(1, 1024)(given);
}

function hashConcurrency(given: string): number {
  return Math.max(1, Math.min(availableParallelism(), threads(given) - 1));
}
