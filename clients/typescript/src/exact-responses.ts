import type { Middleware } from 'openapi-fetch';
import { UnexpectedResponseError } from './errors.js';
import { withDigitsAsStrings } from './exact-json.js';
import { responseWith } from './transport/response-with.js';

const JSON_TYPE = /^application\/([\w.-]+\+)?json\b/i;

/** Gives openapi-fetch, which reads with `JSON.parse`, a response that loses no digits. */
export const exactResponses: Middleware = {
  async onResponse({ response, options: { parseAs } }) {
    if (parseAs !== 'json') return undefined;
    const text = await response.clone().text();
    if (text === '') return undefined;
    const json = JSON_TYPE.test(response.headers.get('content-type') ?? '') ? exactly(text) : undefined;
    if (json !== undefined) return responseWith(json, response);
    if (response.ok) throw new UnexpectedResponseError(response, text);
    return undefined; // a refusal in another form: unwrap() says which
  },
};

function exactly(text: string): string | undefined {
  try {
    return withDigitsAsStrings(text);
  } catch {
    return undefined;
  }
}
