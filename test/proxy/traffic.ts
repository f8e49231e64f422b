import { propertyRequest } from '../support/factories.js';
import { send } from '../support/http.js';
import type { Criterion } from '../faults/protocol.js';
import { criterion } from '../faults/support/criteria.js';
import { count, tally } from '../faults/support/figures.js';
import type { Owner } from '../faults/support/load.js';
import type { Proxy } from './proxies.js';

const RATE = 30;
const PATIENCE = 20_000;

interface Reply {
  /** 0 when no answer came. */
  readonly status: number;
  readonly text: string;
}

/** Requests through a proxy at a fixed rate, every third a write. */
export class Traffic {
  private readonly replies: Promise<Reply>[] = [];
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly proxy: Proxy,
    private readonly owners: readonly Owner[],
  ) {
    this.timer = setInterval(() => this.replies.push(this.ask(this.replies.length)), 1000 / RATE);
  }

  async stop(): Promise<Reply[]> {
    clearInterval(this.timer);
    const replies = await Promise.all(this.replies);
    this.proxy.agent.destroy();
    return replies;
  }

  allSucceed(name: string, replies: readonly Reply[]): Criterion {
    const failed = replies.filter(({ status }) => status !== 200);
    const words = failed.map(({ status, text }) => (status === 0 ? text : String(status)));
    const told = `${count(failed.length)} of ${count(replies.length)} failed${failed.length > 0 ? `: ${tally(words)}` : ''}`;
    return criterion(name, replies.length > 0 && failed.length === 0, told);
  }

  private async ask(index: number): Promise<Reply> {
    const { token = '' } = this.owners[index % this.owners.length] ?? {};
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const request =
      index % 3 === 0
        ? { method: 'POST', path: '/api/properties', headers, body: JSON.stringify(propertyRequest()) }
        : { method: 'GET', path: index % 3 === 1 ? '/api/users/me' : '/api/properties', headers };
    const { agent, url } = this.proxy;
    return send(url, request, { agent, patience: PATIENCE }).catch((error: unknown) => {
      const { code, message } = error as NodeJS.ErrnoException;
      return { status: 0, text: code ?? message };
    });
  }
}
