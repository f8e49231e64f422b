/** RFC 6750, section 2.1: the scheme in any case, one token, nothing after it, nor a second header. */
const BEARER = /^Bearer +([\w.~+/-]+=*)$/i;

/** The token of an Authorization header, or '' when it has none. */
export function bearerToken(authorization = ''): string {
  return BEARER.exec(authorization)?.[1] ?? '';
}
