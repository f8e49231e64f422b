import type { Criterion } from '../../faults/protocol.js';
import { criterion } from '../../faults/support/criteria.js';
import { count, tally } from '../../faults/support/figures.js';
import { type Account, newAccount } from '../../faults/support/accounts.js';
import { Caller, succeeded } from '../../faults/support/http.js';
import type { Instances } from '../proxy/instances.js';
import { cli } from '../../support/cli.js';
import { TEST_SECRET } from '../../support/settings.js';

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
    const admin = await newAccount(this.through(0));
    await this.setRole(admin, 'ADMIN');
    for (let round = 0; round < rounds; round++) {
      const account = await newAccount(this.through(round));
      await this.expect(account, 403, 'new');
      await this.setRole(account, 'ADMIN');
      await this.expect(account, 200, 'ADMIN');
      await this.setRole(account, 'USER');
      await this.expect(account, 403, 'USER again');
      const deletion = { method: 'DELETE', path: `/api/users/${account.id}`, token: admin.token };
      if (!succeeded(await this.through(round).send(deletion))) this.wrong.push('not deleted');
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
    const asked = this.callers.map((caller) => caller.get(`/api/users/${id}`, token));
    for (const reply of await Promise.all(asked)) {
      this.asked++;
      if (reply.status !== status) this.wrong.push(`${state}: ${reply.error ?? reply.status}`);
    }
  }

  private through(turn: number): Caller {
    return this.callers[turn % this.callers.length]!;
  }

  private async setRole({ username }: Account, role: string): Promise<void> {
    const env = {
      DB_URL: this.databaseUrl,
      DB_PASSWORD: 'unused',
      JWT_SECRET: TEST_SECRET,
      DB_ACQUIRE_TIMEOUT: '20s', // the load shares this process, and keeps it busy
    };
    const { exitCode, err } = await cli(['user', 'set-role', username, role], { env });
    if (exitCode !== 0) throw new Error(`user set-role: ${err.join('\n')}`);
  }
}
