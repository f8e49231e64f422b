import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy, type StrategyOptionsWithoutRequest } from 'passport-jwt';
import { bearerToken, type CredentialSource } from '../access/bearer-token.js';
import type { AuthenticatedUser } from '../access/caller.js';
import { authenticationRequired } from '../http/problem/problem.js';
import { UsersService } from '../users/users.service.js';
import { type Claims, Tokens } from './tokens.js';

/** Bearer token → account. passport-jwt verifies signature and expiry; {@link Tokens} judges the other claims. */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy, 'jwt') {
  constructor(
    tokens: Tokens,
    private readonly users: UsersService,
  ) {
    super({
      algorithms: ['HS256'],
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
  async validate(claims: Claims): Promise<AuthenticatedUser | false> {
    return (await this.users.findCaller(claims.sub)) ?? false;
  }

  /**
   * The caller of a request, or null where it carries no credentials. Throws authentication-required. Runs Passport's own
   * protocol without the middleware around it, which works on Express's request and costs more than the check.
   */
  async identify(request: CredentialSource): Promise<AuthenticatedUser | null> {
    const { authorization } = request.headers;
    if (authorization === undefined) return null;
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
  authenticate: (request: CredentialSource) => void;
}
