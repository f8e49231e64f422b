import http from 'node:http';
import net from 'node:net';
import { type HttpRequest, send } from '../../support/client.js';
import { undocumented } from '../../support/conformance.js';

interface End {
  /** 0 without a response. */
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The system's code, without a response. */
  readonly error?: string;
  /** Whether the connection that ended without a response had been used before. */
  readonly reusedSocket?: boolean;
}

/** A request and its end. */
export interface Reply extends End {
  readonly method: string;
  readonly path: string;
  /** By `performance.now()`. */
  readonly sentAt: number;
  /** Milliseconds. */
  readonly took: number;
  /** The reasons why it is neither a success nor a well-formed 503 or 429. */
  readonly faults: readonly string[];
}

/** Milliseconds to wait for a response. Ten thousand rows with a thousand characters each are slow to index. */
const PATIENCE = 120_000;

/** Sends requests cheaply: the load must leave the processor to the service. */
export class Caller {
  constructor(
    private readonly url: string,
    private readonly agent = new http.Agent({ keepAlive: true }),
  ) {}

  /** Never rejects. */
  async send(request: HttpRequest): Promise<Reply> {
    const { method, path } = request;
    const sentAt = performance.now();
    const options = { agent: this.agent, patience: PATIENCE };
    const end: End = await send(this.url, request, options).catch((error: unknown) => {
      const { code, message, reusedSocket } = error as NodeJS.ErrnoException & { reusedSocket: boolean };
      return { status: 0, headers: new Headers(), text: '', error: code ?? message, reusedSocket };
    });
    const took = performance.now() - sentAt;
    return { method, path, sentAt, took, faults: faultsOf(request, end), ...end };
  }

  get(path: string, token?: string): Promise<Reply> {
    return this.send({ method: 'GET', path, token });
  }

  post(path: string, body: object, token?: string): Promise<Reply> {
    return this.send({ method: 'POST', path, body, token });
  }

  close(): void {
    this.agent.destroy();
  }
}

/** On a connection of its own. */
export async function withCaller<T>(url: string, work: (caller: Caller) => Promise<T>): Promise<T> {
  const caller = new Caller(url);
  try {
    return await work(caller);
  } finally {
    caller.close();
  }
}

export function succeeded({ status }: End): boolean {
  return status >= 200 && status < 300;
}

/** The status, or the reason why there is none. */
export function wordOf({ status, error = String(status) }: End): string {
  return error;
}

/** Opens a connection to the service; errors on it count as its end. */
export function dial(url: string): net.Socket {
  const { hostname, port } = new URL(url);
  return net.connect({ host: hostname, port: Number(port), noDelay: true }).on('error', () => undefined);
}

/** Milliseconds. A machine that is too busy for the load is sent less of it. */
const [TICK, MOST_DELAY] = [10, 100];

/** Sends at a fixed rate per second, without waiting for responses; the end that it returns waits for them. */
export function steadily(rate: number, send: () => Promise<unknown>): () => Promise<void> {
  const pending = new Set<Promise<unknown>>();
  let last = performance.now();
  let due = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    for (due += (rate * Math.min(MOST_DELAY, now - last)) / 1000; due >= 1; due--) {
      const sent = send().finally(() => pending.delete(sent));
      pending.add(sent);
    }
    last = now;
  }, TICK);
  return async () => {
    clearInterval(timer);
    await Promise.all(pending);
  };
}

function faultsOf({ method, path }: HttpRequest, end: End): string[] {
  if (succeeded(end)) return [];
  const isExpected = end.status === 503 || end.status === 429;
  return isExpected ? undocumented(method, path, end) : [`no response but ${wordOf(end)}`];
}
