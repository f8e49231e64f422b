import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/**
 * The fate of a request:
 * - `away`: 503 with Retry-After, and the service never sees it
 * - `late`: 408 in the name of the service, which never sees it
 * - `proxy`: 502 with a proxy's page, and the service never sees it
 * - `silent`: no response, and the service never sees it; garbage is collected while the client waits
 * - `lost`: the service does it, and its response is lost
 * - `cut`: the service does it, and its response breaks off in the middle
 * - `stripped`: it arrives without its token
 */
export type Mishap = 'away' | 'late' | 'proxy' | 'silent' | 'lost' | 'cut' | 'stripped';

const AWAY = {
  ...{ type: 'urn:property-finance:problem:service-unavailable', title: 'Service unavailable', status: 503 },
  ...{ detail: 'The database is currently unavailable.', instance: '/' },
  ...{ timestamp: '2026-01-15T10:30:00.000Z', correlationId: '00000000-0000-4000-8000-000000000000' },
};
const PROXY = { status: 502, headers: { 'content-type': 'text/html' } };

/** `fetch` over a network that counts the requests and meets them with mishaps. */
export class Network {
  /** Every request as `GET /api/properties?page=0`, in their order. */
  readonly seen: string[] = [];
  /** The seconds of the Retry-After of `away`. */
  retryAfter = '0';
  private readonly mishaps = new Map<string, Mishap[]>();

  /** The fates of the next requests of this method; sign-ins are spared. */
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

  readonly fetch = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    this.seen.push(`${request.method} ${pathname}${search}`);
    const mishap = pathname === '/api/auth/signin' ? undefined : this.mishaps.get(request.method)?.shift();
    if (mishap === 'away') {
      const headers = { 'content-type': 'application/problem+json', 'retry-after': this.retryAfter };
      return new Response(JSON.stringify(AWAY), { status: 503, headers });
    }
    if (mishap === 'late') return new Response('', { status: 408 });
    if (mishap === 'proxy') return new Response('<html><h1>502 Bad Gateway</h1></html>', PROXY);
    if (mishap === 'silent')
      return new Promise((_, reject) => {
        request.signal.addEventListener('abort', () => reject(request.signal.reason as Error));
        setTimeout(collectGarbage, 10);
      });
    if (mishap === 'stripped') request.headers.delete('authorization');
    const response = await fetch(request);
    if (mishap !== 'lost' && mishap !== 'cut') return response;
    const body = new Uint8Array(await response.arrayBuffer());
    const closed = new TypeError('fetch failed', { cause: new Error('other side closed') });
    if (mishap === 'lost') throw closed;
    const start = (to: ReadableStreamDefaultController): void => {
      to.enqueue(body.subarray(0, 20));
      to.error(closed);
    };
    return new Response(new ReadableStream({ start }), response);
  };
}
