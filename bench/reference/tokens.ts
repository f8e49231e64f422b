import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

export interface Claims {
  readonly sub: string;
  readonly iat: number;
  readonly exp: number;
  readonly authorities: readonly string[];
}

/** An HS256 token for an account, as the service issues them. */
export function signToken(key: KeyObject, account: { id: string; role: string }, lifetime: number): string {
  const iat = Math.floor(Date.now() / 1000);
  const claims: Claims = {
    authorities: [`ROLE_${account.role}`],
    iat,
    exp: iat + lifetime,
    sub: account.id,
  };
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${signed}.${hmac(key, signed).toString('base64url')}`;
}

/** The claims of a token that this key has signed and that has not expired, or undefined. */
export function verifyToken(key: KeyObject, token: string): Claims | undefined {
  const [header, payload, signature, ...rest] = token.split('.');
  if (header === undefined || payload === undefined || signature === undefined || rest.length > 0)
    return undefined;
  const expected = hmac(key, `${header}.${payload}`);
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  if ((decode(header) as { alg?: unknown }).alg !== 'HS256') return undefined;
  const claims = decode(payload) as Claims;
  return Number.isFinite(claims.exp) && claims.exp > Date.now() / 1000 ? claims : undefined;
}

function hmac(key: KeyObject, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Only for what the key has signed: such text is known to be JSON. */
function decode(part: string): unknown {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}
