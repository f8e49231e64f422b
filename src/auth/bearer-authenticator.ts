import { Injectable } from '@nestjs/common';
import type { Authenticator } from '../access/access.guard.js';
import { bearerToken, type CredentialSource } from '../access/bearer-token.js';
import type { AuthenticatedUser } from '../access/caller.js';
import { authenticationRequired } from '../http/problem/problem.js';
import { UsersService } from '../users/users.service.js';
import { Tokens } from './tokens.js';

/** Bearer token → account, as it is now: a deleted one is refused, a changed role counts at once. */
@Injectable()
export class BearerAuthenticator implements Authenticator {
  constructor(
    private readonly tokens: Tokens,
    private readonly users: UsersService,
  ) {}

  async identify(request: CredentialSource): Promise<AuthenticatedUser | null> {
    const { authorization } = request.headers;
    if (authorization === undefined) return null;
    const id = this.tokens.accountOf(bearerToken(request) ?? '');
    const caller = id === undefined ? undefined : await this.users.findCaller(id);
    if (caller === undefined) throw authenticationRequired(/^bearer +\S/i.test(authorization));
    return caller;
  }
}
