import http from 'node:http';
import { send } from '../../support/http.js';
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
  /** What is neither text nor bytes is sent as JSON. */
  readonly body?: object | string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** In milliseconds. Whoever waits for longer is told that no answer came. */
const PATIENCE = 30_000;
const NO_ANSWER = { status: 0, headers: {}, text: '', reused: false };

/** Sends requests cheaply: the load must not take the processor from what it is put on. */
export class Caller {
  private readonly options;

  constructor(
    readonly url: string,
    agent = new http.Agent({ keepAlive: true }),
    patience = PATIENCE,
  ) {
    this.options = { agent, patience };
  }

  /** Never rejects. */
  async send({ method, path, token, body, headers: further }: Call): Promise<Reply> {
    const sentAt = performance.now();
    const headers: Record<string, string> = {};
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
    if (body !== undefined) headers['content-type'] = 'application/json';
    Object.assign(headers, further);
    const request = { method, path, headers, body: encoded(body) };
    const told = await send(this.url, request, this.options).catch((error: unknown) => ({
      ...NO_ANSWER,
      error: codeOf(error as NodeJS.ErrnoException),
    }));
    const took = performance.now() - sentAt;
    const faults = succeeded(told) ? [] : refusalFaults(told, path);
    return { method, path, sentAt, took, faults, ...told };
  }

  get(path: string, token?: string): Promise<Reply> {
    return this.send({ method: 'GET', path, token });
  }

  post(path: string, body: object, token?: string): Promise<Reply> {
    return this.send({ method: 'POST', path, body, token });
  }

  close(): void {
    this.options.agent.destroy();
  }
}

/** Sends what is to be sent on a connection of its own. */
export async function withCaller<T>(url: string, work: (caller: Caller) => Promise<T>): Promise<T> {
  const caller = new Caller(url);
  try {
    return await work(caller);
  } finally {
    caller.close();
  }
}

/** What a request was answered that had to succeed. */
export function jsonIn(reply: Reply): unknown {
  if (succeeded(reply)) return JSON.parse(reply.text) as unknown;
  throw new Error(`${reply.method} ${reply.path}: ${reply.error ?? reply.text}`);
}

function encoded(body: Call['body']): string | Uint8Array | undefined {
  return typeof body !== 'object' || body instanceof Uint8Array ? body : JSON.stringify(body);
}

type Told = Pick<Reply, 'status' | 'headers' | 'text' | 'error'>;

export function succeeded({ status }: Pick<Reply, 'status'>): boolean {
  return status >= 200 && status < 300;
}

function refusalFaults({ status, headers, text, error }: Told, path: string): string[] {
  if (status !== 503 && status !== 429)
    return [error === undefined ? `status ${status}` : `no answer (${error})`];
  const told = new Headers();
  for (const [name, value] of Object.entries(headers)) told.set(name, String(value));
  return problemFaults({ status, headers: told, text }, path.replace(/\?.*/, ''));
}

function codeOf({ code, message }: NodeJS.ErrnoException): string {
  return code ?? message;
}
