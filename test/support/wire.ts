import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { HttpResponse } from './client.js';
import { requireDocumented } from './conformance.js';
import { opened } from './opened.js';

const PATIENCE = 60_000;

/** A connection to the service on which anything can be sent, well-formed HTTP or not. */
export class Wire {
  #received: Buffer = Buffer.alloc(0);
  readonly #events = new EventEmitter();

  private constructor(private readonly socket: Socket) {
    socket.on('data', (bytes) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      this.#events.emit('change');
    });
    socket.on('error', () => undefined); // the bytes before it count
    const close = opened(() => void socket.destroy());
    socket.on('close', () => {
      void close();
      this.#events.emit('change');
    });
  }

  static async open(url: string, options: { allowHalfOpen?: boolean } = {}): Promise<Wire> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, ...options });
    const wire = new Wire(socket);
    await once(socket, 'connect');
    return wire;
  }

  send(bytes: string | Uint8Array): this {
    this.socket.write(bytes);
    return this;
  }

  /** Sends, and waits until the system has taken the bytes or the connection is gone. */
  async sent(bytes: Uint8Array): Promise<void> {
    await new Promise<void>((resolve) => {
      this.socket.write(bytes, () => resolve());
    });
  }

  /** The next response. To a HEAD request it ends with its header. */
  async response({ head = false } = {}): Promise<HttpResponse> {
    for (;;) {
      const { closed } = this.socket;
      const [response, rest] = takeResponse(this.#received, head, closed) ?? [];
      if (response !== undefined) {
        this.#received = rest!;
        if (response.status >= 400 && !head) requireDocumented('', '', response);
        return response;
      }
      if (closed) throw new Error(`closed without a response: ${JSON.stringify(this.unread)}`);
      await this.#change();
    }
  }

  /** Waits for the service to close the connection. */
  async closed(): Promise<void> {
    while (!this.socket.closed) await this.#change();
  }

  /** The bytes behind the last response. */
  get unread(): string {
    return this.#received.toString('latin1');
  }

  /** The error of a broken connection, such as a reset, which can cost a late reader the response. */
  get failure(): Error | undefined {
    return this.socket.errored ?? undefined;
  }

  /** Closes the client's side. */
  end(): this {
    this.socket.end();
    return this;
  }

  reset(): void {
    this.socket.resetAndDestroy();
  }

  destroy(): void {
    this.socket.destroy();
  }

  async #change(): Promise<void> {
    await once(this.#events, 'change', { signal: AbortSignal.timeout(PATIENCE) }).catch(() => {
      throw new Error(`nothing came: ${JSON.stringify(this.unread)}`);
    });
  }
}

/** The first response to bytes on a new connection. */
export async function sendBytes(
  url: string,
  bytes: string | Uint8Array,
  options: { head?: boolean } = {},
): Promise<HttpResponse> {
  const wire = await Wire.open(url);
  try {
    return await wire.send(bytes).response(options);
  } finally {
    wire.destroy();
  }
}

/** A chunk of a body; without text the last. */
export const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/** The text of a request, with a Host unless one is given, and the body with its length. */
export function requestText(line: string, headers: readonly string[] = [], body?: string): string {
  const named = headers.some((header) => /^host:/i.test(header));
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const lines = [line, ...(named ? [] : ['Host: localhost']), ...headers, ...length];
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}

type Taken<Part> = [part: Part, rest: Buffer] | undefined;

function takeResponse(bytes: Buffer, head: boolean, ended: boolean): Taken<HttpResponse> {
  const border = bytes.indexOf('\r\n\r\n');
  if (border === -1) return undefined;
  const [line = '', ...fields] = bytes.toString('latin1', 0, border).split('\r\n');
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(line) ?? [];
  if (status === undefined) throw new Error(`no status line: ${line}`);
  const headers = fields.flatMap((field) => field.split(/:(.*)/s, 2));
  const empty = new HttpResponse(Number(status), headers, '');
  const behind = bytes.subarray(border + 4);
  if (head || /^(1..|204|304)$/.test(status)) return [empty, behind];
  const [body, rest] = takeBody(behind, empty.headers, ended) ?? [];
  return body && rest && [new HttpResponse(Number(status), headers, String(body)), rest];
}

function takeBody(bytes: Buffer, headers: Headers, ended: boolean): Taken<Buffer> {
  if (headers.get('transfer-encoding') === 'chunked') return takeChunks(bytes);
  const length = Number(headers.get('content-length') ?? (ended ? bytes.length : Infinity));
  return bytes.length < length ? undefined : [bytes.subarray(0, length), bytes.subarray(length)];
}

function takeChunks(bytes: Buffer): Taken<Buffer> {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const border = bytes.indexOf('\r\n', at);
    if (border === -1) return undefined;
    const size = parseInt(bytes.toString('latin1', at, border), 16);
    const end = border + 2 + size;
    if (bytes.length < end + 2) return undefined;
    if (size === 0) return [Buffer.concat(parts), bytes.subarray(end + 2)];
    parts.push(bytes.subarray(border + 2, end));
    at = end + 2;
  }
}
