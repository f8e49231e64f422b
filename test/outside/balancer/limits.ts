import { once } from 'node:events';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import type { Criterion } from '../../faults/protocol.js';
import { criterion } from '../../faults/support/criteria.js';
import { tally } from '../../faults/support/figures.js';
import { send } from '../../support/client.js';
import type { Proxy } from './proxies.js';

/** Tries of a password a minute. nginx allows one beside its burst, and another after three seconds. */
const [ALLOWED, TOLERANCE] = [20, 4];
const SPELLINGS = ['/api/auth/signin', '/api/auth/sign%69n'];
const GUESS = JSON.stringify({ username: 'ada', password: 'a guess' });
const IMPORT = '/api/transactions/import';
const ME = { method: 'GET', path: '/api/users/me' };
const MIB = 2 ** 20;
/** Milliseconds in which the service would have answered a request that the proxy had passed on. */
const PATIENCE = 500;

interface Post {
  readonly path: string;
  readonly length: number;
  readonly address: string;
}

type Write = (socket: tls.TLSSocket) => Promise<void> | void;

/** A POST without a token, from any address, on a connection of its own. Returns the whole response. */
async function post(proxy: Proxy, { path, length, address }: Post, write?: Write): Promise<string> {
  const raw = net.connect(proxy.forgeable, '127.0.0.1');
  const [family, target] = net.isIPv4(address) ? ['TCP4', '192.0.2.1'] : ['TCP6', '2001:db8::1'];
  raw.write(`PROXY ${family} ${address} ${target} 40000 443\r\n`);
  const socket = tls.connect({ socket: raw, ca: proxy.ca, host: '127.0.0.1' });
  await once(socket, 'secureConnect');
  const head = [`POST ${path} HTTP/1.1`, 'host: localhost', 'content-type: application/json'];
  socket.write(`${[...head, `content-length: ${length}`, 'connection: close'].join('\r\n')}\r\n\r\n`);
  const response = text(socket);
  await write?.(socket);
  return response;
}

const statusOf = (response: string): string => /^HTTP\/1\.1 (\d{3})/.exec(response)?.[1] ?? 'none';

/** Tries of one client, by the index of the try: one IPv4 address, and the addresses of one /64. */
const CLIENTS: Readonly<Record<string, (index: number) => string>> = {
  'from one address': () => '203.0.113.7',
  'from one /64': (index) => `2001:db8:0:1:${index.toString(16)}::1`,
};
const PROBLEM = [/^content-type: application\/problem\+json\r$/im, /^retry-after: 60\r$/im, /"status":429/];

/** The limit on sign-in, under both spellings of its path. */
export async function guessing(name: string, proxy: Proxy): Promise<Criterion[]> {
  const guess = (address: string, index = 0): Promise<string> => {
    const path = SPELLINGS[index % SPELLINGS.length]!;
    return post(proxy, { path, length: GUESS.length, address }, (socket) => void socket.write(GUESS));
  };
  const criteria: Criterion[] = [];
  for (const [client, addressOf] of Object.entries(CLIENTS)) {
    const responses: string[] = [];
    for (let index = 0; index < ALLOWED + 10; index++) responses.push(await guess(addressOf(index), index));
    const passed = responses.filter((response) => statusOf(response) === '401').length;
    const problems = responses.filter((response) => PROBLEM.every((part) => part.test(response))).length;
    const isRight = passed >= ALLOWED && passed <= ALLOWED + TOLERANCE && passed + problems === ALLOWED + 10;
    const words = `${name}: ${ALLOWED} tries of a password a minute ${client} pass, the others are 429 problems`;
    criteria.push(criterion(words, isRight, tally(responses.map(statusOf))));
  }
  const stranger = statusOf(await guess('2001:db8:0:2::1'));
  const { status, headers } = await send(proxy.url, ME, { agent: proxy.agent });
  const hsts = headers.get('strict-transport-security');
  const others = `${status}, Strict-Transport-Security: ${hsts ?? 'none'}`;
  return [
    ...criteria,
    criterion(`${name}: a try from another /64 passes`, stranger === '401', stranger),
    criterion(`${name}: other requests pass, with HSTS`, status === 401 && hsts !== null, others),
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
  const areRefused = [large, file].every((response) =>
    /^HTTP\/1\.1 413.*application\/problem\+json.*payload-too-large/s.test(response),
  );
  const bodies = `${name}: a body of 3 MiB and a file of 13 MiB are 413 problems`;
  const waits = `${name}: a body of ${collected / 1024} KiB reaches the service once it is complete`;
  const both = early === 'waits' && statusOf(slow) === '401';
  return [
    criterion(bodies, areRefused, `${statusOf(large)}, ${statusOf(file)}`),
    criterion(waits, both, `${early} half-way; ${statusOf(slow)} at the end`),
  ];
}
