/** What libpq calls target_session_attrs, as far as the service can do with it. */
export type Wanted = 'any' | 'primary' | 'read-write' | 'standby';

const DEFAULT_PORT = '5432';
/** A URL of PostgreSQL up to its hosts, and these. */
const UP_TO_HOSTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)/i;
/** The parameter of JDBC → that of libpq. */
const TARGET_SERVER_TYPES: Readonly<Record<string, string>> = {
  any: 'any',
  master: 'primary',
  primary: 'primary',
  secondary: 'standby',
  slave: 'standby',
  preferSecondary: 'prefer-standby',
  preferSlave: 'prefer-standby',
};

/** A list of hosts is no URL to the standard: takes it out, for {@link setHosts} to put in again as parameters. */
export function takeHosts(text: string): { text: string; hosts: string | undefined } {
  const [, before = '', hosts = ''] = UP_TO_HOSTS.exec(text) ?? [];
  if (!hosts.includes(',')) return { text, hosts: undefined };
  return { text: `${before}localhost${text.slice(before.length + hosts.length)}`, hosts };
}

/**
 * Several hosts, as libpq takes them too: `?host=a,b&port=5432,5433`. One is left as it is. As with libpq, the
 * parameters win over the hosts of the URL itself. What it throws has yet to be told of which variable it is.
 */
export function setHosts(url: URL, list: string | undefined): void {
  const entries = list?.split(',').map(entryOf);
  const hosts = url.searchParams.get('host')?.split(',') ??
    entries?.map(({ host }) => host) ?? [url.hostname];
  const ports = url.searchParams.get('port')?.split(',') ??
    entries?.map(({ port }) => port) ?? [url.port || DEFAULT_PORT];
  if (hosts.length === 1 && ports.length === 1) return;
  if (ports.length !== 1 && ports.length !== hosts.length)
    throw new Error(
      `has a list of ${ports.length} ports beside ${hosts.length === 1 ? 'one host' : `${hosts.length} hosts`}: give one port, or one for each host`,
    );
  url.port = '';
  url.searchParams.set('host', hosts.map(checkedHost).join(','));
  url.searchParams.set('port', hosts.map((_, index) => checkedPort(ports[index] ?? ports[0])).join(','));
}

/**
 * Reads which of the hosts is wanted, and keeps it where there is a choice. With a single host there is none, unless
 * asked for.
 */
export function setWanted(url: URL, allowed: readonly string[], fallback: Wanted): void {
  const { searchParams } = url;
  const ofJdbc = searchParams.get('targetServerType');
  searchParams.delete('targetServerType');
  const given =
    searchParams.get('target_session_attrs') ?? (ofJdbc && (TARGET_SERVER_TYPES[ofJdbc] ?? ofJdbc));
  const wanted = given ?? (isList(url) ? fallback : undefined);
  if (wanted === undefined) return;
  if (!allowed.includes(wanted)) throw new Error(`takes as target_session_attrs: ${allowed.join(', ')}`);
  searchParams.set('target_session_attrs', wanted === 'prefer-standby' ? 'standby' : wanted);
}

function isList(url: URL): boolean {
  return url.searchParams.get('host')?.includes(',') === true;
}

/** Of the hosts of a URL: `name`, `name:port`, `[::1]:port`, or a folder in escapes. */
function entryOf(text: string): { host: string; port: string } {
  const [, host = text, port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(text) ?? [];
  return { host: decodeURIComponent(host), port };
}

function checkedHost(text: string): string {
  if (text.trim() === '') throw new Error('has an empty place in its list of hosts');
  if (text.startsWith('/')) return text; // the folder of a Unix socket
  const host = text.replace(/^\[(.*)\]$/, '$1');
  const url = new URL('postgres://localhost');
  const name = host.includes(':') ? `[${host}]` : host;
  url.hostname = name;
  // What no host can hold the URL leaves out, but for escapes, which it keeps and pg resolves.
  if (url.hostname !== name || name.includes('%'))
    throw new Error('must be a list of host names or addresses');
  return host;
}

function checkedPort(text = ''): string {
  const port = text === '' ? DEFAULT_PORT : text;
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535)
    throw new Error('must hold ports from 1 to 65535');
  return port;
}
