import { createHmac } from 'node:crypto';
import { TEST_SECRET } from './settings.js';

export interface TokenParts {
  /** An object, or the exact text of the part. */
  readonly header?: unknown;
  readonly payload: unknown;
  readonly secret?: string;
  readonly hash?: 'sha256' | 'sha384' | 'sha512';
}

/** A token made by hand: libraries refuse to make most invalid tokens. */
export function forge({
  header = { alg: 'HS256', typ: 'JWT' },
  payload,
  secret = TEST_SECRET,
  hash = 'sha256',
}: TokenParts): string {
  const signed = `${part(header)}.${part(payload)}`;
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;
}

/** One part of a token. */
export function part(content: unknown): string {
  return Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)).toString('base64url');
}

/** The content of one part of a token. */
export function contentOf(token: string, index: 0 | 1): unknown {
  return JSON.parse(Buffer.from(token.split('.')[index]!, 'base64url').toString());
}

export const inSeconds = (offset: number): number => Math.floor(Date.now() / 1000) + offset;

/** The claims that the service would issue now, with these replaced; undefined removes one. */
export function claimsOf(account: { id: string }, claims: Record<string, unknown> = {}): object {
  return {
    authorities: ['ROLE_USER'],
    iat: inSeconds(0),
    exp: inSeconds(3600),
    sub: account.id,
    ...claims,
  };
}
