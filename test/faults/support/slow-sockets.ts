import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { requestText } from '../../support/wire.js';

/** Opens a connection to the service; errors on it are seen as its end. */
export function dial(url: string): net.Socket {
  const { hostname, port } = new URL(url);
  const socket = net.connect({ host: hostname, port: Number(port), noDelay: true });
  socket.on('error', () => undefined);
  return socket;
}

/** The status of the answer on a connection; 0 when it ends without one. */
export async function statusOn(socket: net.Socket): Promise<number> {
  return new Promise((resolve) => {
    let text = '';
    const look = (): void => {
      const status = /^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1];
      if (status !== undefined) resolve(Number(status));
    };
    socket.setEncoding('latin1').on('data', (part: string) => {
      text += part;
      look();
    });
    socket.on('close', () => resolve(0));
  });
}

/** A search whose body comes byte by byte, for so many milliseconds. The status of its answer. */
export async function sendSlowly(url: string, token: string, lasting: number): Promise<number> {
  const body = '{"size": 1}';
  const socket = dial(url);
  const status = statusOn(socket);
  const headers = [`Authorization: Bearer ${token}`, 'Content-Type: application/json'];
  socket.write(requestText('POST /api/transactions/search HTTP/1.1', headers, body).slice(0, -body.length));
  for (const char of body) {
    await sleep(lasting / body.length);
    socket.write(char);
  }
  const answer = await status;
  socket.destroy();
  return answer;
}
