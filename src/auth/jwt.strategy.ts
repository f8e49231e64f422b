import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { JwtPayload } from 'jsonwebtoken';
import { Strategy } from 'passport-jwt';
import type { Authenticator } from '../access/access.guard.js';
import { bearerToken, type CredentialSource } from '../access/bearer-token.js';
import type { UserAccount } from '../access/caller.js';
import { authenticationRequired } from '../http/problem/problem.js';
import { UsersService } from '../users/users.service.js';
import { Tokens } from './tokens.js';
import { VerifiedTokens } from './verified-tokens.js';

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
      passReqToCallback: true,
      jwtFromRequest: bearerToken as (request: unknown) => string | null,
      secretOrKeyProvider: (_, token: string, done) => {
        const key = tokens.keyOf(token);
        if (key === undefined) done(new Error('no key has signed it'));
        else done(null, key as unknown as Buffer); // jsonwebtoken takes both, the types of passport-jwt do not
      },
    });
  }

  /** Called by Passport with the claims of a verified token. */
  async validate(request: CredentialSource, claims: JwtPayload): Promise<UserAccount | false> {
    const id = this.tokens.accountOf(claims);
    if (id === undefined) return false;
    this.verified.remember(bearerToken(request) ?? '', { id, exp: claims.exp ?? 0 });
    return (await this.users.findCaller(id)) ?? false;
  }

  /** The account as it is now: a deleted one is refused, a changed role counts at once. */
  async identify(request: CredentialSource): Promise<UserAccount | null> {
    const { authorization } = request.headers;
    if (authorization === undefined) return null;
    const id = this.verified.accountOf(bearerToken(request) ?? '');
    const caller = id === undefined ? await this.verify(request) : await this.users.findCaller(id);
    if (caller === undefined) throw authenticationRequired(/^bearer +\S/i.test(authorization));
    return caller;
  }

  /** Runs Passport's protocol without its middleware, which works on Express's request. Undefined without a valid token. */
  private async verify(request: CredentialSource): Promise<UserAccount | undefined> {
    return new Promise((success, error) => {
      const fail = (): void => success(undefined);
      const attempt = Object.assign(Object.create(this) as JwtStrategy, { success, fail, error });
      attempt.authenticate(request as never);
    });
  }
}
