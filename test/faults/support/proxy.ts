import { once } from 'node:events';
import net from 'node:net';

/** What the way to the database does to what goes over it. */
type Trouble = 'none' | 'black-hole' | 'reset';

/** One connection of the service, and the one to the database that belongs to it. */
interface Pair {
  readonly service: net.Socket;
  readonly database: net.Socket;
}

/** Of the answers, this many come through whole before one is cut off. */
const WHOLE_ANSWERS = 50;

/** Stands between the service and PostgreSQL, and is as bad a network as it is told to be. */
export class FaultProxy {
  /** The most connections that the service has held at once since {@link watch}. */
  mostOpen = 0;
  private readonly pairs = new Set<Pair>();
  private readonly server = net.createServer({ allowHalfOpen: true }, (socket) => this.accept(socket));
  /** What the black hole has swallowed: TCP sends it again when the way is free. */
  private swallowed: (() => void)[] = [];
  private trouble: Trouble = 'none';
  private delay = 0;
  private answers = 0;

  private socketFile = '';

  static async open(): Promise<FaultProxy> {
    const proxy = new FaultProxy();
    await once(proxy.server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  /** Leads to this database from now on; returns its URL by way of here. */
  to(databaseUrl: string): string {
    const url = new URL(databaseUrl);
    const { searchParams } = url;
    this.socketFile = `${searchParams.get('host') ?? ''}/.s.PGSQL.${searchParams.get('port') ?? ''}`;
    url.search = '';
    url.hostname = '127.0.0.1';
    url.port = String((this.server.address() as net.AddressInfo).port);
    return url.href;
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

  /** Now and then an answer breaks off in the middle, and its connection is reset. */
  cutOff(): void {
    this.trouble = 'reset';
  }

  /** Ends all connections in the direction of the service only. */
  halfClose(): void {
    for (const { service } of this.pairs) service.end();
  }

  /** A good network again. */
  heal(): void {
    this.trouble = 'none';
    this.delay = 0;
    const late = this.swallowed;
    this.swallowed = [];
    for (const deliver of late) deliver();
  }

  async close(): Promise<void> {
    const closed = once(this.server.close(), 'close');
    for (const { service, database } of this.pairs)
      for (const socket of [service, database]) socket.destroy();
    await closed;
  }

  private accept(service: net.Socket): void {
    let database: net.Socket | undefined;
    let ended = false;
    service.on('error', () => undefined); // the service finds out by itself
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
    const database = net.connect({ path: this.socketFile, allowHalfOpen: true });
    const pair = { service, database };
    this.pairs.add(pair);
    this.mostOpen = Math.max(this.mostOpen, this.open);
    database.on('error', () => undefined);
    database.on('data', (bytes) => this.pass(() => this.answer(service, bytes)));
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

  private ask(database: net.Socket, bytes: Buffer): void {
    const write = (): void => this.pass(() => database.write(bytes));
    if (this.delay === 0) write();
    else setTimeout(write, this.delay);
  }

  private answer(service: net.Socket, bytes: Buffer): void {
    if (this.trouble !== 'reset' || ++this.answers % WHOLE_ANSWERS !== 0) service.write(bytes);
    else service.write(bytes.subarray(0, bytes.length / 2), () => service.resetAndDestroy());
  }
}
