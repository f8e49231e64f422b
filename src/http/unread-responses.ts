import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Milliseconds between two looks at what the clients have left. */
const CHECK_INTERVAL = 1000;

/** Node's handle of a connection, which its types lack: the bytes that the system has not taken yet. */
interface Handled {
  readonly _handle: { readonly writeQueueSize: number } | null;
}

/**
 * Closes connections whose client has read nothing of its response for `timeout` milliseconds. Node's own timeout does not
 * bound that: it begins anew with every byte that the client sends.
 */
export function endUnread(
  server: Server,
  sockets: Pick<Map<Socket, unknown>, 'keys'>,
  timeout: number,
): void {
  let before = new Map<Socket, readonly [unread: number, since: number]>();
  const check = setInterval(() => {
    const [now, after] = [performance.now(), new Map<Socket, readonly [number, number]>()];
    for (const socket of sockets.keys() as Iterable<Socket & Handled>) {
      const unread = socket._handle?.writeQueueSize ?? 0;
      const [earlier, since] = before.get(socket) ?? [0, now];
      if (unread === 0) continue;
      if (unread === earlier && now - since > timeout) socket.resetAndDestroy();
      after.set(socket, [unread, unread === earlier ? since : now]);
    }
    before = after;
  }, CHECK_INTERVAL).unref();
  server.once('close', () => clearInterval(check));
}
