import type { Answer } from './client.js';
import { createProperty, propertyRequest, transactionRequest } from './factories.js';
import { Random } from './random.js';
import type { Account, Service } from './service.js';

interface Owned {
  readonly id: number;
  readonly owner: Account;
}

/** What was answered, and what may be answered while others write the same rows. */
type Write = () => Promise<[answer: Answer, allowed: number[]]>;

/** Owners and an ADMIN who write the same ledger at once: creations, deletions, moves and edits, in a random order. */
export class LedgerLoad {
  readonly #live: Owned[] = [];
  readonly #random: Random;

  private constructor(
    private readonly admin: Account,
    private readonly owners: readonly Account[],
    /** They are there from the beginning to the end. */
    readonly properties: readonly Owned[],
    seed: number,
  ) {
    this.#random = new Random(seed);
  }

  /** Two owners with three properties each, and an ADMIN. */
  static async on(service: Service, seed: number): Promise<LedgerLoad> {
    const owners = [await service.account(), await service.account()];
    const properties: Owned[] = [];
    for (const owner of [...owners, ...owners, ...owners])
      properties.push({ id: (await createProperty(owner)).id, owner });
    return new LedgerLoad(await service.account('ADMIN'), owners, properties, seed);
  }

  /** So many write at once, each for as long as it goes on. Fails on an answer that no overlap explains. */
  async run(workers: number, goesOn: (turn: number) => boolean): Promise<void> {
    const { create, remove, drop, move, shift, edit, comeAndGo } = this;
    const writes = [create, create, create, create, remove, drop, move, move, shift, edit, comeAndGo];
    const worker = async (): Promise<void> => {
      for (let turn = 0; goesOn(turn); turn++) {
        const [{ status, text }, allowed] = await this.#random.pick(writes)();
        if (!allowed.includes(status)) throw new Error(`${status}, not ${allowed.join(' or ')}: ${text}`);
      }
    };
    await Promise.all(Array.from({ length: workers }, worker));
  }

  private readonly create: Write = async () => {
    const { id: propertyId, owner } = this.#random.pick(this.properties);
    const answer = await owner.post('/api/transactions', transactionRequest(propertyId));
    if (answer.status === 200) this.#live.push({ id: (answer.json as { id: number }).id, owner });
    return [answer, [200]];
  };

  /** By an ADMIN, who finds it wherever it is. */
  private readonly remove: Write = async () => {
    const [row] = this.#live.splice(this.#random.below(this.#live.length), 1);
    if (row === undefined) return this.create();
    return [await this.admin.delete(`/api/transactions/${row.id}`), [200, 404, 409]];
  };

  /** By its first owner, from whom an ADMIN may have taken it. */
  private readonly drop: Write = async () => {
    const row = this.#live.at(this.#random.below(this.#live.length));
    if (row === undefined) return this.create();
    return [await row.owner.delete(`/api/transactions/${row.id}`), [200, 404, 409]];
  };

  /** By an ADMIN, to any property. */
  private readonly move: Write = async () => {
    const row = this.#live.at(this.#random.below(this.#live.length));
    if (row === undefined) return this.create();
    const { id } = this.#random.pick(this.properties);
    return [await this.admin.put(`/api/transactions/${row.id}`, transactionRequest(id)), [200, 404, 409]];
  };

  /** By its first owner, to another property of that owner. */
  private readonly shift: Write = async () => {
    const row = this.#live.at(this.#random.below(this.#live.length));
    if (row === undefined) return this.create();
    const { id } = this.#random.pick(this.properties.filter(({ owner }) => owner === row.owner));
    return [await row.owner.put(`/api/transactions/${row.id}`, transactionRequest(id)), [200, 404, 409]];
  };

  private readonly edit: Write = async () => {
    const { id, owner } = this.#random.pick(this.properties);
    return [await owner.put(`/api/properties/${id}`, propertyRequest()), [200, 409]];
  };

  private readonly comeAndGo: Write = async () => {
    const { id } = await createProperty(this.#random.pick(this.owners));
    return [await this.admin.delete(`/api/properties/${id}`), [200]];
  };
}
