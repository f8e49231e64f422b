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
} from '../clients/typescript/src/public.js';
import { Gateway, type Mishap } from './support/gateway.js';
import { cottage, newHost, rejectionOf, stay } from './support/client/host.js';
import { type Service, startService } from './support/service.js';
import { until } from './support/until.js';

const QUICK = { tries: 4, pause: 1, longestPause: 40 };

let service: Service;
let gateway: Gateway;
/** For requests that time out: they may arrive when the test is over. */
let silence: Gateway;
let host: PropertyFinanceClient & { readonly credentials: Credentials };
let home: PropertyResponse;

beforeAll(async () => {
  service = await startService();
  gateway = await Gateway.to(service.url);
  silence = await Gateway.to(service.url);
  host = await newHost(gateway.url, { retries: QUICK });
  home = (await host.properties.create(cottage)).data;
});

beforeEach(() => gateway.forget());

const SIGN_IN = 'POST /api/auth/signin';

/** A client of the same host that has not signed in yet. */
const fresh = (options: Partial<ClientOptions> = {}): PropertyFinanceClient =>
  createClient({ baseUrl: gateway.url, credentials: host.credentials, retries: QUICK, ...options });

/** The reason depends on where in the response the connection broke. */
const messageOf = (request: string): string =>
  expect.stringMatching(
    new RegExp(`^No response to ${request} \\((other side closed|.*ECONNRESET|terminated)\\)$`),
  ) as string;

/** A client of whatever answers everything so. */
function clientThatGets(text: string, status: number, type: string): PropertyFinanceClient {
  const fetched = (): Promise<Response> =>
    Promise.resolve(new Response(text, { status, headers: { 'content-type': type } }));
  return createClient({ baseUrl: gateway.url, fetch: fetched, token: () => 'any' });
}

describe('the typed client', () => {
  it('signs in once for all first requests', async () => {
    const client = fresh();
    expect(gateway.seen).toEqual([]);
    await Promise.all(Array.from({ length: 10 }, () => client.properties.get(home.id)));
    expect(gateway.count(SIGN_IN)).toBe(1);
    expect(gateway.count('GET')).toBe(10);
  });

  it('signs in once for all requests that were answered 401, and sends them again', async () => {
    const client = fresh();
    await client.signIn();
    gateway.next('GET', 'stripped', 'stripped', 'stripped');
    const found = await Promise.all([1, 2, 3].map(() => client.properties.get(home.id)));
    expect(found.map(({ data }) => data.id)).toEqual([home.id, home.id, home.id]);
    expect(gateway.count(SIGN_IN)).toBe(2);
  });

  it('sends a POST again after a 401, which is answered before anything is done', async () => {
    const client = fresh();
    await client.signIn();
    gateway.next('POST', 'stripped');
    const { data } = await client.transactions.create(stay(home.id, { paymentReference: 'after 401' }));
    expect(await countOf('after 401')).toBe(1);
    expect(data.paymentReference).toBe('after 401');
    expect(gateway.seen).toEqual([SIGN_IN, 'POST /api/transactions', SIGN_IN, 'POST /api/transactions']);
  });

  it('signs in again only once for one request', async () => {
    gateway.next('GET', 'stripped', 'stripped');
    const error = await rejectionOf(fresh().properties.get(home.id));
    expect(isProblem(error, 'authentication-required')).toBe(true);
    expect(gateway.count(SIGN_IN)).toBe(2);
    expect(gateway.count('GET')).toBe(2);
  });

  it('signs in again shortly before the token expires', async () => {
    const client = fresh();
    await client.properties.get(home.id);
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now');
    clock.mockImplementation(() => now + 3_560_000);
    await client.properties.get(home.id);
    expect(gateway.count(SIGN_IN)).toBe(1);
    clock.mockImplementation(() => now + 3_580_000);
    await client.properties.get(home.id);
    expect(gateway.count(SIGN_IN)).toBe(2);
    clock.mockRestore();
  });

  it('fails all waiting requests by one sign-in when the credentials are wrong', async () => {
    const client = fresh({ credentials: { ...host.credentials, password: 'wrong' } });
    const calls = [
      client.properties.get(home.id),
      client.properties.create(cottage),
      client.properties.delete(1),
    ];
    for (const error of await Promise.all(calls.map(rejectionOf)))
      expect(isProblem(error, 'bad-credentials')).toBe(true);
    expect(gateway.seen).toEqual([SIGN_IN]);
  });

  it('does not sign in without credentials, or after signing out', async () => {
    const client = fresh();
    await client.signIn();
    client.signOut();
    const error = await rejectionOf(client.properties.get(home.id));
    expect(isProblem(error, 'authentication-required')).toBe(true);
    await expect(client.signIn()).rejects.toThrow(TypeError);
    expect(gateway.seen).toEqual([SIGN_IN, `GET /api/properties/${home.id}`]);
  });

  it('uses the token of the last sign-in that succeeded', async () => {
    const client = fresh();
    const { user } = await client.signIn();
    const other = await newHost(gateway.url);
    await rejectionOf(client.signIn({ ...other.credentials, password: 'wrong' }));
    expect((await unwrap(client.GET('/api/users/me'))).id).toBe(user.id);
    await client.signIn(other.credentials);
    expect((await unwrap(client.GET('/api/users/me'))).username).toBe(other.credentials.username);
  });

  it('asks its token source again when a token is refused', async () => {
    const { token, id } = await service.account();
    const asked: (string | undefined)[] = [];
    const client = createClient({
      baseUrl: gateway.url,
      token: (refused) => {
        asked.push(refused);
        return refused === undefined ? 'stale' : token!;
      },
    });
    expect((await unwrap(client.GET('/api/users/me'))).id).toBe(id);
    expect(asked).toEqual([undefined, 'stale']);
  });

  it('ends one request by its signal during a sign-in, and not the others', async () => {
    let release = (): void => undefined;
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

describe('the retries of the typed client', () => {
  let accessToken: string;

  beforeAll(async () => {
    ({ accessToken } = await host.signIn());
  });

  /** A client of the same host with a token in hand. */
  const signedIn = (options: Partial<ClientOptions>): PropertyFinanceClient =>
    createClient({ baseUrl: gateway.url, token: () => accessToken, retries: QUICK, ...options });

  it.each<Mishap[][]>([[['away']], [['proxy']], [['lost']], [['cut']], [['away', 'lost', 'cut']]])(
    'repeat a GET after %j',
    async (mishaps) => {
      gateway.next('GET', ...mishaps);
      expect((await host.properties.get(home.id)).data).toEqual(home);
      expect(gateway.count('GET')).toBe(mishaps.length + 1);
    },
  );

  it('take a GET that finds nothing for what it is, whatever was lost before', async () => {
    gateway.next('GET', 'lost');
    expect(isProblem(await rejectionOf(host.properties.get(4711)), 'not-found')).toBe(true);
    expect(gateway.count('GET')).toBe(2);
  });

  it.each([
    [408, {}, 2],
    [429, {}, 2],
    [502, {}, 2],
    [503, {}, 2],
    [504, {}, 2],
    [503, { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 2],
    [503, { 'retry-after': new Date(Date.now() + 600_000).toUTCString() }, 1],
    [503, { 'retry-after': 'soon' }, 2],
    [400, {}, 1],
    [500, {}, 1],
  ])('after %d with %j lead to %d tries of two', async (status, headers, tries) => {
    let sends = 0;
    const client = signedIn({
      retries: { ...QUICK, tries: 2 },
      fetch: () => Promise.resolve(new Response('', { status: (sends++, status), headers })),
    });
    await rejectionOf(client.properties.get(home.id));
    expect(sends).toBe(tries);
  });

  it('end after four tries, with the last answer', async () => {
    gateway.next('GET', 'away', 'away', 'away', 'away');
    const error = await rejectionOf(host.properties.get(home.id));
    expect(isProblem(error, 'service-unavailable')).toBe(true);
    expect(gateway.count('GET')).toBe(4);
  });

  it('end after four tries without any answer', async () => {
    gateway.next('GET', 'lost', 'lost', 'lost', 'lost');
    const error = await rejectionOf(host.properties.get(home.id));
    expect(error).toBeInstanceOf(NoResponseError);
    expect(error).toMatchObject({ mayBeDone: false, message: messageOf(`GET /api/properties/${home.id}`) });
    expect(gateway.count('GET')).toBe(4);
  });

  it('say why there is no answer', async () => {
    const client = signedIn({ baseUrl: 'http://127.0.0.1:2', retries: { tries: 1 } });
    expect(await rejectionOf(client.properties.get(home.id))).toMatchObject({
      message: `No response to GET /api/properties/${home.id} (connect ECONNREFUSED 127.0.0.1:2)`,
    });
  });

  it('wait as long as Retry-After says', async () => {
    gateway.retryAfter = '1';
    const client = signedIn({ retries: { ...QUICK, longestPause: 1_000 } });
    gateway.next('GET', 'away');
    const start = performance.now();
    await client.properties.get(home.id);
    expect(performance.now() - start).toBeGreaterThan(990);
    gateway.retryAfter = '0';
  });

  it('end at once when Retry-After asks for more than the longest pause', async () => {
    gateway.retryAfter = '2';
    gateway.next('GET', 'away');
    expect(isProblem(await rejectionOf(host.properties.get(home.id)), 'service-unavailable')).toBe(true);
    expect(gateway.count('GET')).toBe(1);
    gateway.retryAfter = '0';
  });

  it.each<Mishap>(['away', 'late', 'proxy'])('repeat a conditional PUT after %s', async (mishap) => {
    const { data, etag } = await host.transactions.create(stay(home.id));
    gateway.next('PUT', mishap);
    const body = stay(home.id, { notes: mishap });
    const written = await host.transactions.replace(data.id, body, { ifMatch: etag });
    expect(written.data.notes).toBe(mishap);
    expect(gateway.count('PUT')).toBe(2);
  });

  it('repeat an unconditional PUT after an answer that shows that it did not happen', async () => {
    const { data } = await host.transactions.create(stay(home.id));
    gateway.next('PUT', 'late', 'late');
    const written = await host.transactions.replace(data.id, stay(home.id, { notes: 'once' }));
    expect(written.data.notes).toBe('once');
    expect(gateway.count('PUT')).toBe(3);
  });

  it.each<[Mishap, object]>([
    ['lost', { name: 'NoResponseError', mayBeDone: true }],
    ['cut', { name: 'NoResponseError', mayBeDone: true }],
    ['away', { name: 'ProblemError', slug: 'service-unavailable', status: 503 }],
    ['proxy', { name: 'UnexpectedResponseError' }],
  ])('do not repeat an unconditional PUT after %s, which may be done', async (mishap, error) => {
    const { data } = await host.transactions.create(stay(home.id));
    gateway.next('PUT', mishap);
    expect(await rejectionOf(host.transactions.replace(data.id, stay(home.id)))).toMatchObject(error);
    expect(gateway.count('PUT')).toBe(1);
  });

  it('repeat an unconditional PUT that was never sent, because its sign-in found nobody', async () => {
    const { data } = await host.transactions.create(stay(home.id));
    let sends = 0;
    const client = fresh({
      fetch: (request) => (sends++ === 0 ? Promise.reject(new TypeError('refused')) : fetch(request)),
    });
    await client.transactions.replace(data.id, stay(home.id));
    expect(gateway.count('PUT')).toBe(1);
  });

  it('say of a conditional PUT whose answer was lost that it may be done, and not that somebody else did it', async () => {
    const { data, etag } = await host.transactions.create(stay(home.id));
    gateway.next('PUT', 'lost');
    const body = stay(home.id, { notes: 'mine' });
    const error = await rejectionOf(host.transactions.replace(data.id, body, { ifMatch: etag }));
    expect(error).toBeInstanceOf(NoResponseError);
    expect(error).toMatchObject({ method: 'PUT', mayBeDone: true });
    expect((await host.transactions.get(data.id)).data.notes).toBe('mine');
  });

  it('do not let an update be made twice', async () => {
    const { data } = await host.transactions.create(stay(home.id, { tags: [] }));
    gateway.next('PUT', 'lost');
    const update = host.transactions.update(data.id, (now) => ({ ...now, tags: [...now.tags, 'once'] }));
    expect(await rejectionOf(update)).toBeInstanceOf(NoResponseError);
    expect((await host.transactions.get(data.id)).data.tags).toEqual(['once']);
  });

  it('take a DELETE as done that finds nothing after its answer was lost', async () => {
    const { data } = await host.transactions.create(stay(home.id));
    gateway.next('DELETE', 'lost');
    await host.transactions.delete(data.id);
    expect(gateway.count('DELETE')).toBe(2);
    expect(isProblem(await rejectionOf(host.transactions.delete(data.id)), 'not-found')).toBe(true);
    expect(gateway.count('DELETE')).toBe(3);
  });

  it.each<Mishap>(['lost', 'cut', 'away', 'proxy'])(
    'repeat a create after %s, which writes once',
    async (mishap) => {
      gateway.next('POST', mishap);
      const reference = `once: ${mishap}`;
      const { data } = await host.transactions.create(stay(home.id, { paymentReference: reference }));
      expect(gateway.seen).toEqual(Array(2).fill('POST /api/transactions'));
      expect(await countOf(reference)).toBe(1);
      expect((await host.transactions.get(data.id)).data).toEqual(data);
    },
  );

  it('give the key of a create that got no answer, to go on with', async () => {
    const body = stay(home.id, { paymentReference: 'go on' });
    gateway.next('POST', 'lost', 'lost', 'lost', 'lost');
    const error = await rejectionOf(host.transactions.create(body));
    expect(error).toMatchObject({
      method: 'POST',
      mayBeDone: true,
      idempotencyKey: expect.any(String) as string,
    });
    const { idempotencyKey } = error as NoResponseError;
    await host.transactions.create(body, { idempotencyKey });
    expect(await countOf('go on')).toBe(1);
  });

  it.each<[Mishap, number, number]>([
    ['lost', 30_000, 1],
    ['cut', 30_000, 1],
    ['silent', 100, 0],
  ])(
    'never repeat a POST without a key after %s, and say that it may be done',
    async (mishap, timeout, rows) => {
      let sends = 0;
      const way = mishap === 'silent' ? silence : gateway;
      const count = (request: Request): Promise<Response> => (sends++, fetch(request));
      const client = signedIn({ baseUrl: way.url, timeout, fetch: count });
      way.next('POST', mishap);
      const reference = `never again: ${mishap}`;
      const body = stay(home.id, { paymentReference: reference });
      const error = await rejectionOf(unwrap(client.POST('/api/transactions', { body })));
      expect(error).toBeInstanceOf(NoResponseError);
      const message = expect.stringContaining('by a paymentReference of your own') as string;
      expect(error).toMatchObject({ method: 'POST', mayBeDone: true, message });
      expect(sends).toBe(1);
      expect(await countOf(reference)).toBe(rows);
    },
  );

  it('never repeat a search either, which is a POST', async () => {
    gateway.next('POST', 'lost');
    const found = host.transactions.search({})[Symbol.asyncIterator]();
    const error = await rejectionOf(found.next());
    expect(error).toMatchObject({ mayBeDone: false, message: messageOf('POST /api/transactions/search') });
    expect(gateway.seen).toEqual(['POST /api/transactions/search?cursor=']);
  });

  it('leave an export to its reader, who hears when it breaks off', async () => {
    gateway.next('POST', 'cut');
    const file = await host.transactions.export();
    const error = await rejectionOf(new Response(file).text());
    expect(error).toBeInstanceOf(NoResponseError);
    expect(error).toMatchObject({ mayBeDone: false, message: messageOf('POST /api/transactions/export') });
    expect(gateway.seen).toEqual(['POST /api/transactions/export']);
  });

  it('wait for each piece of an export only as long as they may, and no longer than the caller', async () => {
    const piece = new TextEncoder().encode('id');
    const stuck = (request: Request): Promise<Response> => {
      const start = (to: ReadableStreamDefaultController): void => {
        to.enqueue(piece);
        request.signal.addEventListener('abort', () => to.error(request.signal.reason));
      };
      const headers = { 'content-type': 'text/csv; charset=utf-8' };
      return Promise.resolve(new Response(new ReadableStream({ start }), { headers }));
    };
    const client = createClient({ baseUrl: gateway.url, fetch: stuck, timeout: 100, token: () => 'any' });
    const late = await rejectionOf(new Response(await client.properties.export()).text());
    expect((late as NoResponseError).cause).toMatchObject({ name: 'TimeoutError' });
    const controller = new AbortController();
    const reader = (await client.properties.export({ signal: controller.signal })).getReader();
    expect(await reader.read()).toEqual({ done: false, value: piece });
    controller.abort(new Error('enough'));
    expect(await rejectionOf(reader.read())).toEqual(new Error('enough'));
  });

  it('take nothing else for an export', async () => {
    const client = clientThatGets('<html>', 200, 'text/html');
    const error = await rejectionOf(client.transactions.export());
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error).toMatchObject({ text: '<html>' });
  });

  it('wait for each try only as long as they may', async () => {
    let sends = 0;
    const client = signedIn({
      baseUrl: silence.url,
      timeout: 100,
      retries: { ...QUICK, tries: 2 },
      fetch: (request) => (sends++, fetch(request)),
    });
    silence.next('GET', 'silent', 'silent');
    const error = await rejectionOf(client.properties.get(home.id));
    expect(error).toMatchObject({
      message: `No response to GET /api/properties/${home.id} (nothing came within 100 ms)`,
      cause: { name: 'TimeoutError' },
    });
    expect(sends).toBe(2);
  });

  it('end with the signal of the caller, during a try', async () => {
    gateway.next('GET', 'silent');
    const controller = new AbortController();
    const error = rejectionOf(host.properties.get(home.id, { signal: controller.signal }));
    await until(() => gateway.count('GET') === 1);
    controller.abort(new Error('enough'));
    expect(await error).toEqual(new Error('enough'));
  });

  it('end with the signal of the caller, during a pause', async () => {
    let ended = 0;
    const client = signedIn({
      retries: { pause: 60_000, longestPause: 60_000 },
      fetch: (request) => fetch(request).finally(() => ended++),
    });
    gateway.next('GET', 'lost');
    const controller = new AbortController();
    const error = rejectionOf(client.properties.get(home.id, { signal: controller.signal }));
    await until(() => ended === 1);
    controller.abort(new Error('enough'));
    expect(await error).toEqual(new Error('enough'));
    expect(ended).toBe(1);
  });
});

describe('a wrong base URL', () => {
  it.each(['localhost:8080', '', '/api', 'ftp://ledger.example.com', 'https://ledger.example.com/?tenant=1'])(
    'is refused at once as %p',
    (baseUrl) => {
      expect(() => createClient({ baseUrl })).toThrow(
        new TypeError(`baseUrl: "${baseUrl}" is not a URL such as https://ledger.example.com`),
      );
    },
  );

  it.each<[string, Partial<ClientOptions>, string]>([
    ['to one without an account', {}, '/api/api/properties/1'],
    [
      'to one who has a token',
      { token: async () => (await host.signIn()).accessToken },
      '/api/api/properties/1',
    ],
    ['to one who signs in', { credentials: { username: 'lin', password: 'x' } }, '/api/api/auth/signin'],
  ])('that has a path too many is told %s', async (_, options, path) => {
    const client = createClient({ baseUrl: `${gateway.url}/api`, ...options });
    const error = await rejectionOf(client.properties.get(1));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect((error as Error).message).toContain(`because the service has no path ${path}, only /api/`);
  });

  it('is not suspected behind a proxy that takes its path off', async () => {
    const client = createClient({
      baseUrl: `${gateway.url}/ledger`,
      credentials: host.credentials,
      fetch: async (request) => fetch(new Request(request.url.replace('/ledger/', '/'), request)),
    });
    expect((await client.properties.get(home.id)).data).toEqual(home);
    expect(isProblem(await rejectionOf(client.properties.get(4711)), 'not-found')).toBe(true);
  });
});

describe('an answer that is not the service’s', () => {
  it('is an error of its own, with what came', async () => {
    gateway.next('GET', 'proxy', 'proxy', 'proxy', 'proxy');
    const error = await rejectionOf(host.properties.get(home.id));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error).toMatchObject({
      message:
        `${gateway.url}/api/properties/${home.id} answered 502 (text/html), which is not a response of this service. ` +
        'Is the baseUrl right?',
      text: expect.stringContaining('Bad Gateway') as string,
      response: { status: 502 },
    });
  });

  it.each([
    ['a page where JSON was asked for', 200, 'text/html', '<html>Sign in to the guest network</html>'],
    ['JSON that breaks off', 200, 'application/json', '{"id": 1, "na'],
    ['JSON that is no problem', 403, 'application/json', '{"message":"blocked"}'],
    ['no body', 403, 'text/plain', ''],
  ])('is recognised as %s', async (_, status, type, text) => {
    const error = await rejectionOf(clientThatGets(text, status, type).properties.get(1));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect((error as UnexpectedResponseError).text).toBe(text);
  });

  it.each([
    ['of an unknown slug', { type: 'urn:property-finance:problem:brand-new', status: 418, title: 'New' }],
    ['of another vocabulary', { type: 'about:blank', status: 418, title: 'Teapot' }],
    ['that lacks what its slug has', { type: 'urn:property-finance:problem:validation-failed', status: 418 }],
  ])('is a problem without a slug when it is one %s', async (_, body) => {
    const client = clientThatGets(JSON.stringify(body), 418, 'application/problem+json');
    const error = await rejectionOf(client.properties.get(1));
    expect(error).toBeInstanceOf(ProblemError);
    expect((error as ProblemError).problem).toEqual({ ...body, slug: undefined });
  });
});

async function countOf(paymentReference: string): Promise<number> {
  const rows = await service.sql('SELECT 1 FROM transactions WHERE payment_reference = $1', [
    paymentReference,
  ]);
  return rows.length;
}
