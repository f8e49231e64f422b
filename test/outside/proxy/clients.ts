import { once } from 'node:events';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import type { Criterion } from '../../faults/protocol.js';
import { criterion } from '../../faults/support/criteria.js';
import { tally } from '../../faults/support/figures.js';
import type { Proxy } from './proxies.js';

const SIGN_IN = '/api/auth/signin';
const IMPORT = '/api/transactions/import';
const MIB = 2 ** 20;
/** Milliseconds in which the service would have answered, had it been sent the request. */
const PATIENCE = 500;

/** A POST without a token, from any address, on a connection of its own. */
async function post(
  proxy: Proxy,
  { path, length, address }: { path: string; length: number; address: string },
  send: (socket: tls.TLSSocket) => Promise<void> | void,
): Promise<string> {
  const raw = net.connect(proxy.forgeable, '127.0.0.1');
  raw.write(`PROXY TCP6 ${address} 2001:db8::1 40000 443\r\n`);
  const socket = tls.connect({ socket: raw, ca: proxy.ca, host: '127.0.0.1' });
  await once(socket, 'secureConnect');
  const head = [`POST ${path} HTTP/1.1`, 'host: localhost', 'content-type: application/json'];
  socket.write(`${[...head, `content-length: ${length}`, 'connection: close'].join('\r\n')}\r\n\r\n`);
  const answer = text(socket);
  await send(socket);
  return answer;
}

const statusOf = (answer: string): string => /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 'none';

/** One customer has 2 ** 64 addresses. */
export async function neighbours(name: string, proxy: Proxy, allowed: number): Promise<Criterion> {
  const body = JSON.stringify({ username: 'ada', password: 'a guess' });
  const guess = async (address: string): Promise<string> =>
    statusOf(
      await post(proxy, { path: SIGN_IN, length: body.length, address }, (socket) => void socket.write(body)),
    );
  const statuses: string[] = [];
  for (let index = 0; index < allowed + 10; index++)
    statuses.push(await guess(`2001:db8:0:1:${index.toString(16)}::1`));
  const stranger = await guess('2001:db8:0:2::1');
  return criterion(
    `${name}: tries from many addresses of one /64 count together, those from another do not`,
    statuses.filter((status) => status === '429').length >= 5 && stranger === '401',
    `${tally(statuses)}; another network: ${stranger}`,
  );
}

/** `waits` is the size of a body that the proxy takes as a whole before it passes the request on. */
export async function uploads(name: string, proxy: Proxy, waits: number): Promise<Criterion[]> {
  const address = '2001:db8:0:3::1';
  const tooLarge = async (path: string, length: number): Promise<string> =>
    post(proxy, { path, length, address }, () => undefined);
  const [some, file] = [await tooLarge('/api/transactions', 3 * MIB), await tooLarge(IMPORT, 13 * MIB)];
  let early = '';
  const slow = await post(proxy, { path: IMPORT, length: waits, address }, async (socket) => {
    const answered = once(socket, 'data').then(() => 'answered');
    socket.write(Buffer.alloc(waits / 2));
    early = await Promise.race([answered, sleep(PATIENCE, 'waits')]);
    socket.write(Buffer.alloc(waits / 2));
  });
  const isRefused = (answer: string): boolean =>
    statusOf(answer) === '413' &&
    answer.includes('application/problem+json') &&
    answer.includes('payload-too-large');
  return [
    criterion(
      `${name}: a body of 3 MiB and a file of 13 MiB are 413, as problems`,
      isRefused(some) && isRefused(file),
      `${statusOf(some)}, ${statusOf(file)}`,
    ),
    criterion(
      `${name}: a body of ${waits / 1024} KiB reaches the service once it is complete`,
      early === 'waits' && statusOf(slow) === '401',
      `${early} half-way; ${statusOf(slow)} at the end`,
    ),
  ];
}
