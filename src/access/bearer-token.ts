import { countOf } from '../http/edge/headers.js';

/** What of a request can carry credentials. */
export interface Carrier {
  readonly headers: { readonly authorization?: string | undefined };
  readonly raw: { readonly rawHeaders: readonly string[] };
}

/** RFC 6750, section 2.1: the scheme in any case, one token, nothing after it. */
const BEARER = /^Bearer +([\w.~+/-]+=*)$/i;

/** Node keeps the first of two Authorization headers; a request that sends two is refused. */
export function bearerToken(request: Carrier): string | null {
  if (countOf('authorization', request.raw.rawHeaders) > 1) return null;
  return BEARER.exec(request.headers.authorization ?? '')?.[1] ?? null;
}
