import { gzipSync } from 'node:zlib';
import { expectFaults } from './support/answers.js';
import type { Answer } from './support/client.js';
import { createProperty, propertyRequest } from './support/factories.js';
import { expectDocument } from './support/problem-document.js';
import { type Account, type Service, startService } from './support/service.js';
import { requestText, sendBytes, type WireAnswer } from './support/wire.js';

const PATH = '/api/properties';
const MIB = 1024 * 1024;

let service: Service;
let user: Account;

beforeAll(async () => {
  service = await startService();
  user = await service.account();
});

const countProperties = async (): Promise<string> =>
  (await service.sql<{ count: string }>('SELECT count(*) FROM properties'))[0]!.count;

const post = (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  user.post(PATH, body, headers);

/** A valid property as JSON text, with what is given as its last member. */
const validWith = (member: string): string =>
  `${JSON.stringify(propertyRequest()).slice(0, -1)}${member === '' ? '' : `,${member}`}}`;

/** A valid property of exactly so many bytes. */
function bodyOf(size: number): string {
  const empty = validWith('"unknown":""');
  return empty.replace('"unknown":""', `"unknown":"${'x'.repeat(size - empty.length)}"`);
}

const unknownMembers = (count: number): string =>
  Array.from({ length: count }, (_, index) => `"x${index}":0`).join(',');

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

describe('the media type of a body', () => {
  it.each([
    'application/json',
    'Application/Json; Charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json; profile="https://example.com/x"',
  ])('%s is read', async (type) => {
    expect((await post(propertyRequest(), { 'content-type': type })).status).toBe(200);
  });

  const refused = [
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json-patch+json',
    'application/vnd.api+json',
    '*/*',
    ';',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'application/json; charset="windows-1252"',
    'application/json; profile=x; charset=latin1',
  ];
  it.each(refused)('%s is 415, and nothing is stored', async (type) => {
    const before = await countProperties();
    expectDocument(await post(propertyRequest(), { 'content-type': type }), 'unsupported-media-type', PATH);
    expect(await countProperties()).toBe(before);
  });

  it('that is missing is 415', async () => {
    for (const type of [[], ['Content-Type:']]) {
      const headers = [`Authorization: Bearer ${user.token!}`, ...type];
      const text = requestText(`POST ${PATH} HTTP/1.1`, headers, validWith(''));
      expectDocument(await sendBytes(service.url, text), 'unsupported-media-type', PATH);
    }
  });

  it('is looked at wherever a body is read', async () => {
    const { id } = await createProperty(user);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const send = (path: string, method = 'POST'): Promise<Answer> =>
      user.send(method, path, { body: 'name=x', headers });
    expectDocument(await send(`${PATH}/${id}`, 'PUT'), 'unsupported-media-type');
    for (const path of ['transactions', 'transactions/search', 'auth/signup', 'auth/signin'])
      expectDocument(await send(`/api/${path}`), 'unsupported-media-type');
  });

  it.each(['gzip', 'GZIP', 'deflate', 'identity, gzip', 'nonsense'])(
    'with the Content-Encoding %s is 415',
    async (encoding) => {
      const body = encoding.toLowerCase() === 'gzip' ? gzipSync(validWith('')) : validWith('');
      expectDocument(await post(body, { 'content-encoding': encoding }), 'unsupported-media-type', PATH);
    },
  );

  it.each(['identity', 'Identity'])('with the Content-Encoding %s is read', async (coding) => {
    expect((await post(propertyRequest(), { 'content-encoding': coding })).status).toBe(200);
  });
});

describe('a body that is no JSON', () => {
  /** What JSON.parse refuses by its other characters: src/http/json/json-parser.spec.ts. */
  const MALFORMED: [name: string, text: string][] = [
    ['nothing', ''],
    ['white space', ' \r\n\t'],
    ['a trailing comma in the object', '{"name":"x",}'],
    ['a name without quotes', '{name:"x"}'],
    ['single quotes', "{'name':'x'}"],
    ['a line comment', '{"name":"x" // why\n}'],
    ['a block comment', '{/* why */"name":"x"}'],
    ['no end of the object', '{"name":"x"'],
    ['brackets that cross', '{"tags":["x"}]'],
    ['a second value', '{}{}'],
    ['NaN', '{"basePrice":NaN}'],
    ['-Infinity', '{"basePrice":-Infinity}'],
    ['True', '{"active":True}'],
    ['a leading zero', '{"maxGuests":01}'],
    ['hexadecimal digits', '{"maxGuests":0x10}'],
    ['full-width digits', '{"maxGuests":\uff11}'],
    ['a raw NUL in a string', '{"name":"a\0b"}'],
    ['an escape that is not hexadecimal', '{"name":"\\u12g4"}'],
    ['a no-break space between tokens', '{\u00a0"name":"x"}'],
    ['a form feed between tokens', '{\f"name":"x"}'],
    ['two byte order marks', '\ufeff\ufeff{}'],
    ['a byte order mark inside', '{\ufeff}'],
    ['a key twice, once escaped, with different values', '{"name":"a","n\\u0061me":"b"}'],
    ['a key twice, far below', '{"metadata":{"a":[{"b":1,"b":2}]}}'],
    ['a field twice behind a thousand other keys', `{${unknownMembers(1000)},"name":"a","name":"b"}`],
    ['a form', 'name=x&address=y'],
  ];

  it.each(MALFORMED)('%s is 400', async (_, text) => {
    const before = await countProperties();
    expectDocument(await post(text), 'malformed-request', PATH);
    expect(await countProperties()).toBe(before);
  });

  it.each(['[{}]', '"text"', '0', 'true', 'null', ' [ ] '])(
    '%s, which is no object, is 400',
    async (text) => {
      expectDocument(await post(text), 'malformed-request', PATH);
      expectDocument(await user.post('/api/transactions/search', text), 'malformed-request');
    },
  );

  it.each([
    ['a lead byte without its continuation', [0xc3]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a code point past U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
  ])('%s in UTF-8 is 400', async (_, bytes) => {
    const [start, end] = validWith('"houseRules":"?"').split('?');
    const body = Buffer.concat([Buffer.from(start!), Buffer.from(bytes), Buffer.from(end!)]);
    expectDocument(await post(new Uint8Array(body)), 'malformed-request', PATH);
  });

  it('is told in a few words, however much was sent', async () => {
    for (const text of [
      `{"basePrice":${'1'.repeat(100_000)}.}`,
      `{"${'k'.repeat(100_000)}":1,"${'k'.repeat(100_000)}":2}`,
    ]) {
      const answer = await post(text);
      expectDocument(answer, 'malformed-request', PATH);
      expect(answer.text.length).toBeLessThan(1000);
    }
  });
});

describe('a body that is JSON', () => {
  it.each([
    [
      'white space of every kind around its tokens',
      ` \r\n\t${validWith('').replaceAll(',', ' \r\n\t, ')} \r\n\t`,
    ],
    ['a byte order mark before it', `\ufeff${validWith('')}`],
    ['escapes for names', validWith('').replace('"name"', '"\\u006e\\u0061me"')],
    ['brackets in a string, more than levels are allowed', validWith(`"houseRules":"${'[{'.repeat(500)}"`)],
    [
      'quotes and backslashes before brackets in a string',
      validWith(`"houseRules":"${'\\"\\\\[['.repeat(100)}"`),
    ],
    ['unknown fields of every type', validWith('"x":null,"y":[1,{"z":[true]}],"":"","0":{}')],
    [
      'a number no double holds in an unknown field',
      validWith('"x":1e400,"y":-0.0,"z":123456789012345678901234567890'),
    ],
    ['more arrays side by side than levels are allowed', validWith(`"x":[${'[],'.repeat(99)}[]]`)],
  ])('with %s is read', async (_, text) => {
    expect((await post(text)).status).toBe(200);
  });
});

describe('the depth of a body', () => {
  const arrays = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
  const objects = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const mixed = (levels: number): string => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`;

  it.each([
    ['arrays', arrays, 63],
    ['objects', objects, 63],
    ['both', mixed, 62],
  ])('may be 64 levels of %s, and no more', async (_, nest, levels) => {
    expect((await post(validWith(`"x":${nest(levels)}`))).status).toBe(200);
    expectDocument(await post(validWith(`"x":${nest(64)}`)), 'malformed-request', PATH);
  });

  it.each([
    ['closed arrays', '['.repeat(500_000) + ']'.repeat(500_000)],
    ['open arrays', `{"x":${'['.repeat(500_000)}`],
    ['open objects', '{"":'.repeat(250_000)],
  ])('of 250,000 levels and more of %s is 400 within a second of the processor', async (_, text) => {
    const before = process.cpuUsage();
    expectDocument(await post(text), 'malformed-request', PATH);
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });
});

describe('the size of a body', () => {
  it('may be 1 MiB, and a byte more is 413', async () => {
    expect((await post(bodyOf(MIB))).status).toBe(200);
    expectDocument(await post(bodyOf(MIB + 1)), 'payload-too-large', PATH);
  });

  it('is limited as well when it is not announced', async () => {
    expect((await sendChunked(service, user.token!, bodyOf(MIB))).status).toBe(200);
    expectDocument(await sendChunked(service, user.token!, bodyOf(MIB + 1)), 'payload-too-large', PATH);
  });

  it('is counted in bytes, not in characters', async () => {
    const body = bodyOf(MIB).replace(/x{4}"/, '\u00e9\u00e9\u00e9"');
    expect(Buffer.byteLength(body)).toBe(MIB + 2);
    expectDocument(await post(body), 'payload-too-large', PATH);
  });

  it('past the limit is 413 before it has come in', async () => {
    const headers = ['Content-Type: application/json', `Authorization: Bearer ${user.token!}`];
    const text = requestText(`POST ${PATH} HTTP/1.1`, [...headers, `Content-Length: ${100 * MIB}`]);
    const answer = await sendBytes(service.url, text);
    expectDocument(answer, 'payload-too-large', PATH);
    expect(answer.headers.get('connection')).toBe('close');
  });

  it('past the limit is 401 without a token', async () => {
    expectDocument(await service.anonymous.post(PATH, bodyOf(MIB + 1)), 'authentication-required', PATH);
  });

  it('is limited to BODY_LIMIT', async () => {
    const small = await startService({ BODY_LIMIT: '2KiB' });
    const account = await small.account();
    expect((await account.post(PATH, bodyOf(2048))).status).toBe(200);
    expect((await sendChunked(small, account.token!, bodyOf(2048))).status).toBe(200);
    expectDocument(await account.post(PATH, bodyOf(2049)), 'payload-too-large', PATH);
    expectDocument(await sendChunked(small, account.token!, bodyOf(2049)), 'payload-too-large', PATH);
  });

  it('is limited to 16 KiB where nobody has said who they are', async () => {
    const KIB = 1024;
    const signIn = (size: number): string => '{"username":"x","password":"y"}'.padEnd(size);
    for (const path of ['/api/auth/signin', '/api/auth/signup']) {
      const taken = await service.anonymous.post(path, signIn(16 * KIB));
      expect(taken.status).toBe(path.endsWith('in') ? 401 : 400);
      expectDocument(await service.anonymous.post(path, signIn(16 * KIB + 1)), 'payload-too-large', path);
      const chunked = `4001\r\n${signIn(16 * KIB + 1)}\r\n0\r\n\r\n`;
      const headers = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
      const answer = await sendBytes(service.url, requestText(`POST ${path} HTTP/1.1`, headers) + chunked);
      expectDocument(answer, 'payload-too-large', path);
    }
  });

  it('of 1 MiB may come a hundred times at once, right or wrong', async () => {
    const right = new Uint8Array(Buffer.from(validWith('').padEnd(MIB)));
    const wrong = new Uint8Array(Buffer.from('x'.repeat(MIB)));
    const bodies = Array.from({ length: 100 }, (_, index) => (index % 10 === 0 ? right : wrong));
    const answers = await Promise.all(bodies.map((body) => post(body)));
    expect(answers.map(({ status }) => status)).toEqual(bodies.map((body) => (body === right ? 200 : 400)));
    expect((await user.get('/api/users/me')).status).toBe(200);
  });
});

describe('a body that names a prototype', () => {
  const pollution = (): unknown => ({});

  it.each([
    ['__proto__', '"__proto__":{"polluted":true}'],
    ['an escaped __proto__', '"__pr\\u006fto__":{"polluted":true}'],
    ['the prototype of its constructor', '"constructor":{"prototype":{"polluted":true}}'],
    [
      '__proto__ in an unknown field',
      '"x":{"__proto__":{"polluted":true},"y":[{"__proto__":{"polluted":true}}]}',
    ],
    ['the names of Object.prototype', '"toString":1,"valueOf":null,"hasOwnProperty":"x","then":1,"toJSON":1'],
  ])('by %s is read as if that was not there', async (_, member) => {
    expect((await post(validWith(member))).status).toBe(200);
    expect((await user.post('/api/transactions/search', `{${member}}`)).status).toBe(200);
    expect(pollution()).not.toHaveProperty('polluted');
  });

  it('has no field from there', async () => {
    expectFaults(await post(`{"__proto__":${validWith('')}}`), ...REQUIRED);
    const inherited = `{"__proto__":{"role":"ADMIN"},"username":"x","password":"y"}`;
    expectDocument(await service.anonymous.post('/api/auth/signin', inherited), 'bad-credentials');
  });

  it('in metadata is refused', async () => {
    const { id } = await createProperty(user);
    const transaction = `{"propertyId":${id},"type":"INCOME","category":"CLEANING","description":"x","amount":1,"date":"2026-01-01T00:00:00Z","metadata":{"__proto__":"x"}}`;
    expectFaults(await user.post('/api/transactions', transaction), 'metadata.__proto__');
    const nested = transaction.replace('"__proto__":"x"', '"__proto__":{"polluted":"x"}');
    expect((await user.post('/api/transactions', nested)).status).toBe(400);
    expect(pollution()).not.toHaveProperty('polluted');
  });
});

const REQUIRED = ['name', 'address', 'basePrice', 'maxGuests', 'bedrooms', 'bathrooms', 'active'];

describe('a request without a body', () => {
  it('may say that it would be JSON and that its length is 0, to a path that wants none', async () => {
    const { id } = await createProperty(user);
    const headers = [`Authorization: Bearer ${user.token!}`, 'Content-Type: application/json'];
    const answer = await sendBytes(service.url, requestText(`DELETE ${PATH}/${id} HTTP/1.1`, headers, ''));
    expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([200, '', null]);
  });

  it('is 400 where one is needed', async () => {
    for (const type of [[], ['Content-Type: application/json']]) {
      const headers = [`Authorization: Bearer ${user.token!}`, ...type];
      const text = requestText(`POST ${PATH} HTTP/1.1`, headers, '');
      expectDocument(await sendBytes(service.url, text), 'malformed-request', PATH);
    }
  });
});
