import { gzipSync } from 'node:zlib';
import { expectFaults } from './support/answers.js';
import type { Answer } from './support/client.js';
import { createProperty, propertyRequest } from './support/factories.js';
import { expectDocument } from './support/problem-document.js';
import { type Account, type Service, startService } from './support/service.js';
import { requestText, sendBytes, type WireAnswer } from './support/wire.js';

const PATH = '/api/properties';
const KIB = 1024;
const MIB = 1024 * KIB;

let service: Service;
let user: Account;

beforeAll(async () => {
  service = await startService();
  user = await service.account();
});

const stored = async (): Promise<unknown> => service.sql('SELECT count(*) FROM properties');
const post = (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  user.post(PATH, body, headers);

/** A valid property as JSON text, with a last member. */
const validWith = (member: string): string => `${JSON.stringify(propertyRequest()).slice(0, -1)},${member}}`;
const VALID = JSON.stringify(propertyRequest());

/** A valid property of a number of bytes. */
function bodyOf(size: number): string {
  const empty = validWith('"unknown":""');
  return empty.replace('"unknown":""', `"unknown":"${'x'.repeat(size - empty.length)}"`);
}

/** Sends bytes that no client would. */
function sendRaw(
  line: string,
  headers: readonly string[],
  body?: string,
  to = service,
  token = user.token!,
): Promise<WireAnswer> {
  return sendBytes(to.url, requestText(line, [`Authorization: Bearer ${token}`, ...headers], body));
}

/** Sends the body in chunks, so that no Content-Length announces its size. */
function sendChunked(to: Service, token: string, body: string): Promise<WireAnswer> {
  const chunks = (body.match(/[^]{1,65536}/g) ?? []).map(
    (chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`,
  );
  const headers = [
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
    `Authorization: Bearer ${token}`,
  ];
  return sendBytes(to.url, `${requestText(`POST ${PATH} HTTP/1.1`, headers)}${chunks.join('')}0\r\n\r\n`);
}

describe('a body', () => {
  it.each<[name: string, value: string]>([
    ...['application/json', 'Application/Json; Charset=UTF-8', 'application/json; charset="utf-8"'].map(
      (type): [string, string] => ['content-type', type],
    ),
    ['content-type', 'application/json; profile="https://example.com/x"'],
    ...['identity', 'Identity'].map((coding): [string, string] => ['content-encoding', coding]),
  ])('with %s: %s is read', async (name, value) => {
    expect((await post(propertyRequest(), { [name]: value })).status).toBe(200);
  });

  it.each<[name: string, value: string]>([
    ...[
      'text/plain',
      'text/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ].map((type): [string, string] => ['content-type', type]),
    ...['application/jsonp', 'application/json-patch+json', 'application/vnd.api+json', '*/*', ';'].map(
      (type): [string, string] => ['content-type', type],
    ),
    ...['iso-8859-1', 'utf-16', '"windows-1252"'].map((charset): [string, string] => [
      'content-type',
      `application/json; charset=${charset}`,
    ]),
    ['content-type', 'application/json; profile=x; charset=latin1'],
    ...['gzip', 'GZIP', 'deflate', 'identity, gzip', 'nonsense'].map((coding): [string, string] => [
      'content-encoding',
      coding,
    ]),
  ])('with %s: %s is 415, and nothing is stored', async (name, value) => {
    const before = await stored();
    const body = /^gzip$/i.test(value) ? gzipSync(VALID) : VALID;
    expectDocument(await post(body, { [name]: value }), 'unsupported-media-type', PATH);
    expect(await stored()).toEqual(before);
  });

  it('without a Content-Type is 415, and an empty one is 400 where one is needed', async () => {
    const line = `POST ${PATH} HTTP/1.1`;
    for (const type of [[], ['Content-Type:']])
      expectDocument(await sendRaw(line, type, VALID), 'unsupported-media-type', PATH);
    for (const type of [[], ['Content-Type: application/json']])
      expectDocument(await sendRaw(line, type, ''), 'malformed-request', PATH);
  });

  it('may be empty JSON where none is needed', async () => {
    const { id } = await createProperty(user);
    const { status, text, headers } = await sendRaw(
      `DELETE ${PATH}/${id} HTTP/1.1`,
      ['Content-Type: application/json'],
      '',
    );
    expect([status, text, headers.get('content-type')]).toEqual([200, '', null]);
  });

  it('that is a form is 415 wherever a body is read', async () => {
    const { id } = await createProperty(user);
    const form = { body: 'name=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    expectDocument(await user.send('PUT', `${PATH}/${id}`, form), 'unsupported-media-type');
    for (const path of ['transactions', 'transactions/search', 'auth/signup', 'auth/signin'])
      expectDocument(await user.send('POST', `/api/${path}`, form), 'unsupported-media-type');
  });
});

const nested = (start: string, end: string, levels: number): string =>
  `"x":${start.repeat(levels)}1${end.repeat(levels)}`;
const bytes = (...invalid: number[]): Uint8Array => {
  const [start, end] = validWith('"houseRules":"?"').split('?');
  return new Uint8Array(Buffer.concat([Buffer.from(start!), Buffer.from(invalid), Buffer.from(end!)]));
};

// What else JSON.parse refuses: src/http/json/json-parser.spec.ts.
it.each<[name: string, body: string | Uint8Array]>([
  ['nothing', ''],
  ['white space', ' \r\n\t'],
  ['a comment', '{"name":"x" // why\n}'],
  ['no end of the object', '{"name":"x"'],
  ['brackets that cross', '{"tags":["x"}]'],
  ['a second value', '{}{}'],
  ['NaN', '{"basePrice":NaN}'],
  ['a leading zero', '{"maxGuests":01}'],
  ['a raw NUL in a string', '{"name":"a\0b"}'],
  ['a no-break space between tokens', '{\u00a0"name":"x"}'],
  ['two byte order marks', '\ufeff\ufeff{}'],
  ['a key twice, once escaped', '{"name":"a","n\\u0061me":"b"}'],
  ['a key twice, far below', '{"metadata":{"a":[{"b":1,"b":2}]}}'],
  [
    'a field twice behind a thousand others',
    `{${Array.from({ length: 1000 }, (_, i) => `"x${i}":0`).join()},"name":"a","name":"b"}`,
  ],
  ['a form', 'name=x&address=y'],
  ...['[{}]', '"text"', '0', 'true', 'null', ' [ ] '].map((text): [string, string] => [text, text]),
  ['a lead byte without its continuation', bytes(0xc3)],
  ['an overlong slash', bytes(0xc0, 0xaf)],
  ['a surrogate in UTF-8', bytes(0xed, 0xa0, 0x80)],
  ['a code point past U+10FFFF', bytes(0xf4, 0x90, 0x80, 0x80)],
  ['65 levels of arrays', validWith(nested('[', ']', 64))],
  ['65 levels of objects', validWith(nested('{"a":', '}', 64))],
  ['65 levels of both', validWith(nested('[{"a":', '}]', 32))],
  ['half a million closed arrays', '['.repeat(500_000) + ']'.repeat(500_000)],
  ['half a million open arrays', `{"x":${'['.repeat(500_000)}`],
  ['a quarter of a million open objects', '{"":'.repeat(250_000)],
  ['a long number that is none', `{"basePrice":${'1'.repeat(100_000)}.}`],
  ['a long key twice', `{"${'k'.repeat(100_000)}":1,"${'k'.repeat(100_000)}":2}`],
])('a body of %s is 400 in a few words, at once, and nothing is stored', async (_, body) => {
  const before = await stored();
  const cpu = process.cpuUsage();
  const answer = await post(body);
  expect(process.cpuUsage(cpu).user).toBeLessThan(1_000_000);
  expectDocument(answer, 'malformed-request', PATH);
  expect(answer.text.length).toBeLessThan(1000);
  expect(await stored()).toEqual(before);
});

it.each<[name: string, body: string]>([
  ['white space of every kind', ` \r\n\t${VALID.replaceAll(',', ' \r\n\t, ')} \r\n\t`],
  ['a byte order mark', `\ufeff${VALID}`],
  ['escapes for names', VALID.replace('"name"', '"\\u006e\\u0061me"')],
  ['brackets in a string', validWith(`"houseRules":"${'[{'.repeat(500)}"`)],
  ['quotes and backslashes in a string', validWith(`"houseRules":"${'\\"\\\\[['.repeat(100)}"`)],
  ['unknown fields of every type', validWith('"x":null,"y":[1,{"z":[true]}],"":"","0":{}')],
  ['numbers that no double holds', validWith('"x":1e400,"y":-0.0,"z":123456789012345678901234567890')],
  ['many arrays side by side', validWith(`"x":[${'[],'.repeat(99)}[]]`)],
  ['64 levels of arrays', validWith(nested('[', ']', 63))],
  ['64 levels of objects', validWith(nested('{"a":', '}', 63))],
])('a body with %s is read', async (_, body) => {
  expect((await post(body)).status).toBe(200);
});

describe('the size of a body', () => {
  it('may be 1 MiB, and a byte more is 413, with its length or in chunks', async () => {
    expect((await post(bodyOf(MIB))).status).toBe(200);
    expect((await sendChunked(service, user.token!, bodyOf(MIB))).status).toBe(200);
    expectDocument(await post(bodyOf(MIB + 1)), 'payload-too-large', PATH);
    expectDocument(await sendChunked(service, user.token!, bodyOf(MIB + 1)), 'payload-too-large', PATH);
    expectDocument(await service.anonymous.post(PATH, bodyOf(MIB + 1)), 'authentication-required', PATH);
  });

  it('is counted in bytes, not in characters', async () => {
    const body = bodyOf(MIB).replace(/x{4}"/, '\u00e9\u00e9\u00e9"');
    expect(Buffer.byteLength(body)).toBe(MIB + 2);
    expectDocument(await post(body), 'payload-too-large', PATH);
  });

  it('is limited to BODY_LIMIT', async () => {
    const small = await startService({ BODY_LIMIT: '2KiB' });
    const account = await small.account();
    expect((await account.post(PATH, bodyOf(2 * KIB))).status).toBe(200);
    expectDocument(await account.post(PATH, bodyOf(2 * KIB + 1)), 'payload-too-large', PATH);
    expectDocument(await sendChunked(small, account.token!, bodyOf(2 * KIB + 1)), 'payload-too-large', PATH);
  });

  it.each([
    ['/api/auth/signin', 401],
    ['/api/auth/signup', 400],
  ])('is limited to 16 KiB for POST %s, which anybody may send', async (path, status) => {
    const body = (size: number): string => '{"username":"x","password":"y"}'.padEnd(size);
    expect((await service.anonymous.post(path, body(16 * KIB))).status).toBe(status);
    expectDocument(await service.anonymous.post(path, body(16 * KIB + 1)), 'payload-too-large', path);
    const headers = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
    const chunked = `${requestText(`POST ${path} HTTP/1.1`, headers)}4001\r\n${body(16 * KIB + 1)}\r\n0\r\n\r\n`;
    expectDocument(await sendBytes(service.url, chunked), 'payload-too-large', path);
  });

  it('of 1 MiB may come a hundred times at once, right or wrong', async () => {
    const [right, wrong] = [VALID.padEnd(MIB), 'x'.repeat(MIB)];
    const bodies = Array.from({ length: 100 }, (_, index) => (index % 10 === 0 ? right : wrong));
    const answers = await Promise.all(bodies.map((body) => post(body)));
    expect(answers.map(({ status }) => status)).toEqual(bodies.map((body) => (body === right ? 200 : 400)));
  });
});

describe('a body that names a prototype', () => {
  const pollution = (): unknown => ({});

  it.each([
    ['"__proto__":{"polluted":true}'],
    ['"__pr\\u006fto__":{"polluted":true}'],
    ['"constructor":{"prototype":{"polluted":true}}'],
    ['"x":{"__proto__":{"polluted":true},"y":[{"__proto__":{"polluted":true}}]}'],
    ['"toString":1,"valueOf":null,"hasOwnProperty":"x","then":1,"toJSON":1'],
  ])('by %s is read as if that was not there', async (member) => {
    expect((await post(validWith(member))).status).toBe(200);
    expect((await user.post('/api/transactions/search', `{${member}}`)).status).toBe(200);
    expect(pollution()).not.toHaveProperty('polluted');
  });

  it('has no field from there', async () => {
    const required = ['name', 'address', 'basePrice', 'maxGuests', 'bedrooms', 'bathrooms', 'active'];
    expectFaults(await post(`{"__proto__":${VALID}}`), ...required);
    const inherited = `{"__proto__":{"role":"ADMIN"},"username":"x","password":"y"}`;
    expectDocument(await service.anonymous.post('/api/auth/signin', inherited), 'bad-credentials');
  });

  it('in metadata is refused', async () => {
    const { id } = await createProperty(user);
    const transaction = (value: string): string =>
      `{"propertyId":${id},"type":"INCOME","category":"CLEANING","description":"x","amount":1,"date":"2026-01-01T00:00:00Z","metadata":{"__proto__":${value}}}`;
    for (const value of ['"x"', '{"polluted":"x"}'])
      expectFaults(await user.post('/api/transactions', transaction(value)), 'metadata.__proto__');
    expect(pollution()).not.toHaveProperty('polluted');
  });
});
