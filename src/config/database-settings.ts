import { flag, oneOf, parseDuration, parseTimerDuration, text, whole } from './parsers.js';
import {
  contentOf,
  Derived,
  type Environment,
  Fault,
  faultsIn,
  read,
  Secret,
  Variable,
} from './variables.js';

export const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
const POOLERS = ['none', 'session', 'transaction'] as const;

class DatabaseAddress {
  @Variable('DB_URL', parseUrl) readonly url: URL | undefined;
  @Variable('DB_HOST', parseHost, 'localhost') readonly host!: string;
  @Variable('DB_PORT', whole(1, 65_535), '5432') readonly port!: number;
  @Variable('DB_NAME', text, 'property_finance') readonly name!: string;
  @Variable('DB_USERNAME', text) readonly username: string | undefined;
  @Secret('DB_PASSWORD', text) readonly password: string | undefined;
  @Variable('DB_SSLMODE', oneOf(SSL_MODES)) readonly sslMode: (typeof SSL_MODES)[number] | undefined;
  @Variable('DB_SSL_CA', readableFile) readonly sslCa: string | undefined;
}

export class DatabaseSettings {
  /** A `postgres://` URL with user and password in it: never log it. */
  @Derived(databaseUrl) readonly url!: string;
  @Variable('DB_POOL_SIZE', whole(1, 1000), '10') readonly poolSize!: number;
  /** Connections that one account may hold; its further requests wait, and are answered 429 later. */
  @Variable(
    'DB_POOL_SHARE',
    (given, env) => whole(1, poolSize(env))(given),
    (env) => `${Math.max(1, Math.round(poolSize(env) / 3))}`,
  )
  readonly poolShare!: number;
  /** The longest wait for a free or new connection; later the answer is 503. */
  @Variable('DB_ACQUIRE_TIMEOUT', parseDuration, '2s') readonly acquireTimeout!: number;
  /** The longest a connection is kept. */
  @Variable('DB_MAX_LIFETIME', parseTimerDuration, '30m') readonly maxLifetime!: number;
  /** The longest a statement may run in PostgreSQL; later the answer is 503. */
  @Variable('DB_STATEMENT_TIMEOUT', parseDuration, '5s') readonly statementTimeout!: number;
  /**
   * What shares out the connections between here and PostgreSQL. Without one the timeouts are startup parameters, with
   * one each transaction sets them; in transaction mode no statement is prepared by name.
   */
  @Variable('DB_POOLER', oneOf(POOLERS), 'none') readonly pooler!: (typeof POOLERS)[number];
  @Variable('DB_MIGRATE', flag, 'true') readonly migrate!: boolean;
}

/** 1000, the most, of one that cannot be read. */
function poolSize({ DB_POOL_SIZE }: Environment): number {
  const size = DB_POOL_SIZE?.trim() ? Number(DB_POOL_SIZE) : 10;
  return size >= 1 && size <= 1000 ? size : 1000;
}

const FORM =
  'must look like postgres://host:5432/name, with one host: deploy/patroni shows a proxy for several';
/** Parameters that pg reads as libpq does. `host` is the folder of a Unix socket. */
const FILES = ['sslrootcert', 'sslcert', 'sslkey'];
const PARAMETERS = ['host', 'port', 'sslmode', ...FILES];

/** One `postgres://` URL for the driver: DB_URL or else the single variables, with user, password and TLS over both. */
function databaseUrl(env: Environment): string | Fault {
  const address = read(DatabaseAddress, env);
  const faults = faultsIn(address);
  if (faults.length > 0) return new Fault(faults);
  const url = address.url ?? urlOf(address);
  url.username = encodeURIComponent(
    address.username ?? (decodeURIComponent(url.username) || 'property_finance'),
  );
  url.password = encodeURIComponent(address.password ?? decodeURIComponent(url.password));
  if (url.password === '' && !url.searchParams.has('sslcert'))
    return new Fault([
      'DB_PASSWORD is missing: set it to the password of the database user, or name a file in DB_PASSWORD_FILE',
    ]);
  return setTls(url.searchParams, address) ?? url.href;
}

function urlOf({ host, port, name }: DatabaseAddress): URL {
  const url = new URL('postgres://localhost/');
  url.pathname = `/${encodeURIComponent(name)}`;
  if (host.startsWith('/')) url.searchParams.set('host', host);
  else url.hostname = host;
  url.port = String(port);
  return url;
}

/** A name, an address, or the folder of a Unix socket. */
function parseHost(given: string): string {
  if (given.startsWith('/')) return given;
  const url = new URL('postgres://localhost/');
  const host = given.includes(':') && !given.startsWith('[') ? `[${given}]` : given;
  url.hostname = host;
  // The URL drops the characters that no host has, but for escapes and commas, which pg would resolve.
  if (url.hostname === host && !/[%,]/.test(host)) return host;
  throw new Error('must be one host name or address');
}

/** The message of an error holds no part of the URL. */
function parseUrl(given: string): URL {
  const url = URL.canParse(given.trim()) ? new URL(given.trim()) : undefined;
  const isComplete = url !== undefined && /^postgres(ql)?:$/.test(url.protocol) && url.pathname.length > 1;
  if (!isComplete || url.hostname === '' || url.hostname.includes(',')) throw new Error(FORM);
  if (![url.username, url.password, url.hostname, url.pathname].every(isDecodable))
    throw new Error('must hold no % but in escapes of UTF-8: write %25 for the sign itself');
  checkParameters(url.searchParams);
  if (!url.searchParams.has('port')) url.port ||= '5432'; // else pg takes the one of PGPORT
  return url;
}

function checkParameters(parameters: URLSearchParams): void {
  const { host = '/', port = '1', sslmode, ...files } = Object.fromEntries(parameters);
  if ([...parameters.keys()].some((name) => !PARAMETERS.includes(name)))
    throw new Error(`takes only the parameters ${PARAMETERS.join(', ')}`);
  if (!/^\/[^,]*$/.test(host))
    throw new Error('takes as the parameter host only the folder of a Unix socket');
  if (!/^[1-9]\d{0,4}$/.test(port)) throw new Error('takes as the parameter port only a number');
  if (sslmode !== undefined && !SSL_MODES.some((known) => known === sslmode))
    throw new Error(`takes as sslmode ${SSL_MODES.join(', ')}`);
  Object.values(files).forEach(readableFile);
}

function setTls(parameters: URLSearchParams, { sslMode, sslCa }: DatabaseAddress): Fault | undefined {
  if (sslMode !== undefined) parameters.set('sslmode', sslMode);
  if (sslCa !== undefined) parameters.set('sslrootcert', sslCa);
  if (!['sslmode', ...FILES].some((name) => parameters.has(name))) return undefined;
  const mode = parameters.get('sslmode') ?? 'verify-full';
  parameters.set('sslmode', mode);
  parameters.set('uselibpqcompat', 'true'); // else pg takes require for verify-full, and warns of it
  return mode === 'verify-ca' && !parameters.has('sslrootcert')
    ? new Fault(["DB_SSL_CA is missing: verify-ca needs the certificate that signed the server's"])
    : undefined;
}

function readableFile(file: string): string {
  contentOf(file);
  return file;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
