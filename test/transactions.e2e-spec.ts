import { bodyOf, digitsOf, expectFaults, expectProblem, idsOf, pageOf } from './support/answers.js';
import { INSTANT, STATUSES, SUMMARY_FIELDS, TRANSACTION_FIELDS } from './support/contract.js';
import { createDatabase } from './support/database.js';
import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from './support/factories.js';
import { rawJson } from './support/raw-json.js';
import { type Account, type Service, startService } from './support/service.js';

/** Every optional field, none at its default. */
const OPTIONAL = {
  subcategory: 'Deposit',
  status: 'PAID',
  paymentMethod: 'BANK_TRANSFER',
  paymentReference: 'PR-1',
  recurring: true,
  frequency: 'QUARTERLY',
  vendor: 'Café “Zur Post”',
  receiptUrl: 'https://example.com/r/1',
  notes: 'Two lines\n🙂',
  dueDate: '2026-02-01T00:00:00.000Z',
  paidAt: '2026-01-20T12:00:00.500Z',
  bookingReference: 'B-17',
  bookingId: 42,
  tags: ['b', 'a', 'b'],
  metadata: { toString: 'x', '': 'empty', ключ: 'значение' },
};

/** What they are when they are left out. */
const DEFAULTS = {
  ...Object.fromEntries(Object.keys(OPTIONAL).map((field) => [field, null])),
  status: 'PENDING',
  recurring: false,
  frequency: 'ONE_TIME',
  tags: [],
  metadata: {},
};

const SERVER_MANAGED = {
  taxDetails: null,
  refund: null,
  approvalStatus: null,
  approvedBy: null,
  approvedDate: null,
  createdAt: expect.stringMatching(INSTANT) as string,
  updatedAt: expect.stringMatching(INSTANT) as string,
};

const DATE = '2026-01-15T10:30:00.000Z';

let service: Service;
let owner: Account;
let admin: Account;
let property: { id: number; name: string };

beforeAll(async () => {
  service = await startService();
  [owner, admin] = await Promise.all([service.account(), service.account('ADMIN')]);
  property = await createProperty(owner, { name: 'Harbour Flat' });
});

const full = (fields: Record<string, unknown> = {}): Record<string, unknown> =>
  transactionRequest(property.id, { ...OPTIONAL, date: DATE, ...fields });
const minimal = (fields: Record<string, unknown> = {}): Record<string, unknown> =>
  transactionRequest(property.id, { date: DATE, ...fields });
const pathOf = ({ id }: { id: number }): string => `/api/transactions/${id}`;

describe('creating a transaction', () => {
  it('answers 200 with the transaction, its Location and its ETag, as the read after it does', async () => {
    const created = await owner.post('/api/transactions', full());
    expect([created.status, created.headers.get('etag')]).toEqual([200, '"1"']);
    const { id, ...fields } = bodyOf(created);
    expect(fields).toEqual({ ...full(), ...SERVER_MANAGED, propertyName: 'Harbour Flat' });
    expect(created.headers.get('location')).toBe(`/api/transactions/${String(id)}`);
    const read = await owner.get(created.headers.get('location')!);
    expect([read.status, read.headers.get('etag')]).toEqual([200, '"1"']);
    expect(read.json).toEqual(created.json);
  });

  it('answers with every documented field, and the defaults of those that were left out', async () => {
    const created = await owner.post('/api/transactions', minimal());
    expect(Object.keys(bodyOf(created)).sort()).toEqual([...TRANSACTION_FIELDS].sort());
    const { id, ...fields } = bodyOf(created);
    expect(typeof id).toBe('number');
    expect(fields).toEqual({ ...minimal(), ...DEFAULTS, ...SERVER_MANAGED, propertyName: 'Harbour Flat' });
    expect((await owner.get(created.headers.get('location')!)).json).toEqual(created.json);
  });

  it.each<{ fields: Record<string, unknown>; frequency: string | null }>([
    { fields: {}, frequency: 'ONE_TIME' },
    { fields: { recurring: null, frequency: null }, frequency: 'ONE_TIME' },
    { fields: { recurring: true, frequency: null }, frequency: null },
  ])('with $fields has the frequency $frequency', async ({ fields, frequency }) => {
    const created = await owner.post('/api/transactions', minimal(fields));
    const target = created.headers.get('location')!;
    expect([created.status, bodyOf(created)['frequency']]).toEqual([200, frequency]);
    await owner.put(target, minimal({ recurring: true, frequency: 'DAILY' }));
    expect(bodyOf(await owner.put(target, minimal(fields)))['frequency']).toBe(frequency);
  });

  it.each([
    { recurring: true, frequency: 'ONE_TIME' },
    { recurring: false, frequency: 'MONTHLY' },
    { type: 'EXPENSE', category: 'BOOKING_PAYMENT' },
    { type: 'INCOME', category: 'CLEANING' },
  ])('takes %j: any frequency whether it recurs or not, any category with any type', async (fields) => {
    expect(bodyOf(await owner.post('/api/transactions', minimal(fields)))).toMatchObject(fields);
  });

  it('ignores fields that the server manages and fields that it does not know', async () => {
    const body = rawJson(full(), {
      ...{ id: '999999', ownerId: admin.id, userId: admin.id, propertyName: '"Forged"' },
      ...{ version: '77', role: '"ADMIN"' },
      ...{ createdAt: '"2000-01-01T00:00:00Z"', updatedAt: '"not a date"', taxDetails: '{"taxable":true}' },
      ...{ refund: '{"refundAmount":1}', approvalStatus: '"APPROVED"', approvedBy: '7', approvedDate: '[]' },
      ...{ unknown: '[[1]]', toString: '1', constructor: '{"name":1}', then: '"x"', toJSON: '{}' },
    });
    for (const [verb, path] of [
      ['POST', '/api/transactions'],
      ['PUT', pathOf(await createTransaction(owner, property.id))],
    ] as const) {
      const answer = await owner.send(verb, path, { body });
      const { id, ...fields } = bodyOf(answer);
      expect(id).not.toBe(999_999);
      expect(fields).toEqual({ ...full(), ...SERVER_MANAGED, propertyName: 'Harbour Flat' });
      expect(fields['createdAt']).not.toBe('2000-01-01T00:00:00.000Z');
      expect(answer.headers.get('etag')).toBe(verb === 'POST' ? '"1"' : '"2"');
      expect((await owner.get(`/api/transactions/${String(id)}`)).json).toEqual(answer.json);
    }
  });

  it.each(['0', '-9223372036854775808'])(
    'for the property %s, which is not there, is 404',
    async (propertyId) => {
      expectProblem(
        await owner.post('/api/transactions', rawJson(minimal(), { propertyId })),
        404,
        'not-found',
      );
    },
  );

  it('by an ADMIN files it for the owner of the property', async () => {
    const created = await admin.post('/api/transactions', minimal());
    const { id } = bodyOf(created) as { id: number };
    expect((await owner.get(pathOf({ id }))).json).toEqual(created.json);
    const [row] = await service.sql('SELECT owner_id FROM transactions WHERE id = $1', [id]);
    expect(row).toEqual({ owner_id: owner.id });
  });
});

it('an amount comes digit for digit in lists and searches', async () => {
  const alone = await service.account();
  const { id: propertyId } = await createProperty(alone);
  const amount = '99999999999999999.99';
  await alone.post('/api/transactions', rawJson(transactionRequest(propertyId), { amount }));
  for (const list of [
    await alone.get('/api/transactions'),
    await alone.get(`/api/transactions/property/${propertyId}`),
    await alone.post('/api/transactions/search', rawJson({}, { minAmount: amount, maxAmount: amount })),
  ])
    expect(digitsOf(list, 'amount')).toBe(amount);
});

describe('updating a transaction', () => {
  it('replaces it: an optional field that is left out takes its default again', async () => {
    const created = await createTransaction(owner, property.id, OPTIONAL);
    const replaced = await owner.put(pathOf(created), minimal({ amount: 1, description: '' }));
    expect([replaced.status, replaced.headers.get('etag'), replaced.headers.get('location')]).toEqual([
      200,
      '"2"',
      null,
    ]);
    expect(bodyOf(replaced)).toEqual({
      ...minimal({ amount: 1, description: '' }),
      ...DEFAULTS,
      ...SERVER_MANAGED,
      id: created.id,
      propertyName: 'Harbour Flat',
    });
    expect((await owner.get(pathOf(created))).json).toEqual(replaced.json);
  });

  it('keeps the time of creation and renews that of the update', async () => {
    const { id } = await createTransaction(owner, property.id);
    await service.sql(
      `UPDATE transactions SET created_at = '2020-01-01Z', updated_at = '2020-01-01Z' WHERE id = $1`,
      [id],
    );
    const updated = bodyOf(await owner.put(pathOf({ id }), minimal()));
    expect(updated['createdAt']).toBe('2020-01-01T00:00:00.000Z');
    expect(Date.now() - Date.parse(String(updated['updatedAt']))).toBeLessThan(60_000);
  });

  it('lets any status follow any other', async () => {
    const path = pathOf(await createTransaction(owner, property.id));
    // Each stands before and behind each other.
    const order = STATUSES.flatMap((one, index) => [
      ...STATUSES.slice(index).flatMap((other) => [one, other]),
      one,
    ]);
    for (const status of order)
      expect(bodyOf(await owner.put(path, minimal({ status })))['status']).toBe(status);
  });

  it("by an ADMIN leaves it the owner's", async () => {
    const created = await createTransaction(owner, property.id);
    const updated = await admin.put(pathOf(created), full());
    expect(updated.status).toBe(200);
    expect((await owner.get(pathOf(created))).json).toEqual(updated.json);
  });
});

describe('the name of the property', () => {
  it('is a copy that no rename rewrites, and that the next update renews', async () => {
    const { id: propertyId } = await createProperty(owner, { name: 'Before' });
    const created = await createTransaction(owner, propertyId);
    await owner.put(`/api/properties/${propertyId}`, propertyRequest({ name: 'After' }));
    const names = async (): Promise<unknown[]> => [
      bodyOf(await owner.get(pathOf(created)))['propertyName'],
      pageOf(await owner.get(`/api/transactions/property/${propertyId}`)).content[0]!['propertyName'],
      pageOf(await owner.post('/api/transactions/search', { propertyId })).content[0]!['propertyName'],
    ];
    expect(await names()).toEqual(['Before', 'Before', 'Before']);
    const updated = await owner.put(pathOf(created), transactionRequest(propertyId));
    expect(bodyOf(updated)['propertyName']).toBe('After');
    expect(await names()).toEqual(['After', 'After', 'After']);
  });
});

it('a deletion answers 200 without a body, and then the transaction is gone', async () => {
  const created = await createTransaction(owner, property.id);
  const deleted = await owner.delete(pathOf(created));
  expect([deleted.status, deleted.text, deleted.headers.get('content-type')]).toEqual([200, '', null]);
  for (const caller of [owner, admin]) {
    expectProblem(await caller.get(pathOf(created)), 404, 'not-found');
    expectProblem(await caller.put(pathOf(created), minimal()), 404, 'not-found');
    expectProblem(await caller.delete(pathOf(created)), 404, 'not-found');
  }
});

describe('the summary in lists and searches', () => {
  it('has exactly the documented fields, as the transaction has them', async () => {
    const { id: propertyId } = await createProperty(owner);
    const first = await createTransaction(owner, propertyId, { ...OPTIONAL, date: DATE });
    const second = await createTransaction(owner, propertyId, { date: '2026-01-14T00:00:00Z' });
    const expected = [first, second].map((row) =>
      Object.fromEntries(SUMMARY_FIELDS.map((field) => [field, row[field]])),
    );
    for (const list of [
      await owner.get(`/api/transactions/property/${propertyId}`),
      await owner.post('/api/transactions/search', { propertyId }),
    ]) {
      expect(pageOf(list).content).toEqual(expected);
    }
    expect(pageOf(await owner.get('/api/transactions?size=100')).content).toEqual(
      expect.arrayContaining(expected),
    );
  });
});

describe('the id in the path of a transaction', () => {
  it.each(['abc', '1.0', '9223372036854775808'])('is a fault as %s', async (id) => {
    expectFaults(await owner.get(`/api/transactions/${id}`), 'id');
    expectFaults(await owner.put(`/api/transactions/${id}`, minimal()), 'id');
    expectFaults(await owner.delete(`/api/transactions/${id}`), 'id');
    expectFaults(await owner.get(`/api/transactions/property/${id}`), 'propertyId');
  });

  it.each(['0', '-9223372036854775808'])('names nothing as %s', async (id) => {
    for (const answer of [
      await owner.get(`/api/transactions/${id}`),
      await owner.put(`/api/transactions/${id}`, minimal()),
      await owner.delete(`/api/transactions/${id}`),
      await owner.get(`/api/transactions/property/${id}`),
    ]) {
      expectProblem(answer, 404, 'not-found');
    }
  });
});

describe('times', () => {
  it('are in UTC whatever the time zone and the style of dates of the database', async () => {
    const url = await createDatabase();
    const database = new URL(url).pathname.slice(1);
    await service.sql(`ALTER DATABASE ${database} SET timezone = 'America/St_Johns'`);
    await service.sql(`ALTER DATABASE ${database} SET datestyle = 'German'`);
    const elsewhere = await startService({}, url);
    const caller = await elsewhere.account();
    const { id: propertyId } = await createProperty(caller);
    for (const date of [
      '0001-01-01T00:00:00.000Z',
      '1900-01-01T00:00:00.000Z',
      '2026-07-01T12:00:00.000Z',
      '9999-12-31T23:59:59.999Z',
    ]) {
      const created = await createTransaction(caller, propertyId, { date, dueDate: date });
      expect([created['date'], created['dueDate']]).toEqual([date, date]);
      expect(bodyOf(await caller.get(pathOf(created)))).toEqual(created);
      const search = { startDate: date.slice(0, -1), endDate: date };
      expect(idsOf(await caller.post('/api/transactions/search', search))).toEqual([created.id]);
    }
  });
});
