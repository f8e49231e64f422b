import { createHash, timingSafeEqual } from 'node:crypto';

/** RFC 6750, section 2.1: the scheme in any case, one token, nothing after it, nor a second header. */
const BEARER = /^Bearer +([\w.~+/-]+=*)$/i;

/** The token of an Authorization header, or '' when it has none. */
export function bearerToken(authorization = ''): string {
  return BEARER.exec(authorization)?.[1] ?? '';
}

/**
 * Whether the header bears METRICS_TOKEN, which opens the metrics while the database, and every account with it, is
 * away. Digests are compared, so that the time shows neither how much of the token was right nor how long it is.
 */
export function bearsMetricsToken(authorization: string | undefined, token: string | undefined): boolean {
  return token !== undefined && timingSafeEqual(digestOf(bearerToken(authorization)), digestOf(token));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
