import type { ParameterObject, RequestBodyObject } from '@nestjs/swagger';
import { Requests } from '../src/http/requests.js';
import { expectProblem } from './support/responses.js';
import { OPERATIONS } from './support/api-document.js';
import type { HttpResponse, Client } from './support/client.js';
import { createProperty, propertyRequest, transactionRequest } from './support/factories.js';
import { Lock, waitingForLocks } from './support/locks.js';
import { LogLines } from './support/log-lines.js';
import { type Account, type Service, startService } from './support/service.js';
import { signIn, signUpRequest } from './support/sign-up.js';
import { until } from './support/until.js';
import { requestText, Wire } from './support/wire.js';

/** One connection for an account. */
const NARROW = { DB_POOL_SIZE: '6', DB_POOL_SHARE: '1', SHARE_TIMEOUT: '1s' };

/**
 * Has the caller change a property whose row is locked: the request holds its connection until the function that this returns
 * is called, which waits for the response.
 */
async function block(service: Service, caller: Client, owner = caller): Promise<() => Promise<void>> {
  const { id } = await createProperty(owner);
  const before = await waitingForLocks(service);
  const lock = await Lock.take(service, 'SELECT FROM properties WHERE id = $1 FOR UPDATE', [id]);
  const response = caller.put(`/api/properties/${id}`, propertyRequest());
  await lock.waitedForBy(before + 1);
  return async () => {
    await lock.release();
    expect((await response).status).toBe(200);
  };
}

/** Every operation of the API document that needs a token, the actuator's left out, with the example of its body. */
const GUARDED = OPERATIONS.filter(
  ({ path, operation }) => operation.security?.length !== 0 && path.startsWith('/api/'),
).map(({ method, path, operation: { parameters = [], requestBody } }) => {
  const required = (parameters as ParameterObject[]).filter((one) => one.in === 'query' && one.required);
  const query = required.map(({ name, example }) => `?${name}=${String(example)}`).join('');
  const [body] = Object.entries((requestBody as RequestBodyObject | undefined)?.content ?? {});
  const headers: Record<string, string> = body === undefined ? {} : { 'content-type': body[0] };
  return { method, path: path.replace(/\{\w+\}/g, '1') + query, headers, body: body?.[1].example as unknown };
});

describe('an account whose share of the connections is taken', () => {
  let service: Service;
  let log: LogLines;
  let owner: Account;
  let other: Account;
  let admin: Account;
  let blocked: (() => Promise<void>)[];

  beforeAll(async () => {
    log = new LogLines();
    service = await startService({ ...NARROW, LOG_LEVEL: 'info' });
    [owner, other] = [await service.account(), await service.account()];
    admin = await service.account('ADMIN');
  });
  beforeEach(async () => {
    blocked = [await block(service, owner), await block(service, admin, other)];
    log.clear();
  });

  it('gets 429 from each operation but that for the account itself, and so does an ADMIN', async () => {
    const refusals = GUARDED.flatMap(({ method, path, ...options }) =>
      (path.startsWith('/api/users') ? [admin] : [owner, admin]).map(async (caller) => {
        const response = await caller.send(method, path, options);
        if (path === '/api/users/me') expect(response.status).toBe(200);
        else expectProblem(response, 'too-many-requests', path.replace(/\?.*/, ''));
      }),
    );
    expect(refusals.length).toBeGreaterThan(40);
    await Promise.all(refusals);
  });

  it('is no server error: neither the log nor the metrics count one', async () => {
    expectProblem(await owner.get('/api/transactions'), 'too-many-requests');
    expect([log.at('warn'), log.at('error')]).toEqual([[], []]);
    const { text } = await admin.get('/actuator/prometheus');
    const refused = text.match(/^http_server_requests_seconds_count.*"429".*/gm) ?? [];
    expect(refused).not.toEqual([]);
    expect(refused.filter((line) => !line.includes('outcome="CLIENT_ERROR"'))).toEqual([]);
    expect(text).toMatch(/^hikaricp_connections_timeout_total\{.*\} 0$/m);
  });

  it('keeps nothing from another account, and is served again once a connection is given back', async () => {
    expect((await other.get('/api/properties')).status).toBe(200);
    for (const end of blocked) await end();
    for (const caller of [owner, admin]) expect((await caller.get('/api/properties')).status).toBe(200);
  });
});

describe('the share of an account', () => {
  it('is two thirds of the pool, and a request beyond it waits for its turn', async () => {
    const service = await startService({ DB_POOL_SIZE: '3' });
    const account = await service.account();
    const blocked = [await block(service, account), await block(service, account)];
    let answered = 0;
    const waiting = [1, 2, 3].map(async () => {
      const { status } = await account.get('/api/properties');
      answered++;
      return status;
    });
    expect((await (await service.account()).get('/api/properties')).status).toBe(200);
    expect(answered).toBe(0);
    await blocked[0]!();
    expect(await Promise.all(waiting)).toEqual([200, 200, 200]);
    await blocked[1]!();
  });

  it('goes to no read whose client has gone while it waited, but to the request behind it', async () => {
    const service = await startService(NARROW);
    const account = await service.account();
    const lock = await Lock.take(service, 'LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE', []);
    const end = await block(service, account);
    const requests = service.app.get(Requests);
    const wire = await Wire.open(service.url);
    wire.send(requestText('GET /api/transactions HTTP/1.1', [`Authorization: Bearer ${account.token}`]));
    await until(() => requests.inFlight.length === 2);
    const behind = account.get('/api/properties');
    await until(() => requests.inFlight.length === 3);
    wire.destroy();
    await until(() => requests.inFlight.length === 2);
    await end();
    expect((await behind).status).toBe(200);
    await lock.release();
  });

  it('serves two hundred creates at once', async () => {
    const service = await startService({ ...NARROW, SHARE_TIMEOUT: '30s' });
    const account = await service.account();
    const creates = Array.from({ length: 200 }, () => account.post('/api/properties', propertyRequest()));
    expect((await Promise.all(creates)).filter(({ status }) => status !== 200)).toEqual([]);
  });

  it('leaves authentication alone when the accounts have taken the whole pool', async () => {
    const service = await startService({ ...NARROW, DB_POOL_SIZE: '1', DB_ACQUIRE_TIMEOUT: '1s' });
    const [account, other] = [await service.account(), await service.account()];
    const end = await block(service, account);
    for (const caller of [account, other]) expect((await caller.get('/api/users/me')).status).toBe(200);
    expectProblem(await other.get('/api/nothing'), 'not-found');
    expectProblem(await other.get('/api/properties'), 'service-unavailable'); // which is not its own doing
    await end();
  });
});

it('sign-ins have no share, because nobody is known yet', async () => {
  const service = await startService(NARROW);
  const lock = await Lock.take(service, 'LOCK TABLE users IN ACCESS EXCLUSIVE MODE', []);
  const responses = [1, 2].map(() => signIn(service.anonymous, signUpRequest()));
  await lock.waitedForBy(2);
  await lock.release();
  for (const response of responses) expectProblem(await response, 'bad-credentials');
});

describe('the long requests of an account', () => {
  const search = (caller: Client): Promise<HttpResponse> =>
    caller.post('/api/transactions/search', { searchTerm: 'boiler' });
  const get = (path: string) => (caller: Client) => caller.get(`/api/${path}`);
  const create = (caller: Client): Promise<HttpResponse> =>
    caller.post('/api/properties', propertyRequest(), { 'idempotency-key': 'a' });
  const LONG = 'searches, reports and long lists';

  it.each([
    [LONG, 2, 4, search, create, 'transactions'],
    [LONG, 1, 3, search, create, 'transactions'],
    ['previous page of changes', 1, 6, get('transactions/changes'), create, 'transactions'],
  ] as const)(
    '%s beyond %i with a share of %i connections answer 429, and short requests 200',
    async (what, most, share, send, short, table) => {
      const service = await startService({ DB_POOL_SHARE: String(share), SHARE_TIMEOUT: '600ms' });
      const [account, other] = [await service.account(), await service.account()];
      const lock = await Lock.take(service, `LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`, []);
      const blocked = Array.from({ length: most }, () => send(account));
      await lock.waitedForBy(most);
      expect(expectProblem(await send(account), 'too-many-requests').detail).toContain(what);
      expect((await short(account)).status).toBe(200);
      const others = send(other);
      await lock.waitedForBy(most + 1);
      await lock.release();
      for (const response of [...blocked, others]) expect((await response).status).toBe(200);
    },
  );

  it('are reports, deep pages, and lists by two keys, without an index in their order, or of properties', async () => {
    const service = await startService({ DB_POOL_SHARE: '3', SHARE_TIMEOUT: '600ms' });
    const account = await service.account();
    const lock = await Lock.take(service, 'LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE', []);
    const blocked = search(account);
    await lock.waitedForBy(1);
    const lists = ['page=501', 'sort=date&sort=amount', 'sort=dueDate', 'sort=vendor'];
    const paths = ['reports/profit-and-loss', 'properties', ...lists.map((list) => `transactions?${list}`)];
    const responses = await Promise.all(paths.map((path) => get(path)(account)));
    for (const response of responses)
      expect(expectProblem(response, 'too-many-requests').detail).toContain(LONG);
    await lock.release();
    expect((await blocked).status).toBe(200);
  });

  it.each([
    ['a page', get('transactions?sort=amount&page=500')],
    ['a list of one property', get('transactions/property/1')],
    [
      'a search of index entries',
      (caller: Client) => caller.post('/api/transactions/search', { status: 'PAID' }),
    ],
  ])('do not include %s', async (_, short) => {
    const service = await startService({ DB_POOL_SHARE: '3' });
    const account = await service.account();
    await createProperty(account);
    const lock = await Lock.take(service, 'LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE', []);
    const responses = [1, 2, 3].map(() => short(account));
    await lock.waitedForBy(3);
    await lock.release();
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

describe('the writes of an account whose file is being imported', () => {
  const CSV = { 'content-type': 'text/csv' };

  /** An import that waits for a lock, and its account's property. */
  async function importing(service: Service, account: Account) {
    const { id } = await createProperty(account);
    const lock = await Lock.take(service, 'SELECT FROM properties WHERE id = $1 FOR UPDATE', [id]);
    const body = `propertyId,type,category,description,amount,date\n${id},INCOME,CLEANING,Row,1,2026-01-01T00:00:00Z\n`;
    const response = account.send('POST', '/api/transactions/import', { body, headers: CSV });
    await lock.waitedForBy(1);
    return { id, lock, response };
  }

  it('wait for it without a connection, while its reads and the writes of others are answered', async () => {
    const service = await startService();
    const [account, other] = [await service.account(), await service.account()];
    const { id, lock, response } = await importing(service, account);
    const writes = [
      account.post('/api/properties', propertyRequest()),
      account.post('/api/transactions', transactionRequest(id)),
      account.post('/api/transactions/batch', { transactions: [transactionRequest(id)] }),
      account.send('POST', '/api/transactions/import?dryRun=true', { body: 'propertyId\n', headers: CSV }),
    ];
    expect((await other.post('/api/properties', propertyRequest())).status).toBe(200);
    expect((await account.get('/api/transactions')).status).toBe(200);
    expect(await waitingForLocks(service)).toBe(1);
    await lock.release();
    expect((await response).status).toBe(200);
    expect((await Promise.all(writes)).map(({ status }) => status)).toEqual([200, 200, 201, 400]);
  });

  it('get 429 when it takes longer than SHARE_TIMEOUT', async () => {
    const service = await startService({ SHARE_TIMEOUT: '600ms' });
    const account = await service.account();
    const { id, lock, response } = await importing(service, account);
    const refused = await account.post('/api/transactions', transactionRequest(id));
    const { detail } = expectProblem(refused, 'too-many-requests');
    expect(detail).toBe('Your previous import or batch is still running.');
    await lock.release();
    await response;
    await until(async () => (await account.post('/api/transactions', transactionRequest(id))).status === 200);
  });
});
