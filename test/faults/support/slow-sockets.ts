import net from 'node:net';

/** Opens a connection to the service; errors on it count as its end. */
export function dial(url: string): net.Socket {
  const { hostname, port } = new URL(url);
  const socket = net.connect({ host: hostname, port: Number(port), noDelay: true });
  socket.on('error', () => undefined);
  return socket;
}

/** The status of the response on a connection; 0 when it ends without one. */
export async function statusOn(socket: net.Socket): Promise<number> {
  return new Promise((resolve) => {
    let text = '';
    socket.setEncoding('latin1').on('data', (part: string) => {
      text += part;
      const status = /^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1];
      if (status !== undefined) resolve(Number(status));
    });
    socket.on('close', () => resolve(0));
  });
}
