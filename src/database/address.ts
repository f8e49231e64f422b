/** Where the server is, for people and logs: without the user and the password. */
export interface PublicAddress {
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly name: string;
}

export function publicAddress(url: string): PublicAddress {
  const { hostname, port, pathname, searchParams } = new URL(url);
  return {
    host: searchParams.get('host') ?? hostname,
    port: Number(port),
    name: decodeURIComponent(pathname.slice(1)),
  };
}
