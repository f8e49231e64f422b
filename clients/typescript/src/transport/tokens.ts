import { PUBLIC_PATHS } from '../generated/public-paths.js';
import { slugOf } from '../problem.js';
import { copyOf, type Send } from './send.js';
import { unlessAborted } from './wait.js';

/** Where access tokens come from. */
export interface TokenSource {
  /** The token that is there already, whether or not it is still good. */
  held(): string | undefined;
  /** A token in place of `refused`, which got 401. Undefined for an anonymous caller, and where there is no other. */
  token(refused?: string): Promise<string | undefined>;
}

/** Sends the access token with each request that has no Authorization of its own, and once a new one after a 401. */
export function withToken(send: Send, source: TokenSource): Send {
  return async (request) => {
    if (request.headers.has('authorization')) return send(request);
    if (isPublic(request)) return send(bearing(request, source.held()));
    const token = await unlessAborted(source.token(), request.signal);
    const response = await send(bearing(copyOf(request), token));
    if (token === undefined || (await slugOf(response)) !== 'authentication-required') return response;
    const next = await unlessAborted(source.token(token), request.signal);
    // A POST, too, may be sent again: the service refuses a token before it looks at anything else.
    return next === undefined ? response : send(bearing(request, next));
  };
}

function isPublic({ url }: Request): boolean {
  const { pathname } = new URL(url);
  return PUBLIC_PATHS.some((path) => pathname.endsWith(path));
}

function bearing(request: Request, token: string | undefined): Request {
  if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`);
  return request;
}
