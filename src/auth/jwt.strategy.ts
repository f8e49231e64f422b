import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { JwtPayload } from 'jsonwebtoken';
import { Strategy } from 'passport-jwt';
import type { Authenticator } from '../common/access/access.guard.js';
import { bearerToken } from '../common/access/bearer-token.js';
import type { UserAccount } from '../common/access/caller.js';
import { authenticationRequired } from '../common/problems/problem.js';
import { UsersService } from '../users/users.service.js';
import { Tokens } from './tokens.js';
import { type VerifiedToken, VerifiedTokens } from './verified-tokens.js';

/** Bearer token → account. passport-jwt verifies signature and expiry; {@link Tokens} judges the other claims. */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy, 'jwt') implements Authenticator {
  private readonly verified = new VerifiedTokens();

  constructor(
    private readonly tokens: Tokens,
    private readonly users: UsersService,
  ) {
    super({
      algorithms: ['HS256'],
      jwtFromRequest: (token: unknown) => token as string,
      secretOrKeyProvider: (_, token: string, done) => {
        const key = tokens.keyOf(token);
        // jsonwebtoken takes a KeyObject, the types of passport-jwt do not.
        done(key === undefined ? new Error('no key has signed it') : null, key as unknown as Buffer);
      },
    });
  }

  /** Called by Passport with the claims of a verified token. */
  validate(claims: JwtPayload): VerifiedToken | false {
    return this.tokens.accountOf(claims) ?? false;
  }

  /** The account as it is now: a deleted one is refused, a changed role counts at once. */
  async identify(authorization: string): Promise<UserAccount> {
    const token = bearerToken(authorization);
    const id = this.verified.accountOf(token) ?? (await this.verify(token));
    const caller = id === undefined ? undefined : await this.users.findCaller(id);
    if (caller === undefined) throw authenticationRequired(/^bearer +\S/i.test(authorization));
    return caller;
  }

  /** Runs Passport's protocol with a token for request. Undefined when the token is not valid. */
  private async verify(token: string): Promise<string | undefined> {
    const verified = await new Promise<VerifiedToken | undefined>((success, error) => {
      const fail = (): void => success(undefined);
      const attempt = Object.assign(Object.create(this) as JwtStrategy, { success, fail, error });
      attempt.authenticate(token as never);
    });
    if (verified !== undefined) this.verified.remember(token, verified);
    return verified?.id;
  }
}
