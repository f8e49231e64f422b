import { setHosts, setWanted, takeHosts } from './host-list.js';

export interface DatabaseAddress {
  /** One, or a list with commas in between. */
  readonly host: string;
  /** One, or one for each host. */
  readonly ports: readonly number[];
  readonly name: string;
  readonly username: string | undefined;
  readonly password: string | undefined;
}

const DEFAULT_USERNAME = 'property_finance';
/** A server that only reads is none for the service. */
const WRITTEN_TO = ['read-write', 'primary', 'any'];
/** Where it leads to none the primary answers, which is what `prefer-standby` asks for. */
const READ_FROM = ['standby', 'prefer-standby'];

/**
 * One `postgres://` URL, from DB_URL (also in JDBC's form) or from the single variables. Several hosts are parameters
 * of it (see address.ts). DB_USERNAME and DB_PASSWORD win over what the URL says. The message of what it throws names
 * the variable.
 */
export function databaseUrl(given: string | undefined, address: DatabaseAddress): string {
  const url = given === undefined ? fromParts(address) : about('DB_URL', () => fromUrl(given));
  about('DB_URL', () => setWanted(url, WRITTEN_TO, 'read-write'));
  const own = takeCredentials(url);
  const { username = own.username ?? DEFAULT_USERNAME, password = own.password } = address;
  if (password === undefined || password === '') {
    throw new Error(
      'DB_PASSWORD is missing: set it to the password of the database user, or name a file in DB_PASSWORD_FILE',
    );
  }
  return withCredentials(url, { username, password });
}

/**
 * As {@link databaseUrl}, from DB_READ_URL; user and password are those of the database's own URL where it holds none.
 * What it throws has yet to be told of which variable it is.
 */
export function readUrl(given: string, database: string): string | undefined {
  if (given === '') return undefined;
  const url = fromUrl(given);
  setWanted(url, READ_FROM, 'standby');
  const common = URL.canParse(database) ? takeCredentials(new URL(database)) : {}; // else that is a fault already
  const { username = common.username, password = common.password } = takeCredentials(url);
  return withCredentials(url, { username, password });
}

function fromParts({ host, ports, name: database }: DatabaseAddress): URL {
  const url = new URL('postgres://localhost/');
  url.pathname = `/${encodeURIComponent(database)}`;
  const [port = ''] = ports;
  if (host.includes(',') || ports.length > 1) {
    const hosts = host.split(',').map((entry) => entry.trim());
    url.searchParams.set('host', hosts.join(','));
    url.searchParams.set('port', ports.join(','));
    about('DB_HOST', () => setHosts(url, undefined));
    return url;
  }
  if (host.startsWith('/')) {
    url.searchParams.set('host', host); // a directory with a Unix socket
  } else {
    const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
    url.hostname = name;
    // What no host can hold the URL leaves out, but for escapes, which it keeps and pg resolves.
    if (url.hostname !== name || name.includes('%'))
      throw new Error('DB_HOST must be a host name or an address');
  }
  url.port = String(port);
  return url;
}

function fromUrl(given: string): URL {
  const remedy = 'must look like postgres://host:5432/name or jdbc:postgresql://host:5432/name';
  // libpq takes a URL without a host, where `?host=` names the directory of a socket; the URL standard does not.
  const { text, hosts } = takeHosts(given.trim().replace(/^jdbc:/i, ''));
  const plain = text.replace(/^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)\//i, '$1localhost/');
  if (!/^postgres(ql)?:\/\//i.test(plain) || !URL.canParse(plain)) throw new Error(remedy);
  const url = new URL(plain);
  if (url.pathname.length < 2) throw new Error(remedy);
  if (![url.username, url.password, hosts ?? url.hostname, url.pathname].every(isDecodable))
    throw new Error('must hold no % but in escapes of UTF-8: write %25 for the sign itself');
  setHosts(url, hosts);
  if (url.port === '' && !url.searchParams.has('port')) url.port = '5432'; // else pg would take that of PGPORT
  if (takeParameter(url, 'ssl') === 'true') url.searchParams.set('sslmode', 'require'); // as JDBC writes it
  return url;
}

/** Whatever it says is wrong is wrong with the variable. */
function about<T>(variable: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Error(`${variable} ${(error as Error).message}`, { cause: error });
  }
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

interface Credentials {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/** What the URL says of them, as libpq or as JDBC writes it. */
function takeCredentials(url: URL): Credentials {
  const [user, password] = [takeParameter(url, 'user'), takeParameter(url, 'password')];
  return {
    username: decodeURIComponent(url.username) || user,
    password: decodeURIComponent(url.password) || password,
  };
}

function withCredentials(url: URL, { username = '', password = '' }: Credentials): string {
  url.username = encodeURIComponent(username);
  url.password = encodeURIComponent(password);
  return url.href;
}

function takeParameter(url: URL, name: string): string | undefined {
  const value = url.searchParams.get(name) ?? undefined;
  url.searchParams.delete(name);
  return value;
}
