import { type Call, Caller, type Reply, succeeded } from '../faults/support/http.js';
import { type AuthResponse, type Credentials, signUpRequest, type UserResponse } from '../support/sign-up.js';
import {
  someFilters,
  somePageOfProperties,
  somePageOfTransactions,
  someProperty,
  someTransaction,
} from './bookkeeping.js';
import { ask, type Client, freshToken, send, type Context } from './context.js';

/** In steps, between arrival and leave. */
const SHORTEST_LIFE = 100;
const LIFE_SPAN = 200;
const PROPERTIES = 2;
/** It creates one while it has fewer than a number from here on, and deletes one while it has more. */
const FEWEST_TRANSACTIONS = 15;
const TRANSACTIONS_SPAN = 10;

/** A property or a transaction of its own. */
interface Resource {
  readonly path: string;
  readonly id: number;
  etag: string;
}

interface Transaction extends Resource {
  readonly marker: string;
}

type Step = () => Promise<unknown>;

/**
 * A client with one connection. It signs up, keeps its books like any host, closes its account, and starts again as
 * somebody new: the database does not grow, and never stays the same.
 */
export class Host implements Client {
  private readonly caller: Caller;
  private readonly steps: readonly Step[];
  private id = '';
  private credentials: Credentials = signUpRequest();
  private signedInToken = '';
  private properties: Resource[] = [];
  private transactions: Transaction[] = [];

  constructor(
    private readonly context: Context,
    private readonly adminId: string,
  ) {
    this.caller = new Caller(context.url);
    this.steps = this.weightedSteps();
  }

  async run(): Promise<void> {
    const { random } = this.context;
    for (;;) {
      await this.arrive();
      for (let left = SHORTEST_LIFE + random.below(LIFE_SPAN); left > 0; left--)
        await random.pick(this.steps)();
      await this.leave();
    }
  }

  disconnect(): void {
    this.caller.close();
  }

  private weightedSteps(): Step[] {
    const weights: [number, Step][] = [
      [12, this.listTransactions],
      [5, this.listProperties],
      [6, this.listOfProperty],
      [14, this.search],
      [6, () => this.ask('GET', '/api/users/me')],
      [10, () => this.get(this.transactions)],
      [6, () => this.get(this.properties)],
      [6, this.getUnchanged],
      [22, this.createOrDelete],
      [10, this.updateTransaction],
      [3, this.updateProperty],
      [1, this.comeAndGo],
      [1, this.signIn],
    ];
    return weights.flatMap(([weight, step]) => Array.from({ length: weight }, () => step));
  }

  private async arrive(): Promise<void> {
    this.properties = [];
    this.transactions = [];
    const request = signUpRequest();
    this.credentials = { username: request.username, password: request.password };
    const call = { method: 'POST', path: '/api/auth/signup', body: request };
    const reply = await ask(this.context, this.caller, call, [201]);
    if (succeeded(reply)) this.id = String((JSON.parse(reply.text) as UserResponse).id);
    await this.signIn();
    for (let left = PROPERTIES; left > 0; left--) await this.createProperty();
  }

  private async leave(): Promise<void> {
    while (this.transactions.length > 0) await this.deleteTransaction();
    for (const { path } of this.properties) await this.ask('DELETE', path);
    const token = freshToken(this.adminId, this.context.random);
    await ask(this.context, this.caller, { method: 'DELETE', path: `/api/users/${this.id}`, token }, [200]);
  }

  private readonly signIn: Step = async () => {
    const call = { method: 'POST', path: '/api/auth/signin', body: this.credentials };
    const reply = await ask(this.context, this.caller, call, [200]);
    if (succeeded(reply)) this.signedInToken = (JSON.parse(reply.text) as AuthResponse).accessToken;
  };

  private readonly listTransactions: Step = () =>
    this.ask('GET', `/api/transactions?${somePageOfTransactions(this.context.random)}`);

  private readonly listProperties: Step = () =>
    this.ask('GET', `/api/properties?${somePageOfProperties(this.context.random)}`);

  private readonly listOfProperty: Step = () => {
    const query = somePageOfTransactions(this.context.random);
    return this.ask('GET', `/api/transactions/property/${this.propertyId}?${query}`);
  };

  private readonly search: Step = () => {
    const ids = this.properties.map(({ id }) => id);
    return this.ask('POST', '/api/transactions/search', { body: someFilters(this.context.random, ids) });
  };

  private async get(resources: readonly Resource[]): Promise<void> {
    const resource = this.someOf(resources);
    if (resource !== undefined) await this.ask('GET', resource.path);
  }

  private readonly getUnchanged: Step = async () => {
    const transaction = this.someOf(this.transactions);
    if (transaction === undefined) return;
    const { path, etag } = transaction;
    await this.ask('GET', path, { headers: { 'if-none-match': etag } }, 304);
  };

  private readonly createOrDelete: Step = async () => {
    const most = FEWEST_TRANSACTIONS + this.context.random.below(TRANSACTIONS_SPAN);
    await (this.transactions.length < most ? this.createTransaction() : this.deleteTransaction());
  };

  private async createTransaction(): Promise<void> {
    const { pace, ledger, random } = this.context;
    await pace.take('request', async () => {
      const { marker, reply } = await ledger.create((reference) =>
        this.send('POST', '/api/transactions', { body: someTransaction(random, this.propertyId, reference) }),
      );
      if (succeeded(reply)) this.transactions.push({ marker, ...created(reply) });
    });
  }

  private async deleteTransaction(): Promise<void> {
    const { pace, ledger, random } = this.context;
    await pace.take('request', async () => {
      const [transaction] = this.transactions.splice(random.below(this.transactions.length), 1);
      if (transaction === undefined) return;
      const headers = this.precondition(transaction);
      await ledger.delete(transaction.marker, () => this.send('DELETE', transaction.path, { headers }));
    });
  }

  private readonly updateTransaction: Step = async () => {
    const transaction = this.someOf(this.transactions);
    if (transaction === undefined) return;
    await this.put(transaction, someTransaction(this.context.random, this.propertyId, transaction.marker));
  };

  private readonly updateProperty: Step = async () => {
    const property = this.someOf(this.properties);
    if (property !== undefined) await this.put(property, someProperty(this.context.random));
  };

  private async put(resource: Resource, fields: object): Promise<void> {
    const headers = this.precondition(resource);
    const reply = await this.ask('PUT', resource.path, { body: fields, headers });
    resource.etag = reply.headers.etag ?? resource.etag;
  }

  private readonly comeAndGo: Step = async () => {
    await this.createProperty();
    const property = this.properties.pop();
    if (property !== undefined) await this.ask('DELETE', property.path);
  };

  private async createProperty(): Promise<void> {
    const reply = await this.ask('POST', '/api/properties', { body: someProperty(this.context.random) });
    if (succeeded(reply)) this.properties.push(created(reply));
  }

  private get propertyId(): number {
    return this.someOf(this.properties)?.id ?? 0;
  }

  private someOf<T>(values: readonly T[]): T | undefined {
    return values.at(this.context.random.below(values.length));
  }

  /** Every other time it says which version it means. */
  private precondition({ etag }: Resource): Record<string, string> {
    return this.context.random.chance(0.5) ? { 'if-match': etag } : {};
  }

  private async ask(method: string, path: string, rest: Partial<Call> = {}, status = 200): Promise<Reply> {
    return this.context.pace.take('request', () => this.send(method, path, rest, status));
  }

  private async send(method: string, path: string, rest: Partial<Call> = {}, status = 200): Promise<Reply> {
    return send(this.context, this.caller, { method, path, token: this.token(), ...rest }, [status]);
  }

  /** Every other time one that the service has not seen: sign-ins alone would take long to bring many. */
  private token(): string {
    const { random } = this.context;
    return random.chance(0.5) ? this.signedInToken : freshToken(this.id, random);
  }
}

function created({ path, text, headers }: Reply): Resource {
  const { id } = JSON.parse(text) as { id: number };
  return { path: `${path}/${id}`, id, etag: headers.etag ?? '' };
}
