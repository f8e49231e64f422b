import { propertyRequest } from './factories.js';
import { requestText } from './wire.js';

/** Requests that are refused for their HTTP alone. `bytes` are in Latin-1; `authorization` is a whole header field. */
export interface Refused {
  readonly name: string;
  readonly slug: string;
  /** Whether the connection ends with the response. */
  readonly closes: boolean;
  readonly bytes: (authorization: string) => string;
}

const get = (target: string, ...fields: readonly string[]): string =>
  requestText(`GET ${target} HTTP/1.1`, fields);
const post = (...fields: readonly string[]): string =>
  requestText('POST /api/properties HTTP/1.1', ['Content-Type: application/json', ...fields]);
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/** A good request where a server that is deceived would find the next one. Its response has its id. */
export const hiddenRequest = (authorization: string): string =>
  get('/api/users/me', 'X-Request-Id: hidden', authorization);

/** A creation in the same place. Nothing may be stored under its name. */
const hiddenCreation = (authorization: string): string => {
  const body = JSON.stringify(propertyRequest({ name: HIDDEN_NAME }));
  return post(authorization, `Content-Length: ${body.length}`) + body;
};
export const HIDDEN_NAME = 'Hidden';

const BIG = (size: number): string => `X-Big: ${'x'.repeat(size)}`;
const ME = '/api/users/me';
const CODINGS = ['gzip, chunked', 'identity, chunked', 'x, chunked', 'gzip\r\nTransfer-Encoding: chunked'];
type Bytes = Refused['bytes'];

const heads = (slug: string, closes: boolean, named: Readonly<Record<string, Bytes>>): Refused[] =>
  Object.entries(named).map(([name, bytes]) => ({ name, slug, closes, bytes }));

/** Heads that different parts of the server refuse. */
export const REFUSED_HEADS: readonly Refused[] = [
  ...heads('malformed-request', false, {
    'two Hosts': (user) => get(ME, user, 'Host: a', ...Array<string>(2500).fill('a:'), 'host: b'),
    'no Host': (user) => `GET ${ME} HTTP/1.1\r\n${user}\r\n\r\n`,
    'a malformed escape': (user) => get('/%zz?page=1', user),
    'an escape that is no UTF-8': () => get('/api/properties/%e0%80'),
  }),
  ...heads('uri-too-long', false, {
    'a path that is too long': (user) => get(`/${'x'.repeat(9000)}`, user),
    'a query that is too long': () => get(`/?${'x'.repeat(8192)}`),
  }),
  ...heads('headers-too-large', true, {
    'a long field': () => get(ME, BIG(17_000)),
    'many fields': () => get('/', ...Array<string>(400).fill(BIG(90))),
  }),
  ...heads('method-not-allowed', true, {
    CONNECT: () => 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n',
  }),
  ...heads('malformed-request', true, {
    garbage: () => 'garbage\r\n\r\n',
    'the first bytes of TLS': () => '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\r\n',
    'an unknown version': () => 'GET / HTTP/9.9\r\nHost: a\r\n\r\n',
    'the preface of HTTP/2': () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'a method in lower case': () => get('/').toLowerCase(),
    'a field without a colon': () => get('/', 'Field'),
  }),
  ...CODINGS.flatMap((coding) =>
    heads('unsupported-media-type', true, {
      [`the transfer coding ${JSON.stringify(coding)}`]: (user) =>
        post(user, `Transfer-Encoding: ${coding}`) + chunk('{}') + chunk(''),
    }),
  ),
];

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

/** Parts of a good head, each with its replacement, by which it is none. */
const HEADS = [
  ...['\r\n→\n', 'localhost\r\n→localhost\n', 'localhost\r\n→localhost\r', '\r\n\r\n→\n\n', 'GET →GET\t'],
  ...['HTTP/1.1\r→HTTP/1.1 \r', 'GET→ GET', 'Host:→: x\r\nHost:', 'Host:→ \r\nHost:', 'hidden→a\rb'],
  ...['hidden→a\u0007b', '/me→/me\u0001'],
];

const broken = (
  what: string,
  cases: readonly string[],
  bytes: (text: string, user: string, hidden: string) => string,
): Refused[] =>
  cases.map((text) => ({
    name: `${what} ${JSON.stringify(text)}`,
    slug: 'malformed-request',
    closes: true,
    bytes: (user) => bytes(text, user, hiddenCreation(user)),
  }));

/** Requests whose end servers disagree about, so that one takes for the next request what another takes for a body. */
export const BROKEN_FRAMING: readonly Refused[] = [
  ...[0, 1].flatMap((place) =>
    ['shorter', 'longer'].flatMap((chunks) =>
      broken(
        `a length, at ${place}, beside ${chunks} chunks with`,
        TRANSFER_ENCODINGS,
        (field, user, hidden) => {
          const body = chunks === 'shorter' ? chunk('') + hidden : chunk(hidden) + chunk('');
          const length = chunks === 'shorter' ? body.length : body.indexOf('\n') + 1;
          return post(user, ...[field].toSpliced(place, 0, `Content-Length: ${length}`)) + body;
        },
      ),
    ),
  ),
  ...broken('the length', LENGTHS, (field, user, hidden) => {
    return post(user, field.replaceAll('N', String(hidden.length))) + hidden;
  }),
  ...broken('the chunks', CHUNKS, (chunks, user, hidden) => {
    const body = chunks.replace('S', hidden.length.toString(16)).replace('H', () => hidden);
    return post(user, 'Transfer-Encoding: chunked') + body;
  }),
  ...broken('the head with', HEADS, (change, user, hidden) => {
    const [found = '', by = ''] = change.split('→');
    return hiddenRequest(user).replaceAll(found, by) + hidden;
  }),
];
