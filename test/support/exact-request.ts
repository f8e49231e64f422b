import { request } from 'node:http';
import { requireDocumented } from './conformance.js';

export interface ExactRequest {
  readonly method?: string;
  /** The request's target, which nobody tidies up. */
  readonly path: string;
  /** Names and values in turn; a name may come twice. */
  readonly headers?: readonly string[];
  readonly body?: string;
}

export interface ExactAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Names and values in turn, in the order in which they came. */
  readonly rawHeaders: readonly string[];
  readonly text: string;
}

/** Sends what it is given: `fetch` would normalise the path, join headers of one name and refuse some methods. */
export async function sendExactly(
  url: string,
  { method = 'GET', path, headers = [], body }: ExactRequest,
): Promise<ExactAnswer> {
  const { host, hostname, port } = new URL(url);
  const length = body === undefined ? [] : ['content-length', String(Buffer.byteLength(body))];
  const answer = await new Promise<ExactAnswer>((resolve, reject) => {
    const outgoing = request(
      { hostname, port, method, path, headers: ['host', host, ...length, ...headers] },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () =>
          resolve({
            status: incoming.statusCode ?? 0,
            headers: new Headers(pairs(incoming.rawHeaders)),
            rawHeaders: incoming.rawHeaders,
            text: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
  requireDocumented({ method, target: path, ...answer });
  return answer;
}

function pairs(flat: readonly string[]): [string, string][] {
  return flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1]!]] : []));
}
