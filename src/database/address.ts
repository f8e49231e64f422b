/** Where the server is, for people and logs: without the user and the password. The host may be the folder of a socket. */
export function publicAddress(url: string) {
  const { hostname, port, pathname, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? hostname;
  return { host, port: Number(port), name: decodeURIComponent(pathname.slice(1)) };
}
