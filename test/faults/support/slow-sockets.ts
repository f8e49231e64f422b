import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface SlowRequest {
  readonly path: string;
  readonly token: string;
  readonly body: string;
  /** How long the body takes, in milliseconds. */
  readonly lasting: number;
}

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

/** A request whose body comes byte by byte. The status of its answer. */
export async function sendSlowly(url: string, { path, token, body, lasting }: SlowRequest): Promise<number> {
  const socket = dial(url);
  const status = statusOn(socket);
  const lines = [`POST ${path} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${token}`];
  socket.write(
    `${[...lines, 'Content-Type: application/json', `Content-Length: ${body.length}`].join('\r\n')}\r\n\r\n`,
  );
  for (const char of body) {
    await sleep(lasting / body.length);
    socket.write(char);
  }
  const answer = await status;
  socket.destroy();
  return answer;
}
