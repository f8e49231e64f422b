import { once } from 'node:events';
import type net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Protocol } from '../protocol.js';
import {
  allSucceedFrom,
  criterion,
  livenessStaysUp,
  residentIsAtMost,
  serviceIsWell,
} from '../support/criteria.js';
import { count, tally, time } from '../support/figures.js';
import type { Owner } from '../support/accounts.js';
import { ownPages, pageRequest } from '../support/long-pages.js';
import { settle } from '../support/rig.js';
import { dial } from '../support/slow-sockets.js';
import { RESPONSE_TIMEOUT } from './limits.js';

const UNREAD = 40;
const SHORT_TIMEOUT = 3000;
/** For the pages to be written, and for the system to take their first megabytes. */
const MARGIN = 10_000;
const RESIDENT = 400;
const LIVENESS = 250;
const RATE = { writes: 50, reads: 50 };
/** Bytes that the slow reader takes within one timeout: Linux takes the next for it when it has room for 1.4 MB. */
const SLOW = 2_000_000;
const TICK = 100;
const LAST = '"last":true}';

export const UNREAD_ANSWERS: Protocol = {
  name: 'unread-answers',
  title: `${UNREAD} connections ask for pages of 12 MB and read nothing, and one reads slowly`,
  async run(rig, { short }) {
    const timeout = short ? SHORT_TIMEOUT : RESPONSE_TIMEOUT;
    const scene = await rig.scene({ rate: RATE, env: { RESPONSE_TIMEOUT: `${timeout}ms` } });
    const { cluster, service, load, probes } = scene;
    const owner = scene.owners[0]!;
    await ownPages(cluster, owner);
    load.start();
    probes.start();
    await sleep(1000);
    const reader = neverRead(service.url, owner);
    await once(reader, 'readable'); // before the others leave no room for it
    const slow = readSlowly(reader, timeout);
    const sockets = Array.from({ length: UNREAD }, () => neverRead(service.url, owner));
    await sleep(timeout + MARGIN);
    const ends = await Promise.all(sockets.map(endOf));
    const slowly = await slow;
    const ledger = await settle(scene);
    return [
      ...ledger,
      criterion(
        `unread answers are cut off within ${time(timeout + MARGIN)}, unless 429, 503 or in the system's buffers`,
        !ends.includes('open'),
        tally(ends),
      ),
      criterion('a slow reader is served to the end', slowly.whole, `${count(slowly.size)} bytes`),
      residentIsAtMost(RESIDENT, service.pid),
      allSucceedFrom('good traffic: every request succeeds', load.replies, 0),
      ...livenessStaysUp(probes, LIVENESS),
      ...serviceIsWell(service),
    ];
  },
};

function neverRead(url: string, owner: Owner): net.Socket {
  const socket = dial(url).pause();
  socket.write(pageRequest(owner));
  return socket;
}

/** Whether a connection has ended, now that it is read from. */
async function endOf(socket: net.Socket): Promise<string> {
  let head = '';
  let tail = '';
  socket.on('data', (part) => {
    head ||= part.toString('latin1', 0, 12);
    tail = (tail + part.toString('latin1')).slice(-100);
  });
  const closed = once(socket, 'close').then(() => 'cut off');
  socket.resume();
  const end = await Promise.race([closed, sleep(2000, 'open')]);
  socket.destroy();
  if (/ (429|503)$/.test(head)) return head.slice(-3);
  return tail.endsWith(LAST) ? 'whole' : end;
}

/** Slowly for three timeouts; then all the rest. */
async function readSlowly(socket: net.Socket, timeout: number): Promise<{ size: number; whole: boolean }> {
  let size = 0;
  let tail = '';
  const take = (part: Buffer): void => {
    size += part.length;
    tail = (tail + part.toString('latin1')).slice(-100);
  };
  for (const end = performance.now() + timeout * 3; performance.now() < end;) {
    take((socket.read(Math.round((SLOW * TICK) / timeout)) ?? Buffer.alloc(0)) as Buffer);
    await sleep(TICK);
  }
  socket.on('data', take).resume();
  while (!socket.closed && !tail.endsWith(LAST)) await sleep(50);
  socket.destroy();
  return { size, whole: tail.endsWith(LAST) };
}
