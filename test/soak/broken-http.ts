import type net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { dial, statusOn } from '../faults/support/slow-sockets.js';
import { BROKEN_FRAMING, framingOf } from '../fuzz/framing.js';
import { transactionRequest } from '../support/factories.js';
import { requestText } from '../support/wire.js';
import type { Fault, FaultContext } from './faulty-client.js';
import { someWord } from './context.js';

const DRIP_INTERVAL = 200;
/** Long enough for a request to be read, and not for it to be answered, mostly. */
const MOMENT = 2;
const TOO_LARGE = 2_000_000;

/** The connections of slow clients, which a rest does not wait for. */
const SLOW = new Set<net.Socket>();

/** Ends what would hold a rest for as long as a request may take to arrive. */
export function hangUp(): void {
  for (const socket of SLOW) socket.destroy();
}

type Bytes = (given: FaultContext) => string;

/** Bytes on a connection of their own, and the statuses that may come back; 0 for none. */
function wired(
  statuses: readonly number[],
  bytes: Bytes,
  afterwards?: (socket: net.Socket) => Promise<void> | void,
): Fault {
  return async (given) => {
    const { pace, answers, url } = given.context;
    await pace.take('fault', async () => {
      const text = bytes(given);
      const socket = dial(url);
      const answered = statusOn(socket);
      socket.write(text, 'latin1');
      await afterwards?.(socket);
      const status = await answered;
      answers.note(`on the wire: ${JSON.stringify(text.slice(0, 40))}`, statuses, { status });
      socket.destroy();
    });
  };
}

/** Goes on sending a byte now and then, until it is answered or hung up. */
function drip(socket: net.Socket): void {
  SLOW.add(socket);
  const timer = setInterval(() => socket.write('x'), DRIP_INTERVAL);
  socket.once('close', () => {
    clearInterval(timer);
    SLOW.delete(socket);
  });
  socket.once('data', () => clearInterval(timer));
}

/** Sends nothing more, and waits to be answered or hung up. */
function wait(socket: net.Socket): void {
  SLOW.add(socket);
  socket.once('close', () => SLOW.delete(socket));
}

async function reset(socket: net.Socket): Promise<void> {
  await sleep(MOMENT);
  socket.resetAndDestroy();
}

async function leave(socket: net.Socket): Promise<void> {
  await sleep(MOMENT);
  socket.destroy();
}

const withToken = ({ token }: FaultContext): string => `Authorization: Bearer ${token()}`;
const JSON_TYPE = 'Content-Type: application/json';

function creation(given: FaultContext): string {
  const body = JSON.stringify(
    transactionRequest(given.propertyId, { notes: someWord(given.context.random) }),
  );
  return requestText('POST /api/transactions HTTP/1.1', [withToken(given), JSON_TYPE], body);
}

const half = (text: string): string => text.slice(0, -50);
const list: Bytes = (given) => requestText('GET /api/transactions HTTP/1.1', [withToken(given)]);
const noise: Bytes = ({ context: { random } }) => `${someWord(random)} ${someWord(random)}\r\n\r\n`;

/** Every broken framing in turn. */
let turn = 0;
const broken: Bytes = (given) => {
  const forms = Object.values(BROKEN_FRAMING);
  return forms[turn++ % forms.length]!(framingOf(withToken(given)));
};

/** What a proper client cannot send. */
export const BROKEN_HTTP: readonly Fault[] = [
  wired([400], noise),
  wired([400], broken),
  wired([400], (given) => `GET /${someWord(given.context.random)} HTTP/1.1\r\n\r\n`),
  wired([400], (given) =>
    requestText(`GET /%zz${someWord(given.context.random)} HTTP/1.1`, [withToken(given)]),
  ),
  wired([414], ({ context: { random } }) =>
    requestText(`GET /${someWord(random).padEnd(10_000, 'x')} HTTP/1.1`),
  ),
  wired([431], ({ context: { random } }) =>
    requestText('GET / HTTP/1.1', [`X-Big: ${someWord(random).padEnd(20_000, 'x')}`]),
  ),
  wired([417], (given) =>
    requestText('GET /api/transactions HTTP/1.1', [withToken(given), 'Expect: the worst']),
  ),
  wired([413], (given) =>
    requestText('POST /api/properties HTTP/1.1', [
      withToken(given),
      JSON_TYPE,
      `Content-Length: ${TOO_LARGE}`,
    ]),
  ),
  wired([408, 0], (given) => half(creation(given)), drip),
  wired([408, 0], () => 'GET /api/transactions HTTP/1.1\r\nHost: localhost\r\nX-Slow: ', drip),
  wired([408, 0], () => '', wait),
  wired([0], (given) => half(creation(given)), reset),
  wired([0], (given) => half(creation(given)), leave),
  wired([200, 0], list, reset),
  wired([200, 0], list, leave),
];
