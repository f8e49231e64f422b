import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { opened } from './opened.js';

/** What a pooler does that its clients notice; as seen of PgBouncer 1.18. `npm run test:poolers` has the real ones. */
export interface PoolerManners {
  /** It takes no startup parameters but user, database and the like; else it takes them and passes none on. */
  readonly refuses?: boolean;
  /** Connections share one of PostgreSQL, each for as long as a transaction lasts; else each has its own. */
  readonly byTransaction?: boolean;
  /** Where this is asked for it says that the server has crashed, and ends the connection. */
  readonly crashesAt?: string;
}

const LENGTH = 4;
const READY = 'Z';
const IDLE = 'I';
/** Query and Sync: PostgreSQL answers each with ReadyForQuery. */
const ENDS_A_QUESTION = ['Q', 'S'];
/** AuthenticationOk, a number for cancelling that is the pooler's own, ReadyForQuery. */
const WELCOME = Buffer.concat([
  message('R', Buffer.alloc(4)),
  message('K', randomBytes(8)),
  message(READY, Buffer.from(IDLE)),
]);

/** Stands in for PgBouncer, which needs a package of the system. Nobody asks for a password. */
export class FakePooler {
  readonly #shared: Backends;
  readonly #sockets = new Set<net.Socket>();
  readonly #server = net.createServer((client) => void this.#serve(client));

  private constructor(
    private readonly target: URL,
    private readonly manners: PoolerManners,
  ) {
    this.#shared = new Backends(target);
  }

  /** The URL by way of a pooler before this database. */
  static async before(databaseUrl: string, manners: PoolerManners): Promise<string> {
    const url = new URL(databaseUrl);
    const pooler = new FakePooler(url, manners);
    opened(() => pooler.#close());
    await once(pooler.#server.listen(0, '127.0.0.1'), 'listening');
    const { port } = pooler.#server.address() as net.AddressInfo;
    return `postgres://${url.username}:unused@127.0.0.1:${port}${url.pathname}`;
  }

  async #serve(client: net.Socket): Promise<void> {
    this.#sockets.add(client.on('error', () => undefined));
    const [startup] = (await once(client, 'data')) as [Buffer];
    if (this.manners.refuses === true && startup.includes('\0statement_timeout\0')) {
      client.end(errorMessage('unsupported startup parameter: statement_timeout'));
      return;
    }
    const { byTransaction = false, crashesAt } = this.manners;
    const session = new Session(
      client,
      byTransaction ? this.#shared : new Backends(this.target),
      !byTransaction,
    );
    client.write(WELCOME);
    client.on('data', (bytes: Buffer) => {
      if (crashesAt === undefined || !bytes.includes(crashesAt)) session.take(bytes);
      else client.end(errorMessage('server conn crashed?'));
    });
    client.on('close', () => session.end());
  }

  #close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    this.#shared.close();
  }
}

/** A client of the pooler. What it sends is handed on at once, as soon as there is somebody to hand it on to. */
class Session {
  #bytes = Buffer.alloc(0);
  #forwarded: Promise<unknown> = Promise.resolve();
  #turn: Turn | undefined;
  #unanswered = 0;

  constructor(
    private readonly client: net.Socket,
    private readonly backends: Backends,
    private readonly keeps: boolean,
  ) {}

  take(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    let end = endOfPart(this.#bytes, ENDS_A_QUESTION);
    while (end > 0) {
      const question = this.#bytes.subarray(0, end);
      this.#bytes = this.#bytes.subarray(end);
      this.#forwarded = this.#forwarded.then(() => this.#forward(question)).catch(() => undefined);
      end = endOfPart(this.#bytes, ENDS_A_QUESTION);
    }
  }

  /** PostgreSQL goes on with what it has got, and undoes a transaction whose end it has not. */
  end(): void {
    this.#turn?.lose();
    this.#turn = undefined;
  }

  async #forward(question: Buffer): Promise<void> {
    const turn = (this.#turn ??= await this.backends.take());
    if (this.client.destroyed) {
      this.end(); // whoever has gone while he waited is no longer served
      return;
    }
    this.#unanswered++;
    const backend = await turn.backend;
    backend.ask(question).then(
      (answer) => this.#answer(turn, answer),
      () => this.client.destroy(),
    );
  }

  #answer(turn: Turn, answer: Buffer): void {
    this.client.write(answer);
    if (--this.#unanswered > 0 || this.keeps || answer.at(-1) !== IDLE.charCodeAt(0)) return;
    this.#turn = undefined;
    turn.giveBack();
  }
}

interface Turn {
  readonly backend: Promise<Backend>;
  giveBack(): void;
  /** Ends the connection; the next one gets a new one. */
  lose(): void;
}

/** One connection to PostgreSQL, which one after the other may have. */
class Backends {
  #free: Promise<void> = Promise.resolve();
  #backend: Promise<Backend> | undefined;

  constructor(private readonly target: URL) {}

  async take(): Promise<Turn> {
    const free = this.#free;
    let giveBack = (): void => undefined;
    this.#free = new Promise((resolve) => (giveBack = resolve));
    await free;
    const backend = (this.#backend ??= Backend.open(this.target));
    const lose = (): void => {
      this.#backend = undefined;
      void backend.then((lost) => lost.end());
      giveBack();
    };
    return { backend, giveBack, lose };
  }

  close(): void {
    void this.#backend?.then((backend) => backend.end());
  }
}

/** A connection to PostgreSQL that answers one question after the other. */
class Backend {
  #answered: Promise<unknown> = Promise.resolve();
  #bytes = Buffer.alloc(0);

  private constructor(private readonly socket: net.Socket) {
    socket.on('error', () => undefined);
  }

  static async open({ searchParams, username, pathname }: URL): Promise<Backend> {
    const path = `${searchParams.get('host')}/.s.PGSQL.${searchParams.get('port')}`;
    const backend = new Backend(net.connect({ path }));
    const words = ['user', username, 'database', pathname.slice(1), '', ''].join('\0');
    await backend.ask(withLength(Buffer.concat([Buffer.from([0, 3, 0, 0]), Buffer.from(words)])));
    return backend;
  }

  ask(question: Buffer): Promise<Buffer> {
    this.socket.write(question);
    const answer = this.#answered.then(() => this.#nextAnswer());
    this.#answered = answer.catch(() => undefined);
    return answer;
  }

  end(): void {
    this.socket.destroy();
  }

  async #nextAnswer(): Promise<Buffer> {
    let end = endOfPart(this.#bytes, [READY]);
    for (; end === 0; end = endOfPart(this.#bytes, [READY]))
      this.#bytes = Buffer.concat([this.#bytes, ...((await once(this.socket, 'data')) as [Buffer])]);
    const answer = this.#bytes.subarray(0, end);
    this.#bytes = this.#bytes.subarray(end);
    return answer;
  }
}

/** Where the first message of one of these types ends; 0 where it is not all there yet. */
function endOfPart(bytes: Buffer, types: readonly string[]): number {
  for (let at = 0; at + 1 + LENGTH <= bytes.length;) {
    const type = String.fromCharCode(bytes[at]!);
    at += 1 + bytes.readInt32BE(at + 1);
    if (at <= bytes.length && types.includes(type)) return at;
  }
  return 0;
}

function message(type: string, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from(type), withLength(content)]);
}

function withLength(content: Buffer): Buffer {
  const length = Buffer.alloc(LENGTH);
  length.writeInt32BE(content.length + LENGTH);
  return Buffer.concat([length, content]);
}

function errorMessage(text: string): Buffer {
  return message('E', Buffer.from(`SFATAL\0C08P01\0M${text}\0\0`));
}
