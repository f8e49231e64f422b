import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What befalls a request on its way:
 * - `away`: 503 with Retry-After, and the service never sees it
 * - `late`: 408 in the name of the service, which never sees it
 * - `proxy`: 502 with a proxy's page, and the service never sees it
 * - `silent`: nobody answers, and the service never sees it
 * - `lost`: the service does it, and its answer is lost
 * - `cut`: the service does it, and its answer breaks off in the middle
 * - `stripped`: it arrives without its token
 */
export type Mishap = 'away' | 'late' | 'proxy' | 'silent' | 'lost' | 'cut' | 'stripped';

const AWAY = {
  type: 'urn:property-finance:problem:service-unavailable',
  title: 'Service unavailable',
  status: 503,
  detail: 'The database is not available at the moment.',
  instance: '/',
  timestamp: '2026-01-15T10:30:00.000Z',
  correlationId: '00000000-0000-4000-8000-000000000000',
};

/** Stands between a client and the service, counts what comes by, and loses what it is told to. */
export class Gateway {
  /** Every request as `GET /api/properties?page=0`, in the order in which they came. */
  readonly seen: string[] = [];
  /** The seconds of the Retry-After of `away`. */
  retryAfter = '0';
  private readonly mishaps = new Map<string, Mishap[]>();
  private readonly server = http.createServer((incoming, outgoing) => {
    this.handle(incoming, outgoing).catch(() => outgoing.destroy()); // the client has gone
  });

  private constructor(private readonly service: string) {}

  static async to(service: string): Promise<Gateway> {
    const gateway = new Gateway(service);
    await once(gateway.server.listen(0, '127.0.0.1'), 'listening');
    return gateway;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** What happens to the next requests of this method, one after the other; sign-ins are spared. */
  next(method: string, ...mishaps: Mishap[]): void {
    this.mishaps.set(method, mishaps);
  }

  /** How many requests begin with this, such as `POST /api/transactions`. */
  count(start: string): number {
    return this.seen.filter((request) => request.startsWith(start)).length;
  }

  forget(): void {
    this.seen.length = 0;
    this.mishaps.clear();
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await once(this.server.close(), 'close');
  }

  private async handle(incoming: http.IncomingMessage, outgoing: http.ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = incoming;
    this.seen.push(`${method} ${url}`);
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const mishap = url === '/api/auth/signin' ? undefined : this.mishaps.get(method)?.shift();
    if (mishap === 'silent') return;
    if (mishap === 'away') {
      const away = { 'content-type': 'application/problem+json', 'retry-after': this.retryAfter };
      return void outgoing.writeHead(503, away).end(JSON.stringify(AWAY));
    }
    if (mishap === 'late') return void outgoing.writeHead(408).end();
    if (mishap === 'proxy') {
      const page = '<html><h1>502 Bad Gateway</h1></html>';
      return void outgoing.writeHead(502, { 'content-type': 'text/html' }).end(page);
    }
    if (mishap === 'stripped') delete headers.authorization;
    const answer = await this.forward({ method, url, headers, body: Buffer.concat(chunks) });
    if (mishap === 'lost') return void outgoing.destroy();
    outgoing.writeHead(answer.status, answer.headers);
    if (mishap !== 'cut') outgoing.end(answer.body);
    else outgoing.write(answer.body.subarray(0, 20), () => outgoing.destroy());
  }

  private forward({
    method,
    url,
    headers,
    body,
  }: {
    method: string;
    url: string;
    headers: http.IncomingHttpHeaders;
    body: Buffer;
  }): Promise<{ status: number; headers: http.IncomingHttpHeaders; body: Buffer }> {
    return new Promise((resolve, reject) => {
      const request = http.request(this.service + url, { method, headers, agent: false }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
        );
      });
      request.on('error', reject);
      request.end(body);
    });
  }
}
