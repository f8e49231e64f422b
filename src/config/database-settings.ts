import * as parse from './parsers.js';
import { contentOf, Derived, type Environment, VariableFault, read, Secret, Variable } from './variables.js';

const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
const POOLERS = ['none', 'session', 'transaction'] as const;

class DatabaseAddress {
  @Variable('DB_URL', parseUrl) readonly url: URL | undefined;
  @Variable('DB_HOST', parseHost, 'localhost') readonly host!: string;
  @Variable('DB_PORT', parse.whole(1, 65_535), '5432') readonly port!: number;
  @Variable('DB_NAME', parse.text, 'property_finance') readonly name!: string;
  @Variable('DB_USERNAME', parse.text) readonly username: string | undefined;
  @Secret('DB_PASSWORD', parse.text) readonly password: string | undefined;
  @Variable('DB_SSLMODE', parse.oneOf(SSL_MODES)) readonly sslMode: string | undefined;
  @Variable('DB_SSL_CA', readableFile) readonly sslCa: string | undefined;
}

export class DatabaseSettings {
  /** A `postgres://` URL with user and password in it: never log it. */
  @Derived(databaseUrl) readonly url!: string;
  @Variable('DB_POOL_SIZE', parse.whole(1, 1000), '10') readonly poolSize!: number;
  /** Connections that one account may hold, two thirds of the pool unless set. Further requests wait, then 429. */
  @Variable('DB_POOL_SHARE', parse.whole(1, 1000)) readonly poolShare: number | undefined;
  /** The longest wait for a free or new connection, then 503. */
  @Variable('DB_ACQUIRE_TIMEOUT', parse.duration, '2s') readonly acquireTimeout!: number;
  @Variable('DB_MAX_LIFETIME', parse.timerDuration, '30m') readonly maxLifetime!: number;
  /** The longest a statement may run in PostgreSQL, then 503. */
  @Variable('DB_STATEMENT_TIMEOUT', parse.duration, '5s') readonly statementTimeout!: number;
  /** Timeouts are startup parameters. Behind a pooler transactions set them; in transaction mode nothing is prepared. */
  @Variable('DB_POOLER', parse.oneOf(POOLERS), 'none') readonly pooler!: (typeof POOLERS)[number];
  @Variable('DB_MIGRATE', parse.flag, 'true') readonly migrate!: boolean;
}

/** One `postgres://` URL for the driver: DB_URL or else the single variables, with user, password and TLS over both. */
function databaseUrl(env: Environment): string | VariableFault {
  const [address, faults] = read(DatabaseAddress, env);
  if (faults.length > 0) return new VariableFault(faults);
  const { url = urlOf(address), username, password } = address;
  const { searchParams } = url;
  if (username !== undefined) url.username = encodeURIComponent(username);
  url.username ||= 'property_finance';
  if (password !== undefined) url.password = encodeURIComponent(password);
  setTls(searchParams, address);
  if (url.password === '' && !searchParams.has('sslcert'))
    return new VariableFault([
      'DB_PASSWORD is missing: set it to the password of the database user, or name a file in DB_PASSWORD_FILE',
    ]);
  if (searchParams.get('sslmode') === 'verify-ca' && !searchParams.has('sslrootcert'))
    return new VariableFault([
      "DB_SSL_CA is missing: verify-ca needs the certificate that signed the server's",
    ]);
  return url.href;
}

function urlOf({ host, port, name }: DatabaseAddress): URL {
  const url = new URL(`postgres://localhost:${port}/${encodeURIComponent(name)}`);
  if (host.startsWith('/')) url.searchParams.set('host', host);
  else url.hostname = host;
  return url;
}

const FILES = ['sslrootcert', 'sslcert', 'sslkey']; // client certificate and authority, as libpq names them
const PARAMETERS = ['host', 'sslmode', ...FILES];

function setTls(parameters: URLSearchParams, { sslMode, sslCa }: DatabaseAddress): void {
  if (sslMode !== undefined) parameters.set('sslmode', sslMode);
  if (sslCa !== undefined) parameters.set('sslrootcert', sslCa);
  if (!['sslmode', ...FILES].some((name) => parameters.has(name))) return;
  if (!parameters.has('sslmode')) parameters.set('sslmode', 'verify-full');
  parameters.set('uselibpqcompat', 'true'); // else pg takes require for verify-full, and warns of it
}

/** A name, an address, or the folder of a Unix socket. */
function parseHost(given: string): string {
  if (given.startsWith('/')) return given;
  const url = new URL('postgres://localhost/');
  const host = given.includes(':') && !given.startsWith('[') ? `[${given}]` : given;
  url.hostname = host;
  // The URL drops the characters that no host has, except for escapes and commas, which pg would resolve.
  if (url.hostname === host && !/[%,]/.test(host)) return host;
  throw new Error('must be one host name or address');
}

/** The message of an error holds no part of the URL. */
function parseUrl(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const isComplete = url !== undefined && /^postgres(ql)?:$/.test(url.protocol) && url.pathname.length > 1;
  if (!isComplete || url.hostname === '' || url.hostname.includes(','))
    throw new Error(
      'must look like postgres://host:5432/name, with one host: deploy/patroni shows a proxy for several',
    );
  try {
    [url.username, url.password, url.hostname, url.pathname].forEach(decodeURIComponent);
  } catch {
    throw new Error('must hold % only in escapes of UTF-8: write %25 for the sign itself');
  }
  checkParameters(url.searchParams);
  url.port ||= '5432'; // else pg takes the one of PGPORT
  return url;
}

function checkParameters(parameters: URLSearchParams): void {
  const { host = '/', sslmode = 'require', ...files } = Object.fromEntries(parameters);
  if ([...parameters.keys()].some((name) => !PARAMETERS.includes(name)))
    throw new Error(`takes only the parameters ${PARAMETERS.join(', ')}`);
  if (!/^\/[^,]*$/.test(host))
    throw new Error('takes only the folder of a Unix socket as the parameter host');
  if (!SSL_MODES.some((known) => known === sslmode))
    throw new Error(`takes as sslmode ${SSL_MODES.join(', ')}`);
  Object.values(files).forEach(readableFile);
}

function readableFile(file: string): string {
  contentOf(file);
  return file;
}

/** Where the server is, for people and logs: without the user and the password. The host may be the folder of a socket. */
export function publicAddress(url: string) {
  const { hostname, port, pathname, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? hostname;
  return { host, port: Number(port), name: decodeURIComponent(pathname.slice(1)) };
}
