import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import type { Parser } from '../src/http/chunks.js';
import type { FinishedRequest } from '../src/http/exchange.js';
import { Requests } from '../src/http/requests.js';
import { expectProblem } from './support/responses.js';
import type { HttpResponse } from './support/client.js';
import { BROKEN_FRAMING, HIDDEN_NAME, hiddenRequest, REFUSED_REQUESTS } from './support/refused-requests.js';
import { clock } from './support/clock.js';
import { createProperty, propertyRequest } from './support/factories.js';
import { type Account, type Service, startService } from './support/service.js';
import { slowDeletion } from './support/slow-deletion.js';
import { until } from './support/until.js';
import { chunk, requestText, sendBytes, Wire } from './support/wire.js';

const MIB = 2 ** 20;
const CONTINUE = 'Expect: 100-continue';
const CHUNKED = 'Transfer-Encoding: chunked';
const JSON_TYPE = 'Content-Type: application/json';
const LONGEST_TARGET = 8192;
/** Within the bound of header fields. */
const BIG = `X-Big: ${'x'.repeat(7_000)}`;

let service: Service;
let user: Account;
let authorization: string;
let me: string;
/** The requests that have been counted. */
const finished: FinishedRequest[] = [];

beforeAll(async () => {
  service = await startService();
  user = await service.account();
  authorization = `Authorization: Bearer ${user.token!}`;
  me = requestText('GET /api/users/me HTTP/1.1', [authorization]);
  service.app.get(Requests).onFinished.push((request) => finished.push(request));
});

const connect = (bytes: string, halfOpen = false): Promise<Wire> =>
  Wire.open(service.url, { allowHalfOpen: halfOpen }).then((wire) => wire.send(Buffer.from(bytes, 'latin1')));
const get = (target: string): Promise<HttpResponse> =>
  sendBytes(service.url, requestText(`GET ${target} HTTP/1.1`, [authorization, BIG]));
const anonymous = (...headers: string[]): string =>
  requestText('POST /api/properties HTTP/1.1', [JSON_TYPE, ...headers]);
const post = (...headers: string[]): string => anonymous(authorization, ...headers);
const upgradeAt = (target: string): string =>
  requestText(`GET ${target} HTTP/1.1`, [authorization, 'Connection: Upgrade', 'Upgrade: h2c']);
const get101 = (...fields: string[]): string =>
  requestText('GET / HTTP/1.1', [...fields, ...Array<string>(100).fill('a:')]);
const sized = (size: number): string => post(`Content-Length: ${size}`) + 'x'.repeat(size);

async function responsesOn(wire: Wire, count: number): Promise<HttpResponse[]> {
  const responses: HttpResponse[] = [];
  while (responses.length < count) responses.push(await wire.response());
  return responses;
}

async function expectClosed(wire: Wire): Promise<void> {
  await wire.closed();
  expect({ failure: wire.failure, unread: wire.unread }).toEqual({ failure: undefined, unread: '' });
}

it.each([...REFUSED_REQUESTS, ...BROKEN_FRAMING])(
  '$name is $slug alone and behind a request under way, and counts once',
  async (refused) => {
    const { slug, closes, bytes } = refused;
    for (const before of ['', me]) {
      finished.length = 0;
      const accepted = once(service.app.getHttpServer(), 'connection') as Promise<[Socket]>;
      const wire = await connect(before + bytes(authorization));
      const responses = await responsesOn(wire, before === '' ? 1 : 2);
      const refusal = responses.pop()!;
      expectProblem(refusal, slug);
      expect(refusal.headers.get('connection')).toBe(closes ? 'close' : 'keep-alive');
      if (closes) await expectClosed(wire);
      else expect((await wire.send(me).response()).status).toBe(200);
      wire.destroy();
      const [socket] = await accepted;
      if (!socket.closed) await once(socket, 'close'); // nothing of this connection is counted later
      await until(() => finished.some((request) => request.slug === slug));
      const slugs = finished.filter(({ status }) => status !== 200).map((request) => request.slug);
      // bytes behind an unclear end may count as one more broken request
      const counted = BROKEN_FRAMING.includes(refused) ? [...new Set(slugs)] : slugs;
      expect([responses.map(({ status }) => status), counted]).toEqual([before === '' ? [] : [200], [slug]]);
    }
  },
);

it('a head of a hundred fields is read', async () => {
  const fields = [authorization, ...Array<string>(98).fill('a:')]; // and Host
  expect((await sendBytes(service.url, requestText('GET /api/users/me HTTP/1.1', fields))).status).toBe(200);
});

describe('heads of 2,600 fields', () => {
  const head = requestText('GET / HTTP/1.1', ['X-Request-Id: mine', ...Array<string>(2600).fill('a:')]);

  it('are refused, and few of their fields become strings', async () => {
    let taken = 0; // 31 fields each time
    service.app.getHttpServer().once('connection', ({ parser }: Socket & { parser: Parser }) => {
      const { kOnHeaders } = parser.constructor;
      const own = Object.getOwnPropertyDescriptor(parser, kOnHeaders)!;
      const counted = (): unknown => {
        const take: unknown = own.get === undefined ? own.value : own.get();
        if (take !== undefined) taken++;
        return take;
      };
      Object.defineProperty(parser, kOnHeaders, { get: counted, configurable: true });
    });
    const wire = await connect(head);
    const response = await wire.response();
    expect(expectProblem(response, 'headers-too-large').detail).toContain('100 fields');
    expect(response.headers.get('x-request-id')).toBe('mine');
    await expectClosed(wire);
    expect(taken).toBeLessThan(6);
  });
});

it('chunks of a body that is refused for their number are passed over', async () => {
  let taken = 0;
  service.app.getHttpServer().once('connection', ({ parser }: Socket & { parser: Parser }) => {
    const { kOnBody } = parser.constructor;
    const take = parser[kOnBody] as (chunk: Buffer) => void;
    parser[kOnBody] = (bytes: Buffer) => {
      taken++;
      take(bytes);
    };
  });
  const wire = await connect(post(CHUNKED) + chunk(' ').repeat(9000));
  const { detail } = expectProblem(await wire.response(), 'payload-too-large');
  expect(detail).toContain('1000 chunks plus one for each 64 bytes');
  await expectClosed(wire);
  expect(taken).toBeLessThan(1100);
});

describe('many connections at once', () => {
  it.each<[string, (wires: Wire[], sockets: Set<Socket>) => void, end: 'response' | 'closed']>([
    [
      'begin their first requests',
      (wires) => wires.forEach((wire) => wire.send(requestText('GET / HTTP/1.1'))),
      'response',
    ],
    [
      'are refused',
      (_, sockets) => {
        const error = Object.assign(new Error(), { code: 'HPE_INVALID_METHOD' });
        for (const socket of sockets) service.app.getHttpServer().emit('clientError', error, socket);
      },
      'closed',
    ],
  ])('%s one in an iteration of the event loop', async (_, act, end) => {
    const sockets = new Set<Socket>();
    const add = (socket: Socket): void => void sockets.add(socket);
    service.app.getHttpServer().on('connection', add);
    const wires = await Promise.all(Array.from({ length: 20 }, () => connect('')));
    await until(() => sockets.size === 20);
    service.app.getHttpServer().off('connection', add);
    const iterations = new Set<number>();
    let iteration = 0;
    let timer = setImmediate(function next() {
      iteration++;
      timer = setImmediate(next);
    });
    service.app.get(Requests).onFinished.push(() => iterations.add(iteration));
    act(wires, sockets);
    await Promise.all(wires.map((wire) => wire[end]()));
    clearImmediate(timer);
    service.app.get(Requests).onFinished.pop();
    expect(iterations.size).toBe(20);
    for (const wire of wires) wire.destroy();
  });

  it('of one credential keep no first request of another waiting', async () => {
    const server = service.app.getHttpServer();
    const [begin] = server.listeners('request') as [RequestListener];
    const held: Parameters<RequestListener>[] = [];
    server.removeAllListeners('request').on('request', (...exchange) => held.push(exchange));
    const wires = await Promise.all(Array.from({ length: 20 }, () => connect('')));
    finished.length = 0;
    for (const wire of wires.slice(1)) wire.send(requestText('GET / HTTP/1.1'));
    await until(() => held.length === 19);
    wires[0]!.send(requestText('DELETE / HTTP/1.1', ['Authorization: Bearer another']));
    await until(() => held.length === 20);
    server.removeAllListeners('request').on('request', begin);
    const [{ onFinished }, later] = [service.app.get(Requests), clock()];
    onFinished.push(() => later(1)); // a turn ends after two milliseconds, in which a warm process answers ten
    for (const exchange of held) begin(...exchange);
    await until(() => finished.length === 20);
    onFinished.pop();
    expect(finished.slice(0, 10).map(({ method }) => method)).toContain('DELETE');
    for (const wire of wires) wire.destroy();
  });
});

it('the creations that are hidden in these requests are not carried out', async () => {
  expect(await service.sql('SELECT FROM properties WHERE name = $1', [HIDDEN_NAME])).toEqual([]);
});

describe('a request that takes too long to arrive', () => {
  it.each<[part: string, route: string | undefined, bytes: () => string]>([
    ['its head', undefined, () => 'GET /api/properties HTTP/1.1\r\nHost: localhost\r\nX-Slow: '],
    ['its body', '/api/properties', () => `${post('Content-Length: 100')}{"name":`],
    ['its chunks', '/api/properties', () => `${post(CHUNKED)}3\r\n{`],
  ])('with %s is 408, and counts once, for the route %s', async (_, route, bytes) => {
    const impatient = await startService({ REQUEST_TIMEOUT: '1s' }, service.settings.database.url);
    const counted: unknown[] = [];
    impatient.app.get(Requests).onFinished.push((request) => counted.push([request.slug, request.route]));
    const wire = (await Wire.open(impatient.url)).send(bytes());
    expectProblem(await wire.response(), 'request-timeout');
    await expectClosed(wire);
    await until(() => impatient.app.get(Requests).connections.size === 0);
    expect(counted).toEqual([['request-timeout', route]]);
  });
});

describe('MAX_CONNECTIONS', () => {
  const PROBE = requestText('GET /actuator/health/liveness HTTP/1.1');
  /** Opens connections to a service that takes ten. */
  const startNarrow = async (): Promise<() => Promise<Wire>> => {
    const { url } = await startService({ MAX_CONNECTIONS: '10' }, service.settings.database.url);
    return () => Wire.open(url);
  };

  it('ends the connection that has been longest without a complete request, never the newcomer', async () => {
    const open = await startNarrow();
    const half = 'GET / HTTP/1.1\r\nHost: a';
    const wires = [await open(), (await open()).send(half), await open()];
    while (wires.length < 10) wires.push((await open()).send(half));
    expect((await wires[0]!.send(PROBE).response()).status).toBe(200);
    for (let newcomers = 0; newcomers < 8; newcomers++)
      expect((await (await open()).send(PROBE).response()).status).toBe(200);
    await Promise.all([wires[1]!.closed(), wires[2]!.closed()]);
    expect((await wires[0]!.send(PROBE).response()).status).toBe(200);
  });

  it('ends connections with half a request or none before one whose request is under way, however old that is', async () => {
    const [open, pass] = [await startNarrow(), clock()];
    const { lock, bytes } = await slowDeletion(service, user);
    for (let idle = 1; idle < 10; idle++) (await open()).send(idle < 5 ? '' : post('Content-Length: 9'));
    const deletion = (await open()).send(bytes);
    await lock.waitedForBy(1);
    pass(5000);
    for (let newcomers = 0; newcomers < 9; newcomers++)
      expect((await (await open()).send(PROBE).response()).status).toBe(200);
    await lock.release();
    expect((await deletion.response()).status).toBe(200);
  });

  it('ends newcomers with half a request or none before one whose request is under way, however young they are', async () => {
    const open = await startNarrow();
    const { lock, bytes } = await slowDeletion(service, user);
    const deletion = (await open()).send(bytes);
    await lock.waitedForBy(1);
    for (let newcomers = 0; newcomers < 30; newcomers++) {
      const wire = await open();
      if (newcomers % 3 > 0)
        wire.send(newcomers % 3 === 1 ? 'GET / HTTP/1.1\r\n' : post('Content-Length: 9'));
    }
    expect((await (await open()).send(PROBE).response()).status).toBe(200);
    await lock.release();
    expect((await deletion.response()).status).toBe(200);
  });

  it('ends no newcomer where the requests of a crowd are under way', async () => {
    const open = await startNarrow();
    const { lock, bytes } = await slowDeletion(service, user);
    const crowd = [];
    while (crowd.length < 10) crowd.push((await open()).send(bytes));
    await lock.waitedForBy(1);
    const newcomers = [];
    while (newcomers.length < 5) newcomers.push(await open());
    for (const wire of newcomers) expect((await wire.send(PROBE).response()).status).toBe(200);
    await Promise.all(crowd.slice(0, 5).map((wire) => wire.closed()));
    await lock.release();
  });
});

describe('a request target', () => {
  it.each([
    ['a path parameter', '/api/properties/', '1', 400],
    ['an unknown path', '/', 'a', 404],
    ['a query', '/api/properties?searchTerm=', 'x', 200],
  ])('of 8,192 characters in %s is read, and of one more is 414', async (_, start, filler, status) => {
    const longest = start.padEnd(LONGEST_TARGET, filler);
    expect((await get(longest)).status).toBe(status);
    expectProblem(await get(longest + filler), 'uri-too-long', (longest + filler).split('?')[0]);
  });

  it('of 12 KB in pieces is 414, and fields of 20 KB in pieces are 431', async () => {
    for (const [start, more, slug] of [
      ['GET /?q=', 5_000, 'uri-too-long'],
      ['GET / HTTP/1.1\r\nX-Big: ', 13_000, 'headers-too-large'],
    ] as const) {
      const wire = await connect(start.padEnd(7_000, 'x'));
      await service.sql('SELECT'); // by then they have been read
      expectProblem(await wire.send('x'.repeat(more) + '\r\n\r\n').response(), slug);
    }
  });

  it.each([
    ['GET', 'http://localhost/api/properties?page=x', 'validation-failed', '/api/properties'],
    ['GET', 'http://localhost', 'not-found', '/'],
    ['OPTIONS', '*', 'not-found', '*'],
  ])('in absolute or asterisk form is its path alone: %s %s', async (method, target, slug, path) => {
    const bytes = requestText(`${method} ${target} HTTP/1.1`, [authorization]);
    expectProblem(await sendBytes(service.url, bytes), slug, path);
    const response = await sendBytes(service.url, bytes.replace(authorization, 'X-Field: a'));
    expectProblem(response, 'authentication-required', path);
  });
});

describe('requests in one go', () => {
  it('are answered once each, in their order', async () => {
    const ids = Array.from({ length: 15 }, (_, index) => `r-${index}`);
    const paths = ['/api/users/me', '/api/properties', '/api/users', '/none', '/api/properties/x'];
    const texts = ids.map((id, index) =>
      requestText(`GET ${paths[index % 5]} HTTP/1.1`, [authorization, `X-Request-Id: ${id}`]),
    );
    const wire = await connect([...texts, hiddenRequest(authorization)].join(''));
    const responses = await responsesOn(wire, 16);
    expect(responses.map(({ headers }) => headers.get('x-request-id'))).toEqual([...ids, 'hidden']);
    const statuses = responses.slice(0, 5).map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 403, 404, 400]);
    wire.destroy();
  });

  it('are carried out up to sixteen without a response, and the connection ends behind these', async () => {
    finished.length = 0;
    const wire = await connect(me.repeat(500));
    const responses = await responsesOn(wire, 16);
    expect(responses.map(({ status }) => status)).toEqual(Array<number>(16).fill(200));
    expect(responses[15]!.headers.get('connection')).toBe('close');
    await expectClosed(wire);
    expect(finished).toHaveLength(16);
  });

  it('are carried out up to 16 KiB of heads without a response', async () => {
    const wire = await connect(me.replace('Host', `${BIG}\r\nHost`).repeat(5));
    expect((await responsesOn(wire, 2)).map(({ status }) => status)).toEqual([200, 200]);
    await expectClosed(wire);
  });

  it.each<[string, () => string, number[]]>([
    ['a broken one', () => `${me}garbage\r\n\r\n`, [200, 400]],
    ['one that asks for the end', () => me.replace('Host', 'Connection: close\r\nHost'), [200]],
    ['HTTP/0.9', () => me.replace(' HTTP/1.1', ''), [200]],
    ['HTTP/1.0, which needs no Host', () => `GET / HTTP/1.0\r\n${authorization}\r\n\r\n`, [404]],
    ['HTTP/1.0 without a token', () => 'GET / HTTP/1.0\r\n\r\n', [401]],
    ['chunks over HTTP/1.0', () => `${post(CHUNKED).replace('/1.1', '/1.0')}0\r\n\r\n`, [400]],
    // Node drops the bytes behind
    ['an offer of HTTP/2', () => upgradeAt('/api/users/me'), [200]],
    ['one in a target with a malformed escape', () => upgradeAt('/%zz'), [400]],
    [
      'two framings of such a target',
      () => post('Transfer-Encoding:', 'Content-Length: 2').replace('/api', '/%zz') + '{}',
      [400],
    ],
    ['a body of 1 MiB and a byte', () => sized(MIB + 1), [413]],
    ['chunks of 1 MiB and a byte', () => post(CHUNKED) + chunk('x'.repeat(MIB + 1)) + chunk(''), [413]],
    ['a large body behind others', () => me.repeat(3) + sized(MIB + 1), [200, 200, 200, 413]],
    ['Expect without a token', () => me + anonymous(CONTINUE, 'Content-Length: 2'), [200, 401]],
    ['Expect with a large body', () => me + post(CONTINUE, `Content-Length: ${MIB + 1}`), [200, 413]],
  ])('behind %s are not read, and the connection is closed without a reset', async (_, bytes, statuses) => {
    const { id } = await createProperty(user);
    const remove = requestText(`DELETE /api/properties/${id} HTTP/1.1`, [authorization]);
    const wire = await connect(bytes() + remove);
    const responses = await responsesOn(wire, statuses.length);
    expect(responses.map(({ status }) => status)).toEqual(statuses);
    expect(responses.at(-1)!.headers.get('connection')).toBe('close');
    await expectClosed(wire);
    expect((await user.get(`/api/properties/${id}`)).status).toBe(200);
  });

  it('end where their lengths, their chunks and their trailers end', async () => {
    const body = JSON.stringify(propertyRequest({ name: 'In chunks' }));
    const hidden = hiddenRequest(authorization);
    const chunks = `${body.length.toString(16)};name=value;other="x"\r\n${body}\r\n0\r\nX-Request-Id: trailer\r\n\r\n`;
    for (const bytes of [
      post(`Content-Length: ${body.length}`) + body,
      post('Transfer-Encoding: CHUNKED') + chunks,
      `\r\n\r\n${me}`, // empty lines may come before
      me.replace('Host', 'Expect: foo\r\nHost'), // an expectation that means nothing
      // bodies that are passed over
      requestText('GET /api/users/me HTTP/1.1', [authorization, JSON_TYPE], '{ GET /'),
      requestText('GET /api/users/me HTTP/1.1', [authorization, `${JSON_TYPE}; charset=utf-16`], '{ GET /'),
    ]) {
      const wire = await connect(bytes + hidden);
      const responses = await responsesOn(wire, 2);
      expect(responses.map(({ status }) => status)).toEqual([200, 200]);
      const ids = responses.map(({ headers }) => headers.get('x-request-id'));
      expect(ids).toEqual([expect.not.stringMatching(/hidden|trailer/), 'hidden']);
      wire.destroy();
    }
  });

  it.each<[string, () => string, number[]]>([
    ['garbage', () => 'garbage\r\n\r\n', [200, 400]],
    ['more than sixteen of them', () => me, Array<number>(16).fill(200)],
  ])(
    'behind a slow one, %s in many packets leaves no listener for each packet',
    async (_, part, statuses) => {
      const { lock, bytes } = await slowDeletion(service, user);
      const accepted = once(service.app.getHttpServer(), 'connection') as Promise<[Socket]>;
      const wire = await connect(bytes);
      const [socket] = await accepted;
      await lock.waitedForBy(1);
      for (let times = 0; times < 40; times++) {
        const { bytesRead } = socket;
        wire.send(part());
        await until(() => socket.bytesRead > bytesRead);
      }
      const listeners = service.app
        .get(Requests)
        .on(socket)
        .map(({ response }) => response.listenerCount('close'));
      expect(Math.max(...listeners)).toBeLessThan(10); // or Node warns of a leak
      await lock.release();
      expect((await responsesOn(wire, statuses.length)).map(({ status }) => status)).toEqual(statuses);
      await expectClosed(wire);
    },
  );

  it.each<[string, () => string]>([
    ['CONNECT', () => 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n'],
    ['a refused offer to upgrade', () => get101('Connection: Upgrade', 'Upgrade: h2c')],
  ])('behind a slow one may be %s, and a client that goes then is noticed', async (_, behind) => {
    const { lock, bytes } = await slowDeletion(service, user);
    const wire = await connect(bytes + behind());
    await lock.waitedForBy(1);
    wire.reset();
    await until(() => service.app.get(Requests).inFlight.length === 0);
    await lock.release();
  });

  it('whose client goes meanwhile are not in flight any more', async () => {
    const bytes = `${me.repeat(3)}CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n`;
    for (let times = 0; times < 20; times++) (await connect(bytes + 'x'.repeat(times * 1000))).reset();
    expect((await user.get('/api/users/me')).status).toBe(200);
    await until(() => service.app.get(Requests).inFlight.length === 0);
  });
});

describe('bytes behind a refusal', () => {
  it.each<[string, () => string, string, number]>([
    ['413', () => post('Content-Length: 9999999999'), 'x'.repeat(MIB), 413],
    ['400', () => 'garbage\r\n\r\n', 'x'.repeat(MIB), 400],
    ['413 for small chunks', () => post(CHUNKED) + chunk(' ').repeat(1100), chunk('x'.repeat(MIB)), 413],
    ['401', () => anonymous(CHUNKED), chunk('x'.repeat(MIB)), 401],
  ])('with %s are discarded up to a bound', async (_, head, piece, status) => {
    const wire = await connect(head(), true);
    let sent = 0;
    for (; wire.failure === undefined && sent < 500; sent++) await wire.sent(Buffer.from(piece));
    expect((await wire.response()).status).toBe(status);
    expect([sent > 16, sent < 500]).toEqual([true, true]); // the buffers of the system take some, too
  });

  it('are discarded for a bounded time', async () => {
    const wire = await connect('garbage\r\n\r\n', true);
    expectProblem(await wire.response(), 'malformed-request');
    await until(() => wire.send('x').failure !== undefined);
  });

  it('leave the connection open behind a 401 that has not read a small body', async () => {
    const wire = await connect(anonymous('Content-Length: 200000'));
    expectProblem(await wire.response(), 'authentication-required');
    expect((await wire.send('x'.repeat(200_000) + me).response()).status).toBe(200);
    wire.destroy();
  });

  it('are no second refusal where chunks break behind a response', async () => {
    const wire = await connect(anonymous(CHUNKED));
    expect((await wire.response()).status).toBe(401);
    await expectClosed(wire.send('zz\r\n'));
  });
});

it('Expect: 100-continue behind other requests is answered after them', async () => {
  const body = JSON.stringify(propertyRequest());
  const wire = await connect(me.repeat(3) + post(CONTINUE, `Content-Length: ${body.length}`));
  expect((await responsesOn(wire, 4)).map(({ status }) => status)).toEqual([200, 200, 200, 100]);
  expect((await wire.send(body).response()).status).toBe(200);
  wire.destroy();
});
