import { flag, oneOf, parseDuration, parseTimerDuration, text, whole } from './parsers.js';
import {
  about,
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
  @Variable('DB_URL', text) readonly url: string | undefined;
  /** A name, an address, or the folder of a Unix socket. */
  @Variable('DB_HOST', text, 'localhost') readonly host!: string;
  @Variable('DB_PORT', whole(1, 65_535), '5432') readonly port!: number;
  @Variable('DB_NAME', text, 'property_finance') readonly name!: string;
  @Variable('DB_USERNAME', text) readonly username: string | undefined;
  @Secret('DB_PASSWORD', () => undefined) readonly password: string | undefined;
  @Variable('DB_SSLMODE', oneOf(SSL_MODES)) readonly sslMode: (typeof SSL_MODES)[number] | undefined;
  /** A file. */
  @Variable('DB_SSL_CA', text) readonly sslCa: string | undefined;
}

class Pool {
  @Variable('DB_POOL_SIZE', whole(1, 1000), '10') readonly size!: number | Fault;
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
function poolSize(env: Environment): number {
  const { size } = read(Pool, env);
  return typeof size === 'number' ? size : 1000;
}

const DEFAULT_USERNAME = 'property_finance';
const FORM = 'must look like postgres://host:5432/name';
/** Parameters that pg reads as libpq does. `host` is the folder of a Unix socket. */
const FILES = ['sslrootcert', 'sslcert', 'sslkey'];
const PARAMETERS = ['host', 'port', 'sslmode', ...FILES];
/** A URL up to its hosts, and these. */
const UP_TO_HOSTS = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?([^/?#]*)/i;

/** Stand in for values that cannot be read, so that the other faults of the address show as well. */
const STAND_INS = { port: 5432, password: 'unreadable', sslMode: undefined };

/** One `postgres://` URL for the driver, from DB_URL or from the single variables, of which some win over the URL. */
function databaseUrl(env: Environment): string | Fault {
  const address: DatabaseAddress = read(DatabaseAddress, env);
  const faults = faultsIn(address);
  const values: object = Object.fromEntries(
    Object.entries(address).filter(([, value]) => !(value instanceof Fault)),
  );
  try {
    const url = urlOf({ ...STAND_INS, ...values } as DatabaseAddress);
    return faults.length === 0 ? url : new Fault(faults);
  } catch (error) {
    return new Fault([...faults, (error as Error).message]);
  }
}

/** The message of an error names the variable, and never a value. */
function urlOf(address: DatabaseAddress): string {
  const { username, password } = address;
  const url = address.url === undefined ? fromParts(address) : fromUrl(address.url.trim());
  url.username = encodeURIComponent(username ?? (decodeURIComponent(url.username) || DEFAULT_USERNAME));
  url.password = encodeURIComponent(password ?? decodeURIComponent(url.password));
  setTls(url, address);
  if (url.password === '' && !url.searchParams.has('sslcert'))
    throw new Error(
      'DB_PASSWORD is missing: set it to the password of the database user, or name a file in DB_PASSWORD_FILE',
    );
  return url.href;
}

function fromParts({ host, port, name }: DatabaseAddress): URL {
  if (host.includes(',')) throw new Error(`DB_HOST ${SEVERAL_HOSTS}`);
  const url = new URL('postgres://localhost/');
  url.pathname = `/${encodeURIComponent(name)}`;
  if (host.startsWith('/')) {
    url.searchParams.set('host', host);
  } else {
    const hostname = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
    url.hostname = hostname;
    // The URL drops the characters that no host has, but for escapes, which it keeps and pg resolves.
    if (url.hostname !== hostname || hostname.includes('%'))
      throw new Error('DB_HOST must be a host name or an address');
  }
  url.port = String(port);
  return url;
}

const SEVERAL_HOSTS =
  'names several hosts: give one, and put a proxy that leads to the primary in front of them (deploy/patroni)';

function fromUrl(given: string): URL {
  const [, hosts] = UP_TO_HOSTS.exec(given) ?? [];
  if (hosts === undefined) throw new Error(`DB_URL ${FORM}`);
  if (hosts.includes(',')) throw new Error(`DB_URL ${SEVERAL_HOSTS}`);
  // libpq takes a URL without a host, where `?host=` names the folder of a socket; the URL standard does not.
  const text = hosts === '' ? given.replace(/^([^/]*\/\/[^/]*)\//, '$1localhost/') : given;
  if (!URL.canParse(text)) throw new Error(`DB_URL ${FORM}`);
  const url = new URL(text);
  if (url.pathname.length < 2) throw new Error(`DB_URL ${FORM}`);
  if (![url.username, url.password, url.hostname, url.pathname].every(isDecodable))
    throw new Error('DB_URL must hold no % but in escapes of UTF-8: write %25 for the sign itself');
  checkParameters(url.searchParams);
  if (!url.searchParams.has('port')) url.port ||= '5432'; // else pg takes the one of PGPORT
  return url;
}

function checkParameters(parameters: URLSearchParams): void {
  if ([...parameters.keys()].some((name) => !PARAMETERS.includes(name)))
    throw new Error(`DB_URL takes only the parameters ${PARAMETERS.join(', ')}`);
  const [host = '/', port = '1'] = [parameters.get('host') ?? undefined, parameters.get('port') ?? undefined];
  if (host.includes(',') || port.includes(',')) throw new Error(`DB_URL ${SEVERAL_HOSTS}`);
  if (!host.startsWith('/'))
    throw new Error('DB_URL takes as the parameter host only the folder of a Unix socket');
  if (!/^[1-9]\d{0,4}$/.test(port)) throw new Error('DB_URL takes as the parameter port only a number');
}

function setTls({ searchParams }: URL, { sslMode, sslCa }: DatabaseAddress): void {
  if (sslMode !== undefined) searchParams.set('sslmode', sslMode);
  if (sslCa !== undefined) searchParams.set('sslrootcert', sslCa);
  const files = FILES.filter((name) => searchParams.has(name));
  if (!searchParams.has('sslmode') && files.length === 0) return;
  const mode = searchParams.get('sslmode') ?? 'verify-full';
  if (!SSL_MODES.some((known) => known === mode))
    throw new Error(`DB_URL takes as sslmode ${SSL_MODES.join(', ')}`);
  if (mode === 'verify-ca' && !searchParams.has('sslrootcert'))
    throw new Error("DB_SSL_CA is missing: verify-ca needs the certificate that signed the server's");
  for (const name of files) {
    const variable = name === 'sslrootcert' && sslCa !== undefined ? 'DB_SSL_CA' : 'DB_URL';
    const file = about(variable, () => contentOf(searchParams.get(name) ?? ''));
    if (file instanceof Fault) throw new Error(file.messages[0]);
  }
  searchParams.set('sslmode', mode);
  searchParams.set('uselibpqcompat', 'true'); // else pg takes require for verify-full, and warns of it
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
