import { once } from 'node:events';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import type { Criterion } from '../../faults/protocol.js';
import type { Owner } from '../../faults/support/accounts.js';
import { criterion } from '../../faults/support/criteria.js';
import { tally } from '../../faults/support/figures.js';
import { send } from '../../support/http.js';
import type { Proxy } from './proxies.js';

/** Tries of a password a minute. nginx allows one beside its burst, and another after three seconds. */
const [ALLOWED, TOLERANCE] = [20, 4];
const SPELLINGS = ['/api/auth/signin', '/api/auth/sign%69n'];
const GUESS = JSON.stringify({ username: 'ada', password: 'a guess' });
const IMPORT = '/api/transactions/import';
const MIB = 2 ** 20;
/** Milliseconds in which the service would have answered a request that the proxy had passed on. */
const PATIENCE = 500;

interface Post {
  readonly path: string;
  readonly length: number;
  readonly address: string;
}

/** A POST without a token, from any address, on a connection of its own. Returns the whole response. */
async function post(
  proxy: Proxy,
  { path, length, address }: Post,
  write: (socket: tls.TLSSocket) => Promise<void> | void = () => undefined,
): Promise<string> {
  const raw = net.connect(proxy.forgeable, '127.0.0.1');
  raw.write(`PROXY TCP6 ${address} 2001:db8::1 40000 443\r\n`);
  const socket = tls.connect({ socket: raw, ca: proxy.ca, host: '127.0.0.1' });
  await once(socket, 'secureConnect');
  const head = [`POST ${path} HTTP/1.1`, 'host: localhost', 'content-type: application/json'];
  socket.write(`${[...head, `content-length: ${length}`, 'connection: close'].join('\r\n')}\r\n\r\n`);
  const response = text(socket);
  await write(socket);
  return response;
}

const statusOf = (response: string): string => /^HTTP\/1\.1 (\d{3})/.exec(response)?.[1] ?? 'none';

/** The limit on sign-in, on one address under both spellings of the path, and on the addresses of one /64. */
export async function guessing(name: string, proxy: Proxy, { token }: Owner): Promise<Criterion[]> {
  const { url, agent } = proxy;
  const headers = { 'content-type': 'application/json' };
  const answers = [];
  for (let index = 0; index < ALLOWED + 10; index++) {
    const path = SPELLINGS[index % SPELLINGS.length] ?? '';
    answers.push(await send(url, { method: 'POST', path, headers, body: GUESS }, { agent }));
  }
  const passed = answers.filter(({ status }) => status === 401).length;
  const refused = answers.filter(({ status }) => status === 429);
  const isProblem = refused.every(
    (answer) =>
      answer.headers['content-type'] === 'application/problem+json' &&
      answer.headers['retry-after'] === '60' &&
      (JSON.parse(answer.text) as { status: number }).status === 429,
  );
  const me = { method: 'GET', path: '/api/users/me', headers: { authorization: `Bearer ${token}` } };
  const other = await send(url, me, { agent });
  const hsts = other.headers['strict-transport-security'] ?? 'none';
  const guess = async (address: string): Promise<string> =>
    statusOf(
      await post(
        proxy,
        { path: SPELLINGS[0]!, length: GUESS.length, address },
        (socket) => void socket.write(GUESS),
      ),
    );
  const neighbours: string[] = [];
  for (let index = 0; index < ALLOWED + 10; index++)
    neighbours.push(await guess(`2001:db8:0:1:${index.toString(16)}::1`));
  const stranger = await guess('2001:db8:0:2::1');
  return [
    criterion(
      `${name}: ${ALLOWED} tries of a password a minute pass, the others are 429 problems`,
      passed >= ALLOWED && passed <= ALLOWED + TOLERANCE && refused.length > 0 && isProblem,
      tally(answers.map(({ status }) => String(status))),
    ),
    criterion(
      `${name}: other requests pass over TLS, with HSTS`,
      other.status === 200 && hsts !== 'none',
      `${other.status}, ${hsts}`,
    ),
    criterion(
      `${name}: tries from addresses of one /64 count together, those from another do not`,
      neighbours.filter((status) => status === '429').length >= 5 && stranger === '401',
      `${tally(neighbours)}; another network: ${stranger}`,
    ),
  ];
}

/** Bodies above the limits, and a slow body of the size that the proxy collects before it passes a request on. */
export async function uploads(name: string, proxy: Proxy, collected: number): Promise<Criterion[]> {
  const address = '2001:db8:0:3::1';
  const large = await post(proxy, { path: '/api/transactions', length: 3 * MIB, address });
  const file = await post(proxy, { path: IMPORT, length: 13 * MIB, address });
  let early = '';
  const slow = await post(proxy, { path: IMPORT, length: collected, address }, async (socket) => {
    const answered = once(socket, 'data').then(() => 'answered');
    socket.write(Buffer.alloc(collected / 2));
    early = await Promise.race([answered, sleep(PATIENCE, 'waits')]);
    socket.write(Buffer.alloc(collected / 2));
  });
  const isRefused = (response: string): boolean =>
    /^HTTP\/1\.1 413.*application\/problem\+json.*payload-too-large/s.test(response);
  return [
    criterion(
      `${name}: a body of 3 MiB and a file of 13 MiB are 413 problems`,
      isRefused(large) && isRefused(file),
      `${statusOf(large)}, ${statusOf(file)}`,
    ),
    criterion(
      `${name}: a body of ${collected / 1024} KiB reaches the service once it is complete`,
      early === 'waits' && statusOf(slow) === '401',
      `${early} half-way; ${statusOf(slow)} at the end`,
    ),
  ];
}
