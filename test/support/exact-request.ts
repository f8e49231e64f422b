import { requireDocumented } from './conformance.js';
import { headersOf, type HttpRequest, send } from './http.js';

export interface ExactRequest extends Omit<HttpRequest, 'method' | 'headers'> {
  readonly method?: string;
  /** Names and values in turn; a name may come twice. */
  readonly headers?: readonly string[];
}

export interface ExactAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Names and values in turn, in the order in which they came. */
  readonly rawHeaders: readonly string[];
  readonly text: string;
}

/** Sends what it is given, and holds the answer to the API document. */
export async function sendExactly(
  url: string,
  { method = 'GET', headers = [], ...rest }: ExactRequest,
): Promise<ExactAnswer> {
  const answer = await send(url, { method, headers, ...rest });
  const { status, rawHeaders, text } = answer;
  const exact = { status, headers: headersOf(answer), rawHeaders, text };
  requireDocumented({ method, target: rest.path, ...exact });
  return exact;
}
