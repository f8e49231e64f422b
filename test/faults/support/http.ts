import http from 'node:http';
import { problemFaults } from '../../support/problem-document.js';

/** What became of a request. */
export interface Reply {
  readonly method: string;
  readonly path: string;
  /** 0 when no answer came. */
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  /** The system's code for what went wrong, when no answer came. */
  readonly error?: string;
  /** Whether the connection had served other requests before. */
  readonly reused: boolean;
  /** As `performance.now()` tells it. */
  readonly sentAt: number;
  /** Milliseconds. */
  readonly took: number;
  /** Why it is neither a success nor the service's own way to say that it cannot serve just now. */
  readonly faults: readonly string[];
}

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly token?: string | undefined;
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Whoever waits for longer than this is told that no answer came. */
const PATIENCE = 30_000;

/** Sends requests cheaply: the load must not take the processor from what it is put on. */
export class Caller {
  private readonly agent = new http.Agent({ keepAlive: true });

  constructor(readonly url: string) {}

  /** Never rejects. */
  async send({ method, path, token, body, headers: further }: Call): Promise<Reply> {
    const sentAt = performance.now();
    const headers: http.OutgoingHttpHeaders = {};
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    if (body !== undefined) {
      headers['content-type'] = 'application/json';
      headers['content-length'] = Buffer.byteLength(body);
    }
    Object.assign(headers, further);
    return new Promise((resolve) => {
      const request = http.request(this.url + path, { method, headers, agent: this.agent });
      const done = (told: Told): void => {
        clearTimeout(timer);
        const took = performance.now() - sentAt;
        const faults = succeeded(told) ? [] : refusalFaults(told, path);
        resolve({ method, path, reused: request.reusedSocket, sentAt, took, faults, ...told });
      };
      const fail = (error: NodeJS.ErrnoException): void =>
        done({ status: 0, headers: {}, text: '', error: error.code ?? error.message });
      const timer = setTimeout(
        () => request.destroy(Object.assign(new Error(), { code: 'NO_ANSWER' })),
        PATIENCE,
      );
      request.on('error', fail);
      request.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('error', fail);
        response.on('end', () => done({ status: response.statusCode ?? 0, headers: response.headers, text }));
      });
      request.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

type Told = Pick<Reply, 'status' | 'headers' | 'text' | 'error'>;

export function succeeded({ status }: Pick<Reply, 'status'>): boolean {
  return status >= 200 && status < 300;
}

function refusalFaults({ status, headers, text, error }: Told, path: string): string[] {
  if (status !== 503) return [error === undefined ? `status ${status}` : `no answer (${error})`];
  const told = new Headers();
  for (const [name, value] of Object.entries(headers)) told.set(name, String(value));
  return problemFaults({ status, headers: told, text }, path.replace(/\?.*/, ''));
}
