import { propertyRequest } from '../support/factories.js';

/** Requests that are refused for their HTTP alone. `bytes` are in Latin-1; `authorization` is a whole header field. */
export interface Refused {
  readonly name: string;
  readonly slug: string;
  /** Whether the connection ends with the response. */
  readonly closes: boolean;
  readonly bytes: (authorization: string) => string;
}

export const TARGET = '/api/properties';

const head = (line: string, ...fields: readonly string[]): string =>
  [`${line} HTTP/1.1`, 'Host: localhost', ...fields].map((text) => `${text}\r\n`).join('');
const get = (target: string, ...fields: readonly string[]): string =>
  `${head(`GET ${target}`, ...fields)}\r\n`;
const post = (authorization: string, ...fields: readonly string[]): string =>
  head(`POST ${TARGET}`, 'Content-Type: application/json', authorization, ...fields);
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/** A good request where a server that is deceived would find the next one. Its response has its id. */
export const hiddenRequest = (authorization: string): string =>
  get('/api/users/me', 'X-Request-Id: hidden', authorization);

/** A creation in the same place. Nothing may be stored under its name. */
const hiddenCreation = (authorization: string): string => {
  const body = JSON.stringify(propertyRequest({ name: HIDDEN_NAME }));
  return `${post(authorization, `Content-Length: ${body.length}`)}\r\n${body}`;
};
export const HIDDEN_NAME = 'Hidden';

const BIG = (size: number): string => `X-Big: ${'x'.repeat(size)}`;

/** Heads that are refused by different parts of the server. */
export const REFUSED_HEADS: readonly Refused[] = (
  [
    [
      'an unknown expectation',
      'expectation-failed',
      false,
      (user) => get('/api/users/me', user, 'Expect: foo'),
    ],
    ['CONNECT', 'method-not-allowed', true, () => 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n'],
    ['two Hosts', 'malformed-request', false, (user) => get('/api/users/me', user, 'host: b')],
    ['no Host', 'malformed-request', false, (user) => `GET /api/users/me HTTP/1.1\r\n${user}\r\n\r\n`],
    ['a malformed escape', 'malformed-request', false, (user) => get('/%zz?page=1', user)],
    ['an escape that is no UTF-8', 'malformed-request', false, () => get('/api/properties/%e0%80')],
    ['a path that is too long', 'uri-too-long', false, (user) => get(`/${'x'.repeat(9000)}`, user)],
    ['a query that is too long', 'uri-too-long', false, () => get(`/?${'x'.repeat(8192)}`)],
    ['a long field', 'headers-too-large', false, (user) => get('/api/users/me', user, BIG(17_000))],
    [
      'many fields',
      'headers-too-large',
      false,
      (user) => get('/', user, ...Array<string>(200).fill(BIG(90))),
    ],
    [
      'more fields than are read',
      'headers-too-large',
      false,
      () => get('/', ...Array<string>(2500).fill('a:')),
    ],
    ['fields that are far too long', 'headers-too-large', true, () => get('/api/users/me', BIG(50_000))],
    ['garbage', 'malformed-request', true, () => 'garbage\r\n\r\n'],
    [
      'the first bytes of TLS',
      'malformed-request',
      true,
      () => '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\r\n',
    ],
    ['an unknown version', 'malformed-request', true, () => 'GET / HTTP/9.9\r\nHost: a\r\n\r\n'],
    ['the preface of HTTP/2', 'malformed-request', true, () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a method in lower case', 'malformed-request', true, () => get('/').toLowerCase()],
    ['a field without a colon', 'malformed-request', true, () => get('/', 'Field')],
    ...['gzip, chunked', 'identity, chunked', 'x, chunked', 'gzip\r\nTransfer-Encoding: chunked'].map(
      (coding): Row => [
        `the transfer coding ${JSON.stringify(coding)}`,
        'unsupported-media-type',
        true,
        (user) => `${post(user, `Transfer-Encoding: ${coding}`)}\r\n${chunk('{}')}${chunk('')}`,
      ],
    ),
  ] as readonly Row[]
).map(([name, slug, closes, bytes]) => ({ name, slug, closes, bytes }));
type Row = readonly [name: string, slug: string, closes: boolean, bytes: Refused['bytes']];

/** Ways to say `Transfer-Encoding: chunked` that one server understands and another does not. */
const TRANSFER_ENCODINGS: readonly string[] = [
  ...['Transfer-Encoding: chunked', 'TRANSFER-ENCODING: CHUNKED', 'Transfer-Encoding:chunked'],
  ...['Transfer-Encoding:\tchunked', 'Transfer-Encoding: chunked ', 'Transfer-Encoding : chunked'],
  ...['Transfer-Encoding\t: chunked', 'Transfer-Encoding: \u000bchunked', 'Transfer-Encoding: chunked\u000b'],
  ...['Transfer-Encoding: chunked\u0000', 'Transfer-Encoding: \u00a0chunked', 'Transfer-Encoding: "chunked"'],
  ...['Transfer-Encoding: xchunked', 'Transfer-Encoding: chunk', 'Transfer-Encoding: chunked;q=1'],
  ...['Transfer-Encoding: identity, chunked', 'Transfer-Encoding: gzip, chunked'],
  ...['Transfer-Encoding: chunked, identity', 'Transfer-Encoding: chunked,'],
  ...['Transfer-Encoding: chunked, chunked', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked'],
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked',
  ...['Transfer-Encoding:\r\n chunked', 'X-Field: a\r\n Transfer-Encoding: chunked'],
  ...['X-Field: a\nTransfer-Encoding: chunked', 'X-Field: a\rTransfer-Encoding: chunked'],
  ...['Transfer-Encoding: chunked\rX: b', ' Transfer-Encoding: chunked', 'Transfer-Encoding: '],
];

/** Ways to give a length that one server reads and another does not; `N` is the length. */
const LENGTHS: readonly string[] = [
  ...['Content-Length: N\r\nContent-Length: 0', 'Content-Length: N\r\nContent-Length: N'],
  ...['Content-Length: N, N', 'Content-Length: +N', 'Content-Length: 0 N', 'Content-Length: 0xN'],
  ...['Content-Length: N.0', 'Content-Length: 0e0N', 'Content-Length: Nx', 'Content-Length: '],
  ...['Content-Length: 18446744073709551617', 'Content-Length: \u00b2', 'Content-Length: \u000bN'],
  ...['Content-Length:\r\n N', 'Content-Length : N'],
  ...['X-Field: a\nContent-Length: N', 'X-Field: a\rContent-Length: N'],
];

/** Chunks that are none; `H` is the hidden request, and `S` its size in hexadecimal. */
const CHUNKS: readonly string[] = [
  ...['zz\r\n{}\r\n0\r\n\r\n', 'fffffffffffffffff\r\n{}\r\n0\r\n\r\n', '0xS\r\nH\r\n0\r\n\r\n'],
  ...['+S\r\nH\r\n0\r\n\r\n', 'S \r\nH\r\n0\r\n\r\n', ' S\r\nH\r\n0\r\n\r\n', 'S\nH\r\n0\r\n\r\n'],
  ...['S\rH\r\n0\r\n\r\n', '\r\nH\r\n0\r\n\r\n', '1000000000000000S\r\nH\r\n0\r\n\r\n'],
  ...['2;a=\n{}\r\n0\r\n\r\nH', '2;a=\rb\r\n{}\r\n0\r\n\r\nH', '2\r\n{}\n0\r\n\r\nH', '2\r\n{}0\r\n\r\nH'],
  ...[
    '2\r\n{}H\r\n0\r\n\r\n',
    '2\r\n{}\r\n0\n\nH',
    '2\r\n{}\r\n0\r\nContent-Length: 9\r\n\r\nH',
    '2\r\n{}\r\n0\r\nH',
  ],
];

/** Heads that are none: what is replaced in a good one, and by what. */
const HEADS: readonly (readonly [found: RegExp, by: string])[] = [
  ...([
    [/\r\n/g, '\n'],
    [/localhost\r\n/, 'localhost\n'],
    [/localhost\r\n/, 'localhost\r'],
  ] as const),
  ...([
    [/\r\n\r\n$/, '\n\n'],
    [/GET /, 'GET\t'],
    [/HTTP\/1.1\r/, 'HTTP/1.1 \r'],
    [/^/, ' '],
  ] as const),
  ...([
    [/Host:/, ': x\r\nHost:'],
    [/Host:/, ' \r\nHost:'],
    [/hidden/, 'a\rb'],
    [/hidden/, 'a\u0007b'],
  ] as const),
  [/\/me/, '/me\u0001'],
];

/** Requests whose end servers disagree about, so that one takes for the next request what another takes for a body. */
function framed(): Record<string, Refused['bytes']> {
  const all: Record<string, Refused['bytes']> = {};
  const named = (kind: string, text: string): string => `${kind} ${JSON.stringify(text)}`;
  for (const field of TRANSFER_ENCODINGS)
    for (const order of ['before', 'after']) {
      const both = (user: string, length: number, body: string): string => {
        const fields = [`Content-Length: ${length}`, field];
        return `${post(user, ...(order === 'before' ? fields : fields.reverse()))}\r\n${body}`;
      };
      const kind = `a length ${order}`;
      all[named(`${kind}, and shorter chunks of,`, field)] = (user) => {
        const body = chunk('') + hiddenCreation(user);
        return both(user, body.length, body);
      };
      all[named(`${kind}, and longer chunks of,`, field)] = (user) => {
        const body = chunk(hiddenCreation(user)) + chunk('');
        return both(user, body.indexOf('\n') + 1, body);
      };
    }
  for (const field of LENGTHS)
    all[named('the length', field)] = (user) => {
      const hidden = hiddenCreation(user);
      return `${post(user, field.replaceAll('N', String(hidden.length)))}\r\n${hidden}`;
    };
  for (const chunks of CHUNKS)
    all[named('the chunks', chunks)] = (user) => {
      const hidden = hiddenCreation(user);
      const body = chunks.replace('S', hidden.length.toString(16)).replace('H', () => hidden);
      return `${post(user, 'Transfer-Encoding: chunked')}\r\n${body}`;
    };
  for (const [found, by] of HEADS)
    all[`a head with ${JSON.stringify(by)} for ${String(found)}`] = (user) => {
      return hiddenRequest(user).replace(found, by) + hiddenCreation(user);
    };
  return all;
}

export const BROKEN_FRAMING: readonly Refused[] = Object.entries(framed()).map(([name, bytes]) => ({
  name,
  slug: 'malformed-request',
  closes: true,
  bytes,
}));
