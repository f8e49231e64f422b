import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const OPEN = new WeakMap<Server, Set<Socket>>();

/** Remembers the server's open connections. */
export function watchConnections(server: Server): void {
  const sockets = new Set<Socket>();
  OPEN.set(server, sockets);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
}

/** Closes those that no request has ever come on: Node takes them for busy until their time is up. */
export function closeSilentConnections(server: Server): void {
  for (const socket of OPEN.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy();
}
