import { type Service, startService } from '../../../test/support/service.js';
import { until } from '../../../test/support/until.js';
import {
  type ClientOptions,
  createClient,
  type Credentials,
  isProblem,
  NoResponseError,
  ProblemError,
  type PropertyFinanceClient,
  type PropertyResponse,
  UnexpectedResponseError,
  unwrap,
} from '../src/public.js';
import { cottage, newHost, rejectionOf, stay } from './host.js';
import { type Mishap, Network } from './mishaps.js';

const QUICK = { tries: 4, pause: 1, longestPause: 40 };
const SIGN_IN = 'POST /api/auth/signin';
const CLOSED = 'other side closed';

let service: Service;
const network = new Network();
let host: PropertyFinanceClient & { readonly credentials: Credentials };
let home: PropertyResponse;
let accessToken: string;

beforeAll(async () => {
  service = await startService();
  host = await newHost(service.url, { retries: QUICK, fetch: network.fetch });
  ({ accessToken } = await host.signIn());
  home = (await host.properties.create(cottage)).data;
});
beforeEach(() => network.forget());

/** A client of the same account that has not signed in yet. */
const fresh = (options: Partial<ClientOptions> = {}): PropertyFinanceClient =>
  createClient({
    ...{ baseUrl: service.url, credentials: host.credentials, retries: QUICK, fetch: network.fetch },
    ...options,
  });

/** A client of the same account with a token in hand. */
const signedIn = (options: Partial<ClientOptions>): PropertyFinanceClient =>
  createClient({
    ...{ baseUrl: service.url, token: () => accessToken, retries: QUICK, fetch: network.fetch },
    ...options,
  });

/** A client whose every request gets this response. */
const clientThatGets = (text: string, status: number, type: string): PropertyFinanceClient =>
  signedIn({
    fetch: () => Promise.resolve(new Response(text, { status, headers: { 'content-type': type } })),
  });

async function countOf(paymentReference: string): Promise<number> {
  const statement = 'SELECT FROM transactions WHERE payment_reference = $1';
  return (await service.sql(statement, [paymentReference])).length;
}

describe('the session', () => {
  it('begins with one sign-in for all first requests', async () => {
    const client = fresh();
    await Promise.all(Array.from({ length: 10 }, () => client.properties.get(home.id)));
    expect([network.count(SIGN_IN), network.count('GET')]).toEqual([1, 10]);
  });

  it('is renewed by one sign-in for all requests that got 401, which are sent again', async () => {
    const client = fresh();
    await client.signIn();
    network.next('GET', 'stripped', 'stripped', 'stripped');
    const found = await Promise.all([1, 2, 3].map(() => client.properties.get(home.id)));
    expect(found.map(({ data }) => data.id)).toEqual([home.id, home.id, home.id]);
    expect(network.count(SIGN_IN)).toBe(2);
  });

  it('is renewed for a POST, which a 401 has not executed', async () => {
    network.next('POST', 'stripped');
    await fresh().transactions.create(stay(home.id, { paymentReference: 'after 401' }));
    expect(await countOf('after 401')).toBe(1);
    expect(network.seen).toEqual([SIGN_IN, 'POST /api/transactions', SIGN_IN, 'POST /api/transactions']);
  });

  it('is renewed once for a request', async () => {
    network.next('GET', 'stripped', 'stripped');
    const error = await rejectionOf(fresh().properties.get(home.id));
    expect(isProblem(error, 'authentication-required')).toBe(true);
    expect([network.count(SIGN_IN), network.count('GET')]).toEqual([2, 2]);
  });

  it('is renewed shortly before the token expires', async () => {
    const client = fresh();
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now);
    for (const [after, signIns] of [
      [0, 1],
      [3_560_000, 1],
      [3_580_000, 2],
    ] as const) {
      clock.mockReturnValue(now + after);
      await client.properties.get(home.id);
      expect(network.count(SIGN_IN)).toBe(signIns);
    }
  });

  it('fails all waiting requests by one sign-in with wrong credentials', async () => {
    const client = fresh({ credentials: { ...host.credentials, password: 'wrong' } });
    const { properties } = client;
    const calls = [properties.get(home.id), properties.create(cottage), properties.delete(1)];
    for (const error of await Promise.all(calls.map(rejectionOf)))
      expect(isProblem(error, 'bad-credentials')).toBe(true);
    expect(network.seen).toEqual([SIGN_IN]);
  });

  it('ends with a sign-out', async () => {
    const client = fresh();
    await client.signIn();
    client.signOut();
    const error = await rejectionOf(client.properties.get(home.id));
    expect(isProblem(error, 'authentication-required')).toBe(true);
    await expect(client.signIn()).rejects.toThrow(TypeError);
    expect(network.seen).toEqual([SIGN_IN, `GET /api/properties/${home.id}`]);
  });

  it('belongs to the last successful sign-in', async () => {
    const client = fresh();
    const { user } = await client.signIn();
    const other = await newHost(service.url);
    await rejectionOf(client.signIn({ ...other.credentials, password: 'wrong' }));
    expect((await unwrap(client.GET('/api/users/me'))).id).toBe(user.id);
    await client.signIn(other.credentials);
    expect((await unwrap(client.GET('/api/users/me'))).username).toBe(other.credentials.username);
  });

  it('asks a token source again for a refused token', async () => {
    const token = jest.fn((refused?: string) => (refused === undefined ? 'stale' : accessToken));
    const client = createClient({ baseUrl: service.url, token });
    expect((await unwrap(client.GET('/api/users/me'))).username).toBe(host.credentials.username);
    expect(token.mock.calls).toEqual([[undefined], ['stale']]);
  });

  it('goes on for others when one request is aborted during the sign-in', async () => {
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    const client = fresh({ fetch: (request) => held.then(() => fetch(request)) });
    const controller = new AbortController();
    const impatient = rejectionOf(client.properties.get(home.id, { signal: controller.signal }));
    const patient = client.properties.get(home.id);
    controller.abort(new Error('enough'));
    expect(await impatient).toEqual(new Error('enough'));
    release();
    expect((await patient).data.id).toBe(home.id);
  });
});

describe('retries of a GET', () => {
  it('follow a 503, a lost response and a broken one', async () => {
    network.next('GET', 'away', 'lost', 'cut');
    expect((await host.properties.get(home.id)).data).toEqual(home);
    expect(network.count('GET')).toBe(4);
  });

  it.each([
    [408, {}, 2],
    [429, {}, 2],
    [502, {}, 2],
    [503, {}, 2],
    [504, {}, 2],
    [503, { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 2],
    [503, { 'retry-after': new Date(Date.now() + 600_000).toUTCString() }, 1],
    [503, { 'retry-after': '2' }, 1],
    [503, { 'retry-after': 'soon' }, 2],
    [400, {}, 1],
    [500, {}, 1],
  ])('after %d with %j send %d of at most 2 requests', async (status, headers, sends) => {
    const fetched = jest.fn(() => Promise.resolve(new Response('', { status, headers })));
    const client = signedIn({ retries: { ...QUICK, tries: 2 }, fetch: fetched });
    await rejectionOf(client.properties.get(home.id));
    expect(fetched).toHaveBeenCalledTimes(sends);
  });

  it('wait for the seconds of Retry-After', async () => {
    network.retryAfter = '1';
    network.next('GET', 'away');
    const start = performance.now();
    await signedIn({ retries: { ...QUICK, longestPause: 1_000 } }).properties.get(home.id);
    expect(performance.now() - start).toBeGreaterThan(990);
    network.retryAfter = '0';
  });

  it.each<[Mishap, object]>([
    ['away', { slug: 'service-unavailable' }],
    ['proxy', { name: 'UnexpectedResponseError' }],
    ['lost', { name: 'NoResponseError', mayBeDone: false }],
  ])('end after four requests that are %s', async (mishap, reason) => {
    network.next('GET', ...Array<Mishap>(4).fill(mishap));
    const error = await rejectionOf(host.properties.get(home.id));
    expect(error).toMatchObject(reason);
    if (mishap === 'lost')
      expect((error as Error).message).toBe(`No response to GET /api/properties/${home.id} (${CLOSED})`);
    expect(network.count('GET')).toBe(4);
  });

  it('end with the reason of a refused connection', async () => {
    const client = createClient({ baseUrl: 'http://127.0.0.1:2', token: () => 'any', retries: { tries: 1 } });
    const message = `No response to GET /api/properties/1 (connect ECONNREFUSED 127.0.0.1:2)`;
    expect(await rejectionOf(client.properties.get(1))).toMatchObject({ message });
  });

  it('end with the timeout of the last request', async () => {
    network.next('GET', 'silent', 'silent');
    const client = signedIn({ timeout: 100, retries: { ...QUICK, tries: 2 } });
    expect(await rejectionOf(client.properties.get(home.id))).toMatchObject({
      message: `No response to GET /api/properties/${home.id} (nothing came within 100 ms)`,
      cause: { name: 'TimeoutError' },
    });
    expect(network.count('GET')).toBe(2);
  });

  it.each<[string, Mishap]>([
    ['a request', 'silent'],
    ['a pause', 'lost'],
  ])('end with the signal of the caller during %s', async (_, mishap) => {
    let ended = 0;
    const client = signedIn({
      retries: { pause: 60_000, longestPause: 60_000 },
      fetch: (request) => network.fetch(request).finally(() => ended++),
    });
    network.next('GET', mishap);
    const controller = new AbortController();
    const error = rejectionOf(client.properties.get(home.id, { signal: controller.signal }));
    await until(() => network.count('GET') === 1 && (mishap === 'silent' || ended === 1));
    controller.abort(new Error('enough'));
    expect(await error).toEqual(new Error('enough'));
  });
});

describe('retries of a write', () => {
  let id: string;
  let etag: string;
  beforeEach(async () => {
    const created = await host.transactions.create(stay(home.id, { tags: [] }));
    ({ id } = created.data);
    ({ etag } = created);
    network.forget();
  });
  const UNKNOWN = { name: 'NoResponseError', mayBeDone: true };

  it.each<[kind: string, mishaps: Mishap[], result: object, sends: number]>([
    ['conditional', ['away'], { notes: 'mine' }, 2],
    ['conditional', ['late'], { notes: 'mine' }, 2],
    ['conditional', ['proxy'], { notes: 'mine' }, 2],
    ['conditional', ['lost'], UNKNOWN, 2], // the 409 may be of its own change
    ['unconditional', ['late', 'late'], { notes: 'mine' }, 3],
    ['unconditional', ['lost'], UNKNOWN, 1],
    ['unconditional', ['cut'], UNKNOWN, 1],
    ['unconditional', ['away'], { slug: 'service-unavailable', status: 503 }, 1],
    ['unconditional', ['proxy'], { name: 'UnexpectedResponseError' }, 1],
  ])('of a PUT that is %s, after %j: %j', async (kind, mishaps, result, sends) => {
    network.next('PUT', ...mishaps);
    const options = kind === 'conditional' ? { ifMatch: etag } : {};
    const written = host.transactions.replace(id, stay(home.id, { notes: 'mine' }), options);
    const outcome = await written.then(({ data }) => data).catch((error: unknown) => error);
    expect(outcome).toMatchObject(result);
    expect(network.count('PUT')).toBe(sends);
  });

  it('follow a PUT whose sign-in was never sent', async () => {
    const refusal = new TypeError('refused');
    const client = fresh({ fetch: jest.fn(network.fetch).mockRejectedValueOnce(refusal) });
    await client.transactions.replace(id, stay(home.id));
    expect(network.count('PUT')).toBe(1);
  });

  it('do not make an update twice', async () => {
    network.next('PUT', 'lost');
    const update = host.transactions.update(id, (now) => ({ ...now, tags: [...now.tags, 'once'] }));
    expect(await rejectionOf(update)).toBeInstanceOf(NoResponseError);
    expect((await host.transactions.get(id)).data.tags).toEqual(['once']);
  });

  it('of a DELETE take a 404 for success only after a lost response', async () => {
    network.next('DELETE', 'lost');
    await host.transactions.delete(id);
    expect(network.count('DELETE')).toBe(2);
    expect(isProblem(await rejectionOf(host.transactions.delete(id)), 'not-found')).toBe(true);
    expect(network.count('DELETE')).toBe(3);
  });

  it.each<Mishap>(['lost', 'cut', 'away', 'proxy'])('of a create store one row: %s', async (mishap) => {
    network.next('POST', mishap);
    const paymentReference = `once: ${mishap}`;
    const { data } = await host.transactions.create(stay(home.id, { paymentReference }));
    expect(network.seen).toEqual(Array(2).fill('POST /api/transactions'));
    expect(await countOf(paymentReference)).toBe(1);
    expect((await host.transactions.get(data.id)).data).toEqual(data);
  });

  it('of a create end with the key to continue with', async () => {
    const body = stay(home.id, { paymentReference: 'go on' });
    network.next('POST', 'lost', 'lost', 'lost', 'lost');
    const error = await rejectionOf(host.transactions.create(body));
    expect(error).toMatchObject({ ...UNKNOWN, method: 'POST', idempotencyKey: expect.any(String) as string });
    const { idempotencyKey } = error as NoResponseError;
    await host.transactions.create(body, { idempotencyKey });
    expect(await countOf('go on')).toBe(1);
  });

  it.each<[Mishap, number]>([
    ['lost', 1],
    ['cut', 1],
    ['silent', 0],
  ])('do not follow a POST without a key after %s', async (mishap, rows) => {
    network.next('POST', mishap);
    const body = stay(home.id, { paymentReference: `never again: ${mishap}` });
    const client = signedIn(mishap === 'silent' ? { timeout: 100 } : {});
    const error = await rejectionOf(unwrap(client.POST('/api/transactions', { body })));
    const message = expect.stringContaining('by a paymentReference of your own') as string;
    expect(error).toMatchObject({ ...UNKNOWN, method: 'POST', message });
    expect(network.seen).toEqual(['POST /api/transactions']);
    expect(await countOf(body.paymentReference!)).toBe(rows);
  });

  it('do not follow a search, which changes nothing', async () => {
    network.next('POST', 'lost');
    const error = await rejectionOf(host.transactions.search({})[Symbol.asyncIterator]().next());
    const message = `No response to POST /api/transactions/search (${CLOSED})`;
    expect(error).toMatchObject({ mayBeDone: false, message });
    expect(network.seen).toEqual(['POST /api/transactions/search?cursor=']);
  });
});

describe('the stream of an export', () => {
  it('fails when its connection breaks', async () => {
    network.next('POST', 'cut');
    const error = await rejectionOf(new Response(await host.transactions.export()).text());
    const message = `No response to POST /api/transactions/export (${CLOSED})`;
    expect(error).toMatchObject({ name: 'NoResponseError', mayBeDone: false, message });
    expect(network.seen).toEqual(['POST /api/transactions/export']);
  });

  it('fails when its next part is late, and by the signal of the caller', async () => {
    const piece = new TextEncoder().encode('id');
    const stuck = (request: Request): Promise<Response> => {
      const start = (to: ReadableStreamDefaultController): void => {
        to.enqueue(piece);
        request.signal.addEventListener('abort', () => to.error(request.signal.reason));
      };
      const headers = { 'content-type': 'text/csv; charset=utf-8' };
      return Promise.resolve(new Response(new ReadableStream({ start }), { headers }));
    };
    const client = signedIn({ fetch: stuck, timeout: 100 });
    const late = await rejectionOf(new Response(await client.properties.export()).text());
    expect((late as NoResponseError).cause).toMatchObject({ name: 'TimeoutError' });
    const controller = new AbortController();
    const reader = (await client.properties.export({ signal: controller.signal })).getReader();
    expect(await reader.read()).toEqual({ done: false, value: piece });
    controller.abort(new Error('enough'));
    expect(await rejectionOf(reader.read())).toEqual(new Error('enough'));
  });

  it('is refused in another media type', async () => {
    const error = await rejectionOf(clientThatGets('<html>', 200, 'text/html').transactions.export());
    expect(error).toMatchObject({ name: 'UnexpectedResponseError', text: '<html>' });
  });
});

describe('a base URL', () => {
  it.each(['localhost:8080', '', '/api', 'ftp://ledger.example.com', 'https://ledger.example.com/?tenant=1'])(
    'is refused: %p',
    (baseUrl) => {
      const message = `baseUrl: "${baseUrl}" is not a URL such as https://ledger.example.com`;
      expect(() => createClient({ baseUrl })).toThrow(new TypeError(message));
    },
  );

  it.each<[string, Partial<ClientOptions>, string]>([
    ['without a token', {}, '/api/api/properties/1'],
    ['with a token', { token: () => accessToken }, '/api/api/properties/1'],
    ['at the sign-in', { credentials: { username: 'lin', password: 'x' } }, '/api/api/auth/signin'],
  ])('that ends with /api is named in the error, %s', async (_, options, path) => {
    const client = createClient({ baseUrl: `${service.url}/api`, ...options });
    const error = await rejectionOf(client.properties.get(1));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    const { message } = error as Error;
    expect(message).toMatch(new RegExp(`^${service.url}${path} answered 40[14] `));
    expect(message).toContain(`because the service has no path ${path}, only /api/`);
  });

  it('may have a path that a proxy removes', async () => {
    const client = createClient({
      baseUrl: `${service.url}/ledger`,
      credentials: host.credentials,
      fetch: async (request) => fetch(new Request(request.url.replace('/ledger/', '/'), request)),
    });
    expect((await client.properties.get(home.id)).data).toEqual(home);
    expect(isProblem(await rejectionOf(client.properties.get(4711)), 'not-found')).toBe(true);
  });
});

describe('a response from another server', () => {
  it.each([
    [502, 'text/html', '<html>Bad Gateway</html>'],
    [200, 'text/html', '<html>Sign in to the guest network</html>'],
    [200, 'application/json', '{"id": 1, "na'],
    [403, 'application/json', '{"message":"blocked"}'],
    [403, 'text/plain', ''],
  ])('is an UnexpectedResponseError with its text: %d %s %s', async (status, type, text) => {
    const error = await rejectionOf(clientThatGets(text, status, type).properties.get(1));
    expect(error).toMatchObject({
      name: 'UnexpectedResponseError',
      message: ` answered ${status} (${type}), which is not a response of this service. Is the baseUrl right?`,
      text,
    });
  });

  it.each([
    { type: 'urn:property-finance:problem:brand-new', status: 418, title: 'New' },
    { type: 'about:blank', status: 418, title: 'Teapot' },
    { type: 'urn:property-finance:problem:validation-failed', status: 418 },
  ])('with an unknown problem is a problem without a slug: %j', async (body) => {
    const client = clientThatGets(JSON.stringify(body), 418, 'application/problem+json');
    const error = await rejectionOf(client.properties.get(1));
    expect(error).toBeInstanceOf(ProblemError);
    expect((error as ProblemError).problem).toEqual({ ...body, slug: undefined });
  });
});
