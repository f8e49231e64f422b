import { transactionRequest } from '../../support/factories.js';
import { chunk, requestText } from '../../support/wire.js';

const MIB = 1024 * 1024;
/** Connections that the service keeps. */
export const CONNECTIONS = 2000;
export const ATTACKERS = 8;

export interface Stage {
  readonly url: string;
  readonly admin: string;
  readonly other: string;
  readonly attackers: readonly string[];
  readonly end: AbortSignal;
}

/** What each connection sends, over and over again, and the statuses that it may get, beside none at all. */
export interface Attack {
  readonly connections: number;
  readonly statuses: string;
  readonly sent: (stage: Stage) => readonly string[];
  /** Bytes of the response that a client takes in a second, in place of all. */
  readonly taken?: number;
  /** Each byte is a packet of its own. */
  readonly bytewise?: true;
  /** Each client goes when it has sent all, and comes again. */
  readonly leaves?: true;
}

export const times = <T>(number: number, make: (index: number) => T): T[] =>
  Array.from({ length: number }, (_, index) => make(index));

interface Sent {
  readonly token?: string | undefined;
  readonly headers?: readonly string[];
  readonly body?: string;
  /** Whether more follows on its connection. */
  readonly stays?: boolean;
}

function request(line: string, { token, headers = [], body, stays = false }: Sent = {}): string {
  const type = body === undefined || headers.length > 0 ? [] : ['Content-Type: application/json'];
  const bearer = token === undefined ? [] : [`Authorization: Bearer ${token}`];
  const close = stays ? [] : ['Connection: close'];
  return requestText(`${line} HTTP/1.1`, [...type, ...bearer, ...close, ...headers], body);
}

/** From each of the attackers. */
function each(text: (token: string) => string): Attack['sent'] {
  return ({ attackers }) => attackers.map(text);
}

const CREATE = 'POST /api/transactions';
const ME = 'GET /api/users/me';
/** A valid request with further members. */
const transaction = (members: string): string =>
  JSON.stringify(transactionRequest(1)).replace('{', `{${members},`);
const FAULTY = `{"tags":[${times(1000, () => 1).join()}],"metadata":{${times(1000, (n) => `"${n}":1`).join()}}}`;
const LONG = transaction(`"x":"${'x'.repeat(MIB - 500)}"`);
const NESTED = transaction(times(MIB / 32, (n) => `"n${n}":{"a":{"b":{}}}`).join());
/** A row of 1 MiB. */
const ARRAYS = `{"tags":[${'[1],'.repeat(MIB / 4 - 10)}1]}`;
const EXPORT = 'GET /api/transactions/export';
const SIGN_IN = 'POST /api/auth/signin';

const NDJSON = ['Content-Type: application/x-ndjson'];
const CHUNKED = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
const inChunks = (bytes: number, number: number): string => chunk(' '.repeat(bytes)).repeat(number);
/** Of 1 MiB, or the part to that end, from so many accounts. */
const bodies = (connections: number, accounts: number, end?: number): Attack => ({
  connections,
  statuses: end === undefined ? '404 429 503' : '408 429 503',
  sent: ({ attackers }) =>
    attackers.slice(0, accounts).map((token) => request(CREATE, { token, body: LONG }).slice(0, end)),
});
/** From eight accounts and from nobody. */
const chunked = (chunks: string): Attack => ({
  connections: 400,
  statuses: '400 401 413 429 503',
  sent: ({ attackers }) =>
    [undefined, ...attackers].map((token) => request(CREATE, { token, headers: CHUNKED }) + chunks),
});
/** Files of eight accounts. */
const files = (body: string): Attack => ({
  connections: ATTACKERS,
  statuses: '422 429 503',
  sent: each((token) => request(`${CREATE}/import`, { token, headers: NDJSON, body })),
});
/** Behind an export that waits for the one before. */
const behindExports = (text: string): Attack['sent'] =>
  each((token) => request(EXPORT, { token, stays: true }) + text);

export const ATTACKS: Readonly<Record<string, Attack>> = {
  'heads of 2,600 fields': {
    connections: 1400,
    statuses: '431',
    sent: () => [
      `${request(SIGN_IN, { headers: [...times(2600, () => 'aaa:'), 'Content-Length: 10'] })}{"us`,
    ],
  },
  'bodies of 1 MiB without their last byte': bodies(700, 1, -1),
  // Whole ones fill the memory of the attackers' own system for TCP, which then drops the packets of all
  'half bodies of eight accounts': bodies(1800, ATTACKERS, LONG.length / 2),
  'whole bodies of 1 MiB': bodies(450, 1),
  'whole bodies of 1 MiB by eight accounts, whose clients leave': { ...bodies(40, ATTACKERS), leaves: true },
  'bodies in chunks of one byte': chunked(inChunks(1, 100_000)),
  'bodies in as many chunks as there may be': chunked(inChunks(64, 15_000) + chunk('')),
  'bodies of 1 MiB in chunks, whose clients leave': chunked(inChunks(MIB / 64, 63) + chunk('')),
  'bodies of a byte a packet behind exports': {
    connections: 130,
    statuses: '200 401 408 429 503',
    sent: behindExports(request(CREATE, { body: LONG })),
    bytewise: true,
  },
  'heads of 16 KiB behind exports': {
    connections: CONNECTIONS - 50,
    statuses: '200 401 429 503',
    sent: behindExports(request('GET /x', { headers: [`X: ${'x'.repeat(16_000)}`], stays: true }).repeat(15)),
  },
  'lists of 30,000 accounts': {
    connections: 2,
    statuses: '200 429 503',
    sent: ({ admin }) => [request('GET /api/users', { token: admin })],
  },
  'batches of 190,000 faults': {
    connections: 1,
    statuses: '400 429 503',
    sent: ({ attackers: [token] }) => [
      request(`${CREATE}/batch`, { token, body: `{"transactions":[${times(97, () => FAULTY).join()}]}` }),
    ],
  },
  'bodies of nested objects under unknown names': {
    connections: 10,
    statuses: '404 429 503',
    sent: ({ attackers: [token] }) => [request(CREATE, { token, body: NESTED })],
  },
  'files of rows with 2,000 faults': files(times(900, () => FAULTY).join('\n')),
  'files of rows with 260,000 arrays': files(times(8, () => ARRAYS).join('\n')),
  'heads that take long to read': {
    connections: 10,
    statuses: '400 406 429',
    sent: ({ attackers: [token] }) => [
      request(`GET /api/properties/export?${times(1500, (n) => `x${n}`).join('&')}`, { token }),
      request(EXPORT, { token, headers: [`Accept: ${'a,'.repeat(8000)}`] }),
    ],
  },
  'forged API keys': {
    connections: 300,
    statuses: '401 503',
    sent: () => [request(ME, { token: `pfk_1_${'A'.repeat(43)}` })],
  },
  'anonymous requests, 2,400 in a row': {
    connections: 1,
    statuses: '401',
    sent: () => [request('GET /x', { stays: true }).repeat(2400)],
  },
  'sign-ins, 2,000 in a row': {
    connections: 10,
    statuses: '401 503',
    sent: () => [request(SIGN_IN, { body: '{"username":"x","password":"y"}', stays: true }).repeat(2000)],
  },
  'requests of one account, 2,400 in a row': {
    connections: 1,
    statuses: '200 429',
    sent: ({ attackers: [token] }) => [request(ME, { token, stays: true }).repeat(2400)],
  },
  'requests of several accounts, 2,400 in a row': {
    connections: 100,
    statuses: '200 429',
    sent: each((token) => request(ME, { token, stays: true }).repeat(2400)),
  },
  'long pages': {
    connections: ATTACKERS,
    statuses: '200 429 503',
    sent: each((token) => request('GET /api/properties?size=50', { token })),
  },
  'pages that nobody reads': {
    connections: CONNECTIONS - 50,
    statuses: '200 429 503',
    sent: ({ attackers: [token] }) => [request('GET /api/properties', { token })],
    taken: 0,
  },
  'half a head on every connection': {
    connections: CONNECTIONS + 100,
    statuses: '408',
    sent: () => ['GET / HTTP/1.1\r\n'],
  },
  'sign-ins without their last byte': {
    connections: CONNECTIONS - 10,
    statuses: '408 503',
    sent: () => [request(SIGN_IN, { body: `{"password":"${'x'.repeat(8000)}"}` }).slice(0, -1)],
  },
  'exports that are read slowly': {
    connections: 5,
    statuses: '200 429 503',
    sent: each((token) => request(`${CREATE}/export`, { token, body: '{}' })),
    taken: 68 * 1024,
  },
};
