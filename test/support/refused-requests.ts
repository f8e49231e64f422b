import { propertyRequest } from './factories.js';
import { chunk, requestText } from './wire.js';

/** A request that is refused for its HTTP alone. */
export interface Refused {
  readonly name: string;
  readonly slug: string;
  /** Whether the connection ends with the response. */
  readonly closes: boolean;
  /** In Latin-1; `authorization` is a whole header field. */
  readonly bytes: (authorization: string) => string;
}

const get = (target: string, ...fields: readonly string[]): string =>
  requestText(`GET ${target} HTTP/1.1`, fields);
const post = (...fields: readonly string[]): string =>
  requestText('POST /api/properties HTTP/1.1', ['Content-Type: application/json', ...fields]);

/** A good request where a server that is deceived would find the next one. Its response has its id. */
export const hiddenRequest = (authorization: string): string =>
  get('/api/users/me', 'X-Request-Id: hidden', authorization);

export const HIDDEN_NAME = 'Hidden';
const HIDDEN_BODY = JSON.stringify(propertyRequest({ name: HIDDEN_NAME }));

/** A creation in the same place. Nothing may be stored under its name. */
const hiddenCreation = (authorization: string): string =>
  post(authorization, `Content-Length: ${HIDDEN_BODY.length}`) + HIDDEN_BODY;
const hiddenBehind = (filler: string, authorization: string): string =>
  (filler + hiddenCreation(authorization)).padEnd(100_000);
/** A body in chunks, of which most are a single byte. */
const inBytes = (spaces: number, authorization: string): string =>
  post(authorization, 'Transfer-Encoding: chunked') +
  chunk(HIDDEN_BODY) +
  chunk(' ').repeat(spaces) +
  chunk('') +
  hiddenCreation(authorization);

const BIG = (size: number): string => `X-Big: ${'x'.repeat(size)}`;
const ME = '/api/users/me';
const CODINGS = ['gzip, chunked', 'identity, chunked', 'x, chunked', 'gzip\r\nTransfer-Encoding: chunked'];
type Bytes = Refused['bytes'];

const refused = (slug: string, closes: boolean, named: Readonly<Record<string, Bytes>>): Refused[] =>
  Object.entries(named).map(([name, bytes]) => ({ name, slug, closes, bytes }));

/** Requests that different parts of the server refuse. */
export const REFUSED_REQUESTS: readonly Refused[] = [
  ...refused('payload-too-large', true, {
    'a body of 1,100 chunks of a byte': (user) => inBytes(1100, user),
    'a body of 30,000 chunks of a byte': (user) => inBytes(30_000, user), // that Node reads in parts
  }),
  ...refused('malformed-request', false, {
    'a malformed escape': (user) => get('/%zz?page=1', user),
    'an escape that is no UTF-8': () => get('/api/properties/%e0%80'),
    'a malformed escape in the query': (user) => get('/api/transactions/export?vendor=%ff', user),
    'a lone % in the query': (user) => get('/api/properties?active=%&page=x', user),
    'two Hosts': (user) => get(ME, user, 'Host: a', ...Array<string>(90).fill('a:'), 'host: b'),
    'no Host': (user) => `GET ${ME} HTTP/1.1\r\n${user}\r\n\r\n`,
  }),
  ...refused('uri-too-long', false, {
    'a path that is too long': (user) => get(`/${'x'.repeat(9000)}`, user),
    'a query that is too long': () => get(`/?${'x'.repeat(8192)}`),
  }),
  ...refused('headers-too-large', true, {
    'a long field': () => get(ME, BIG(17_000)),
    'many fields': () => get('/', ...Array<string>(400).fill(BIG(90))),
    'a hundred fields and one': (user) => get(ME, user, ...Array<string>(99).fill('a:')),
    'a hundred fields and many': (user) => get(ME, user, ...Array<string>(2600).fill('a:')),
    // Node reads 64 KiB at once, and empty lines may come before a request
    'a hundred fields and one, with a request in the second part of the body': (user) =>
      post(user, 'Content-Length: 100000', ...Array<string>(98).fill('a:')) +
      hiddenBehind('\r\n'.repeat(40_000), user),
  }),
  ...refused('method-not-allowed', true, {
    CONNECT: () => 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n',
  }),
  ...refused('malformed-request', true, {
    garbage: () => 'garbage\r\n\r\n',
    'the first bytes of TLS': () => '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\r\n',
    'an unknown version': () => 'GET / HTTP/9.9\r\nHost: a\r\n\r\n',
    'the preface of HTTP/2': () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'a method in lower case': () => get('/').toLowerCase(),
    'a field without a colon': () => get('/', 'Field'),
  }),
  ...CODINGS.flatMap((coding) =>
    refused('unsupported-media-type', true, {
      [`the transfer coding ${JSON.stringify(coding)}`]: (user) =>
        post(user, `Transfer-Encoding: ${coding}`) + chunk('{}') + chunk(''),
    }),
  ),
];

const spelledOut = (field: string): string =>
  field.replaceAll('TE', 'Transfer-Encoding').replaceAll('CL', 'Content-Length');

/** Forms of `Transfer-Encoding: chunked` that one server understands and another does not. */
const TRANSFER_ENCODINGS = [
  ...['TE: chunked', 'TRANSFER-ENCODING: CHUNKED', 'TE:chunked', 'TE:\tchunked', 'TE: chunked '],
  ...['TE : chunked', 'TE\t: chunked', 'TE: \u000bchunked', 'TE: chunked\u000b', 'TE: chunked\u0000'],
  'TE: \u00a0chunked',
  ...['TE: "chunked"', 'TE: xchunked', 'TE: chunk', 'TE: chunked;q=1', 'TE: identity, chunked'],
  ...['TE: gzip, chunked', 'TE: chunked, identity', 'TE: chunked,', 'TE: chunked, chunked'],
  ...['TE: chunked\r\nTE: chunked', 'TE: chunked\r\nTE: identity', 'TE: identity\r\nTE: chunked'],
  ...['TE:\r\n chunked', 'X-Field: a\r\n TE: chunked', 'X-Field: a\nTE: chunked', 'X-Field: a\rTE: chunked'],
  ...['TE: chunked\rX: b', ' TE: chunked', 'TE: '],
].map(spelledOut);

/** Forms of a length `N` that one server reads and another does not. */
const LENGTHS = [
  ...['CL: N\r\nCL: 0', 'CL: N\r\nCL: N', 'CL: N, N', 'CL: +N', 'CL: 0 N', 'CL: 0xN', 'CL: N.0', 'CL: 0e0N'],
  ...['CL: Nx', 'CL: ', 'CL: 18446744073709551617', 'CL: \u00b2', 'CL: \u000bN', 'CL:\r\n N', 'CL : N'],
  ...['X-Field: a\nCL: N', 'X-Field: a\rCL: N'],
].map(spelledOut);

/** Malformed chunks; `H` is the hidden request, `S` its size in hexadecimal, and `Z` the last chunk. */
const CHUNKS = [
  ...['zz\r\n{}\r\nZ', 'fffffffffffffffff\r\n{}\r\nZ', '0xS\r\nH\r\nZ', '+S\r\nH\r\nZ', 'S \r\nH\r\nZ'],
  ...[' S\r\nH\r\nZ', 'S\nH\r\nZ', 'S\rH\r\nZ', '\r\nH\r\nZ', '1000000000000000S\r\nH\r\nZ'],
  ...['2;a=\n{}\r\nZH', '2;a=\rb\r\n{}\r\nZH', '2\r\n{}\nZH', '2\r\n{}ZH', '2\r\n{}H\r\nZ'],
  ...['2\r\n{}\r\n0\n\nH', '2\r\n{}\r\n0\r\nContent-Length: 9\r\n\r\nH', '2\r\n{}\r\n0\r\nH'],
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

/** Requests whose end servers disagree about: one takes for a body what another takes for the next request. */
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
    const sized = chunks.replace('S', hidden.length.toString(16)).replace('Z', chunk(''));
    return post(user, 'Transfer-Encoding: chunked') + sized.replace('H', () => hidden);
  }),
  ...broken('the head with', HEADS, (change, user, hidden) => {
    const [found = '', by = ''] = change.split('→');
    return hiddenRequest(user).replaceAll(found, by) + hidden;
  }),
];
