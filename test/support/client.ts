import { requireDocumented } from './conformance.js';
import { headersOf, send } from './http.js';

/** What came back, with the body as text too: `JSON.parse` would round what the service keeps exact. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined when it is not JSON. */
  readonly json: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- tests look into it as they like
}

export interface RequestOptions {
  readonly headers?: Record<string, string>;
  /** An object is sent as JSON; text and bytes as they are. */
  readonly body?: unknown;
}

/** Calls the service over HTTP, with the token of one account or with none. */
export class Client {
  constructor(
    readonly url: string,
    readonly token?: string,
  ) {}

  get = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
    this.send('GET', path, { headers });
  delete = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
    this.send('DELETE', path, { headers });
  post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    this.send('POST', path, { body, headers });
  put = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    this.send('PUT', path, { body, headers });

  async send(method: string, path: string, { headers = {}, body }: RequestOptions = {}): Promise<Answer> {
    const authorization: Record<string, string> =
      this.token === undefined ? {} : { authorization: `Bearer ${this.token}` };
    const contentType: Record<string, string> =
      body === undefined ? {} : { 'content-type': 'application/json' };
    const { pathname, search } = new URL(this.url + path);
    const answer = await send(this.url, {
      method,
      path: pathname + search,
      headers: { ...authorization, ...contentType, ...headers },
      body: body === undefined ? undefined : encode(body),
    });
    const { status, text } = answer;
    const received = headersOf(answer);
    requireDocumented({ method, target: path, status, headers: received, text });
    return { status, headers: received, text, json: parse(text) };
  }
}

function encode(body: unknown): string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
