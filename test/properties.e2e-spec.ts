import { bodyOf, expectFaults, expectProblem, pageOf } from './support/answers.js';
import { NO_IDS, PROPERTY_FIELDS } from './support/contract.js';
import { createProperty, createTransaction, propertyRequest } from './support/factories.js';
import { rawJson } from './support/raw-json.js';
import { type Account, type Service, startService } from './support/service.js';

const OPTIONAL = {
  description: 'By the sea',
  strPermitNumber: 'STR-2026-17',
  houseRules: 'No "smoking" 🚭\nNo parties',
  checkInInstructions: 'The key is under the mat',
};
/** Every field that a client may set. */
const FULL = propertyRequest(OPTIONAL);
const ABSENT = Object.fromEntries(Object.keys(OPTIONAL).map((field) => [field, null]));

let service: Service;
let owner: Account;
let admin: Account;

beforeAll(async () => {
  service = await startService();
  [owner, admin] = await Promise.all([service.account(), service.account('ADMIN')]);
});

describe('POST /api/properties', () => {
  it('answers 200 with the property, its Location and its ETag, as the read after it does', async () => {
    const created = await owner.post('/api/properties', FULL);
    expect([created.status, created.headers.get('etag')]).toEqual([200, '"1"']);
    const { id, ...fields } = bodyOf(created);
    expect(fields).toEqual({ ...FULL, ownerId: Number(owner.id) });
    expect(created.headers.get('location')).toBe(`/api/properties/${String(id)}`);
    const read = await owner.get(created.headers.get('location')!);
    expect([read.status, read.text, read.headers.get('etag')]).toEqual([200, created.text, '"1"']);
    expect(read.headers.get('content-type')).toMatch(/^application\/json(; charset=utf-8)?$/);
  });

  it('answers with every documented field, null for an absent one', async () => {
    const created = bodyOf(await owner.post('/api/properties', propertyRequest()));
    expect(Object.keys(created).sort()).toEqual([...PROPERTY_FIELDS].sort());
    expect(created).toMatchObject(ABSENT);
  });

  it('makes the caller the owner, an ADMIN too', async () => {
    expect(bodyOf(await admin.post('/api/properties', FULL))['ownerId']).toBe(Number(admin.id));
  });

  it('and PUT ignore fields that the server manages and unknown fields', async () => {
    const body = rawJson(FULL, {
      ...{ id: '999999', ownerId: admin.id, userId: admin.id, version: '77', role: '"ADMIN"' },
      ...{ createdAt: '"x"', updatedAt: '0', propertyName: '{}', unknown: '[[1]]', then: '"x"' },
      ...{ toString: '1', constructor: '{"name":1}', hasOwnProperty: '1', toJSON: '"x"' },
    });
    const { id: existing } = await createProperty(owner);
    for (const [method, path, version] of [
      ['POST', '/api/properties', '"1"'],
      ['PUT', `/api/properties/${existing}`, '"2"'],
    ] as const) {
      const answer = await owner.send(method, path, { body });
      expect(answer.headers.get('etag')).toBe(version);
      const { id, ...fields } = bodyOf(answer);
      expect(id).not.toBe(999_999);
      expect(fields).toEqual({ ...FULL, ownerId: Number(owner.id) });
    }
  });
});

describe('PUT /api/properties/:id', () => {
  it('replaces the property: an absent optional field becomes null', async () => {
    const created = await owner.post('/api/properties', FULL);
    const path = created.headers.get('location')!;
    const request = propertyRequest({
      name: 'New',
      active: false,
      basePrice: 0,
      bedrooms: 0,
      maxGuests: 100,
    });
    const updated = await owner.put(path, request);
    const { status, headers } = updated;
    expect([status, headers.get('etag'), headers.get('location')]).toEqual([200, '"2"', null]);
    const { id, ownerId } = bodyOf(created);
    expect(bodyOf(updated)).toEqual({ ...ABSENT, ...request, id, ownerId });
    expect((await owner.get(path)).text).toBe(updated.text);
  });

  it('keeps the time of creation and renews the time of the update', async () => {
    const { id } = await createProperty(owner);
    const age = `UPDATE properties SET created_at = '2020-01-01Z', updated_at = '2020-01-01Z' WHERE id = $1`;
    await service.sql(age, [id]);
    await owner.put(`/api/properties/${id}`, FULL);
    const rows = await service.sql(
      `SELECT created_at = '2020-01-01Z' AS kept, updated_at > now() - interval '1 minute' AS renewed
         FROM properties WHERE id = $1`,
      [id],
    );
    expect(rows).toEqual([{ kept: true, renewed: true }]);
  });

  it("by an ADMIN leaves it the owner's", async () => {
    const { id } = await createProperty(owner);
    const updated = await admin.put(`/api/properties/${id}`, FULL);
    expect(bodyOf(updated)).toEqual({ ...FULL, id, ownerId: Number(owner.id) });
    expect((await owner.get(`/api/properties/${id}`)).text).toBe(updated.text);
  });
});

describe('DELETE /api/properties/:id', () => {
  it('answers 200 without a body, and then it is gone', async () => {
    const { id } = await createProperty(owner);
    const typed = { 'content-type': 'application/json' }; // many clients send it without a body
    const deleted = await owner.delete(`/api/properties/${id}`, typed);
    expect([deleted.status, deleted.text, deleted.headers.get('content-type')]).toEqual([200, '', null]);
    expectProblem(await owner.get(`/api/properties/${id}`), 'not-found');
    expectProblem(await owner.delete(`/api/properties/${id}`), 'not-found');
    expectProblem(await owner.put(`/api/properties/${id}`, FULL), 'not-found');
  });

  it('answers 409 while a transaction refers to it, and removes nothing', async () => {
    const { id } = await createProperty(owner);
    const transaction = await createTransaction(owner, id);
    for (const caller of [owner, admin])
      expectProblem(await caller.delete(`/api/properties/${id}`), 'resource-in-use');
    expect((await owner.delete(`/api/transactions/${transaction.id}`)).status).toBe(200);
    expect((await owner.delete(`/api/properties/${id}`)).status).toBe(200);
  });
});

it('GET /api/properties, and the read of an ADMIN, show a property as its own read does', async () => {
  const alone = await service.account();
  const created = await alone.post('/api/properties', FULL);
  expect((await admin.get(created.headers.get('location')!)).text).toBe(created.text);
  const list = await alone.get('/api/properties');
  expect(pageOf(list).content).toEqual([created.json]);
  expect(list.text).toContain(created.text);
});

describe('the id in the path of a property', () => {
  const send = (id: string): ReturnType<Account['get']>[] => [
    owner.get(`/api/properties/${id}`),
    owner.put(`/api/properties/${id}`, FULL),
    owner.delete(`/api/properties/${id}`),
  ];

  it.each(NO_IDS.map((id) => [id.slice(0, 30), id]))('%s answers 400', async (_, id) => {
    for (const answer of await Promise.all(send(id))) expectFaults(answer, 'id');
  });

  it.each(['0', '-0', '2147483648', '9223372036854775807', '-9223372036854775808'])(
    '%s answers 404',
    async (id) => {
      for (const answer of await Promise.all(send(id)))
        expect(expectProblem(answer, 'not-found').instance).toBe(`/api/properties/${id}`);
    },
  );
});
