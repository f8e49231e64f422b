import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-jwt';
import { isId } from '../common/validation/decorators.js';
import { Tokens } from './tokens.js';

const CLOCK_LEEWAY = 60; // seconds by which the clocks of two issuers may differ

/** Its account, and its expiry in seconds since 1970. */
export type VerifiedToken = Readonly<{ id: string; exp: number }>;
export type BearerRequest = Readonly<Record<'token', string>>;

/** Access token → its account's id. passport-jwt verifies signature and expiry; the other claims are judged here. */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy) {
  constructor(private readonly tokens: Tokens) {
    super({
      algorithms: ['HS256'],
      jwtFromRequest: ({ token }: BearerRequest) => token,
      secretOrKeyProvider: (_, token: string, done) => {
        const key = tokens.keyOf(token);
        // jsonwebtoken takes a KeyObject, the types of passport-jwt do not.
        done(key === undefined ? new Error('no key of ours') : null, key as unknown as Buffer);
      },
    });
  }

  /** False without an `exp`, which to jsonwebtoken means never, and for an `iat` far ahead, which would stretch the life. */
  validate({ sub, iat, exp }: Record<string, unknown>): VerifiedToken | false {
    if (typeof iat !== 'number' || typeof exp !== 'number' || typeof sub !== 'string') return false;
    const isIssued = iat <= Date.now() / 1000 + CLOCK_LEEWAY;
    return isIssued && isId(sub) && exp - iat <= this.tokens.lifetime + CLOCK_LEEWAY && { id: sub, exp };
  }
}
