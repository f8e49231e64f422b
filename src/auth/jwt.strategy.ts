import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { JwtPayload } from 'jsonwebtoken';
import { Strategy } from 'passport-jwt';
import { Tokens, type VerifiedToken } from './tokens.js';

export type BearerRequest = Readonly<Record<'token', string>>;

/** Access token → its account's id. passport-jwt verifies signature and expiry; {@link Tokens} judges the other claims. */
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

  /** Called by Passport with the claims of a verified token. */
  validate(claims: JwtPayload): VerifiedToken | false {
    return this.tokens.accountOf(claims) ?? false;
  }
}
