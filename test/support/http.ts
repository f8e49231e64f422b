import http from 'node:http';
import https from 'node:https';

export interface HttpRequest {
  readonly method: string;
  /** The request's target, which nobody tidies up. */
  readonly path: string;
  /** By name, or names and values in turn, where a name may come twice. */
  readonly headers?: Readonly<Record<string, string>> | readonly string[];
  readonly body?: string | Uint8Array | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Names and values in turn, in the order in which they came. */
  readonly rawHeaders: readonly string[];
  readonly text: string;
}

/**
 * The one way in which tests send HTTP: exactly what they are given, and cheaply. `fetch` would normalise the path,
 * join headers of one name and refuse some methods. Rejects when no answer comes, or none within `patience`.
 */
export function send(
  url: string,
  { method, path, headers = {}, body }: HttpRequest,
  { agent, patience = 0 }: { readonly agent?: http.Agent; readonly patience?: number } = {},
): Promise<HttpAnswer> {
  const { protocol, host, hostname, port } = new URL(url);
  const length: Record<string, string> =
    body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const sent = isList(headers)
    ? ['host', host, ...Object.entries(length).flat(), ...headers]
    : { ...length, ...headers };
  return new Promise((resolve, reject) => {
    const options = { hostname, port, method, path, headers: sent, agent };
    const { request: open } = protocol === 'https:' ? https : http;
    const request = open(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, rawHeaders } = response;
        const text = Buffer.concat(chunks).toString();
        resolve({ status, headers: headersOf(rawHeaders), rawHeaders, text });
      });
    });
    const giveUp = (): void =>
      void request.destroy(Object.assign(new Error('no answer came'), { code: 'NO_ANSWER' }));
    const timer = patience === 0 ? undefined : setTimeout(giveUp, patience);
    request.on('close', () => clearTimeout(timer)).on('error', reject);
    request.end(body);
  });
}

export function isList(headers: HttpRequest['headers']): headers is readonly string[] {
  return Array.isArray(headers);
}

function headersOf(rawHeaders: readonly string[]): Headers {
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  return headers;
}
