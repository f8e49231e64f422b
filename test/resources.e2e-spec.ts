import { bodyOf, expectFaults, expectProblem, pageOf } from './support/responses.js';
import { INSTANT, NO_IDS, PROPERTY_FIELDS, TRANSACTION_FIELDS } from './support/contract.js';
import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from './support/factories.js';
import { rawJson } from './support/raw-json.js';
import { type Account, type Service, startService } from './support/service.js';

type Fields = Record<string, unknown>;

let service: Service;
let owner: Account;
let admin: Account;
let property: { id: number };

beforeAll(async () => {
  service = await startService();
  [owner, admin] = await Promise.all([service.account(), service.account('ADMIN')]);
  property = await createProperty(owner, { name: 'Harbour Flat' });
});

/** JSON texts of values that two writers of JSON might write in two ways. */
const TEXTS = [
  ...[String.raw`"\u0001\b\f\n\r\t\u001f\u007f\"\\\/<&'%s"`, '"\u2028\u2029\ufeffé🚭"', '""', '" null "'],
  ...['"\\u0041"', 'null'],
];
const PRESENT = TEXTS.slice(0, -1);
const INSTANTS = ['"0001-01-01T00:00:00Z"', '"9999-12-31T23:59:59.999"', '"1900-06-01T12:00:00.1299+01:30"'];

const PROPERTIES = {
  path: '/api/properties',
  documented: PROPERTY_FIELDS,
  request: propertyRequest,
  /** Every optional field, none at its default. */
  optional: {
    ...{ description: 'By the sea', strPermitNumber: 'STR-2026-17' },
    ...{ houseRules: 'No "smoking" 🚭\nNo parties', checkInInstructions: 'The key is under the mat' },
  },
  /** The values of absent fields, where they are not null. */
  defaults: {},
  others: { name: 'New', active: false, basePrice: 0, bedrooms: 0, maxGuests: 100 },
  odd: {
    ...{ name: PRESENT, address: PRESENT, description: TEXTS, houseRules: TEXTS },
    ...{
      basePrice: ['0', '99999999.99', '1e1', '0.10'],
      maxGuests: ['1.0', '1e2'],
      active: ['false', 'true'],
    },
  },
  /** The fields beside the id that no request sets. */
  managed: () => ({ ownerId: Number(owner.id) }),
};

const TIME = expect.stringMatching(INSTANT) as unknown;
const TRANSACTIONS = {
  path: '/api/transactions',
  documented: TRANSACTION_FIELDS,
  request: (fields?: Fields) =>
    transactionRequest(property.id, { date: '2026-01-15T10:30:00.000Z', ...fields }),
  optional: {
    ...{ subcategory: 'Deposit', status: 'PAID', paymentMethod: 'BANK_TRANSFER', paymentReference: 'PR-1' },
    ...{ recurring: true, frequency: 'QUARTERLY', vendor: 'Café “Zur Post”', notes: 'Two lines\n🙂' },
    ...{ dueDate: '2026-02-01T00:00:00.000Z', paidAt: '2026-01-20T12:00:00.500Z', bookingId: 42 },
    ...{ receiptUrl: 'https://example.com/r/1', bookingReference: 'B-17', tags: ['b', 'a', 'b'] },
    metadata: { toString: 'x', '': 'empty', ключ: 'значение' },
  },
  defaults: { status: 'PENDING', recurring: false, frequency: 'ONE_TIME', tags: [], metadata: {} },
  others: { amount: 1, description: '' },
  odd: {
    ...{ description: PRESENT, vendor: TEXTS, notes: TEXTS, paymentReference: TEXTS },
    amount: ['0.01', '99999999999999999.99', '9007199254740993.1', '1e2'],
    bookingId: ['-9223372036854775808', '9223372036854775807', '-0', 'null', '1.0'],
    ...{ recurring: ['true', 'false'], frequency: ['null', '"DAILY"'], paymentMethod: ['null', '"CASH"'] },
    ...{ date: INSTANTS, dueDate: [...INSTANTS, 'null'], paidAt: ['null', ...INSTANTS] },
    tags: [`[${PRESENT.join()}]`, '["NULL","{a,b}",""," "]', '[]', '["null"]', 'null'],
    metadata: [
      `{"b":"1","a":"","aa":"x","10":"x","9":"y","é":"","z\\u0001":${TEXTS[0]},"":${TEXTS[1]},"🚭":"","\ufeff":""}`,
      ...['{}', '{"toString":"x","constructor":""}', 'null'],
    ],
  },
  managed: () => ({
    ...{ taxDetails: null, refund: null, approvalStatus: null, approvedBy: null, approvedDate: null },
    ...{ createdAt: TIME, updatedAt: TIME, propertyName: 'Harbour Flat' },
  }),
};

describe.each([PROPERTIES, TRANSACTIONS])('$path', (kind) => {
  const { path, optional, managed, request } = kind;
  const absent = Object.fromEntries(Object.keys(optional).map((field) => [field, null]));
  const full = (): Fields => request(optional);
  const create = async (): Promise<string> =>
    (await owner.post(path, full())).headers.get('location') ?? 'not created';

  it.each([
    ['every field', optional, {}],
    ['the defaults of absent fields', {}, { ...absent, ...kind.defaults }],
  ])(
    'POST answers 200 with %s, a Location and an ETag, as the read after it does',
    async (_, fields, defaults) => {
      const created = await owner.post(path, request(fields));
      expect([created.status, created.headers.get('etag')]).toEqual([200, '"1"']);
      expect(Object.keys(bodyOf(created)).sort()).toEqual([...kind.documented].sort());
      const { id, ...others } = bodyOf(created);
      expect(others).toEqual({ ...request(fields), ...defaults, ...managed() });
      expect(created.headers.get('location')).toBe(`${path}/${String(id)}`);
      const read = await owner.get(`${path}/${String(id)}`);
      expect([read.status, read.text, read.headers.get('etag')]).toEqual([200, created.text, '"1"']);
      expect(read.headers.get('content-type')).toMatch(/^application\/json(; charset=utf-8)?$/);
    },
  );

  it('POST and PUT ignore fields that the server manages and unknown fields', async () => {
    const body = rawJson(full(), {
      ...{ id: '999999', ownerId: admin.id, userId: admin.id, propertyName: '"Forged"', version: '77' },
      ...{ createdAt: '"2000-01-01T00:00:00Z"', updatedAt: '"not a date"', taxDetails: '{"taxable":true}' },
      ...{ refund: '{"refundAmount":1}', approvalStatus: '"APPROVED"', approvedBy: '7', approvedDate: '[]' },
      ...{ unknown: '[[1]]', toString: '1', constructor: '{"name":1}', then: '"x"', toJSON: '{}' },
      ...{ role: '"ADMIN"', hasOwnProperty: '1' },
    });
    for (const [method, target, version] of [
      ['POST', path, '"1"'],
      ['PUT', await create(), '"2"'],
    ] as const) {
      const response = await owner.send(method, target, { body });
      const { id, ...fields } = bodyOf(response);
      expect([response.headers.get('etag'), fields]).toEqual([version, { ...full(), ...managed() }]);
      expect(id).not.toBe(999_999);
      expect(fields['createdAt']).not.toBe('2000-01-01T00:00:00.000Z');
      expect((await owner.get(`${path}/${String(id)}`)).text).toBe(response.text);
    }
  });

  it('POST and PUT answer with the bytes of the read, whatever the values', async () => {
    const target = await create();
    for (let round = 0; round < 12; round++) {
      const odd = Object.entries(kind.odd).map(([field, texts]) => [field, texts[round % texts.length]]);
      const body = rawJson(full(), Object.fromEntries(odd) as Record<string, string>);
      for (const written of [await owner.post(path, body), await owner.put(target, body)]) {
        expect([written.status, written.text]).toEqual([200, expect.stringMatching(/^\{"id":\d+,/)]);
        const read = await owner.get(`${path}/${String(bodyOf(written)['id'])}`);
        expect([read.text, read.headers.get('etag')]).toEqual([written.text, written.headers.get('etag')]);
      }
    }
  });

  it('PUT replaces the row: an absent optional field takes its default again', async () => {
    const target = await create();
    const updated = await owner.put(target, request(kind.others));
    const { status, headers } = updated;
    expect([status, headers.get('etag'), headers.get('location')]).toEqual([200, '"2"', null]);
    const id = Number(target.split('/').at(-1));
    const defaults = { ...absent, ...kind.defaults };
    expect(bodyOf(updated)).toEqual({ ...request(kind.others), ...defaults, ...managed(), id });
    expect((await owner.get(target)).text).toBe(updated.text);
  });

  it('PUT keeps the time of creation and renews the time of the update', async () => {
    const target = await create();
    const [, , table = '', id] = target.split('/');
    const age = `UPDATE ${table} SET created_at = '2020-01-01Z', updated_at = '2020-01-01Z' WHERE id = $1`;
    await service.sql(age, [id]);
    await owner.put(target, full());
    const kept = `created_at = '2020-01-01Z' AND updated_at > now() - interval '1 minute'`;
    expect(await service.sql(`SELECT ${kept} AS kept FROM ${table} WHERE id = $1`, [id])).toEqual([
      { kept: true },
    ]);
  });

  it("PUT by an ADMIN leaves the row the owner's", async () => {
    const target = await create();
    const updated = await admin.put(target, request(kind.others));
    expect(bodyOf(updated)).toMatchObject({ ...request(kind.others), ...managed() });
    expect((await owner.get(target)).text).toBe(updated.text);
    expect((await admin.get(target)).text).toBe(updated.text);
  });

  it('DELETE answers 200 without a body, and then the row is gone', async () => {
    const target = await create();
    const typed = { 'content-type': 'application/json' }; // many clients send it without a body
    const deleted = await owner.delete(target, typed);
    expect([deleted.status, deleted.text, deleted.headers.get('content-type')]).toEqual([200, '', null]);
    for (const caller of [owner, admin]) {
      expectProblem(await caller.get(target), 'not-found');
      expectProblem(await caller.put(target, full()), 'not-found');
      expectProblem(await caller.delete(target), 'not-found');
    }
  });

  const send = (id: string): ReturnType<Account['get']>[] => [
    owner.get(`${path}/${id}`),
    owner.put(`${path}/${id}`, full()),
    owner.delete(`${path}/${id}`),
  ];

  it.each(NO_IDS.map((id) => [id.slice(0, 30), id]))('answers 400 for the id %s', async (_, id) => {
    for (const response of await Promise.all(send(id))) expectFaults(response, 'id');
    expectFaults(await owner.get(`/api/transactions/property/${id}`), 'propertyId');
  });

  it.each(['0', '-0', '2147483648', '9223372036854775807', '-9223372036854775808'])(
    'answers 404 for the id %s',
    async (id) => {
      for (const response of await Promise.all(send(id)))
        expect(expectProblem(response, 'not-found').instance).toBe(`${path}/${id}`);
      expectProblem(await owner.get(`/api/transactions/property/${id}`), 'not-found');
    },
  );
});

it('POST /api/properties makes the caller the owner, an ADMIN too', async () => {
  const created = await admin.post('/api/properties', propertyRequest());
  expect(bodyOf(created)['ownerId']).toBe(Number(admin.id));
});

it('DELETE /api/properties/:id answers 409 while a transaction refers to it, and removes nothing', async () => {
  const { id } = await createProperty(owner);
  const transaction = await createTransaction(owner, id);
  for (const caller of [owner, admin])
    expectProblem(await caller.delete(`/api/properties/${id}`), 'resource-in-use');
  expect((await owner.delete(`/api/transactions/${transaction.id}`)).status).toBe(200);
  expect((await owner.delete(`/api/properties/${id}`)).status).toBe(200);
});

it('GET /api/properties shows a property as its own read does', async () => {
  const alone = await service.account();
  const created = await alone.post('/api/properties', propertyRequest(PROPERTIES.optional));
  const list = await alone.get('/api/properties');
  expect(pageOf(list).content).toEqual([created.json]);
  expect(list.text).toContain(created.text);
});
