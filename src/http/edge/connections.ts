import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const OPEN = new WeakMap<Server, Set<Socket>>();

/** Remembers the server's open connections. */
export function watchConnections(server: Server): void {
  const open = new Set<Socket>();
  OPEN.set(server, open);
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
}

export function openConnections(server: Server): ReadonlySet<Socket> {
  return OPEN.get(server) ?? new Set();
}

/** Closes connections on which no request has ever come: Node takes them for busy until their time is up. */
export function closeSilentConnections(server: Server): void {
  for (const socket of openConnections(server)) if (socket.bytesRead === 0) socket.destroy();
}
