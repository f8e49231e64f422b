export interface DatabaseAddress {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly name: string;
  readonly username: string | undefined;
  readonly password: string | undefined;
}

const DEFAULT_USERNAME = 'property_finance';
const FORM = 'must look like postgres://host:5432/name';
/** Parameters that pg reads as libpq does. `host` is the folder of a Unix socket. */
const PARAMETERS = ['host', 'port', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey'];
/** A URL up to its hosts, and these. */
const UP_TO_HOSTS = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?([^/?#]*)/i;

/**
 * One `postgres://` URL for the driver, from DB_URL or from the single variables. DB_USERNAME and DB_PASSWORD win over
 * the URL. The message of an error names the variable, and never a value.
 */
export function databaseUrl(given: string | undefined, address: DatabaseAddress): string {
  const url = given === undefined ? fromParts(address) : fromUrl(given.trim());
  const { username, password } = address;
  url.username = encodeURIComponent(username ?? (decodeURIComponent(url.username) || DEFAULT_USERNAME));
  url.password = encodeURIComponent(password ?? decodeURIComponent(url.password));
  if (url.password === '')
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

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
