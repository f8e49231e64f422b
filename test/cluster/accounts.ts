import type { Criterion } from '../faults/protocol.js';
import { criterion } from '../faults/support/criteria.js';
import { count, tally } from '../faults/support/figures.js';
import { Caller, type Reply, succeeded } from '../faults/support/http.js';
import { cli } from '../support/cli.js';
import { claimsOf, forge } from '../support/forged-token.js';
import { TEST_SECRET } from '../support/settings.js';
import { signUpRequest } from '../support/sign-up.js';
import type { Instances } from '../proxy/instances.js';

interface Account {
  readonly id: string;
  readonly username: string;
  readonly token: string;
}

/** Right after a change was answered, all instances are asked at once by whom it concerns. */
export class Changes {
  private readonly callers: readonly Caller[];
  private readonly wrong: string[] = [];
  private asked = 0;

  constructor(
    { urls }: Instances,
    private readonly databaseUrl: string,
  ) {
    this.callers = urls.map((url) => new Caller(url));
  }

  /** Accounts become ADMIN, USER again, and are deleted, each time through another instance. */
  async run(rounds: number): Promise<Criterion[]> {
    const admin = await this.signUp(0);
    await this.setRole(admin, 'ADMIN');
    for (let round = 0; round < rounds; round++) {
      const account = await this.signUp(round);
      await this.expect(account, 403, 'new');
      await this.setRole(account, 'ADMIN');
      await this.expect(account, 200, 'ADMIN');
      await this.setRole(account, 'USER');
      await this.expect(account, 403, 'USER again');
      await this.ask(round, { method: 'DELETE', path: `/api/users/${account.id}`, token: admin.token });
      await this.expect(account, 401, 'deleted');
    }
    for (const caller of this.callers) caller.close();
    return [
      criterion(
        'a role and a deletion count on all instances at once',
        this.wrong.length === 0,
        `${count(this.wrong.length)} of ${count(this.asked)} wrong${this.wrong.length > 0 ? `: ${tally(this.wrong)}` : ''}`,
      ),
    ];
  }

  private async expect({ id, token }: Account, status: number, state: string): Promise<void> {
    const call = { method: 'GET', path: `/api/users/${id}`, token };
    for (const reply of await Promise.all(this.callers.map((caller) => caller.send(call)))) {
      this.asked++;
      if (reply.status !== status) this.wrong.push(`${state}: ${reply.error ?? reply.status}`);
    }
  }

  private async signUp(turn: number): Promise<Account> {
    const request = signUpRequest();
    const reply = await this.ask(turn, {
      method: 'POST',
      path: '/api/auth/signup',
      body: JSON.stringify(request),
    });
    const { id } = JSON.parse(reply.text) as { id: number };
    return {
      id: String(id),
      username: request.username,
      token: forge({ payload: claimsOf({ id: String(id) }) }),
    };
  }

  /** Fails unless the answer is a success. */
  private async ask(turn: number, call: Parameters<Caller['send']>[0]): Promise<Reply> {
    const reply = await this.callers[turn % this.callers.length]!.send(call);
    if (!succeeded(reply)) throw new Error(`${call.method} ${call.path}: ${reply.error ?? reply.text}`);
    return reply;
  }

  private async setRole({ username }: Account, role: string): Promise<void> {
    const env = {
      DB_URL: this.databaseUrl,
      DB_PASSWORD: 'unused',
      JWT_SECRET: TEST_SECRET,
      DB_ACQUIRE_TIMEOUT: '20s', // the load shares this process, and keeps it busy
    };
    const { exitCode, err } = await cli(['user', 'set-role', username, role, '--yes'], { env });
    if (exitCode !== 0) throw new Error(`user set-role: ${err.join('\n')}`);
  }
}
