import net from 'node:net';
import { opened } from './opened.js';

/** Stands between the service and PostgreSQL, so that a test can take the database away and give it back. */
export class DatabaseProxy {
  private readonly sockets = new Set<net.Socket>();
  private readonly server = net.createServer((socket) => this.accept(socket));
  private mode: 'forward' | 'hang' = 'forward';
  private delay = 0;
  private heard = '';
  private port = 0;

  private constructor(private target: net.NetConnectOpts) {}

  /** A proxy to the database that is closed at first: nobody listens on its port. */
  static async to(databaseUrl: string): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(addressOf(databaseUrl));
    opened(() => proxy.close());
    await proxy.reopen(); // to get a port
    await proxy.close();
    return proxy;
  }

  /** The same database by way of this proxy. */
  url(databaseUrl: string): string {
    const url = new URL(databaseUrl);
    url.search = '';
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  /** The database is there (again), for new connections; the old ones break. */
  async reopen(): Promise<void> {
    await this.close();
    this.mode = 'forward';
    this.delay = 0;
    await new Promise<void>((resolve) => this.server.listen(this.port, '127.0.0.1', resolve));
    this.port = (this.server.address() as net.AddressInfo).port;
  }

  /** New connections lead to another database; those there are stay where they are. */
  lead(databaseUrl: string): void {
    this.target = addressOf(databaseUrl);
  }

  /** New connections are taken and then hear nothing. */
  hang(): void {
    this.mode = 'hang';
  }

  /** What is asked arrives only after this many milliseconds. */
  slowDown(delay: number): void {
    this.delay = delay;
  }

  /** How often this text has been sent to the database. */
  countOf(text: string): number {
    return this.heard.split(text).length - 1;
  }

  /** New connections are refused; those there are go on. */
  refuse(): void {
    this.server.close();
  }

  /** The database is gone: no new connections, and the old ones break. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private accept(socket: net.Socket): void {
    this.keep(socket);
    if (this.mode === 'hang') return;
    const upstream = net.connect(this.target);
    this.keep(upstream);
    socket.on('data', (bytes) => {
      this.heard += bytes.toString('latin1');
      setTimeout(() => upstream.write(bytes), this.delay);
    });
    upstream.pipe(socket);
    socket.on('close', () => upstream.destroy());
    upstream.on('close', () => socket.destroy());
  }

  private keep(socket: net.Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.sockets.delete(socket));
  }
}

function addressOf(databaseUrl: string): net.NetConnectOpts {
  const { hostname, port, searchParams } = new URL(databaseUrl);
  const directory = searchParams.get('host');
  const portNumber = Number(searchParams.get('port') ?? port);
  return directory === null
    ? { host: hostname, port: portNumber }
    : { path: `${directory}/.s.PGSQL.${portNumber}` };
}
