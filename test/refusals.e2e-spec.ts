import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { parseExposition } from './support/exposition.js';
import { createProperty, propertyRequest } from './support/factories.js';
import { expectDocument } from './support/problem-document.js';
import { type Account, type Service, startService } from './support/service.js';
import { until } from './support/until.js';
import { requestText, sendBytes, Wire, type WireAnswer } from './support/wire.js';

const MIB = 2 ** 20;
const JSON_TYPE = 'Content-Type: application/json';

let service: Service;
let user: Account;
let authorization: string;
let me: string;
/** Takes five seconds, beside all other tests. */
let discarded: Promise<number>;

beforeAll(async () => {
  service = await startService({ REQUEST_TIMEOUT: '1s' });
  user = await service.account();
  authorization = `Authorization: Bearer ${user.token!}`;
  me = requestText('GET /api/users/me HTTP/1.1', [authorization]);
  discarded = timeOfDiscarding();
});

const post = (...headers: string[]): string =>
  requestText('POST /api/properties HTTP/1.1', [authorization, JSON_TYPE, ...headers]);
const inChunks = (body: string): string => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const sized = (size: number): string => post(`Content-Length: ${size}`) + 'x'.repeat(size);

/** Every answer on a connection, and how it ended. */
async function answersOn(wire: Wire, count: number): Promise<WireAnswer[]> {
  const answers: WireAnswer[] = [];
  while (answers.length < count) answers.push(await wire.answer());
  return answers;
}

/** For how many seconds the service takes what is sent behind a refusal. */
async function timeOfDiscarding(): Promise<number> {
  const wire = (await Wire.open(service.url, { allowHalfOpen: true })).send('garbage\r\n\r\n');
  expectDocument(await wire.answer(), 'malformed-request');
  const started = performance.now();
  while (wire.failure === undefined && performance.now() - started < 15_000) {
    wire.send('x');
    await sleep(100);
  }
  return (performance.now() - started) / 1000;
}

interface Refused {
  readonly refusal: string;
  readonly slug: string;
  readonly bytes: () => string;
}

/** Everything that is refused without a handler, by whatever part of the server. */
const REFUSED: readonly Refused[] = [
  {
    refusal: 'an unknown expectation',
    slug: 'expectation-failed',
    bytes: () => requestText('GET /api/users/me HTTP/1.1', [authorization, 'Expect: foo']),
  },
  {
    refusal: 'CONNECT',
    slug: 'method-not-allowed',
    bytes: () => 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n',
  },
  { refusal: 'garbage', slug: 'malformed-request', bytes: () => 'garbage\r\n\r\n' },
  {
    refusal: 'a missing Host',
    slug: 'malformed-request',
    bytes: () => `GET /api/users/me HTTP/1.1\r\n${authorization}\r\n\r\n`,
  },
  {
    refusal: 'a malformed escape',
    slug: 'malformed-request',
    bytes: () => requestText('GET /%zz HTTP/1.1', [authorization]),
  },
  {
    refusal: 'a URL that is too long',
    slug: 'uri-too-long',
    bytes: () => requestText(`GET /${'x'.repeat(9000)} HTTP/1.1`, [authorization]),
  },
  {
    refusal: 'fields that are too large',
    slug: 'headers-too-large',
    bytes: () => requestText('GET /api/users/me HTTP/1.1', [authorization, `X-Big: ${'x'.repeat(17_000)}`]),
  },
  {
    refusal: 'more fields than are read',
    slug: 'headers-too-large',
    bytes: () =>
      requestText('GET /api/users/me HTTP/1.1', [authorization, ...Array<string>(2500).fill('a:')]),
  },
  {
    refusal: 'fields that are far too large',
    slug: 'headers-too-large',
    bytes: () => requestText('GET /api/users/me HTTP/1.1', [`X-Big: ${'x'.repeat(50_000)}`]),
  },
  {
    refusal: 'a coding that is not known',
    slug: 'unsupported-media-type',
    bytes: () => post('Transfer-Encoding: gzip, chunked') + inChunks('{}'),
  },
];

describe('a refusal behind answers that are under way', () => {
  it.each(REFUSED)('comes in its turn: $refusal', async ({ slug, bytes }) => {
    const wire = (await Wire.open(service.url)).send(me.repeat(4) + bytes());
    const answers = await answersOn(wire, 5);
    expect(answers.slice(0, 4).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expectDocument(answers[4]!, slug);
    wire.destroy();
  });

  it('leaves the connection open where it was a request like any other', async () => {
    const unmet = requestText('GET /api/users/me HTTP/1.1', [authorization, 'Expect: foo']);
    const wire = (await Wire.open(service.url)).send(me + unmet + me);
    expect((await answersOn(wire, 3)).map(({ status }) => status)).toEqual([200, 417, 200]);
  });

  it('survives a client that goes meanwhile', async () => {
    for (let times = 0; times < 20; times++) {
      const wire = await Wire.open(service.url);
      wire.send(
        `${me}CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n${'x'.repeat(times * 1000)}`,
      );
      wire.reset();
    }
    expect((await user.get('/api/users/me')).status).toBe(200);
  });
});

describe('a body that is one byte too large', () => {
  const tooLarge = (): string => sized(MIB + 1);
  const chunked = (): string => post('Transfer-Encoding: chunked') + inChunks('x'.repeat(MIB + 1));

  it.each<[string, () => string, number]>([
    ['with its length told', tooLarge, 0],
    ['in chunks', chunked, 0],
    ['behind answers under way', () => me.repeat(3) + tooLarge(), 3],
    ['before further requests', () => tooLarge() + me.repeat(3), 0],
  ])('is 413, sent in one piece with its head, %s', async (_, bytes, before) => {
    for (let times = 0; times < 3; times++) {
      const wire = (await Wire.open(service.url)).send(bytes());
      const answers = await answersOn(wire, before + 1);
      expectDocument(answers[before]!, 'payload-too-large', '/api/properties');
      expect(answers[before]!.headers.get('connection')).toBe('close');
      await wire.closed();
      expect({ failure: wire.failure, unread: wire.unread }).toEqual({ failure: undefined, unread: '' });
    }
  });

  it('is 413 for a client that goes on sending before it reads', async () => {
    for (let times = 0; times < 5; times++) {
      const wire = await Wire.open(service.url, { allowHalfOpen: true });
      const text = sized(5 * MIB);
      expectDocument(await wire.send(text.slice(0, 100_000)).answer(), 'payload-too-large');
      await sleep(5);
      await wire.sent(Buffer.from(text.slice(100_000)));
      await sleep(5);
      await wire.end().closed();
      expect(wire.failure).toBeUndefined(); // a reset would have taken the answer away
    }
  });

  it('takes with it what is sent behind it', async () => {
    const { id } = await createProperty(user);
    const wire = await Wire.open(service.url);
    wire.send(tooLarge() + requestText(`DELETE /api/properties/${id} HTTP/1.1`, [authorization]));
    expectDocument(await wire.answer(), 'payload-too-large');
    await wire.closed();
    expect(wire.unread).toBe('');
    expect((await user.get(`/api/properties/${id}`)).status).toBe(200);
  });
});

describe('what is sent behind a refusal', () => {
  const megabyte = Buffer.alloc(MIB, 'x');
  const chunk = Buffer.concat([Buffer.from('100000\r\n'), megabyte, Buffer.from('\r\n')]);

  it.each<[string, () => string, Buffer, number]>([
    ['413', () => post('Content-Length: 9999999999'), megabyte, 413],
    ['400', () => 'garbage\r\n\r\n', megabyte, 400],
    ['401', () => post('Transfer-Encoding: chunked').replace(authorization, 'X-Field: a'), chunk, 401],
  ])('with %s is discarded up to a bound', async (_, head, piece, status) => {
    const wire = (await Wire.open(service.url, { allowHalfOpen: true })).send(head());
    let sent = 0;
    while (wire.failure === undefined && sent < 200) {
      await wire.sent(piece);
      sent++;
    }
    expect((await wire.answer()).status).toBe(status);
    expect(sent).toBeGreaterThan(16);
    expect(sent).toBeLessThan(60); // with what the system holds on both sides
  });

  it('is discarded for a bounded time', async () => {
    const seconds = await discarded;
    expect(seconds).toBeGreaterThan(3);
    expect(seconds).toBeLessThan(14);
  });

  it('leaves the connection open behind a 401 that has not read a small body', async () => {
    const anonymous = requestText('POST /api/properties HTTP/1.1', [JSON_TYPE, 'Content-Length: 200000']);
    const wire = (await Wire.open(service.url)).send(anonymous);
    expectDocument(await wire.answer(), 'authentication-required');
    wire.send('x'.repeat(200_000) + me);
    expect((await wire.answer()).status).toBe(200);
  });
});

describe('Expect: 100-continue', () => {
  const expecting = (...headers: string[]): string =>
    requestText('POST /api/properties HTTP/1.1', [JSON_TYPE, 'Expect: 100-continue', ...headers]);

  it.each<[string, string, () => string]>([
    ['without a token', 'authentication-required', () => expecting('Content-Length: 2')],
    [
      'with a body that is too large',
      'payload-too-large',
      () => expecting(authorization, `Content-Length: ${MIB + 1}`),
    ],
  ])('%s is answered with the refusal alone, and the end of the connection', async (_, slug, head) => {
    const wire = (await Wire.open(service.url)).send(head());
    const answer = await wire.answer();
    expectDocument(answer, slug, '/api/properties');
    expect(answer.headers.get('connection')).toBe('close');
    await wire.closed();
  });

  it('behind other requests is answered after them', async () => {
    const body = JSON.stringify(propertyRequest());
    const wire = await Wire.open(service.url);
    wire.send(me.repeat(3) + expecting(authorization, `Content-Length: ${body.length}`));
    expect((await answersOn(wire, 4)).map(({ status }) => status)).toEqual([200, 200, 200, 100]);
    expect((await wire.send(body).answer()).status).toBe(200);
  });

  it('behind other requests is not said after the answer', async () => {
    const wire = await Wire.open(service.url);
    wire.send(me + expecting(authorization, `Content-Length: ${MIB + 1}`));
    expect((await answersOn(wire, 2)).map(({ status }) => status)).toEqual([200, 413]);
    await wire.closed();
    expect(wire.unread).toBe('');
  });
});

describe('a body in a transfer coding', () => {
  const coded = (coding: string, ...headers: string[]): string =>
    requestText('POST /api/properties HTTP/1.1', [JSON_TYPE, `Transfer-Encoding: ${coding}`, ...headers]) +
    inChunks(JSON.stringify(propertyRequest()));

  it.each(['gzip, chunked', 'identity, chunked', 'x, chunked', 'gzip\r\nTransfer-Encoding: chunked'])(
    '%s is 415, and the end of the connection',
    async (coding) => {
      const count = async (): Promise<unknown> => service.sql('SELECT count(*) FROM properties');
      const before = await count();
      const wire = (await Wire.open(service.url)).send(coded(coding, authorization));
      expectDocument(await wire.answer(), 'unsupported-media-type', '/api/properties');
      await wire.closed();
      expect(await count()).toEqual(before);
      expectDocument(await sendBytes(service.url, coded(coding)), 'authentication-required');
    },
  );

  it.each(['chunked', 'CHUNKED'])('%s is read', async (coding) => {
    expect((await sendBytes(service.url, coded(coding, authorization))).status).toBe(200);
  });
});

it('an expectation that is not known is told to nobody without a token: 401', async () => {
  for (const target of ['/none', '/api/properties', '/api/users', '/actuator%2fhealth']) {
    const request = requestText(`GET ${target} HTTP/1.1`, ['Expect: foo']);
    expectDocument(await sendBytes(service.url, request), 'authentication-required', target);
  }
});

describe('in the metrics a request', () => {
  const LATE: readonly Refused[] = [
    { refusal: 'a slow head', slug: 'request-timeout', bytes: () => 'GET / HTTP/1.1\r\nHost:' },
    { refusal: 'a slow body', slug: 'request-timeout', bytes: () => post('Content-Length: 9') },
    {
      refusal: 'broken chunks',
      slug: 'malformed-request',
      bytes: () => `${post('Transfer-Encoding: chunked')}zz\r\n`,
    },
  ];

  const counts = async (): Promise<Map<string, number>> => {
    const families = parseExposition(await service.app.get<Registry>(Registry).metrics());
    const counted = families
      .get('http_server_requests_seconds')!
      .samples.filter(({ name }) => name.endsWith('_count'));
    return new Map(
      counted.map(({ labels, value }) => [
        [labels['method'], labels['uri'], labels['status'], labels['exception']].join(' '),
        value,
      ]),
    );
  };

  it.each([...REFUSED, ...LATE])('that was refused counts once, for $refusal', async ({ slug, bytes }) => {
    await sleep(20); // what came before has been counted
    const before = await counts();
    const wire = (await Wire.open(service.url)).send(bytes());
    const { status } = await wire.answer();
    wire.destroy();
    const changed = async (): Promise<[string, number][]> =>
      [...(await counts())].filter(([series, count]) => count !== (before.get(series) ?? 0));
    await until(async () => (await changed()).length > 0);
    await sleep(20);
    const [[series, count] = ['', 0], ...others] = await changed();
    expect(others).toEqual([]);
    expect(series).toMatch(new RegExp(` ${status} ${slug}$`));
    expect(count).toBe((before.get(series) ?? 0) + 1);
  });
});
