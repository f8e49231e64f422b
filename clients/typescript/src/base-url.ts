import type { Middleware } from 'openapi-fetch';
import { UnexpectedResponseError } from './errors.js';
import { problemIn } from './problem.js';

/** A page may give a base URL that is relative to its own address; a program without a page cannot. */
const page = (globalThis as { readonly location?: { readonly href: string } }).location?.href;

/** Refuses a base URL that no request can use: `localhost:8080`, for example, is not an http URL. */
export function checkBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl, page) ? new URL(baseUrl, page) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new TypeError(`baseUrl: "${baseUrl}" is not a URL such as https://ledger.example.com`);
  return baseUrl;
}

/**
 * Distinguishes a wrong path in the base URL from a missing resource or token. A problem document names the path that
 * the service received; when it begins with the base URL's path, no proxy has removed it.
 */
export const rightBasePath: Middleware = {
  async onResponse({ request, response, schemaPath }) {
    if (response.ok) return;
    const path = new URL(request.url).pathname;
    if (path.split('/').length === schemaPath.split('/').length) return; // a base URL without a path
    const problem = await problemIn(response);
    if (problem?.slug === undefined || problem.instance !== path) return;
    const reason = `because the service has no path ${path}, only ${schemaPath}`;
    throw new UnexpectedResponseError(response, await response.clone().text(), reason);
  },
};
