import type { Answer } from './client.js';
import { createProperty, propertyRequest, transactionRequest } from './factories.js';
import { Random } from './random.js';
import type { Account, Service } from './service.js';

interface Owned {
  readonly id: number;
  readonly owner: Account;
}

const OVERLAPPED = [200, 404, 409];

/** Two owners and an ADMIN who write the same ledger at once: creations, deletions, moves and edits, in a random order. */
export class LedgerLoad {
  readonly #transactions: Owned[] = [];
  readonly #random: Random;

  private constructor(
    private readonly admin: Account,
    /** Three of each owner, which stay. */
    readonly properties: readonly Owned[],
    seed: number,
  ) {
    this.#random = new Random(seed);
  }

  static async on(service: Service, seed: number): Promise<LedgerLoad> {
    const owners = [await service.account(), await service.account()];
    const properties: Owned[] = [];
    for (const owner of [...owners, ...owners, ...owners])
      properties.push({ id: (await createProperty(owner)).id, owner });
    return new LedgerLoad(await service.account('ADMIN'), properties, seed);
  }

  /** Fails on a status that no overlap explains. */
  async run(workers: number, goesOn: (turn: number) => boolean): Promise<void> {
    const worker = async (): Promise<void> => {
      for (let turn = 0; goesOn(turn); turn++) {
        const [{ status, text }, ...allowed] = await this.#write();
        if (!allowed.includes(status)) throw new Error(`${status}, not ${allowed.join(' or ')}: ${text}`);
      }
    };
    await Promise.all(Array.from({ length: workers }, worker));
  }

  async #write(): Promise<[answer: Answer, ...allowed: number[]]> {
    const { id, owner } = this.#random.pick(this.properties);
    const index = this.#random.below(this.#transactions.length);
    const row = this.#transactions[index];
    const kind = this.#random.below(11);
    if (kind === 0) return [await owner.put(`/api/properties/${id}`, propertyRequest()), 200, 409];
    if (kind === 1)
      return [await this.admin.delete(`/api/properties/${(await createProperty(owner)).id}`), 200];
    if (kind < 6 || row === undefined) return [await this.#create(id, owner), 200];
    const path = `/api/transactions/${row.id}`;
    if (kind === 6) this.#transactions.splice(index, 1);
    if (kind === 6) return [await this.admin.delete(path), ...OVERLAPPED];
    if (kind === 7) return [await row.owner.delete(path), ...OVERLAPPED];
    if (kind < 10) return [await this.admin.put(path, transactionRequest(id)), ...OVERLAPPED];
    const { id: own } = this.#random.pick(this.properties.filter((property) => property.owner === row.owner));
    return [await row.owner.put(path, transactionRequest(own)), ...OVERLAPPED];
  }

  async #create(propertyId: number, owner: Account): Promise<Answer> {
    const answer = await owner.post('/api/transactions', transactionRequest(propertyId));
    if (answer.status === 200) this.#transactions.push({ id: (answer.json as { id: number }).id, owner });
    return answer;
  }
}
