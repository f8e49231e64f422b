/** Where a database is, for people and logs: without the user and the password. */
export interface PublicAddress {
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly name: string;
}

const DEFAULT_PORT = 5432;

export function publicAddress(url: string): PublicAddress {
  const { hostname, port, pathname, searchParams } = new URL(url);
  return {
    host: searchParams.get('host') ?? hostname,
    port: Number(searchParams.get('port') ?? port) || DEFAULT_PORT,
    name: decodeURIComponent(pathname.slice(1)),
  };
}
