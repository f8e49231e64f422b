import http from 'node:http';
import https from 'node:https';
import { requireDocumented } from './conformance.js';

/** A response, with its body as text too: `JSON.parse` would round exact numbers. */
export class HttpResponse {
  readonly headers = new Headers();

  /** The headers are names and values in turn. */
  constructor(
    readonly status: number,
    rawHeaders: readonly string[],
    readonly text: string,
  ) {
    for (let index = 0; index < rawHeaders.length; index += 2)
      this.headers.append(rawHeaders[index]!, rawHeaders[index + 1]!);
  }

  /** The parsed body; undefined when it is not JSON. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read any member
  get json(): any {
    try {
      return JSON.parse(this.text) as unknown;
    } catch {
      return undefined;
    }
  }
}

export interface RequestOptions {
  /** By name, or all names and values in turn, where a name may come twice. */
  readonly headers?: Readonly<Record<string, string>> | readonly string[];
  /** An object is sent as JSON; text and bytes as they are. */
  readonly body?: unknown;
}

export interface HttpRequest extends RequestOptions {
  readonly method: string;
  /** The target as it is sent. */
  readonly path: string;
  readonly token?: string | undefined;
}

/** Calls the service over HTTP, with or without a token. Throws when a response is not as documented. */
export class Client {
  constructor(
    readonly url: string,
    readonly token?: string,
  ) {}

  get = (path: string, headers: Record<string, string> = {}): Promise<HttpResponse> =>
    this.send('GET', path, { headers });
  delete = (path: string, headers: Record<string, string> = {}): Promise<HttpResponse> =>
    this.send('DELETE', path, { headers });
  post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<HttpResponse> =>
    this.send('POST', path, { body, headers });
  put = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<HttpResponse> =>
    this.send('PUT', path, { body, headers });

  async send(method: string, path: string, options: RequestOptions = {}): Promise<HttpResponse> {
    const response = await send(this.url, { method, path, token: this.token, ...options });
    requireDocumented(method, path, response);
    return response;
  }
}

/**
 * Sends a request exactly as given: `fetch` would normalise the path, join headers of one name and refuse methods.
 * Rejects without a response, or when nothing comes for `patience` milliseconds.
 */
export async function send(
  url: string,
  { method, path, token, headers = {}, body }: HttpRequest,
  { agent, patience = 0 }: { readonly agent?: http.Agent; readonly patience?: number } = {},
): Promise<HttpResponse> {
  const { protocol, host, hostname, port } = new URL(url);
  const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  const bytes = isRaw ? body : JSON.stringify(body);
  const length: Record<string, string> =
    bytes === undefined ? {} : { 'content-length': String(Buffer.byteLength(bytes)) };
  const usual = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(bytes !== undefined && { 'content-type': 'application/json' }),
  };
  const sent = isList(headers)
    ? ['host', host, ...Object.entries(length).flat(), ...headers]
    : { ...length, ...usual, ...headers };
  return new Promise((resolve, reject) => {
    const { request: open } = protocol === 'https:' ? https : http;
    const request = open({ hostname, port, method, path, headers: sent, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
      response.on('end', () => {
        const { statusCode = 0, rawHeaders } = response;
        resolve(new HttpResponse(statusCode, rawHeaders, Buffer.concat(chunks).toString()));
      });
    });
    request.setTimeout(patience, () => request.destroy(new Error('no response came')));
    request.on('error', (error) => reject(Object.assign(error, { reusedSocket: request.reusedSocket })));
    request.end(bytes);
  });
}

function isList(headers: object): headers is readonly string[] {
  return Array.isArray(headers);
}
