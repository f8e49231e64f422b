import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-jwt';
import type { Authenticator } from '../access/access.guard.js';
import { bearerToken, type CredentialSource } from '../access/bearer-token.js';
import type { AuthenticatedUser } from '../access/caller.js';
import { authenticationRequired } from '../http/problem/problem.js';
import { UsersService } from '../users/users.service.js';
import { Tokens } from './tokens.js';

/** Bearer token → account. passport-jwt verifies signature and expiry; {@link Tokens} judges the other claims. */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy, 'jwt') implements Authenticator {
  constructor(
    private readonly tokens: Tokens,
    private readonly users: UsersService,
  ) {
    super({
      algorithms: ['HS256'],
      jwtFromRequest: bearerToken as (request: unknown) => string | null,
      secretOrKeyProvider: (_, token: string, done) => {
        const key = tokens.keyOf(token);
        if (key === undefined) done(new Error('no key has signed it'));
        else done(null, key as unknown as Buffer); // jsonwebtoken takes both, the types of passport-jwt do not
      },
    });
  }

  /** The account as it is now: a deleted one is refused, a changed role counts at once. */
  async validate(claims: Record<string, unknown>): Promise<AuthenticatedUser | false> {
    const id = this.tokens.accountOf(claims);
    return id === undefined ? false : ((await this.users.findCaller(id)) ?? false);
  }

  /** Runs Passport's protocol without its middleware, which works on Express's request. */
  async identify(request: CredentialSource): Promise<AuthenticatedUser | null> {
    const { authorization } = request.headers;
    if (authorization === undefined) return null;
    return new Promise((success, error) => {
      const fail = (): void => error(authenticationRequired(/^bearer +\S/i.test(authorization)));
      const attempt = Object.assign(Object.create(this) as JwtStrategy, { success, fail, error });
      attempt.authenticate(request as never);
    });
  }
}
