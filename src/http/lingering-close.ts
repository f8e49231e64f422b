import type { Duplex } from 'node:stream';

/** Bytes that a client may go on sending behind the last response of its connection: more are not worth keeping it. */
export const MAX_DISCARDED_BYTES = 16 * 2 ** 20;
/** Milliseconds for which it may. */
const MAX_LINGER_TIME = 5000;

/**
 * Ends a connection behind its last response (RFC 9112, section 9.6). When a socket is closed on bytes that nobody has
 * read, the system resets the connection, and the reset takes the response away from a client that is still sending.
 * So only our side is closed at first, and what still comes is discarded, within bounds, until the client closes too.
 */
export function closeInStages(socket: Duplex): void {
  if (socket.writableEnded) return; // it is being closed
  let left = MAX_DISCARDED_BYTES;
  socket.removeAllListeners('data'); // the HTTP parser's: further bytes are no request any more
  socket.on('data', (bytes: Buffer) => {
    left -= bytes.length;
    if (left < 0) socket.destroy();
  });
  socket.resume().push(''); // starts to read where it or its parser had paused
  socket.end();
  const timer = setTimeout(() => socket.destroy(), MAX_LINGER_TIME);
  socket.once('close', () => clearTimeout(timer));
}
