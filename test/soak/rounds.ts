import { type Call, Caller } from '../faults/support/http.js';
import { ask, type Client, freshToken, type Context } from './context.js';

const get = (path: string): Call => ({ method: 'GET', path });

const PROBES = ['health', 'health/liveness', 'health/readiness'].map((name) => get(`/actuator/${name}`));

const ADMINISTRATION: readonly Call[] = [
  ...PROBES,
  get('/actuator/prometheus'),
  get('/actuator'),
  get('/actuator/info'),
  get('/api/users'),
  get('/api/users/me'),
  get('/api/transactions?size=100'),
  get('/api/properties?sort=name'),
  { method: 'POST', path: '/api/transactions/search', body: '{"searchTerm":"clean","overdue":true}' },
];

/** A client that asks the same over and over, on one connection: a prober without a token, or an ADMIN. */
export class Rounds implements Client {
  private readonly caller: Caller;

  private constructor(
    private readonly context: Context,
    private readonly calls: readonly Call[],
    private readonly token: () => string | undefined,
  ) {
    this.caller = new Caller(context.url);
  }

  static ofProber(context: Context): Rounds {
    return new Rounds(context, PROBES, () => undefined);
  }

  static ofAdmin(context: Context, id: string): Rounds {
    const itself = get(`/api/users/${id}`);
    return new Rounds(context, [...ADMINISTRATION, itself], () => freshToken(id, context.random));
  }

  async run(): Promise<void> {
    for (let turn = 0; ; turn++) {
      const call = this.calls[turn % this.calls.length];
      if (call !== undefined) await ask(this.context, this.caller, { ...call, token: this.token() }, [200]);
    }
  }

  disconnect(): void {
    this.caller.close();
  }
}
