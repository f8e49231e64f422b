import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { opened } from './opened.js';

/** What a pooler does that its clients notice; as seen of PgBouncer 1.18 before PostgreSQL 15. */
export interface PoolerManners {
  /** It takes no startup parameters but user, database and the like; else it takes them and passes none on. */
  readonly refuses?: boolean;
  /** Connections share one of PostgreSQL, each for as long as a transaction lasts; else each has its own. */
  readonly byTransaction?: boolean;
}

const LENGTH = 4;
const READY = 'Z';
/** AuthenticationOk, a number for cancelling that is the pooler's own, ReadyForQuery. */
const WELCOME = Buffer.concat([
  message('R', Buffer.alloc(4)),
  message('K', randomBytes(8)),
  message(READY, Buffer.from('I')),
]);

/** Stands in for PgBouncer, which needs a package of the system. Nothing is pipelined, and nobody asks for a password. */
export class FakePooler {
  readonly #shared: Promise<Backend>;
  readonly #sockets = new Set<net.Socket>();
  readonly #server = net.createServer((client) => void this.#serve(client));

  private constructor(
    private readonly target: URL,
    private readonly manners: PoolerManners,
  ) {
    this.#shared = Backend.open(target);
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
    const backend = await (this.manners.byTransaction === true ? this.#shared : Backend.open(this.target));
    if (this.manners.byTransaction !== true) client.on('close', () => backend.end());
    client.write(WELCOME);
    client.on('data', (question: Buffer) => {
      if (!question.includes('X\0\0\0\x04'))
        void backend.ask(question).then((answer) => client.write(answer));
    });
  }

  async #close(): Promise<void> {
    (await this.#shared).end();
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

/** A connection to PostgreSQL that answers one question after the other. */
class Backend {
  #queue: Promise<unknown> = Promise.resolve();

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
    const answer = this.#queue.then(async () => {
      this.socket.write(question);
      let bytes = Buffer.alloc(0);
      while (!isWhole(bytes))
        bytes = Buffer.concat([bytes, ...((await once(this.socket, 'data')) as [Buffer])]);
      return bytes;
    });
    this.#queue = answer.catch(() => undefined);
    return answer;
  }

  end(): void {
    this.socket.destroy();
  }
}

/** Whether the last message is there, and says that the next question may come. */
function isWhole(bytes: Buffer): boolean {
  for (let at = 0, type = ''; ; type = String.fromCharCode(bytes[at]!), at += 1 + bytes.readInt32BE(at + 1)) {
    if (at === bytes.length) return type === READY;
    if (at + 1 + LENGTH > bytes.length) return false;
  }
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
