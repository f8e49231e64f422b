import { gzipSync } from 'node:zlib';
import { ClientMemory } from '../src/http/client-memory.js';
import { expectFaults, expectProblem, outcomeOf } from './support/responses.js';
import type { HttpResponse } from './support/client.js';
import { createProperty, propertyRequest } from './support/factories.js';
import { type Account, type Service, startService } from './support/service.js';
import { until } from './support/until.js';
import { chunk, requestText, sendBytes, Wire } from './support/wire.js';

const PATH = '/api/properties';
const FORM = 'application/x-www-form-urlencoded';
const CHUNKED = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
const KIB = 1024;
const MIB = 1024 * KIB;

let service: Service;
let user: Account;
let bearer: string;

beforeAll(async () => {
  service = await startService();
  user = await service.account();
  bearer = `Authorization: Bearer ${user.token!}`;
});

const stored = async (): Promise<unknown> => service.sql('SELECT count(*) FROM properties');
const post = (body: unknown, headers: Record<string, string> = {}): Promise<HttpResponse> =>
  user.post(PATH, body, headers);

/** A valid property as JSON text, with a last member. */
const validWith = (member: string): string => `${JSON.stringify(propertyRequest()).slice(0, -1)},${member}}`;
const VALID = JSON.stringify(propertyRequest());

const ofCharset = (charset: string): string => `application/json; charset=${charset}`;

/** A valid property of a number of bytes. */
function bodyOf(size: number): string {
  const empty = validWith('"unknown":""');
  return empty.replace('"unknown":""', `"unknown":"${'x'.repeat(size - empty.length)}"`);
}

/** Sends headers that no client would. */
const sendRaw = (line: string, headers: readonly string[], body: string): Promise<HttpResponse> =>
  sendBytes(service.url, requestText(`${line} HTTP/1.1`, [bearer, ...headers], body));
const inChunks = (body: string): string => chunk(body) + chunk('');

describe('a body', () => {
  it.each<[name: string, value: string]>([
    ['content-type', 'Application/Json; Charset=UTF-8'],
    ['content-type', 'application/json; charset="utf-8"'],
    ['content-type', 'application/json; profile="https://example.com/x"'],
    ['content-encoding', 'identity'],
    ['content-encoding', 'Identity'],
  ])('with %s: %s is read', async (name, value) => {
    expect((await post(propertyRequest(), { [name]: value })).status).toBe(200);
  });

  it.each<[name: string, ...values: string[]]>([
    ['content-type', 'text/plain', 'text/json', 'multipart/form-data; boundary=x', '*/*', ';', FORM],
    ['content-type', 'application/jsonp', 'application/json-patch+json', 'application/vnd.api+json'],
    ['content-type', ...['iso-8859-1', 'utf-16', 'utf8', '"windows-1252"'].map(ofCharset)],
    ['content-type', 'application/json; profile=x; charset=latin1'],
    ['content-encoding', 'gzip', 'GZIP', 'deflate', 'identity, gzip', 'nonsense'],
  ])('with %s: %s … is 415, and nothing is stored', async (name, ...values) => {
    const before = await stored();
    for (const value of values) {
      const body = /^gzip$/i.test(value) ? gzipSync(VALID) : VALID;
      expectProblem(await post(body, { [name]: value }), 'unsupported-media-type', PATH);
    }
    expect(await stored()).toEqual(before);
  });

  it('without a Content-Type is 415, and an empty one is 400 where one is needed', async () => {
    for (const type of [[], ['Content-Type:']])
      expectProblem(await sendRaw(`POST ${PATH}`, type, VALID), 'unsupported-media-type', PATH);
    for (const type of [[], ['Content-Type: application/json']])
      expectProblem(await sendRaw(`POST ${PATH}`, type, ''), 'malformed-request', PATH);
  });

  it.each(['application/json', 'text/plain', 'text/csv', FORM, 'x'])(
    'may be empty where none is needed, also as %s',
    async (type) => {
      const { id } = await createProperty(user);
      const response = await sendRaw(`DELETE ${PATH}/${id}`, [`Content-Type: ${type}`], '');
      expect([response.status, response.text, response.headers.get('content-type')]).toEqual([200, '', null]);
    },
  );
});

const nested = (start: string, end: string, levels: number): string =>
  `"x":${start.repeat(levels)}1${end.repeat(levels)}`;
const bytes = (...invalid: number[]): Uint8Array => {
  const [start, end] = validWith('"houseRules":"?"').split('?');
  return new Uint8Array(Buffer.concat([Buffer.from(start!), Buffer.from(invalid), Buffer.from(end!)]));
};

// What else JSON.parse refuses: src/common/json/json-parser.spec.ts.
it.each<[name: string, body: string | Uint8Array]>([
  ['nothing', ''],
  ['white space', ' \r\n\t'],
  ['two byte order marks', '\ufeff\ufeff{}'],
  ['a key twice, once escaped', '{"name":"a","n\\u0061me":"b"}'],
  ['a key twice, far below', '{"metadata":{"a":[{"b":1,"b":2}]}}'],
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
  const response = await post(body);
  expect(process.cpuUsage(cpu).user).toBeLessThan(1_000_000);
  expectProblem(response, 'malformed-request', PATH);
  expect(response.text.length).toBeLessThan(1000);
  expect(await stored()).toEqual(before);
});

it.each<[name: string, body: string]>([
  ['white space of every kind', ` \r\n\t${VALID.replaceAll(',', ' \r\n\t, ')} \r\n\t`],
  ['a byte order mark', `\ufeff${VALID}`],
  ['escapes for names', VALID.replace('"name"', '"\\u006e\\u0061me"')],
  ['brackets in a string', validWith(`"houseRules":"${'[{'.repeat(500)}"`)],
  ['quotes and backslashes in a string', validWith(`"houseRules":"${'\\"\\\\[['.repeat(2500)}"`)],
  ['unknown fields of every type', validWith('"x":null,"y":[1,{"z":[true]}],"":"","0":{}')],
  ['numbers that no double holds', validWith('"x":1e400,"y":-0.0,"z":123456789012345678901234567890')],
  ['many arrays side by side', validWith(`"x":[${'[],'.repeat(99)}[]]`)],
  ['64 levels of arrays', validWith(nested('[', ']', 63))],
  ['64 levels of objects', validWith(nested('{"a":', '}', 63))],
  ...[
    ...['"__proto__":{"polluted":true}', '"__pr\\u006fto__":{"polluted":true}'],
    ...['"constructor":{"prototype":{"polluted":true}}', '"x":[{"y":{"__proto__":{"polluted":true}}}]'],
    '"toString":1,"valueOf":null,"hasOwnProperty":"x","then":1,"toJSON":1',
  ].map((member): [string, string] => [member, validWith(member)]),
])('a body with %s is read', async (_, body) => {
  expect((await post(body)).status).toBe(200);
  expect({}).not.toHaveProperty('polluted');
});

describe('the size of a body', () => {
  // The refusal of more, with its length and in chunks, is in http-edge.e2e-spec.ts.
  it('may be 1 MiB, counted in bytes, with its length or in chunks, for a caller with a token', async () => {
    expect((await post(bodyOf(MIB))).status).toBe(200);
    const head = requestText(`POST ${PATH} HTTP/1.1`, [bearer, ...CHUNKED]);
    expect((await sendBytes(service.url, head + inChunks(bodyOf(MIB)))).status).toBe(200);
    const accented = bodyOf(MIB - 1).replace(/x{2}"/, '\u00e9\u00e9"');
    expectProblem(await post(accented), 'payload-too-large', PATH);
    expectProblem(await service.anonymous.post(PATH, bodyOf(MIB + 1)), 'authentication-required', PATH);
  });

  it('is limited to BODY_LIMIT', async () => {
    const small = await startService({ BODY_LIMIT: '2KiB' });
    const account = await small.account();
    expect((await account.post(PATH, bodyOf(2 * KIB))).status).toBe(200);
    expectProblem(await account.post(PATH, bodyOf(2 * KIB + 1)), 'payload-too-large', PATH);
  });

  it.each<[path: string, outcome: string]>([
    ['/api/auth/signin', '401 bad-credentials'],
    ['/api/auth/signup', '400 validation-failed'],
  ])(
    'may be 1 MiB for POST %s, which anybody may send, also where BODY_LIMIT is more',
    async (path, outcome) => {
      const { url, anonymous } = await startService({ BODY_LIMIT: '2MiB' });
      const body = (size: number): string =>
        `{"username":"x","password":"${'y'.repeat(size - '{"username":"x","password":""}'.length)}"}`;
      const chunked = async (size: number): Promise<HttpResponse> =>
        sendBytes(url, requestText(`POST ${path} HTTP/1.1`, CHUNKED) + inChunks(body(size)));
      for (const send of [chunked, (size: number) => anonymous.post(path, body(size))]) {
        expect(outcomeOf(await send(MIB))).toBe(outcome);
        expectProblem(await send(MIB + 1), 'payload-too-large', path);
      }
    },
  );

  it('of 1 MiB that a stranger sends by halves keeps such ones away with 503, and nobody from signing in', async () => {
    const { url, anonymous } = await startService({ CLIENT_MEMORY: '1MiB', DB_ACQUIRE_TIMEOUT: '200ms' });
    const path = '/api/auth/signin';
    const long = async (): Promise<HttpResponse> => anonymous.post(path, VALID.padEnd(MIB));
    const length = ['Content-Type: application/json', `Content-Length: ${MIB}`];
    const wire = (await Wire.open(url)).send(`${requestText(`POST ${path} HTTP/1.1`, length)}{`);
    await until(async () => (await long()).status !== 400);
    expectProblem(await long(), 'service-unavailable', path);
    const { status } = await anonymous.post(path, { username: 'x', password: 'y'.repeat(10 * KIB) });
    expect(status).toBe(401);
    wire.destroy();
    await until(async () => (await long()).status === 400);
  });

  it('of credentials that a stranger sends by halves keeps nobody from signing in', async () => {
    const { url, anonymous } = await startService({ CLIENT_MEMORY: '64KiB', DB_ACQUIRE_TIMEOUT: '200ms' });
    const path = '/api/auth/signin';
    const length = ['Content-Type: application/json', `Content-Length: ${16 * KIB}`];
    const head = requestText(`POST ${path} HTTP/1.1`, [...length, 'Expect: 100-continue']);
    const wire = (await Wire.open(url)).send(head);
    expect((await wire.response()).status).toBe(100);
    expect((await anonymous.post(path, { username: 'x', password: 'y'.repeat(5 * KIB) })).status).toBe(401);
    wire.destroy();
  });

  it('whose client goes while it waits for memory is not carried out', async () => {
    let goOn = (): void => undefined;
    const hold = jest.spyOn(service.app.get(ClientMemory), 'holdValues');
    hold.mockImplementationOnce(() => new Promise((resolve) => (goOn = resolve)));
    const before = await stored();
    const request = requestText(`POST ${PATH} HTTP/1.1`, [bearer, 'Content-Type: application/json'], VALID);
    const wire = (await Wire.open(service.url)).send(request);
    await until(() => hold.mock.calls.length > 0);
    wire.destroy();
    await until(() => hold.mock.calls[0]![0].raw.socket.destroyed);
    goOn();
    for (let later = 0; later < 10; later++) expect((await post({})).status).toBe(400);
    hold.mockRestore();
    expect(await stored()).toEqual(before);
  });

  it('in chunks is paced by its own length, and not by the largest', async () => {
    const large = await startService({ BODY_LIMIT: '64MiB' });
    const account = await large.account();
    const headers = [`Authorization: Bearer ${account.token!}`, ...CHUNKED];
    const request = requestText(`POST ${PATH} HTTP/1.1`, headers) + inChunks(VALID);
    // A body of 64 MiB would have 8 s to itself, and those behind it more than a test has.
    for (let sent = 0; sent < 15; sent++) expect((await sendBytes(large.url, request)).status).toBe(200);
  });

  it('of 1 MiB may come twenty times at once, right or wrong', async () => {
    const [right, wrong] = [VALID.padEnd(MIB), 'x'.repeat(MIB)];
    const bodies = Array.from({ length: 20 }, (_, index) => (index % 5 === 0 ? right : wrong));
    const responses = await Promise.all(bodies.map((body) => post(body)));
    expect(responses.map(({ status }) => status)).toEqual(bodies.map((body) => (body === right ? 200 : 400)));
  });
});

it('a body has no field from __proto__', async () => {
  const required = ['name', 'address', 'basePrice', 'maxGuests', 'bedrooms', 'bathrooms', 'active'];
  expectFaults(await post(`{"__proto__":${VALID}}`), ...required);
});
