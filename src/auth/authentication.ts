import { Injectable } from '@nestjs/common';
import passport from 'passport';
import { type Authenticator, bearerToken } from '../common/access/access.guard.js';
import type { UserAccount } from '../common/access/caller.js';
import { authenticationRequired } from '../common/problems/problem.js';
import { KeysService } from '../keys/keys.service.js';
import { UsersRepository } from '../users/users.repository.js';
import { type BearerRequest, JwtStrategy, type VerifiedToken } from './jwt.strategy.js';

const MAX_REMEMBERED = 5000; // about half a kilobyte each

/** Bearer credential → account: of an access token, which Passport verifies, or of an API key. */
@Injectable()
export class Authentication implements Authenticator {
  /** Each application has its own: the package's default is one for the process. */
  private readonly passport = new passport.Passport() as passport.Authenticator<unknown, Middleware>;
  /** A signature is verified once, which takes 20 µs, a third of a short request; its expiry is checked each time. */
  private readonly verified = new Map<string, VerifiedToken>();

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
    const known = this.verified.get(token) ?? (await this.verify(token));
    if (known === undefined) return undefined;
    if (Math.floor(Date.now() / 1000) < known.exp) return await this.users.findCaller(known.id); // as jsonwebtoken has it
    this.verified.delete(token);
    return undefined;
  }

  private async verify(token: string): Promise<VerifiedToken | undefined> {
    const verified = await new Promise<VerifiedToken | false>((resolve, reject) => {
      const decide: passport.AuthenticateCallback = (error, user) =>
        error ? reject(error as Error) : resolve(user as VerifiedToken | false);
      this.passport.authenticate('jwt', { session: false }, decide)({ token }, {}, reject);
    });
    if (!verified) return undefined;
    const [oldest] = this.verified.size < MAX_REMEMBERED ? [] : this.verified.keys();
    if (oldest !== undefined) this.verified.delete(oldest);
    this.verified.set(token, verified);
    return verified;
  }
}

type Middleware = (request: BearerRequest, response: object, next: (error: Error) => void) => void;
