import { watchStatements } from './support/sent-statements.js';
import { expectProblem } from './support/responses.js';
import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from './support/factories.js';
import { type Account, type Service, startService } from './support/service.js';

let service: Service;
let owner: Account;
let admin: Account;
let propertyId: number;

beforeAll(async () => {
  service = await startService();
  [owner, admin] = [await service.account(), await service.account('ADMIN')];
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
  let text: string;

  beforeEach(async () => {
    target = `${path}/${(await create()).id}`;
    expect((await owner.get(target)).headers.get('etag')).toBe('"1"');
    expect((await owner.put(target, request())).headers.get('etag')).toBe('"2"');
    const response = await owner.get(target);
    expect(response.headers.get('etag')).toBe('"2"');
    text = response.text;
  });

  it.each(['"2"', 'W/"2"', '"1", "2"', '"1",W/"2","3"', '*', ' "2" '])(
    'GET and HEAD with If-None-Match: %s answer 304 without a body',
    async (header) => {
      for (const method of ['GET', 'HEAD']) {
        const response = await owner.send(method, target, { headers: { 'if-none-match': header } });
        expect([response.status, response.text, response.headers.get('etag')]).toEqual([304, '', '"2"']);
        expect(response.headers.get('content-type')).toBeNull();
        expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      }
    },
  );

  it('PUT is one statement with If-Match; without, it reads the version first', async () => {
    const sent = watchStatements();
    for (const [headers, statements] of [
      [{ 'if-match': '"2"' }, [/UPDATE/]],
      [{}, [/SELECT t.owner_id/, /UPDATE/]],
    ] as const) {
      sent.clear();
      expect((await owner.send('PUT', target, { body: request(), headers })).status).toBe(200);
      const own = sent.all().filter(({ text: sql }) => !sql.includes('FROM users'));
      expect(own.map(({ text: sql }) => sql)).toEqual(
        statements.map((part): unknown => expect.stringMatching(part)),
      );
    }
  });

  it.each(['"1"', 'W/"1"', '"1", "3"', '2', '"2', '"02"', '"22"', "'2'", 'w/"2"'])(
    'GET with If-None-Match: %s answers 200',
    async (header) => {
      const response = await owner.get(target, { 'if-none-match': header });
      expect([response.status, response.text]).toEqual([200, text]);
    },
  );

  it.each<Record<string, string>>([
    ...[{ 'if-none-match': '"2"' }, { 'if-match': '"2"' }, { 'if-match': '*' }, { 'if-match': ' "2" ' }],
    ...[{ 'if-match': '"1", "2"' }, { 'if-match': '"1","2","3"' }],
  ])('PUT by the owner and then DELETE by an ADMIN with %j answer 200', async (headers) => {
    const response = await owner.put(target, request(), headers);
    expect([response.status, response.headers.get('etag')]).toEqual([200, '"3"']);
    const [[name, value] = ['', '']] = Object.entries(headers);
    expect((await admin.delete(target, { [name]: value.replaceAll('2', '3') })).status).toBe(200);
    expect((await owner.get(target)).status).toBe(404);
  });

  // Strong comparison: a weak tag never matches. A malformed one matches nothing.
  it.each(['"1"', '"1", "3"', 'W/"2"', '2', '"2', '"2"x', "'2'", '""', '"*"', '"2147483648", "9999999999"'])(
    'PUT and DELETE with If-Match: %s answer 409, an ADMIN too, and change nothing',
    async (header) => {
      const headers = { 'if-match': header };
      for (const caller of [owner, admin]) {
        expectProblem(await caller.put(target, request(), headers), 'concurrent-modification');
        expectProblem(await caller.delete(target, headers), 'concurrent-modification');
      }
      const after = await owner.get(target);
      expect([after.text, after.headers.get('etag')]).toEqual([text, '"2"']);
    },
  );

  it('PUT and DELETE with a version of ten digits in If-Match answer 200', async () => {
    const id = target.replace(/.*\//, '');
    await service.sql(`UPDATE ${path.replace('/api/', '')} SET version = 2147483646 WHERE id = ${id}`);
    const response = await owner.put(target, request(), { 'if-match': '"2147483646"' });
    expect([response.status, response.headers.get('etag')]).toEqual([200, '"2147483647"']);
    expect((await owner.delete(target, { 'if-match': '"2147483647"' })).status).toBe(200);
  });

  it.each(['"1"', '*'])('PUT and DELETE of a missing row with If-Match: %s answer 404', async (header) => {
    const headers = { 'if-match': header };
    const missing = `${path}/9223372036854775807`;
    expectProblem(await owner.put(missing, request(), headers), 'not-found');
    expectProblem(await owner.delete(missing, headers), 'not-found');
  });
});
