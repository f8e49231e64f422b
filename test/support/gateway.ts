import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { opened } from './opened.js';

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

/** A mishap, an answer in place of the service's, or what is called before the request goes on as it is. */
export type Fault = Mishap | Substitute | (() => Promise<unknown>);

interface Substitute {
  readonly status: number;
  readonly headers?: http.OutgoingHttpHeaders;
  readonly body?: string;
}

const AWAY = {
  ...{ type: 'urn:property-finance:problem:service-unavailable', title: 'Service unavailable', status: 503 },
  ...{ detail: 'The database is not available at the moment.', instance: '/' },
  ...{ timestamp: '2026-01-15T10:30:00.000Z', correlationId: '00000000-0000-4000-8000-000000000000' },
};
const SUBSTITUTES: Readonly<Record<string, Substitute>> = {
  away: { status: 503, headers: { 'content-type': 'application/problem+json' }, body: JSON.stringify(AWAY) },
  late: { status: 408 },
  proxy: {
    status: 502,
    headers: { 'content-type': 'text/html' },
    body: '<html><h1>502 Bad Gateway</h1></html>',
  },
};

interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Stands between a client and the service, counts what comes by, and loses what it is told to. */
export class Gateway {
  /** Every request as `GET /api/properties?page=0`, in the order in which they came. */
  readonly seen: string[] = [];
  /** The seconds of the Retry-After of `away`. */
  retryAfter = '0';
  readonly close = opened(async () => {
    this.server.closeAllConnections();
    await once(this.server.close(), 'close');
  });
  private readonly faults = new Map<string, (Fault | undefined)[]>();
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

  /**
   * What happens to the next requests of this kind, one after the other: a method, which spares sign-ins, or a method
   * and a path, such as `POST /api/transactions`; undefined leaves one alone.
   */
  next(kind: string, ...faults: (Fault | undefined)[]): void {
    this.faults.set(kind, faults);
  }

  /** How many requests begin with this, such as `POST /api/transactions`. */
  count(start: string): number {
    return this.seen.filter((request) => request.startsWith(start)).length;
  }

  forget(): void {
    this.seen.length = 0;
    this.faults.clear();
  }

  private async handle(incoming: http.IncomingMessage, outgoing: http.ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = incoming;
    this.seen.push(`${method} ${url}`);
    const body = await buffer(incoming);
    const fault = this.faultOf(method, url);
    if (fault === 'silent') return;
    const substitute = typeof fault === 'string' ? SUBSTITUTES[fault] : fault;
    if (typeof substitute === 'object') {
      if (fault === 'away') outgoing.setHeader('retry-after', this.retryAfter);
      return void outgoing.writeHead(substitute.status, substitute.headers).end(substitute.body);
    }
    if (typeof fault === 'function') await fault();
    if (fault === 'stripped') delete headers.authorization;
    const answer = await this.forward({ method, headers }, url, body);
    if (fault === 'lost') return void outgoing.destroy();
    outgoing.writeHead(answer.status, answer.headers);
    if (fault !== 'cut') outgoing.end(answer.body);
    else outgoing.write(answer.body.subarray(0, 20), () => outgoing.destroy());
  }

  private faultOf(method: string, url: string): Fault | undefined {
    const ofPath = this.faults.get(`${method} ${url}`);
    return url === '/api/auth/signin' ? ofPath?.shift() : (ofPath ?? this.faults.get(method))?.shift();
  }

  private async forward(options: http.RequestOptions, url: string, body: Buffer): Promise<Answer> {
    const request = http.request(this.service + url, { ...options, agent: false });
    const answered = once(request, 'response');
    request.end(body);
    const [answer] = (await answered) as [http.IncomingMessage];
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: await buffer(answer) };
  }
}
