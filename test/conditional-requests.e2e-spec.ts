import { expectProblem } from './support/answers.js';
import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from './support/factories.js';
import { type Account, type Service, startService } from './support/service.js';

let service: Service;
let owner: Account;
let propertyId: number;

beforeAll(async () => {
  service = await startService();
  owner = await service.account();
  propertyId = (await createProperty(owner)).id;
});

describe.each([
  {
    path: '/api/properties',
    create: () => createProperty(owner),
    request: () => propertyRequest({ name: 'Changed' }),
  },
  {
    path: '/api/transactions',
    create: () => createTransaction(owner, propertyId),
    request: () => transactionRequest(propertyId, { description: 'Changed' }),
  },
])('$path/:id', ({ path, create, request }) => {
  /** Of a new row, whose version is 2. */
  let target: string;

  beforeEach(async () => {
    target = `${path}/${(await create()).id}`;
    expect((await owner.get(target)).headers.get('etag')).toBe('"1"');
    expect((await owner.put(target, request())).headers.get('etag')).toBe('"2"');
    expect((await owner.get(target)).headers.get('etag')).toBe('"2"');
  });

  it.each(['"2"', 'W/"2"', '"1", "2"', '"1",W/"2","3"', '*', ' "2" '])(
    'GET and HEAD with If-None-Match: %s answer 304 without a body',
    async (header) => {
      for (const method of ['GET', 'HEAD']) {
        const answer = await owner.send(method, target, { headers: { 'if-none-match': header } });
        expect([answer.status, answer.text, answer.headers.get('etag')]).toEqual([304, '', '"2"']);
        expect(answer.headers.get('content-type')).toBeNull();
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      }
    },
  );

  it.each(['"1"', 'W/"1"', '"1", "3"', '2', '"2', '"02"', '"22"', "'2'", 'w/"2"'])(
    'GET with If-None-Match: %s answers 200',
    async (header) => {
      const answer = await owner.get(target, { 'if-none-match': header });
      expect([answer.status, answer.text]).toEqual([200, (await owner.get(target)).text]);
    },
  );

  it('PUT and DELETE ignore If-None-Match', async () => {
    expect((await owner.put(target, request(), { 'if-none-match': '"2"' })).status).toBe(200);
    expect((await owner.delete(target, { 'if-none-match': '*' })).status).toBe(200);
  });

  it.each(['"2"', '*', '"1", "2"', '"1","2","3"', ' "2" '])(
    'PUT by the owner and DELETE by an ADMIN with If-Match: %s answer 200',
    async (header) => {
      const answer = await owner.put(target, request(), { 'if-match': header });
      expect([answer.status, answer.headers.get('etag')]).toEqual([200, '"3"']);
      const admin = await service.account('ADMIN');
      const deletion = { 'if-match': header.replaceAll('2', '3') };
      expect((await admin.delete(target, deletion)).status).toBe(200);
      expect((await owner.get(target)).status).toBe(404);
    },
  );

  // Strong comparison: a weak tag never matches. A malformed one matches nothing.
  it.each(['"1"', '"1", "3"', 'W/"2"', '2', '"2', '"2"x', "'2'", '""', '"*"'])(
    'PUT and DELETE with If-Match: %s answer 409, an ADMIN too, and change nothing',
    async (header) => {
      const before = await owner.get(target);
      const headers = { 'if-match': header };
      for (const caller of [owner, await service.account('ADMIN')]) {
        expectProblem(await caller.put(target, request(), headers), 409, 'concurrent-modification');
        expectProblem(await caller.delete(target, headers), 409, 'concurrent-modification');
      }
      const after = await owner.get(target);
      expect([after.text, after.headers.get('etag')]).toEqual([before.text, '"2"']);
    },
  );

  it.each(['"1"', '*'])('PUT and DELETE of a missing row with If-Match: %s answer 404', async (header) => {
    const headers = { 'if-match': header };
    const missing = `${path}/9223372036854775807`;
    expectProblem(await owner.put(missing, request(), headers), 404, 'not-found');
    expectProblem(await owner.delete(missing, headers), 404, 'not-found');
  });
});
