export interface DatabaseAddress {
  readonly host: string;
  readonly port: number;
  readonly name: string;
  readonly username: string | undefined;
  readonly password: string | undefined;
}

const DEFAULT_USERNAME = 'property_finance';

/**
 * One `postgres://` URL for the driver, from DB_URL (also in JDBC's form) or from the single variables.
 * DB_USERNAME and DB_PASSWORD win over what the URL says. The message of what it throws names the variable.
 */
export function databaseUrl(given: string | undefined, address: DatabaseAddress): string {
  const url = given === undefined ? fromParts(address) : fromUrl(given);
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

function fromParts({ host, port, name: database }: DatabaseAddress): URL {
  const url = new URL('postgres://localhost/');
  url.pathname = `/${encodeURIComponent(database)}`;
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

function fromUrl(text: string): URL {
  const remedy = 'DB_URL must look like postgres://host:5432/name or jdbc:postgresql://host:5432/name';
  // libpq takes a URL without a host, where `?host=` names the directory of a socket; the URL standard does not.
  const plain = text
    .trim()
    .replace(/^jdbc:/i, '')
    .replace(/^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)\//i, '$1localhost/');
  if (!/^postgres(ql)?:\/\//i.test(plain) || !URL.canParse(plain)) throw new Error(remedy);
  const url = new URL(plain);
  if (url.pathname.length < 2) throw new Error(remedy);
  if (![url.username, url.password, url.hostname, url.pathname].every(isDecodable))
    throw new Error('DB_URL must hold no % but in escapes of UTF-8: write %25 for the sign itself');
  if (url.port === '' && !url.searchParams.has('port')) url.port = '5432'; // else pg would take that of PGPORT
  if (takeParameter(url, 'ssl') === 'true') url.searchParams.set('sslmode', 'require'); // as JDBC writes it
  return url;
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
