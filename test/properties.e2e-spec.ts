import { bodyOf, expectFaults, expectProblem, pageOf } from './support/answers.js';
import { NO_IDS, PROPERTY_FIELDS } from './support/contract.js';
import { createProperty, createTransaction, propertyRequest } from './support/factories.js';
import { rawJson } from './support/raw-json.js';
import { type Account, type Service, startService } from './support/service.js';

/** Every field that a client may set. */
const FULL = propertyRequest({
  description: 'By the sea',
  strPermitNumber: 'STR-2026-17',
  houseRules: 'No "smoking" 🚭\nNo parties',
  checkInInstructions: 'The key is under the mat',
});
const OPTIONAL = ['description', 'strPermitNumber', 'houseRules', 'checkInInstructions'];

let service: Service;
let owner: Account;
let admin: Account;

beforeAll(async () => {
  service = await startService();
  [owner, admin] = await Promise.all([service.account(), service.account('ADMIN')]);
});

describe('creating a property', () => {
  it('answers 200 with the property, its Location and its ETag, as the read after it does', async () => {
    const created = await owner.post('/api/properties', FULL);
    expect(created.status).toBe(200);
    expect(created.headers.get('etag')).toBe('"1"');
    const { id, ...fields } = bodyOf(created);
    expect(fields).toEqual({ ...FULL, ownerId: Number(owner.id) });
    expect(created.headers.get('location')).toBe(`/api/properties/${String(id)}`);
    const read = await owner.get(created.headers.get('location')!);
    expect([read.status, read.text, read.headers.get('etag')]).toEqual([200, created.text, '"1"']);
    expect(read.headers.get('content-type')).toMatch(/^application\/json(; charset=utf-8)?$/);
  });

  it('answers with every documented field, null for those that were left out', async () => {
    const created = await owner.post('/api/properties', propertyRequest());
    expect(Object.keys(bodyOf(created)).sort()).toEqual([...PROPERTY_FIELDS].sort());
    for (const field of OPTIONAL) expect(bodyOf(created)[field]).toBeNull();
  });

  it('makes the caller its owner, an ADMIN too', async () => {
    expect(bodyOf(await admin.post('/api/properties', FULL))['ownerId']).toBe(Number(admin.id));
  });

  it('ignores fields that the server manages and fields that it does not know', async () => {
    const body = rawJson(FULL, {
      ...{ id: '999999', ownerId: admin.id, userId: admin.id, version: '77' },
      ...{ role: '"ADMIN"', createdAt: '"x"' },
      ...{ updatedAt: '0', propertyName: '{}', unknown: '[[1]]', toString: '1', constructor: '{"name":1}' },
      ...{ hasOwnProperty: '1', then: '"x"', toJSON: '"x"' },
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

describe('updating a property', () => {
  it('replaces it: an optional field that is left out is null again', async () => {
    const created = await owner.post('/api/properties', FULL);
    const { id } = bodyOf(created);
    const path = created.headers.get('location')!;
    const request = {
      ...propertyRequest(),
      name: 'New',
      active: false,
      basePrice: 0,
      bedrooms: 0,
      maxGuests: 100,
    };
    const updated = await owner.put(path, request);
    expect([updated.status, updated.headers.get('etag'), updated.headers.get('location')]).toEqual([
      200,
      '"2"',
      null,
    ]);
    expect(bodyOf(updated)).toEqual({
      ...Object.fromEntries(OPTIONAL.map((field) => [field, null])),
      ...request,
      id,
      ownerId: Number(owner.id),
    });
    expect((await owner.get(path)).text).toBe(updated.text);
  });

  it('keeps the time of creation and renews that of the update', async () => {
    const { id } = await createProperty(owner);
    await service.sql(
      `UPDATE properties SET created_at = '2020-01-01Z', updated_at = '2020-01-01Z' WHERE id = $1`,
      [id],
    );
    await owner.put(`/api/properties/${id}`, FULL);
    const [row] = await service.sql<{ created: string; recent: boolean }>(
      `SELECT (created_at AT TIME ZONE 'UTC')::text AS created, updated_at > now() - interval '1 minute' AS recent
         FROM properties WHERE id = $1`,
      [id],
    );
    expect(row).toEqual({ created: '2020-01-01 00:00:00', recent: true });
  });

  it("leaves it the owner's when an ADMIN does it", async () => {
    const { id } = await createProperty(owner);
    const updated = await admin.put(`/api/properties/${id}`, FULL);
    expect(bodyOf(updated)).toEqual({ ...FULL, id, ownerId: Number(owner.id) });
    expect((await owner.get(`/api/properties/${id}`)).text).toBe(updated.text);
  });
});

describe('deleting a property', () => {
  it('answers 200 without a body, and then it is gone', async () => {
    const { id } = await createProperty(owner);
    const typed = { 'content-type': 'application/json' }; // as many clients say, though there is no body
    const deleted = await owner.delete(`/api/properties/${id}`, typed);
    expect([deleted.status, deleted.text, deleted.headers.get('content-type')]).toEqual([200, '', null]);
    expectProblem(await owner.get(`/api/properties/${id}`), 404, 'not-found');
    expectProblem(await owner.delete(`/api/properties/${id}`), 404, 'not-found');
    expectProblem(await owner.put(`/api/properties/${id}`, FULL), 404, 'not-found');
  });

  it('is refused while a transaction refers to it, and removes nothing', async () => {
    const { id } = await createProperty(owner);
    const transaction = await createTransaction(owner, id);
    for (const caller of [owner, admin]) {
      expectProblem(await caller.delete(`/api/properties/${id}`), 409, 'resource-in-use');
    }
    expect((await owner.get(`/api/properties/${id}`)).status).toBe(200);
    expect((await owner.get(`/api/transactions/${transaction.id}`)).status).toBe(200);
    await owner.delete(`/api/transactions/${transaction.id}`);
    expect((await owner.delete(`/api/properties/${id}`)).status).toBe(200);
  });
});

it('a property shows in lists, and to an ADMIN, what it shows alone', async () => {
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

  it.each(NO_IDS)('is malformed as %.30s', async (id) => {
    for (const answer of await Promise.all(send(id))) expectFaults(answer, 'id');
  });

  it.each(['0', '-0', '2147483648', '9223372036854775807', '-9223372036854775808'])(
    'is well-formed as %s, and names nothing',
    async (id) => {
      for (const answer of await Promise.all(send(id))) {
        const { instance } = expectProblem(answer, 404, 'not-found');
        expect(instance).toBe(`/api/properties/${id}`);
      }
    },
  );
});
