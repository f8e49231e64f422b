import { bodyOf, expectFaults, expectProblem, pageOf } from './support/responses.js';
import { createProperty, transactionRequest } from './support/factories.js';
import { type Account, type Service, startService } from './support/service.js';
import { differencesOf } from './support/totals.js';

const BATCH = '/api/transactions/batch';
const NOBODYS = Number.MAX_SAFE_INTEGER;

let service: Service;
let admin: Account;
let owner: Account;
let property: number;

beforeAll(async () => {
  service = await startService();
  admin = await service.account('ADMIN');
});
beforeEach(async () => {
  owner = await service.account();
  property = (await createProperty(owner)).id;
});
afterEach(async () => expect(await differencesOf(service)).toEqual([]));

const stored = async (account = owner): Promise<number> =>
  pageOf(await account.get('/api/transactions')).totalElements;
const rows = (count: number, more = {}): Record<string, unknown>[] =>
  Array.from({ length: count }, (_, index) => transactionRequest(property, { amount: index + 1, ...more }));

describe('POST /api/transactions/batch', () => {
  it('answers 201 with all transactions, in their order and as GET shows them', async () => {
    const transactions = rows(100, { tags: ['x'], metadata: { a: 'b' } });
    const response = await owner.post(BATCH, { transactions });
    expect(response.status).toBe(201);
    const { transactions: created } = bodyOf(response) as { transactions: { id: number; amount: number }[] };
    expect(created.map(({ amount }) => amount)).toEqual(rows(100).map(({ amount }) => amount));
    for (const row of [created[0]!, created[99]!])
      expect((await owner.get(`/api/transactions/${row.id}`)).json).toEqual(row);
    expect(await stored()).toBe(100);
  });

  it('answers 400 with the first 50 faults by their index, and records nothing', async () => {
    const transactions = [...rows(2), { ...rows(1)[0], amount: 0, tags: [1] }, 7, []];
    const empty = ['propertyId', 'type', 'category', 'description', 'amount', 'date'];
    const errors = expectFaults(
      await owner.post(BATCH, { transactions: [...transactions, {}] }),
      ...['transactions[2].amount', 'transactions[2].tags[0]', 'transactions[3]', 'transactions[4]'],
      ...empty.map((name) => `transactions[5].${name}`),
    );
    expect(errors['transactions[3]']).toBe('must be an object');
    const many = await owner.post(BATCH, { transactions: Array.from({ length: 10 }, () => ({})) });
    const { errors: first = {}, detail } = expectProblem(many, 'validation-failed');
    expect(Object.keys(first)).toHaveLength(50);
    expect(detail).toContain('at least 50 invalid fields');
    expect(await stored()).toBe(0);
  });

  it('answers 400 for a list that is empty, too long, missing or not a list', async () => {
    for (const transactions of [[], 'x', {}, null, undefined, rows(101)])
      expectFaults(await owner.post(BATCH, { transactions }), 'transactions');
  });

  it("answers 404 with the positions of rows whose property is unknown or another owner's, and records nothing", async () => {
    const { id } = await createProperty(await service.account());
    const [unknown, foreign] = [NOBODYS, id].map((propertyId) => transactionRequest(propertyId));
    const response = await owner.post(BATCH, { transactions: [unknown, ...rows(1), foreign] });
    const positions = 'transactions[0].propertyId, transactions[2].propertyId';
    expect(expectProblem(response, 'not-found').detail).toBe(`There is no such property: ${positions}.`);
    expect(await stored()).toBe(0);
  });

  it("records an ADMIN's transactions for the owners of their properties, or none of them", async () => {
    const stranger = await service.account();
    const theirs = (await createProperty(stranger)).id;
    const transactions = [transactionRequest(theirs), ...rows(1), transactionRequest(theirs)];
    const faulty = { transactions: [...transactions, transactionRequest(NOBODYS)] };
    const { detail } = expectProblem(await admin.post(BATCH, faulty), 'not-found');
    expect(detail).toBe('There is no such property: transactions[3].propertyId.');
    expect([await stored(), await stored(stranger)]).toEqual([0, 0]);
    const { transactions: created } = bodyOf(await admin.post(BATCH, { transactions }));
    expect(created).toMatchObject([theirs, property, theirs].map((propertyId) => ({ propertyId })));
    expect([await stored(), await stored(stranger)]).toEqual([1, 2]);
  });
});
