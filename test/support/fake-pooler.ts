import { once } from 'node:events';
import net from 'node:net';
import { pipeline } from 'node:stream';
import { opened } from './opened.js';

const REFUSAL = 'SFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0';
/** The beginning of BackendKeyData, which has the process number for cancelling. */
const KEY_DATA = Buffer.from('K\0\0\0\x0c');

/**
 * The URL of a database by way of a stand-in for PgBouncer 1.18, which is a package of the system. It asks nobody for a
 * password, and has a number for cancelling that is its own. Startup parameters other than user and database it refuses,
 * or else takes and passes on none. `npm run test:poolers` asks the real ones.
 */
export async function poolerBefore(databaseUrl: string, refuses = true): Promise<string> {
  const target = new URL(databaseUrl);
  const path = `${target.searchParams.get('host')}/.s.PGSQL.${target.port}`;
  const start = ['\0\x03\0\0user', target.username, 'database', target.pathname.slice(1), '', ''].join('\0');
  const sockets = new Set<net.Socket>();
  const server = net.createServer((client) => {
    sockets.add(client.on('error', () => undefined));
    client.once('data', (startup) => {
      if (refuses && startup.includes('\0statement_timeout\0')) return client.end(message('E', REFUSAL));
      const backend = net.connect({ path });
      sockets.add(backend.on('error', () => undefined));
      backend.write(message('', start));
      return backend.once('data', (welcome) => {
        welcome.writeInt32BE(1, welcome.indexOf(KEY_DATA) + KEY_DATA.length);
        client.write(welcome);
        pipeline(client, backend, client, () => undefined);
      });
    });
  });
  opened(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as net.AddressInfo;
  return `postgres://${target.username}:unused@127.0.0.1:${port}${target.pathname}`;
}

const READY = Buffer.from('Z\0\0\0\x05I');

/** The same in transaction mode: each transaction is on the backend that was free last. */
export async function transactionPoolerBefore(databaseUrl: string): Promise<string> {
  const url = new URL(await poolerBefore(databaseUrl, false));
  const port = Number(url.port);
  const free: net.Socket[] = [];
  const all = new Set<net.Socket>();
  const server = net.createServer((client) => {
    all.add(client.on('error', () => undefined));
    let backend: net.Socket | undefined;
    client.on('data', (bytes) => {
      if (bytes.toString() === 'X\0\0\0\x04') return;
      const isStart = bytes[0] === 0;
      backend ??= (isStart ? undefined : free.pop()) ?? net.connect(port, '127.0.0.1');
      all.add(backend.removeAllListeners().on('error', () => undefined));
      backend.on('data', (answer) => {
        client.write(answer);
        if (!answer.subarray(-READY.length).equals(READY)) return;
        free.push(backend!);
        backend = undefined;
      });
      backend.write(bytes);
    });
  });
  opened(() => {
    for (const socket of all) socket.destroy();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url.port = String((server.address() as net.AddressInfo).port);
  return url.href;
}

/** A message of PostgreSQL's protocol; the first one has no type. */
function message(type: string, content: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(length.length + content.length);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(content)]);
}
