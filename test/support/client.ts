import { requireDocumented } from './conformance.js';
import { type HttpAnswer, type HttpRequest, isList, send } from './http.js';

/** A response, with its body as text too: `JSON.parse` would round exact numbers. */
export interface Answer extends HttpAnswer {
  /** The parsed body; undefined when it is not JSON. */
  readonly json: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- tests read any member
}

export interface RequestOptions {
  readonly headers?: HttpRequest['headers'];
  /** An object is sent as JSON; text and bytes as they are. */
  readonly body?: unknown;
}

/** Calls the service over HTTP, with the token of an account or without one. */
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

  /** A list of names and values is all of the headers that are sent. */
  async send(method: string, path: string, { headers = {}, body }: RequestOptions = {}): Promise<Answer> {
    const usual = {
      ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const answer = await send(this.url, {
      method,
      path,
      headers: isList(headers) ? headers : { ...usual, ...headers },
      body: body === undefined ? undefined : encode(body),
    });
    requireDocumented({ method, target: path, ...answer });
    return { ...answer, json: parse(answer.text) };
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
