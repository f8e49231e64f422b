import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { opened } from './opened.js';

const REFUSAL = 'unsupported startup parameter: statement_timeout';
const READY = Buffer.from([...Buffer.from('Z'), 0, 0, 0, 5, ...Buffer.from('I')]);
/** AuthenticationOk, a number for cancelling that is the pooler's own, ReadyForQuery. */
const WELCOME = Buffer.concat([message('R', Buffer.alloc(4)), message('K', randomBytes(8)), READY]);

/**
 * The URL of a database by way of a stand-in for PgBouncer 1.18, which is a package of the system. It asks nobody for a
 * password. Startup parameters other than user and database it refuses, or else takes and passes on none. `npm run
 * test:poolers` asks the real ones.
 */
export async function poolerBefore(databaseUrl: string, refuses = true): Promise<string> {
  const target = new URL(databaseUrl);
  const sockets = new Set<net.Socket>();
  const serve = async (client: net.Socket): Promise<void> => {
    sockets.add(client.on('error', () => undefined));
    const [startup] = (await once(client, 'data')) as [Buffer];
    if (refuses && startup.includes('\0statement_timeout\0'))
      return void client.end(message('E', Buffer.from(`SFATAL\0C08P01\0M${REFUSAL}\0\0`)));
    const backend = await connect(target);
    sockets.add(backend.on('error', () => undefined));
    client.on('data', (bytes: Buffer) => backend.write(bytes)).on('close', () => backend.destroy());
    backend.on('data', (bytes: Buffer) => client.write(bytes)).on('close', () => client.destroy());
    client.write(WELCOME);
  };
  const server = net.createServer((client) => void serve(client).catch(() => client.destroy()));
  opened(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as net.AddressInfo;
  return `postgres://${target.username}:unused@127.0.0.1:${port}${target.pathname}`;
}

/** A connection to PostgreSQL without startup parameters, which has been welcomed. */
async function connect({ searchParams, port, username, pathname }: URL): Promise<net.Socket> {
  const socket = net.connect({ path: `${searchParams.get('host')}/.s.PGSQL.${port}` });
  const words = ['user', username, 'database', pathname.slice(1), '', ''].join('\0');
  socket.write(withLength(Buffer.concat([Buffer.from([0, 3, 0, 0]), Buffer.from(words)])));
  for (let bytes = Buffer.alloc(0); !bytes.includes(READY);)
    bytes = Buffer.concat([bytes, ...((await once(socket, 'data')) as [Buffer])]);
  return socket;
}

function message(type: string, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from(type), withLength(content)]);
}

function withLength(content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(content.length + length.length);
  return Buffer.concat([length, content]);
}
