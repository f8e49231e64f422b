import { createSecretKey, type KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import jwt from 'jsonwebtoken';
import type { Role } from '../common/access/role.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import type { VerifiedToken } from './verified-tokens.js';

/** Seconds by which the clocks of two issuers may differ. */
const CLOCK_LEEWAY = 60;

/** Issues access tokens and judges their claims; passport-jwt verifies them with the key from here. */
@Injectable()
export class Tokens {
  /** The key that signs, then the previous one. Made once: verifying with a text costs fifty times as much. */
  private readonly keys: readonly [KeyObject, ...KeyObject[]];
  /** Seconds. */
  readonly lifetime: number;

  constructor(@Inject(SETTINGS) settings: Pick<Settings, 'jwt'>) {
    const { secret, previousSecret, lifetime } = settings.jwt;
    const previous = previousSecret === undefined ? [] : [createSecretKey(previousSecret, 'utf8')];
    this.keys = [createSecretKey(secret, 'utf8'), ...previous];
    this.lifetime = Math.max(1, Math.floor(lifetime / 1000));
  }

  /** An HS256 token for the account. `authorities` informs clients; the service never reads it. */
  issue(account: { id: string; role: Role }): string {
    return jwt.sign({ authorities: [`ROLE_${account.role}`] }, this.keys[0], {
      algorithm: 'HS256',
      subject: account.id,
      expiresIn: this.lifetime,
    });
  }

  /** The key that signed the token. Undefined for a token of others, and for one with `crit`, which jsonwebtoken ignores. */
  keyOf(token: string): KeyObject | undefined {
    return this.keys.find((key) => {
      try {
        const { header } = jwt.verify(token, key, { algorithms: ['HS256'], complete: true });
        return !('crit' in header);
      } catch {
        return false;
      }
    });
  }

  /**
   * The account of a verified token, or undefined. To jsonwebtoken, a token without `exp` never expires, and an `iat` far
   * ahead would stretch its life.
   */
  accountOf({ sub, iat, exp }: Record<string, unknown>): VerifiedToken | undefined {
    if (typeof iat !== 'number' || typeof exp !== 'number' || !isAccountId(sub)) return undefined;
    const isIssued = iat <= Date.now() / 1000 + CLOCK_LEEWAY;
    return isIssued && exp - iat <= this.lifetime + CLOCK_LEEWAY ? { id: sub, exp } : undefined;
  }
}

function isAccountId(value: unknown): value is string {
  return typeof value === 'string' && /^[1-9]\d{0,18}$/.test(value) && BigInt(value) < 2n ** 63n;
}
