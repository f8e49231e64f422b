import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy, type StrategyOptionsWithoutRequest } from 'passport-jwt';
import { bearerToken, type Carrier } from '../access/bearer-token.js';
import type { AuthenticatedUser } from '../access/caller.js';
import { authenticationRequired } from '../http/problem/problem.js';
import { UsersService } from '../users/users.service.js';
import { type Claims, Tokens } from './tokens.js';
import { VerifiedTokens } from './verified-tokens.js';

/** Bearer token → account. passport-jwt verifies signature and expiry, the rest is judged here. */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy, 'jwt') {
  private readonly verified = new VerifiedTokens();

  constructor(
    tokens: Tokens,
    private readonly users: UsersService,
  ) {
    super({
      algorithms: ['HS256'],
      passReqToCallback: true,
      jwtFromRequest: bearerToken,
      secretOrKeyProvider: (
        _request: unknown,
        token: string,
        done: (error: Error | null, key?: unknown) => void,
      ) => {
        if (tokens.isWellFormed(token)) done(null, tokens.keyOf(token));
        else done(new Error('not a token of this service'));
      },
    } as unknown as StrategyOptionsWithoutRequest);
  }

  /** The account as it is now: a deleted one is refused, a changed role counts at once. */
  async validate(request: Carrier, claims: Claims): Promise<AuthenticatedUser | false> {
    this.verified.remember(bearerToken(request) ?? '', claims);
    return (await this.users.findCaller(claims.sub)) ?? false;
  }

  /** The caller of a request, or null where it carries no credentials. Throws authentication-required. */
  async identify(request: Carrier): Promise<AuthenticatedUser | null> {
    if (request.headers.authorization === undefined) return null;
    const claims = this.verified.claimsOf(bearerToken(request) ?? '');
    if (claims === undefined) return this.verify(request, request.headers.authorization);
    const caller = await this.users.findCaller(claims.sub);
    if (caller === undefined) throw authenticationRequired(true);
    return caller;
  }

  /**
   * Runs this strategy by Passport's own protocol, without the middleware around it, which works on Express's
   * request and costs more than the check.
   */
  private async verify(request: Carrier, authorization: string): Promise<AuthenticatedUser> {
    return new Promise((resolve, reject) => {
      const attempt = Object.create(this) as PassportAttempt;
      attempt.success = resolve;
      attempt.fail = () => reject(authenticationRequired(/^bearer +\S/i.test(authorization)));
      attempt.error = reject;
      attempt.authenticate(request);
    });
  }
}

interface PassportAttempt {
  success: (caller: AuthenticatedUser) => void;
  fail: () => void;
  error: (error: Error) => void;
  authenticate: (request: Carrier) => void;
}
