import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { connectionsOf } from './connections.js';

/** How often the connections are looked at, in milliseconds. */
const INTERVAL = 1000;

/** What was waiting on a connection, and since when nothing of it has gone. */
interface Stall {
  readonly waiting: string;
  readonly since: number;
}

/**
 * Closes connections whose client has taken nothing of what waits for it for so many milliseconds. One that takes
 * little is served on, however long that lasts.
 */
export function closeUnreadAnswers(server: Server, timeout: number): void {
  let stalls = new Map<Socket, Stall>();
  let looking = false;
  const look = async (): Promise<void> => {
    const waiting = [...connectionsOf(server)].filter((socket) => socket.writableLength > 0);
    const queues = waiting.length > 0 ? await systemQueues() : undefined;
    const before = stalls;
    const now = Date.now();
    stalls = new Map(waiting.map((socket) => [socket, stallOf(socket, queues, before.get(socket), now)]));
    for (const [socket, { since }] of stalls) if (now - since >= timeout) socket.resetAndDestroy();
  };
  const timer = setInterval(
    () => {
      if (looking) return;
      looking = true;
      void look().finally(() => (looking = false));
    },
    Math.min(INTERVAL, timeout),
  ).unref();
  server.once('close', () => clearInterval(timer));
}

function stallOf(socket: Socket, queues: Queues | undefined, before: Stall | undefined, now: number): Stall {
  const waiting = `${socket.writableLength} ${queueOf(socket)} ${queues?.get(socket.remotePort ?? 0) ?? ''}`;
  return before?.waiting === waiting ? before : { waiting, since: now };
}

/** The octets of the write under way that the system has not taken yet: what Node's own timeouts look at. */
function queueOf(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { _handle?: { writeQueueSize?: number } | null };
  return handle?.writeQueueSize ?? 0;
}

/** A client's port → what the system still has for it. */
type Queues = ReadonlyMap<number, string>;

const LINE = /^\s*\d+: [\dA-F]+:[\dA-F]{4} [\dA-F]+:([\dA-F]{4}) [\dA-F]{2} ([\dA-F]{8}):/gm;

/**
 * Linux takes megabytes for a quick connection, and the next only when a third of them has gone: a client that takes a
 * few kilobytes a second moves nothing of our own for a minute. Elsewhere there is only that to go by.
 */
async function systemQueues(): Promise<Queues> {
  const tables = await Promise.all(['tcp', 'tcp6'].map(readTable));
  const queues = new Map<number, string>();
  for (const [, port = '', queue = ''] of tables.join('').matchAll(LINE)) {
    const key = parseInt(port, 16);
    queues.set(key, `${queues.get(key) ?? ''}${queue}`); // clients at two addresses may have the same port
  }
  return queues;
}

async function readTable(name: string): Promise<string> {
  try {
    return await readFile(`/proc/self/net/${name}`, 'latin1');
  } catch {
    return '';
  }
}
