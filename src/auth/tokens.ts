import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import jwt from 'jsonwebtoken';
import type { Role } from '../access/role.js';
import { SETTINGS, type Settings } from '../config/settings.js';

export interface Claims {
  readonly sub: string;
  readonly iat: number;
  readonly exp: number;
}

/** Clocks of two issuers may differ by this much, in seconds. */
const CLOCK_LEEWAY = 60;

/** Issues access tokens and judges what a token says. Its signature is verified by passport-jwt, with the key from here. */
@Injectable()
export class Tokens {
  // Made once: verifying with a string costs fifty times as much, because it becomes a key each time.
  private readonly key: KeyObject;
  private readonly previousKey: KeyObject | undefined;
  /** Seconds. */
  readonly lifetime: number;

  constructor(@Inject(SETTINGS) settings: Pick<Settings, 'jwt'>) {
    const { secret, previousSecret } = settings.jwt;
    this.key = createSecretKey(secret, 'utf8');
    if (previousSecret !== undefined) this.previousKey = createSecretKey(previousSecret, 'utf8');
    this.lifetime = Math.max(1, Math.floor(settings.jwt.lifetime / 1000));
  }

  /** An HS256 token for the account. `authorities` informs clients; the service never reads it. */
  issue(account: { id: string; role: Role }): string {
    return jwt.sign({ authorities: [`ROLE_${account.role}`] }, this.key, {
      algorithm: 'HS256',
      subject: account.id,
      expiresIn: this.lifetime,
    });
  }

  /** The key to verify a token with: the previous one if that has signed it, else the one that signs now. */
  keyOf(token: string): KeyObject {
    const { previousKey } = this;
    return previousKey !== undefined && isSignedWith(previousKey, token) ? previousKey : this.key;
  }

  /**
   * Whether header and claims have the form that `issue` gives them, by now at the latest. jsonwebtoken takes a token
   * without `exp` for everlasting, ignores `crit` (RFC 7515, section 4.1.11) and throws on a payload that is no object.
   */
  isWellFormed(token: string): boolean {
    const [header, payload] = token.split('.', 2).map(decodePart);
    if (!isObject(header) || !isObject(payload)) return false;
    return header['alg'] === 'HS256' && !('crit' in header) && this.areClaims(payload);
  }

  private areClaims({ sub, iat, exp }: Record<string, unknown>): boolean {
    if (!isAccountId(sub) || !isTime(iat) || !isTime(exp)) return false;
    // With an `iat` far ahead a token could live for as long as it likes, and still keep the lifetime.
    const isIssued = iat <= Date.now() / 1000 + CLOCK_LEEWAY;
    return isIssued && exp - iat <= this.lifetime + CLOCK_LEEWAY;
  }
}

function isSignedWith(key: KeyObject, token: string): boolean {
  const end = token.lastIndexOf('.');
  const expected = createHmac('sha256', key).update(token.slice(0, end)).digest();
  const given = Buffer.from(token.slice(end + 1), 'base64url');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function decodePart(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isAccountId(value: unknown): value is string {
  return typeof value === 'string' && /^[1-9]\d{0,18}$/.test(value) && BigInt(value) < 2n ** 63n;
}
