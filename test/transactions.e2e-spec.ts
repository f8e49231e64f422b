import { bodyOf, digitsOf, idsOf, pageOf } from './support/responses.js';
import { STATUSES, SUMMARY_FIELDS } from './support/contract.js';
import { createDatabase } from './support/database.js';
import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from './support/factories.js';
import { rawJson } from './support/raw-json.js';
import { type Account, type Service, startService } from './support/service.js';

let service: Service;
let owner: Account;
let admin: Account;
let property: { id: number };

beforeAll(async () => {
  service = await startService();
  [owner, admin] = await Promise.all([service.account(), service.account('ADMIN')]);
  property = await createProperty(owner);
});

const minimal = (fields: Record<string, unknown> = {}): Record<string, unknown> =>
  transactionRequest(property.id, fields);
const pathOf = ({ id }: { id: number }): string => `/api/transactions/${id}`;

it.each<[Record<string, unknown>, string | null]>([
  [{}, 'ONE_TIME'],
  [{ recurring: null, frequency: null }, 'ONE_TIME'],
  [{ recurring: true, frequency: null }, null],
  [{ recurring: true, frequency: 'ONE_TIME' }, 'ONE_TIME'],
  [{ recurring: false, frequency: 'MONTHLY' }, 'MONTHLY'],
])('POST and PUT of a transaction with %j store the frequency %s', async (fields, frequency) => {
  const created = await owner.post('/api/transactions', minimal(fields));
  const target = created.headers.get('location')!;
  expect([created.status, bodyOf(created)['frequency']]).toEqual([200, frequency]);
  await owner.put(target, minimal({ recurring: true, frequency: 'DAILY' }));
  expect(bodyOf(await owner.put(target, minimal(fields)))['frequency']).toBe(frequency);
});

it('POST /api/transactions by an ADMIN records it for the owner of the property', async () => {
  const created = await admin.post('/api/transactions', minimal());
  expect((await owner.get(created.headers.get('location')!)).json).toEqual(created.json);
});

it('PUT /api/transactions/:id lets any status follow any other', async () => {
  const path = pathOf(await createTransaction(owner, property.id));
  for (const status of STATUSES.flatMap((one) => STATUSES.flatMap((other) => [one, other])))
    expect(bodyOf(await owner.put(path, minimal({ status })))['status']).toBe(status);
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
  const request = transactionRequest(propertyId, {
    ...{ subcategory: 'Deposit', status: 'PAID', paymentMethod: 'CASH', recurring: true, vendor: 'V' },
    ...{ dueDate: '2026-02-01T00:00:00Z', paidAt: '2026-01-20T12:00:00.500Z' },
  });
  const created = bodyOf(await alone.post('/api/transactions', rawJson(request, { amount })));
  const summary = Object.fromEntries(SUMMARY_FIELDS.map((field) => [field, created[field]]));
  for (const list of [
    await alone.get('/api/transactions'),
    await alone.get(`/api/transactions/property/${propertyId}`),
    await alone.post('/api/transactions/search', { propertyId }),
  ]) {
    expect(pageOf(list).content).toEqual([summary]);
    expect(digitsOf(list, 'amount')).toBe(amount);
  }
  const bounds = rawJson({}, { minAmount: amount, maxAmount: amount });
  expect(idsOf(await alone.post('/api/transactions/search', bounds))).toEqual([created['id']]);
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
