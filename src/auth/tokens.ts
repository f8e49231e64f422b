import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import jwt from 'jsonwebtoken';
import type { Role } from '../common/access/caller.js';
import { Settings } from '../config/env.js';

/** Issues access tokens; passport-jwt verifies them with the key from here. */
@Injectable()
export class Tokens {
  private readonly keys: readonly [SigningKey, ...SigningKey[]]; // the key that signs, then the previous one
  /** Seconds. */
  readonly lifetime: number;

  constructor(settings: Settings) {
    const { secret, previousSecret, lifetime } = settings.jwt;
    this.keys = [signingKey(secret), ...(previousSecret === undefined ? [] : [signingKey(previousSecret)])];
    this.lifetime = Math.max(1, Math.floor(lifetime / 1000));
  }

  /** An HS256 token for the account. `authorities` informs clients; the service never reads it. */
  issue(account: { id: string; role: Role }): string {
    const [{ id, key }] = this.keys;
    return jwt.sign({ authorities: [`ROLE_${account.role}`] }, key, {
      algorithm: 'HS256',
      keyid: id,
      subject: account.id,
      expiresIn: this.lifetime,
    });
  }

  /** The key that a token names, or that signed one without a name. None for `crit`, which jsonwebtoken ignores. */
  keyOf(token: string): KeyObject | undefined {
    const decoded: object = unlessInvalid(() => jwt.decode(token, { complete: true })) ?? {};
    const { header, payload } = decoded as Record<'header' | 'payload', object | null | undefined>;
    // jsonwebtoken would read members of a null payload
    if (typeof header !== 'object' || header === null || payload === null || 'crit' in header)
      return undefined;
    const hasSigned = (key: KeyObject): boolean =>
      unlessInvalid(() => jwt.verify(token, key, { algorithms: ['HS256'] })) !== undefined;
    const isNamed = 'kid' in header;
    return this.keys.find(({ id, key }) => (isNamed ? id === header.kid : hasSigned(key)))?.key;
  }
}

type SigningKey = ReturnType<typeof signingKey>;

/** Made once: to verify with a text takes fifty times as long. The `kid` tells no more of the secret than any token does. */
function signingKey(secret: string) {
  const key = createSecretKey(secret, 'utf8');
  return { id: createHmac('sha256', key).update('kid').digest('base64url').slice(0, 8), key };
}

/** Undefined for what jsonwebtoken throws for: a text that is no token, or whose payload is not JSON. */
function unlessInvalid<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
