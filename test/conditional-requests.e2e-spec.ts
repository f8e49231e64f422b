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
    resource: 'property',
    path: '/api/properties',
    create: () => createProperty(owner),
    request: () => propertyRequest({ name: 'Changed' }),
  },
  {
    resource: 'transaction',
    path: '/api/transactions',
    create: () => createTransaction(owner, propertyId),
    request: () => transactionRequest(propertyId, { description: 'Changed' }),
  },
])('of a $resource', ({ path, create, request }) => {
  /** A new one at version 2. */
  const second = async (): Promise<string> => {
    const target = `${path}/${(await create()).id}`;
    await owner.put(target, request());
    return target;
  };

  it('the ETag is the version, which each PUT raises by one', async () => {
    const target = `${path}/${(await create()).id}`;
    expect((await owner.get(target)).headers.get('etag')).toBe('"1"');
    for (const version of ['"2"', '"3"']) {
      expect((await owner.put(target, request())).headers.get('etag')).toBe(version);
      expect((await owner.get(target)).headers.get('etag')).toBe(version);
    }
  });

  describe('If-None-Match', () => {
    it.each(['"2"', 'W/"2"', '"1", "2"', '"1",W/"2","3"', '*', ' "2" '])(
      '%s answers a read with 304 and no body',
      async (header) => {
        const answer = await owner.get(await second(), { 'if-none-match': header });
        expect([answer.status, answer.text, answer.headers.get('etag')]).toEqual([304, '', '"2"']);
        expect(answer.headers.get('content-type')).toBeNull();
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      },
    );

    it('answers 304 to a HEAD as well', async () => {
      const answer = await owner.send('HEAD', await second(), { headers: { 'if-none-match': '"2"' } });
      expect([answer.status, answer.headers.get('etag')]).toEqual([304, '"2"']);
    });

    it.each(['"1"', 'W/"1"', '"1", "3"', '2', '"2', '"02"', '"22"', "'2'", 'w/"2"'])(
      '%s leaves a read what it is',
      async (header) => {
        const target = await second();
        const answer = await owner.get(target, { 'if-none-match': header });
        expect([answer.status, answer.text]).toEqual([200, (await owner.get(target)).text]);
      },
    );

    it('is ignored by PUT and DELETE', async () => {
      const target = await second();
      expect((await owner.put(target, request(), { 'if-none-match': '"2"' })).status).toBe(200);
      expect((await owner.delete(target, { 'if-none-match': '*' })).status).toBe(200);
    });
  });

  describe('If-Match', () => {
    it.each(['"2"', '*', '"1", "2"', '"1","2","3"', ' "2" '])(
      '%s: PUT and DELETE answer 200',
      async (header) => {
        const target = await second();
        const answer = await owner.put(target, request(), { 'if-match': header });
        expect([answer.status, answer.headers.get('etag')]).toEqual([200, '"3"']);
        const deletion = { 'if-match': header.replaceAll('2', '3') };
        expect((await owner.delete(target, deletion)).status).toBe(200);
        expect((await owner.get(target)).status).toBe(404);
      },
    );

    // Strong comparison: a weak tag never matches. A malformed one matches nothing.
    it.each(['"1"', '"1", "3"', 'W/"2"', '2', '"2', '"2"x', "'2'", '""', '"*"'])(
      '%s is a conflict, and nothing changes',
      async (header) => {
        const target = await second();
        const before = await owner.get(target);
        const headers = { 'if-match': header };
        expectProblem(await owner.put(target, request(), headers), 409, 'concurrent-modification');
        expectProblem(await owner.delete(target, headers), 409, 'concurrent-modification');
        const after = await owner.get(target);
        expect([after.text, after.headers.get('etag')]).toEqual([before.text, '"2"']);
      },
    );

    it.each(['"1"', '*'])("%s: a missing row or another owner's answers 404", async (header) => {
      const stranger = await service.account();
      const headers = { 'if-match': header };
      const target = `${path}/${(await create()).id}`;
      for (const [caller, url] of [
        [stranger, target],
        [owner, `${path}/9223372036854775807`],
      ] as const) {
        expectProblem(await caller.put(url, request(), headers), 404, 'not-found');
        expectProblem(await caller.delete(url, headers), 404, 'not-found');
      }
    });

    it('is compared with the version of the owner’s row when an ADMIN writes', async () => {
      const admin = await service.account('ADMIN');
      const target = await second();
      expectProblem(
        await admin.put(target, request(), { 'if-match': '"1"' }),
        409,
        'concurrent-modification',
      );
      expect((await admin.put(target, request(), { 'if-match': '"2"' })).status).toBe(200);
      expect((await admin.delete(target, { 'if-match': '"3"' })).status).toBe(200);
    });
  });
});
