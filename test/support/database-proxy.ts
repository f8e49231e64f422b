import { once } from 'node:events';
import net from 'node:net';
import { opened } from './opened.js';

/** Stands between the service and PostgreSQL: takes the database away, gives it back, or swallows all bytes. */
export class DatabaseProxy {
  /** The most connections that the service has held at once since {@link watch}. */
  mostOpen = 0;
  private readonly sockets = new Set<net.Socket>();
  /** Connections of the service that lead to the database. */
  private readonly joined = new Set<net.Socket>();
  private readonly server = net.createServer((socket) => this.accept(socket));
  /** The steps that wait for a good network; undefined in one. */
  private swallowed: (() => void)[] | undefined;
  private hangs = false;
  private refuses = false;
  private port = 0;
  private target: net.NetConnectOpts = { port: 0 };

  /** One that listens, and leads nowhere yet. */
  static async open(): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy();
    await once(proxy.server.listen(0, '127.0.0.1'), 'listening');
    proxy.port = (proxy.server.address() as net.AddressInfo).port;
    opened(() => proxy.end());
    return proxy;
  }

  /** Leads to this database from now on; returns its URL by way of here. */
  url(databaseUrl: string): string {
    this.lead(databaseUrl);
    const here = { search: '', hostname: '127.0.0.1', port: this.port };
    return Object.assign(new URL(databaseUrl), here).href;
  }

  /** New connections lead to this database; those there are stay where they are. */
  lead(databaseUrl: string): void {
    const { hostname, port: ownPort, searchParams } = new URL(databaseUrl);
    const folder = searchParams.get('host');
    const port = Number(searchParams.get('port') ?? ownPort);
    this.target = folder === null ? { host: hostname, port } : { path: `${folder}/.s.PGSQL.${port}` };
  }

  /** The database is there (again), for new connections; the old ones break. */
  reopen(): void {
    this.close();
    this.swallowed = undefined;
    this.hangs = false;
    this.refuses = false;
  }

  /** The database is gone: no new connections, and the old ones break. */
  close(): void {
    this.refuse();
    for (const socket of this.sockets) socket.destroy();
  }

  /** New connections are taken and then hear nothing; those there go on. */
  hang(): void {
    this.hangs = true;
  }

  /** New connections are reset; those there are go on. The port stays taken, so that no other program gets it. */
  refuse(): void {
    this.refuses = true;
  }

  end(): void {
    this.close();
    this.server.close();
  }

  watch(): void {
    this.mostOpen = this.joined.size;
  }

  /** Nothing comes through any more, and nobody is told: no bytes, no end, no new connection. */
  swallow(): void {
    this.swallowed = [];
  }

  /** A good network again, on which TCP sends what has got lost. */
  heal(): void {
    const late = this.swallowed ?? [];
    this.swallowed = undefined;
    for (const deliver of late) deliver();
  }

  private accept(service: net.Socket): void {
    let database: net.Socket | undefined;
    this.keep(service);
    if (this.refuses) service.resetAndDestroy();
    if (this.refuses || this.hangs) return;
    this.pass(() => {
      if (!service.destroyed) database = this.join(service);
    });
    service.on('data', (bytes) => this.pass(() => database?.write(bytes)));
    service.on('close', () => this.pass(() => database?.end()));
  }

  private join(service: net.Socket): net.Socket {
    const database = net.connect(this.target);
    this.keep(database);
    this.joined.add(service);
    this.count();
    for (const event of ['end', 'close']) service.on(event, () => this.joined.delete(service));
    database.on('data', (bytes) => this.pass(() => service.write(bytes)));
    database.on('close', () => this.pass(() => service.end()));
    return database;
  }

  /** Two turns later: the end of a connection may be read after the beginning of the one that the service opened in its place. */
  private count(): void {
    const joined = [...this.joined];
    const count = (): void => {
      const held = joined.filter((socket) => this.joined.has(socket));
      this.mostOpen = Math.max(this.mostOpen, held.length);
    };
    setImmediate(() => setImmediate(count));
  }

  /** Now, or in the same order once the network is good again. */
  private pass(step: () => void): void {
    if (this.swallowed === undefined) step();
    else this.swallowed.push(step);
  }

  private keep(socket: net.Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined); // both sides find out by themselves
    socket.on('close', () => this.sockets.delete(socket));
  }
}
