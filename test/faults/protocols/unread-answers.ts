import { once } from 'node:events';
import type net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { criterion } from '../support/criteria.js';
import { count, tally, time } from '../support/figures.js';
import { ownPages, unreadPage } from '../support/long-pages.js';
import { crowd } from './crowd.js';
import { RESPONSE_TIMEOUT } from './limits.js';

const UNREAD = 40;
const SHORT_TIMEOUT = 2000;
/** Bytes that the slow reader takes within one timeout: Linux asks for more at 1.4 MB of room. */
const SLOW = 2_000_000;
const TICK = 100;
const LAST = '"last":true}';

const timeoutOf = (short: boolean): number => (short ? SHORT_TIMEOUT : RESPONSE_TIMEOUT);

export const UNREAD_ANSWERS = crowd({
  name: 'unread-answers',
  title: `${UNREAD} connections ask for pages of 12 MB and read nothing, and one reads slowly`,
  scene: (short) => ({
    rate: { writes: 50, reads: 50 },
    env: { RESPONSE_TIMEOUT: `${timeoutOf(short)}ms` },
  }),
  async press({ cluster, service, owners }, short) {
    const timeout = timeoutOf(short);
    const margin = short ? 5000 : 10_000; // the pages are written first, and the system buffers megabytes
    const owner = owners[0]!;
    await ownPages(cluster, owner);
    const reader = unreadPage(service.url, owner);
    await once(reader, 'readable'); // before the others leave no room for it
    const slow = readSlowly(reader, timeout);
    const sockets = Array.from({ length: UNREAD }, () => unreadPage(service.url, owner));
    await sleep(timeout + margin);
    const ends = await Promise.all(sockets.map(endOf));
    const { size, isWhole } = await slow;
    return [
      criterion(
        `unread answers end within ${time(timeout + margin)}, unless 429, 503 or in the system's buffers`,
        !ends.includes('open'),
        tally(ends),
      ),
      criterion('a slow reader is served to the end', isWhole, `${count(size)} bytes`),
    ];
  },
});

/** The end of a connection that is read from now on. */
async function endOf(socket: net.Socket): Promise<string> {
  let head = '';
  let tail = '';
  socket.setEncoding('latin1').on('data', (part: string) => {
    head ||= part.slice(0, 12);
    tail = (tail + part).slice(-LAST.length);
  });
  const closed = once(socket, 'close').then(() => 'cut off');
  socket.resume();
  const end = await Promise.race([closed, sleep(2000, 'open')]);
  socket.destroy();
  if (/ (429|503)$/.test(head)) return head.slice(-3);
  return tail === LAST ? 'whole' : end;
}

/** Slowly for three timeouts, then the rest at once. */
async function readSlowly(socket: net.Socket, timeout: number): Promise<{ size: number; isWhole: boolean }> {
  let size = 0;
  let tail = '';
  const take = (part: Buffer | null): void => {
    if (part === null) return;
    size += part.length;
    tail = (tail + part.toString('latin1')).slice(-LAST.length);
  };
  for (const end = performance.now() + timeout * 3; performance.now() < end;) {
    take(socket.read(Math.round((SLOW * TICK) / timeout)) as Buffer | null);
    await sleep(TICK);
  }
  socket.on('data', take).resume();
  while (!socket.closed && tail !== LAST) await sleep(50);
  socket.destroy();
  return { size, isWhole: tail === LAST };
}
