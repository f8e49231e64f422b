import { parse, stringify } from 'lossless-json';
import type { WireAnswer } from '../support/wire.js';
import { type JsonObject } from './difference.js';
import { History } from './history.js';
import { keep } from './keys.js';
import { numberIn } from './unknowns.js';
import type { Request } from './commands.js';
import { type Call, NOT_FOUND } from './outcomes.js';
import { stored } from './transaction-body.js';
import { offer } from './walks.js';
import type { Session, World } from './world.js';

/** One call as a client saw it: what it sent and when, what came and when. */
export interface Observation {
  readonly command: Request;
  readonly call: Call;
  readonly answer: WireAnswer;
  readonly start: number;
  readonly end: number;
}

/** What a key makes repeatable. */
const KEPT: readonly Request['op'][] = ['createProperty', 'createTransaction', 'batch'];
const ONE = /^\/api\/(properties|transactions)\/\d+$/;

interface Interval {
  readonly start: number;
  readonly end: number;
}

/** Takes notice of every answer, and tells in what they contradict each other. */
export class Observer {
  readonly history = new History();
  readonly #faults: string[] = [];
  /** The place of what was created, or the key of a batch → the first answer, and those that were given again. */
  readonly #created = new Map<string, string>();
  readonly #repeated: Pick<Observation, 'call' | 'answer'>[] = [];
  /** The account → when somebody tried to delete it, and the try that was acknowledged. */
  readonly #tries = new Map<number, number>();
  readonly #removals = new Map<number, Interval>();
  readonly #uses: (Interval & { readonly accountId: number; readonly status: number })[] = [];

  constructor(private readonly world: World) {}

  /** Before the answer is there, because it may take effect at any moment. */
  begins({ command, call }: Pick<Observation, 'command' | 'call'>, start: number): void {
    if (command.op !== 'deleteUser') return;
    const id = idIn(call);
    this.#tries.set(id, Math.min(start, this.#tries.get(id) ?? Infinity));
  }

  sees(observation: Observation): void {
    const { command, call, answer, start, end } = observation;
    const body = answer.text === '' ? {} : (parse(answer.text) as JsonObject);
    const accountId = this.world.accountIdOf(call.token);
    if (accountId !== undefined && command.op !== 'signUp' && command.op !== 'signIn')
      this.#uses.push({ accountId, status: answer.status, start, end });
    if (isReplayed(answer)) {
      this.#repeated.push(observation);
      return; // what it shows may have changed long ago
    }
    if ('content' in body) {
      this.#faults.push(...pageFaults(call, body, this.ownerIn(accountId)));
      const account = this.world.accounts.get(accountId ?? 0);
      offer(this.world, { account }, call, answer, () => NOT_FOUND); // which is not looked at
    }
    this.seesOne(observation, body, accountId);
    if (command.op === 'batch' && answer.status === 201) {
      this.#created.set(this.placeOf(observation), answer.text);
      this.seesBatch(observation, body, accountId);
    }
    if (answer.status < 300) this.learns(command, call, body, { start, end });
    if (KEPT.includes(command.op)) this.keeps(observation, body);
  }

  faults(): string[] {
    const uses = this.#uses.flatMap(({ accountId, status, start, end }) => {
      const removal = this.#removals.get(accountId);
      if (removal !== undefined && removal.end < start && status !== 401)
        return [`a token of account ${accountId} was answered ${status} after the account was deleted`];
      if (status === 401 && !((this.#tries.get(accountId) ?? Infinity) < end))
        return [`a token of account ${accountId} was refused though nobody had deleted the account`];
      return [];
    });
    const repeats = this.#repeated
      .filter((again) => this.#created.get(this.placeOf(again)) !== again.answer.text)
      .map((again) => `another answer than the first one for ${this.placeOf(again)}`);
    return [...this.#faults, ...repeats, ...uses, ...this.history.faults()];
  }

  private placeOf({ call, answer }: Pick<Observation, 'call' | 'answer'>): string {
    const key = `${this.world.accountIdOf(call.token)}: ${call.headers?.['Idempotency-Key']}`;
    return answer.headers.get('location') ?? key;
  }

  private ownerIn(accountId: number | undefined): number | undefined {
    const account = this.world.accounts.get(accountId ?? 0);
    return account?.role === 'USER' ? account.id : undefined;
  }

  private seesOne({ call, answer, start, end }: Observation, body: JsonObject, accountId?: number): void {
    const { method, headers = {}, token } = call;
    const location = method === 'POST' ? answer.headers.get('location') : null;
    if (location !== null) this.#created.set(location, answer.text);
    const resource = location ?? call.target;
    if (!ONE.test(resource) || token === undefined) return;
    const tag = answer.headers.get('etag');
    this.history.add({
      resource,
      method,
      start,
      end,
      status: answer.status,
      version: tag === null ? undefined : Number(tag.slice(1, -1)),
      body: answer.status === 200 ? stringify(body)! : '', // a row in a batch has no text of its own
      isEntitled: method !== 'PUT' && this.isEntitled(resource, accountId),
      isConditional: 'If-Match' in headers || 'If-None-Match' in headers,
      expected: expectedBy(headers),
    });
    if (answer.status === 200 && tag !== null) this.remember(resource, Number(tag.slice(1, -1)), body);
  }

  /** As if each had been recorded by a call of its own. */
  private seesBatch(observation: Observation, { transactions }: JsonObject, accountId?: number): void {
    for (const row of transactions as JsonObject[]) {
      const id = numberIn(row['id']);
      const headers = new Headers({ location: `/api/transactions/${id}`, etag: '"1"' });
      const answer = { ...observation.answer, status: 200, headers };
      this.seesOne({ ...observation, answer }, row, accountId);
      this.world.seen.transactions.push(id);
    }
  }

  /** An ADMIN to everything; a transaction may have been moved to another owner. */
  private isEntitled(resource: string, accountId: number | undefined): boolean {
    const account = this.world.accounts.get(accountId ?? 0);
    const id = Number(resource.split('/').at(-1));
    const [known, ownerId] = resource.includes('properties')
      ? [this.world.seen.properties, this.world.properties.get(id)?.ownerId]
      : [this.world.seen.transactions, undefined];
    return known.includes(id) && (account?.role === 'ADMIN' || ownerId === account?.id);
  }

  /** What the next calls may refer to. */
  private remember(resource: string, version: number, body: JsonObject): void {
    const { properties, transactions } = this.world;
    const id = numberIn(body['id']);
    if (resource.includes('properties')) {
      if ((properties.get(id)?.version ?? 0) >= version) return;
      properties.set(id, { id, ownerId: numberIn(body['ownerId']), version, body, columns: {} });
    } else if ((transactions.get(id)?.version ?? 0) < version) {
      const ownerId = properties.get(numberIn(body['propertyId']))?.ownerId ?? 0;
      transactions.set(id, stored(ownerId, version, body));
    }
  }

  /** For those who send it again. */
  private keeps({ call, answer }: Observation, body: JsonObject): void {
    const callerId = this.world.accountIdOf(call.token);
    if (answer.status < 300 && callerId !== undefined)
      keep(this.world, callerId, callerId, call, { answer, body });
  }

  private learns({ op }: Request, call: Call, body: JsonObject, interval: Interval): void {
    const { world } = this;
    if (op === 'createProperty') world.seen.properties.push(numberIn(body['id']));
    if (op === 'createTransaction') world.seen.transactions.push(numberIn(body['id']));
    if (op === 'deleteProperty') world.properties.delete(idIn(call));
    if (op === 'deleteTransaction') world.transactions.delete(idIn(call));
    if (op === 'signUp') world.add(newAccount(call, numberIn(body['id'])));
    if (op === 'signIn') world.signedIn.push(sessionIn(body));
    if (op !== 'deleteUser') return;
    if (this.#removals.has(idIn(call))) this.#faults.push(`account ${idIn(call)} was deleted twice`);
    this.#removals.set(idIn(call), interval);
    world.accounts.delete(idIn(call));
  }
}

function isReplayed({ headers }: WireAnswer): boolean {
  return headers.get('idempotent-replayed') === 'true';
}

function expectedBy(headers: Readonly<Record<string, string>>): number | undefined {
  const [, version] = /^"(\d+)"$/.exec(headers['If-Match'] ?? '') ?? [];
  return version === undefined ? undefined : Number(version);
}

function idIn({ target }: Call): number {
  return Number(target.split('/').at(-1));
}

function sessionIn({ accessToken, user }: JsonObject): Session {
  return { token: accessToken as string, accountId: numberIn((user as JsonObject)['id']) };
}

function newAccount({ body = '' }: Call, id: number) {
  const { email, username, password } = JSON.parse(body) as Record<'email' | 'username' | 'password', string>;
  return { id, email, username, password, firstName: null, lastName: null, role: 'USER' as const };
}

/** A page is one look at the database: its rows and its total are of the same moment, and nobody else's. */
function pageFaults({ target }: Call, body: JsonObject, ownerId: number | undefined): string[] {
  const content = body['content'] as JsonObject[];
  const [page, size, total] = ['page', 'size', 'totalElements'].map((name) => numberIn(body[name]));
  const expected = Math.min(size!, Math.max(0, total! - page! * size!));
  const isWalk = /cursor=./.test(target); // on which rows may have come or gone before this page
  const ids = new Set(content.map(({ id }) => numberIn(id)));
  const isForeign = (row: JsonObject): boolean => 'ownerId' in row && numberIn(row['ownerId']) !== ownerId;
  return [
    ...((isWalk ? content.length <= size! : content.length === expected)
      ? []
      : [`${target} had ${content.length} rows of ${total} in all`]),
    ...(ids.size === content.length ? [] : [`${target} had a row twice`]),
    ...(ownerId !== undefined && content.some(isForeign) ? [`${target} had a row of somebody else`] : []),
  ];
}
