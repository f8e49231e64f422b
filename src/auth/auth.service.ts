import { Injectable } from '@nestjs/common';
import type { Role, UserAccount } from '../common/access/caller.js';
import { jsonObject, type JsonText } from '../common/json/exact-json.js';
import { ProblemError } from '../common/problems/problem.js';
import { isStorable } from '../common/validation/decorators.js';
import { userJson } from '../users/dto/user.response.js';
import { UsersRepository } from '../users/users.repository.js';
import type { NewPassword, SignInRequest, SignUpRequest } from './dto/auth.request.js';
import { Passwords } from './passwords.js';
import { Tokens } from './tokens.js';

@Injectable()
export class AuthService {
  constructor(
    private readonly users: UsersRepository,
    private readonly passwords: Passwords,
    private readonly tokens: Tokens,
  ) {}

  /** The only registration, for sign-up and command line alike. Throws duplicate-email or duplicate-username. */
  async register(request: SignUpRequest, role: Role = 'USER'): Promise<UserAccount> {
    const { email, username, firstName, lastName } = request;
    const passwordHash = await this.passwords.hash(request.password);
    return this.users.insert({ email, username, firstName, lastName, passwordHash, role });
  }

  /** Tokens issued before remain valid until they expire. Throws not-found. */
  async setPassword(username: string, { password }: NewPassword): Promise<void> {
    await this.users.update(username, { passwordHash: await this.passwords.hash(password) });
  }

  /** AuthResponse. Throws bad-credentials, the same for both reasons and after the same time. */
  async signIn({ username, password }: SignInRequest): Promise<JsonText> {
    const user = await this.passwords.verified(password, async () => {
      const named = isStorable(username) ? await this.users.findForSignIn(username) : undefined;
      // A password that no sign-up admits must not match: to bcrypt a lone surrogate is the same as U+FFFD.
      return isStorable(password) ? named : undefined;
    });
    if (user === undefined) throw new ProblemError('bad-credentials');
    const accessToken = this.tokens.issue(user);
    const { lifetime: expiresIn } = this.tokens;
    return jsonObject({ accessToken, tokenType: 'Bearer', expiresIn, user: userJson(user) });
  }
}
