import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What is done to a request: its answer gets lost after the service has acted, or it is answered in place of the
 * service. A function is called before it goes on as it is.
 */
export type Fault =
  'lose-answer' | { status: number; headers?: Record<string, string> } | (() => Promise<unknown>);

/** Stands between a client and the service, and does to some requests what networks do. */
export class FaultyProxy {
  readonly #faults = new Map<string, (Fault | undefined)[]>();
  readonly #server = createServer((incoming, outgoing) => void this.#pass(incoming, outgoing));
  /** The method and path of each request that has come. */
  seen: string[] = [];

  private constructor(private readonly target: string) {}

  static async before(target: string): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Forgets what has been seen, and what was to happen. */
  reset(): void {
    this.seen = [];
    this.#faults.clear();
  }

  /** What happens to the next requests of this kind, such as `POST /api/transactions`; undefined leaves one alone. */
  on(kind: string, ...faults: (Fault | undefined)[]): void {
    this.#faults.set(kind, faults);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const kind = `${incoming.method} ${incoming.url}`;
    this.seen.push(kind);
    const fault = this.#faults.get(kind)?.shift();
    if (typeof fault === 'object') {
      incoming.resume().on('end', () => outgoing.writeHead(fault.status, fault.headers).end());
      return;
    }
    if (typeof fault === 'function') await fault();
    const { method, headers, url } = incoming;
    const onward = request(new URL(url!, this.target), { method, headers }, (answer) => {
      if (fault === 'lose-answer') {
        answer.resume().on('end', () => outgoing.destroy());
        return;
      }
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  }
}
