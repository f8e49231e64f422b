import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { ProblemError } from '../common/problems/problem.js';

/** Milliseconds between two looks at all connections. */
const CHECK_INTERVAL = 1000;

/** Node's handle of a connection, which its types lack: the bytes that the system has not taken yet. */
interface Handled {
  readonly _handle?: { readonly writeQueueSize: number } | null;
}

export interface WatchedConnection {
  readonly exchanges: readonly { readonly request: IncomingMessage; readonly arrivesBy: number }[];
  /** Bytes of responses that the system has not taken, and since when as many. */
  unread: number;
  unreadSince: number;
}

/**
 * Refuses requests that arrive too late, and closes connections whose client has read nothing of its response for
 * `responseTimeout` milliseconds. Node's own clocks do neither: one does not stop for the service's pauses, the other begins
 * anew with every byte that the client sends.
 */
export function endSlow(
  server: Server,
  connections: ReadonlyMap<Socket, WatchedConnection>,
  responseTimeout: number,
): void {
  const check = setInterval(() => {
    const now = performance.now();
    for (const [socket, connection] of connections) {
      if (connection.exchanges.some(({ request, arrivesBy }) => !request.complete && arrivesBy < now))
        server.emit('clientError', new ProblemError('request-timeout'), socket);
      const unread = (socket as Handled)._handle?.writeQueueSize ?? 0;
      if (unread === 0 || unread !== connection.unread)
        Object.assign(connection, { unread, unreadSince: now });
      else if (now - connection.unreadSince > responseTimeout) socket.resetAndDestroy();
    }
  }, CHECK_INTERVAL).unref();
  server.once('close', () => clearInterval(check));
}
