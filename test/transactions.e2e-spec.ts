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
  ...{ subcategory: 'Deposit', status: 'PAID', paymentMethod: 'BANK_TRANSFER', paymentReference: 'PR-1' },
  ...{ recurring: true, frequency: 'QUARTERLY', vendor: 'Café “Zur Post”', notes: 'Two lines\n🙂' },
  ...{ dueDate: '2026-02-01T00:00:00.000Z', paidAt: '2026-01-20T12:00:00.500Z', bookingId: 42 },
  ...{ receiptUrl: 'https://example.com/r/1', bookingReference: 'B-17', tags: ['b', 'a', 'b'] },
  metadata: { toString: 'x', '': 'empty', ключ: 'значение' },
};

/** The values of absent fields. */
const DEFAULTS = {
  ...Object.fromEntries(Object.keys(OPTIONAL).map((field) => [field, null])),
  ...{ status: 'PENDING', recurring: false, frequency: 'ONE_TIME', tags: [], metadata: {} },
};

const SERVER_MANAGED = {
  ...{ taxDetails: null, refund: null, approvalStatus: null, approvedBy: null, approvedDate: null },
  createdAt: expect.stringMatching(INSTANT) as string,
  updatedAt: expect.stringMatching(INSTANT) as string,
  propertyName: 'Harbour Flat',
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

const minimal = (fields: Record<string, unknown> = {}): Record<string, unknown> =>
  transactionRequest(property.id, { date: DATE, ...fields });
const full = (): Record<string, unknown> => minimal(OPTIONAL);
const pathOf = ({ id }: { id: number }): string => `/api/transactions/${id}`;

describe('POST /api/transactions', () => {
  it.each([
    ['the transaction', full, {}],
    ['the defaults of absent fields', minimal, DEFAULTS],
  ])(
    'answers 200 with %s, a Location and an ETag, as the read after it does',
    async (_, request, defaults) => {
      const created = await owner.post('/api/transactions', request());
      expect([created.status, created.headers.get('etag')]).toEqual([200, '"1"']);
      expect(Object.keys(bodyOf(created)).sort()).toEqual([...TRANSACTION_FIELDS].sort());
      const { id, ...fields } = bodyOf(created);
      expect(fields).toEqual({ ...request(), ...defaults, ...SERVER_MANAGED });
      expect(created.headers.get('location')).toBe(`/api/transactions/${String(id)}`);
      const read = await owner.get(created.headers.get('location')!);
      expect([read.status, read.json, read.headers.get('etag')]).toEqual([200, created.json, '"1"']);
    },
  );

  it.each<[Record<string, unknown>, string | null]>([
    [{}, 'ONE_TIME'],
    [{ recurring: null, frequency: null }, 'ONE_TIME'],
    [{ recurring: true, frequency: null }, null],
    [{ recurring: true, frequency: 'ONE_TIME' }, 'ONE_TIME'],
    [{ recurring: false, frequency: 'MONTHLY' }, 'MONTHLY'],
  ])('and PUT with %j store the frequency %s', async (fields, frequency) => {
    const created = await owner.post('/api/transactions', minimal(fields));
    const target = created.headers.get('location')!;
    expect([created.status, bodyOf(created)['frequency']]).toEqual([200, frequency]);
    await owner.put(target, minimal({ recurring: true, frequency: 'DAILY' }));
    expect(bodyOf(await owner.put(target, minimal(fields)))['frequency']).toBe(frequency);
  });

  it.each([
    { type: 'EXPENSE', category: 'BOOKING_PAYMENT' },
    { type: 'INCOME', category: 'CLEANING' },
  ])('takes any category with any type: %j', async (fields) => {
    expect(bodyOf(await owner.post('/api/transactions', minimal(fields)))).toMatchObject(fields);
  });

  it('and PUT ignore fields that the server manages and unknown fields', async () => {
    const body = rawJson(full(), {
      ...{ id: '999999', ownerId: admin.id, userId: admin.id, propertyName: '"Forged"', version: '77' },
      ...{ createdAt: '"2000-01-01T00:00:00Z"', updatedAt: '"not a date"', taxDetails: '{"taxable":true}' },
      ...{ refund: '{"refundAmount":1}', approvalStatus: '"APPROVED"', approvedBy: '7', approvedDate: '[]' },
      ...{ unknown: '[[1]]', toString: '1', constructor: '{"name":1}', then: '"x"', toJSON: '{}' },
    });
    for (const [method, path, version] of [
      ['POST', '/api/transactions', '"1"'],
      ['PUT', pathOf(await createTransaction(owner, property.id)), '"2"'],
    ] as const) {
      const answer = await owner.send(method, path, { body });
      const { id, ...fields } = bodyOf(answer);
      expect([answer.headers.get('etag'), fields]).toEqual([version, { ...full(), ...SERVER_MANAGED }]);
      expect(id).not.toBe(999_999);
      expect(fields['createdAt']).not.toBe('2000-01-01T00:00:00.000Z');
      expect((await owner.get(`/api/transactions/${String(id)}`)).json).toEqual(answer.json);
    }
  });

  it.each(['0', '-9223372036854775808'])('answers 404 for the property %s', async (propertyId) => {
    const body = rawJson(minimal(), { propertyId });
    expectProblem(await owner.post('/api/transactions', body), 'not-found');
  });

  it('and PUT by an ADMIN write for the owner of the property', async () => {
    const created = await admin.post('/api/transactions', minimal());
    const target = created.headers.get('location')!;
    expect((await owner.get(target)).json).toEqual(created.json);
    const updated = await admin.put(target, full());
    expect((await owner.get(target)).json).toEqual(updated.json);
    const rows = await service.sql(`SELECT owner_id FROM transactions WHERE id = $1`, [
      bodyOf(created)['id'],
    ]);
    expect(rows).toEqual([{ owner_id: owner.id }]);
  });
});

describe('PUT /api/transactions/:id', () => {
  it('replaces the transaction: an absent optional field takes its default again', async () => {
    const created = await createTransaction(owner, property.id, OPTIONAL);
    const request = minimal({ amount: 1, description: '' });
    const replaced = await owner.put(pathOf(created), request);
    const { status, headers } = replaced;
    expect([status, headers.get('etag'), headers.get('location')]).toEqual([200, '"2"', null]);
    expect(bodyOf(replaced)).toEqual({ ...request, ...DEFAULTS, ...SERVER_MANAGED, id: created.id });
    expect((await owner.get(pathOf(created))).json).toEqual(replaced.json);
  });

  it('keeps the time of creation and renews the time of the update', async () => {
    const { id } = await createTransaction(owner, property.id);
    const age = `UPDATE transactions SET created_at = '2020-01-01Z', updated_at = '2020-01-01Z' WHERE id = $1`;
    await service.sql(age, [id]);
    const updated = bodyOf(await owner.put(pathOf({ id }), minimal()));
    expect(updated['createdAt']).toBe('2020-01-01T00:00:00.000Z');
    expect(Date.now() - Date.parse(String(updated['updatedAt']))).toBeLessThan(60_000);
  });

  it('lets any status follow any other', async () => {
    const path = pathOf(await createTransaction(owner, property.id));
    for (const status of STATUSES.flatMap((one) => STATUSES.flatMap((other) => [one, other])))
      expect(bodyOf(await owner.put(path, minimal({ status })))['status']).toBe(status);
  });
});

it('DELETE /api/transactions/:id answers 200 without a body, and then the transaction is gone', async () => {
  const created = await createTransaction(owner, property.id);
  const deleted = await owner.delete(pathOf(created));
  expect([deleted.status, deleted.text, deleted.headers.get('content-type')]).toEqual([200, '', null]);
  for (const caller of [owner, admin]) {
    expectProblem(await caller.get(pathOf(created)), 'not-found');
    expectProblem(await caller.put(pathOf(created), minimal()), 'not-found');
    expectProblem(await caller.delete(pathOf(created)), 'not-found');
  }
});

it('propertyName is a copy: a rename does not change it, and the next update renews it', async () => {
  const { id: propertyId } = await createProperty(owner, { name: 'Before' });
  const created = await createTransaction(owner, propertyId);
  await owner.put(`/api/properties/${propertyId}`, propertyRequest({ name: 'After' }));
  const names = async (): Promise<unknown[]> => [
    bodyOf(await owner.get(pathOf(created)))['propertyName'],
    pageOf(await owner.get(`/api/transactions/property/${propertyId}`)).content[0]!['propertyName'],
    pageOf(await owner.post('/api/transactions/search', { propertyId })).content[0]!['propertyName'],
  ];
  expect(await names()).toEqual(['Before', 'Before', 'Before']);
  await owner.put(pathOf(created), transactionRequest(propertyId));
  expect(await names()).toEqual(['After', 'After', 'After']);
});

it('lists and searches show a summary of exactly the documented fields, its amount digit for digit', async () => {
  const alone = await service.account();
  const { id: propertyId } = await createProperty(alone);
  const amount = '99999999999999999.99';
  const request = transactionRequest(propertyId, { ...OPTIONAL, date: DATE });
  const first = bodyOf(await alone.post('/api/transactions', rawJson(request, { amount })));
  const second = await createTransaction(alone, propertyId, { date: '2026-01-14T00:00:00Z' });
  const expected = [first, second].map((row) =>
    Object.fromEntries(SUMMARY_FIELDS.map((field) => [field, row[field]])),
  );
  for (const list of [
    await alone.get('/api/transactions'),
    await alone.get(`/api/transactions/property/${propertyId}`),
    await alone.post('/api/transactions/search', { propertyId }),
  ]) {
    expect(pageOf(list).content).toEqual(expected);
    expect(digitsOf(list, 'amount')).toBe(amount);
  }
  const bounds = rawJson({}, { minAmount: amount, maxAmount: amount });
  expect(idsOf(await alone.post('/api/transactions/search', bounds))).toEqual([first['id']]);
});

describe('the id in the path', () => {
  const send = (id: string): ReturnType<Account['get']>[] => [
    owner.get(`/api/transactions/${id}`),
    owner.put(`/api/transactions/${id}`, minimal()),
    owner.delete(`/api/transactions/${id}`),
  ];

  it.each(['abc', '1.0', '9223372036854775808'])('%s answers 400', async (id) => {
    for (const answer of await Promise.all(send(id))) expectFaults(answer, 'id');
    expectFaults(await owner.get(`/api/transactions/property/${id}`), 'propertyId');
  });

  it.each(['0', '-9223372036854775808'])('%s answers 404', async (id) => {
    for (const answer of await Promise.all([...send(id), owner.get(`/api/transactions/property/${id}`)]))
      expectProblem(answer, 'not-found');
  });
});

it('times are in UTC whatever the time zone and the date style of the database', async () => {
  const url = await createDatabase();
  const database = new URL(url).pathname.slice(1);
  await service.sql(`ALTER DATABASE ${database} SET timezone = 'America/St_Johns'`);
  await service.sql(`ALTER DATABASE ${database} SET datestyle = 'German'`);
  const elsewhere = await startService({}, url);
  const caller = await elsewhere.account();
  const { id: propertyId } = await createProperty(caller);
  for (const day of ['0001-01-01T00', '1900-01-01T00', '2026-07-01T12', '9999-12-31T23']) {
    const date = `${day}:00:00.000Z`;
    const created = await createTransaction(caller, propertyId, { date, dueDate: date });
    expect([created['date'], created['dueDate']]).toEqual([date, date]);
    expect(bodyOf(await caller.get(pathOf(created)))).toEqual(created);
    const search = { startDate: date.slice(0, -1), endDate: date };
    expect(idsOf(await caller.post('/api/transactions/search', search))).toEqual([created.id]);
  }
});
