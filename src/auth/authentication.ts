import { Injectable } from '@nestjs/common';
import passport from 'passport';
import { type Authenticator, bearerToken } from '../common/access/access.guard.js';
import type { UserAccount } from '../common/access/caller.js';
import { authenticationRequired } from '../common/problems/problem.js';
import { KeysService } from '../keys/keys.service.js';
import { UsersRepository } from '../users/users.repository.js';
import { type BearerRequest, JwtStrategy } from './jwt.strategy.js';
import { type VerifiedToken, VerifiedTokens } from './tokens.js';

/** Bearer credential → account: of an access token, which Passport verifies, or of an API key. */
@Injectable()
export class Authentication implements Authenticator {
  /** Each application has its own: the package's default is one for the process. */
  private readonly passport = new passport.Passport() as passport.Authenticator<unknown, Middleware>;
  private readonly verified = new VerifiedTokens();

  constructor(
    jwt: JwtStrategy,
    private readonly users: UsersRepository,
    private readonly keys: KeysService,
  ) {
    this.passport.use(jwt);
  }

  /** The account as it is now: a deleted one is refused, a changed role counts at once. */
  async identify(authorization: string): Promise<UserAccount> {
    const token = bearerToken(authorization);
    const caller = await (KeysService.isKey(token) ? this.keys.findCaller(token) : this.findCaller(token));
    if (caller === undefined) throw authenticationRequired(/^bearer +\S/i.test(authorization));
    return caller;
  }

  private async findCaller(token: string): Promise<UserAccount | undefined> {
    const id = this.verified.accountOf(token) ?? (await this.verify(token));
    return id === undefined ? undefined : this.users.findCaller(id);
  }

  private async verify(token: string): Promise<string | undefined> {
    const verified = await new Promise<VerifiedToken | false>((resolve, reject) => {
      const decide: passport.AuthenticateCallback = (error, user) =>
        error ? reject(error as Error) : resolve(user as VerifiedToken | false);
      this.passport.authenticate('jwt', { session: false }, decide)({ token }, {}, reject);
    });
    if (!verified) return undefined;
    this.verified.remember(token, verified);
    return verified.id;
  }
}

type Middleware = (request: BearerRequest, response: object, next: (error: Error) => void) => void;
