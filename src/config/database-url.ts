import { readSecretFile } from './environment-reader.js';

export interface DatabaseAddress {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly name: string;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly sslMode: string | undefined;
  /** A file. */
  readonly sslCa: string | undefined;
}

const DEFAULT_USERNAME = 'property_finance';
const FORM = 'must look like postgres://host:5432/name';
/** Parameters that pg reads as libpq does. `host` is the folder of a Unix socket. */
const FILES = ['sslrootcert', 'sslcert', 'sslkey'];
const PARAMETERS = ['host', 'port', 'sslmode', ...FILES];
export const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'];
/** A URL up to its hosts, and these. */
const UP_TO_HOSTS = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?([^/?#]*)/i;

/**
 * One `postgres://` URL for the driver, from DB_URL or from the single variables. DB_USERNAME, DB_PASSWORD, DB_SSLMODE
 * and DB_SSL_CA win over the URL. The message of an error names the variable, and never a value.
 */
export function databaseUrl(given: string | undefined, address: DatabaseAddress): string {
  const url = given === undefined ? fromParts(address) : fromUrl(given.trim());
  const { username, password } = address;
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
  if (!SSL_MODES.includes(mode)) throw new Error(`DB_URL takes as sslmode ${SSL_MODES.join(', ')}`);
  if (mode === 'verify-ca' && !searchParams.has('sslrootcert'))
    throw new Error("DB_SSL_CA is missing: verify-ca needs the certificate that signed the server's");
  for (const name of files) {
    const variable = name === 'sslrootcert' && sslCa !== undefined ? 'DB_SSL_CA' : 'DB_URL';
    readSecretFile(variable, searchParams.get(name) ?? '');
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
