import { setTimeout as sleep } from 'node:timers/promises';
import { expectDocument } from './support/problem-document.js';
import { type Account, type Service, startService } from './support/service.js';
import { requestText, sendBytes, Wire, type WireAnswer } from './support/wire.js';

const LONGEST_TARGET = 8192;

let service: Service;
let user: Account;
let authorization: string;

beforeAll(async () => {
  service = await startService({ REQUEST_TIMEOUT: '1s' });
  user = await service.account();
  authorization = `Authorization: Bearer ${user.token!}`;
});

const send = (bytes: string | Uint8Array): Promise<WireAnswer> => sendBytes(service.url, bytes);
const get = (target: string, ...headers: string[]): Promise<WireAnswer> =>
  send(requestText(`GET ${target} HTTP/1.1`, headers));

/** The whole edge must still be there after whatever a test has sent. */
afterEach(async () => {
  expect((await user.get('/api/users/me')).status).toBe(200);
});

describe('a request target', () => {
  it.each([
    ['/api/properties/%zz', '/api/properties/%zz'],
    ['/api/properties/%e0%80', '/api/properties/%e0%80'],
    ['/%zz?page=1', '/%zz'],
  ])('with a malformed escape, %s, is 400 with and without a token', async (target, instance) => {
    expectDocument(await get(target), 'malformed-request', instance);
    expectDocument(await get(target, authorization), 'malformed-request', instance);
  });

  it.each([
    ['a path parameter', '/api/properties/', '1'],
    ['an unknown path', '/', 'a'],
    ['a query', '/api/properties?searchTerm=', 'x'],
  ])('whose length comes from %s may have 8,192 characters and not one more', async (_, start, filler) => {
    const longest = start.padEnd(LONGEST_TARGET, filler);
    expect((await get(longest, authorization)).status).not.toBe(414);
    const path = (longest + filler).split('?')[0]!;
    expectDocument(await get(longest + filler, authorization), 'uri-too-long', path);
    expectDocument(await get(longest + filler), 'uri-too-long', path);
  });

  it('with an id of 101 digits is an id beyond 64 bits, not a URL that is too long', async () => {
    expectDocument(await get(`/api/properties/${'1'.repeat(101)}`, authorization), 'validation-failed');
  });

  it('of 20 KB is 414 when it comes in pieces', async () => {
    const wire = await Wire.open(service.url);
    wire.send(`GET /api/properties?q=${'x'.repeat(12_000)}`);
    await sleep(50);
    wire.send(requestText(`${'x'.repeat(8_000)} HTTP/1.1`));
    expectDocument(await wire.answer(), 'uri-too-long');
    wire.destroy();
  });

  it('in absolute form is told by its path alone', async () => {
    const answer = await get(`${service.url}/api/properties?page=x`, authorization);
    expectDocument(answer, 'validation-failed', '/api/properties');
    expectDocument(await get(service.url, authorization), 'not-found', '/');
  });

  it('in asterisk form is an unknown path', async () => {
    expectDocument(await send(requestText('OPTIONS * HTTP/1.1')), 'authentication-required');
    expectDocument(await send(requestText('OPTIONS * HTTP/1.1', [authorization])), 'not-found');
  });
});

describe('request headers', () => {
  const big = (size: number): string => `X-Big: ${'x'.repeat(size)}`;

  it('of 20 KB in many fields are 431', async () => {
    const fields = Array.from({ length: 200 }, (_, index) => `X-Field-${index}: ${'x'.repeat(90)}`);
    expectDocument(await get('/api/properties', authorization, ...fields), 'headers-too-large');
  });

  it('of 20 KB are 431 when they come in pieces', async () => {
    const wire = await Wire.open(service.url);
    wire.send(`GET /api/properties HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n${big(9_000)}`);
    await sleep(50);
    wire.send(`${'x'.repeat(11_000)}\r\n\r\n`);
    expectDocument(await wire.answer(), 'headers-too-large');
    wire.destroy();
  });

  it('of 12 KB are read', async () => {
    expect((await get('/api/properties', authorization, big(12_000))).status).toBe(200);
  });
});

describe('a malformed request', () => {
  it.each([
    ['a request line that is garbage', 'this is no HTTP at all\r\n\r\n'],
    ['bytes that are no text', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0xfc, 0x0d, 0x0a])],
    ['an unknown version', requestText('GET /api/properties HTTP/9.9')],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a method in lower case', requestText('get /api/properties HTTP/1.1')],
    ['a field without a colon', requestText('GET /api/properties HTTP/1.1', ['Field'])],
  ])('with %s is 400 and the end of the connection', async (_, bytes) => {
    const wire = await Wire.open(service.url);
    const answer = await wire.send(bytes).answer();
    expectDocument(answer, 'malformed-request');
    expect(answer.headers.get('connection')).toBe('close');
    await wire.closed();
    expect(wire.unread).toBe('');
  });

  it.each([
    ['a size that is no number', 'zz\r\n{}\r\n0\r\n\r\n'],
    ['a size beyond 64 bits', 'fffffffffffffffff\r\n{}\r\n0\r\n\r\n'],
  ])('with bad chunks, %s, is 400 in one answer', async (_, chunks) => {
    const wire = await Wire.open(service.url);
    const head = ['Content-Type: application/json', 'Transfer-Encoding: chunked', authorization];
    wire.send(requestText('POST /api/properties HTTP/1.1', head));
    await sleep(30);
    expectDocument(await wire.send(chunks).answer(), 'malformed-request');
    await wire.closed();
    expect(wire.unread).toBe('');
  });

  it.each([
    ['without a Host', ''],
    ['with two of them', 'Host: a.example\r\nhost: b.example\r\n'],
  ])('%s is 400', async (_, hosts) => {
    const answer = await send(`GET /api/properties?page=0 HTTP/1.1\r\n${hosts}${authorization}\r\n\r\n`);
    expectDocument(answer, 'malformed-request', '/api/properties');
  });
});

describe('what HTTP has beside plain requests', () => {
  it('an offer to upgrade is not taken: the request is answered, and the connection ends, because Node drops what comes behind', async () => {
    for (const protocol of ['websocket', 'h2c']) {
      const answer = await get('/api/users/me', authorization, 'Connection: Upgrade', `Upgrade: ${protocol}`);
      expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    }
  });

  it('HTTP/1.0 needs no Host, and its connection is closed after the answer', async () => {
    const wire = await Wire.open(service.url);
    wire.send(`GET /api/users/me HTTP/1.0\r\n${authorization}\r\n\r\n`);
    const answer = await wire.answer();
    expect({ status: answer.status, encoding: answer.headers.get('transfer-encoding') }).toEqual({
      status: 200,
      encoding: null,
    });
    await wire.closed();
  });

  it('a refusal over HTTP/1.0 is a problem as well', async () => {
    expectDocument(
      await send('GET /api/users/me HTTP/1.0\r\n\r\n'),
      'authentication-required',
      '/api/users/me',
    );
  });

  it('the body of a GET is passed over, whatever it holds', async () => {
    const wire = await Wire.open(service.url);
    for (const type of ['application/json', 'text/plain']) {
      wire.send(
        requestText('GET /api/users/me HTTP/1.1', [authorization, `Content-Type: ${type}`], '{ GET /'),
      );
      expect((await wire.answer()).status).toBe(200);
    }
    wire.send(requestText('GET /api/users/me HTTP/1.1', [authorization]));
    expect((await wire.answer()).status).toBe(200);
    wire.destroy();
  });
});

describe('HEAD', () => {
  it('is answered like GET, without the body', async () => {
    const headers = [authorization];
    const head = await sendBytes(service.url, requestText('HEAD /api/properties HTTP/1.1', headers), {
      head: true,
    });
    const full = await get('/api/properties', authorization);
    expect({ status: head.status, length: head.headers.get('content-length'), text: head.text }).toEqual({
      status: 200,
      length: full.headers.get('content-length'),
      text: '',
    });
  });
});

describe('a request that takes too long to arrive', () => {
  it('is 408, whether its header or its body is slow; an idle connection is not', async () => {
    const idle = await Wire.open(service.url);
    idle.send(requestText('GET /api/users/me HTTP/1.1', [authorization]));
    await idle.answer();
    const head = ['Content-Type: application/json', authorization, 'Content-Length: 100'];
    const started = performance.now();
    const slow = await Promise.all(
      [
        'GET /api/properties HTTP/1.1\r\nHost: localhost\r\nX-Slow: ',
        `${requestText('POST /api/properties HTTP/1.1', head)}{"name":`,
        `${requestText('POST /api/properties HTTP/1.1', [...head.slice(0, 2), 'Transfer-Encoding: chunked'])}3\r\n{`,
      ].map(async (text) => {
        const wire = await Wire.open(service.url);
        expectDocument(await wire.send(text).answer(), 'request-timeout');
        await wire.closed();
        return wire.unread;
      }),
    );
    expect(slow).toEqual(['', '', '']);
    expect(performance.now() - started).toBeLessThan(12_000); // by default it would be 15 s
    idle.send(requestText('GET /api/users/me HTTP/1.1', [authorization]));
    expect((await idle.answer()).status).toBe(200);
    idle.destroy();
  });
});
