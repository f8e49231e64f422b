import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as afterInput } from 'node:timers/promises';

interface Connections {
  readonly open: Set<Socket>;
  /** How many there have ever been. */
  accepted: number;
}

const CONNECTIONS = new WeakMap<Server, Connections>();

/** Remembers the server's open connections. */
export function watchConnections(server: Server): void {
  const connections: Connections = { open: new Set(), accepted: 0 };
  CONNECTIONS.set(server, connections);
  server.on('connection', (socket: Socket) => {
    connections.accepted++;
    connections.open.add(socket);
    socket.once('close', () => connections.open.delete(socket));
  });
}

export function openConnections(server: Server): number {
  return connectionsOf(server).size;
}

export function connectionsOf(server: Server): ReadonlySet<Socket> {
  return CONNECTIONS.get(server)?.open ?? new Set();
}

/**
 * Waits until no client waits to be accepted: when the listener closes, the system resets those that do, whatever
 * they have sent by then. libuv accepts one in each turn of the event loop, so a turn without one has seen none.
 * Under a flood that does not end it gives up after the milliseconds.
 */
export async function allAccepted(server: Server, within: number): Promise<void> {
  const connections = CONNECTIONS.get(server);
  if (connections === undefined) return;
  await afterInput(); // the rest of this turn
  for (const deadline = Date.now() + within; Date.now() < deadline;) {
    const before = connections.accepted;
    await afterInput();
    if (connections.accepted === before) return;
  }
}

/** Those that were silent when they were last looked at. */
const SILENT = new WeakSet<Socket>();

/**
 * Closes those that no request has ever come on: Node takes them for busy until their time is up. Only the second
 * time that they are found so, because the request of one just accepted may not have been read yet.
 */
export function closeSilentConnections(server: Server): void {
  for (const socket of connectionsOf(server)) {
    if (socket.bytesRead > 0) continue;
    if (SILENT.has(socket)) socket.destroy();
    SILENT.add(socket);
  }
}
