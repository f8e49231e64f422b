import { createHash, timingSafeEqual } from 'node:crypto';

/** The parts of a request that can carry credentials. */
export interface CredentialSource {
  readonly headers: { readonly authorization?: string | undefined };
}

/** RFC 6750, section 2.1: the scheme in any case, one token, nothing after it, nor a second header. */
const BEARER = /^Bearer +([\w.~+/-]+=*)$/i;

export function bearerToken(request: CredentialSource): string | null {
  return BEARER.exec(request.headers.authorization ?? '')?.[1] ?? null;
}

/**
 * Whether the request bears METRICS_TOKEN, which opens the metrics while the database, and every account with it, is
 * away. Digests are compared, so that the time shows neither how much of the token was right nor how long it is.
 */
export function bearsMetricsToken(request: CredentialSource, token: string | undefined): boolean {
  return token !== undefined && timingSafeEqual(digestOf(bearerToken(request) ?? ''), digestOf(token));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
