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

/**
 * One `postgres://` URL, from DB_URL (also in JDBC's form) or from the single variables. Several hosts are parameters
 * of it (see address.ts). DB_USERNAME and DB_PASSWORD win over what the URL says. The message of what it throws names the variable.
 */
export function databaseUrl(given: string | undefined, address: DatabaseAddress): string {
  const url = given === undefined ? fromParts(address) : fromUrl('DB_URL', given);
  about('DB_URL', () => setWanted(url, WRITTEN_TO, 'read-write'));
  const parameters = { username: takeParameter(url, 'user'), password: takeParameter(url, 'password') };
  const username =
    address.username ?? (decodeURIComponent(url.username) || (parameters.username ?? DEFAULT_USERNAME));
  const password = address.password ?? (decodeURIComponent(url.password) || parameters.password);
  if (password === undefined || password === '') {
    throw new Error(
      'DB_PASSWORD is missing: set it to the password of the database user, or name a file in DB_PASSWORD_FILE',
    );
  }
  url.username = encodeURIComponent(username);
  url.password = encodeURIComponent(password);
  return url.href;
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

function fromUrl(variable: string, given: string): URL {
  const remedy = `${variable} must look like postgres://host:5432/name or jdbc:postgresql://host:5432/name`;
  // libpq takes a URL without a host, where `?host=` names the directory of a socket; the URL standard does not.
  const { text, hosts } = takeHosts(given.trim().replace(/^jdbc:/i, ''));
  const plain = text.replace(/^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)\//i, '$1localhost/');
  if (!/^postgres(ql)?:\/\//i.test(plain) || !URL.canParse(plain)) throw new Error(remedy);
  const url = new URL(plain);
  if (url.pathname.length < 2) throw new Error(remedy);
  if (![url.username, url.password, hosts ?? url.hostname, url.pathname].every(isDecodable))
    throw new Error(`${variable} must hold no % but in escapes of UTF-8: write %25 for the sign itself`);
  about(variable, () => setHosts(url, hosts));
  if (url.port === '' && !url.searchParams.has('port')) url.port = '5432'; // else pg would take that of PGPORT
  if (takeParameter(url, 'ssl') === 'true') url.searchParams.set('sslmode', 'require'); // as JDBC writes it
  return url;
}

/** Whatever it says is wrong is wrong with the variable. */
function about(variable: string, work: () => void): void {
  try {
    work();
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

function takeParameter(url: URL, name: string): string | undefined {
  const value = url.searchParams.get(name) ?? undefined;
  url.searchParams.delete(name);
  return value;
}
