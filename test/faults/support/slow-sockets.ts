import net from 'node:net';

/** Opens a connection to the service; errors on it count as its end. */
export function dial(url: string): net.Socket {
  const { hostname, port } = new URL(url);
  const socket = net.connect({ host: hostname, port: Number(port), noDelay: true });
  socket.on('error', () => undefined);
  return socket;
}
