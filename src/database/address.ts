import type { Wanted } from '../config/host-list.js';

/** Where a server is, for people and logs: without the user and the password. */
export interface PublicAddress {
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly name: string;
}

const DEFAULT_PORT = 5432;
/** The parameters of a URL that choose among servers. pg knows none of them. */
const LIST = ['host', 'port', 'target_session_attrs'];

/** The servers that a setting names, in its order, each as a URL for the driver; and which of them is wanted. */
export function serversOf(url: string): { urls: string[]; wanted: Wanted } {
  const { searchParams } = new URL(url);
  const hosts = (searchParams.get('host') ?? '').split(',');
  const ports = (searchParams.get('port') ?? '').split(',');
  const wanted = (searchParams.get('target_session_attrs') ?? 'any') as Wanted; // as it was checked when it was read
  if (hosts.length === 1) return { urls: [without(url, ['target_session_attrs']).href], wanted };
  return { urls: hosts.map((host, index) => serverUrl(url, host, ports[index] ?? '')), wanted };
}

/** The address of a single server. */
export function publicAddress(url: string): PublicAddress {
  const { hostname, port, pathname, searchParams } = new URL(url);
  return {
    host: searchParams.get('host') ?? hostname,
    port: Number(searchParams.get('port') ?? port) || DEFAULT_PORT,
    name: decodeURIComponent(pathname.slice(1)),
  };
}

/** `host:port`, or the folder of a socket with it, to tell one server of a list from the others. */
export function serverName(url: string): string {
  const { host, port } = publicAddress(url);
  return `${host}:${port}`;
}

function serverUrl(list: string, host: string, port: string): string {
  const url = without(list, LIST);
  if (host.startsWith('/')) {
    url.searchParams.set('host', host); // a directory with a Unix socket
    url.searchParams.set('port', port);
  } else {
    url.hostname = host.includes(':') ? `[${host}]` : host;
    url.port = port;
  }
  return url.href;
}

function without(text: string, parameters: readonly string[]): URL {
  const url = new URL(text);
  for (const name of parameters) url.searchParams.delete(name);
  return url;
}
