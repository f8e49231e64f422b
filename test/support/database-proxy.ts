import { once } from 'node:events';
import net from 'node:net';
import { opened } from './opened.js';

/** What the way to the database does to what goes over it. */
type Trouble = 'none' | 'hang' | 'black-hole';

/** One connection of the service, and the one to the database that belongs to it. */
interface Pair {
  readonly service: net.Socket;
  readonly database: net.Socket;
}

/** Stands between the service and PostgreSQL: takes the database away, gives it back, or is a bad network. */
export class DatabaseProxy {
  /** The most connections that the service has held at once since {@link watch}. */
  mostOpen = 0;
  private readonly sockets = new Set<net.Socket>();
  private readonly pairs = new Set<Pair>();
  private readonly server = net.createServer({ allowHalfOpen: true }, (socket) => this.accept(socket));
  /** What the black hole has swallowed: TCP sends it again when the way is free. */
  private swallowed: (() => void)[] = [];
  private trouble: Trouble = 'none';
  private delay = 0;
  private port = 0;
  private target: net.NetConnectOpts = { port: 0 };

  /** One that listens, and leads nowhere yet. */
  static async open(): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy();
    opened(() => proxy.close());
    await proxy.reopen();
    return proxy;
  }

  /** One to this database that is closed at first: nobody listens on its port. */
  static async to(databaseUrl: string): Promise<DatabaseProxy> {
    const proxy = await DatabaseProxy.open();
    proxy.url(databaseUrl);
    await proxy.close();
    return proxy;
  }

  /** Leads to this database from now on; returns its URL by way of here. */
  url(databaseUrl: string): string {
    this.lead(databaseUrl);
    const url = new URL(databaseUrl);
    url.search = '';
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  /** New connections lead to this database; those there are stay where they are. */
  lead(databaseUrl: string): void {
    const { hostname, port, searchParams } = new URL(databaseUrl);
    const folder = searchParams.get('host');
    this.target =
      folder === null ? { host: hostname, port: Number(port) } : { path: `${folder}/.s.PGSQL.${port}` };
  }

  /** The database is there (again), for new connections; the old ones break. */
  async reopen(): Promise<void> {
    await this.close();
    this.swallowed = [];
    this.heal();
    await once(this.server.listen(this.port, '127.0.0.1'), 'listening');
    this.port = (this.server.address() as net.AddressInfo).port;
  }

  /** The database is gone: no new connections, and the old ones break. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  /** New connections are taken and then hear nothing; those there are go on. */
  hang(): void {
    this.trouble = 'hang';
  }

  /** New connections are refused; those there are go on. */
  refuse(): void {
    this.server.close();
  }

  watch(): void {
    this.mostOpen = this.open;
  }

  /** Everything that goes to the database arrives so many milliseconds later. */
  slowDown(delay: number): void {
    this.delay = delay;
  }

  /** Nothing comes through any more, and nobody is told: no bytes, no end, no new connection. */
  swallow(): void {
    this.trouble = 'black-hole';
  }

  /** A good network again. */
  heal(): void {
    this.trouble = 'none';
    this.delay = 0;
    const late = this.swallowed;
    this.swallowed = [];
    for (const deliver of late) deliver();
  }

  private accept(service: net.Socket): void {
    let database: net.Socket | undefined;
    let ended = false;
    this.keep(service);
    if (this.trouble === 'hang') return;
    this.pass(() => {
      if (ended) service.destroy();
      else database = this.join(service);
    });
    service.on('data', (bytes) => this.pass(() => database && this.ask(database, bytes)));
    service.on('end', () => {
      ended = true;
      this.pass(() => database?.end());
    });
    service.on('close', () => this.pass(() => database?.destroy()));
  }

  private join(service: net.Socket): net.Socket {
    const database = net.connect({ ...this.target, allowHalfOpen: true });
    this.keep(database);
    const pair = { service, database };
    this.pairs.add(pair);
    this.mostOpen = Math.max(this.mostOpen, this.open);
    database.on('data', (bytes) => this.pass(() => service.write(bytes)));
    database.on('end', () => this.pass(() => service.end()));
    database.on('close', () => {
      this.pairs.delete(pair);
      this.pass(() => service.destroy());
    });
    return database;
  }

  /** Those that the service has not ended: the database may hear of an end a moment later. */
  private get open(): number {
    return [...this.pairs].filter(({ service }) => !service.readableEnded && !service.destroyed).length;
  }

  /** Now, or when the black hole gives back what it has swallowed, in the same order. */
  private pass(step: () => void): void {
    if (this.trouble === 'black-hole') this.swallowed.push(step);
    else step();
  }

  private keep(socket: net.Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined); // both sides find out by themselves
    socket.on('close', () => this.sockets.delete(socket));
  }

  private ask(database: net.Socket, bytes: Buffer): void {
    const write = (): void => this.pass(() => database.write(bytes));
    if (this.delay === 0) write();
    else setTimeout(write, this.delay);
  }
}
