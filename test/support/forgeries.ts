import { createSign, generateKeyPairSync } from 'node:crypto';
import { claimsOf, forge, inSeconds, part } from './forged-token.js';
import type { Account } from './service.js';
import { TEST_SECRET } from './settings.js';

export type Forgery = [name: string, forge: (account: Account) => string];

const HS256 = { alg: 'HS256', typ: 'JWT' };
export const OTHER_SECRET = 'another-secret-of-somebody-else-0123456789';

/** A token with the service's own key; `claims` replace valid ones. */
export const claiming = (name: string, claims: Record<string, unknown>): Forgery => [
  name,
  (account) => forge({ payload: claimsOf(account, claims) }),
];

/** A token with the service's own key whose payload is this text, with valid claims in place of `…`. */
const payload = (name: string, text: string): Forgery => [
  name,
  (account) => forge({ payload: text.replace('…', JSON.stringify(claimsOf(account)).slice(1, -1)) }),
];

/** A token with the service's own key and another header. */
export const headed = (name: string, header: unknown): Forgery => [
  name,
  (account) => forge({ header, payload: claimsOf(account) }),
];

/** A token that brings or names its own key. */
const ownKey = (name: string, header: object, secret = OTHER_SECRET): Forgery => [
  name,
  (account) => forge({ header: { ...HS256, ...header }, payload: claimsOf(account), secret }),
];

/** A valid token, changed as text. */
const changed = (name: string, change: (parts: [string, string, string]) => string): Forgery => [
  name,
  (account) => change(account.token!.split('.') as [string, string, string]),
];

const NO_ALGORITHM: Forgery[] = ['none', 'nOnE', ''].flatMap<Forgery>((alg) => [
  [`alg "${alg}" without a signature`, (account) => `${part({ alg })}.${part(claimsOf(account))}.`],
  [`alg "${alg}" with a good signature`, (account) => forge({ header: { alg }, payload: claimsOf(account) })],
]);

const OTHER_ALGORITHM: Forgery[] = [
  ['HS384', (account) => forge({ header: { alg: 'HS384' }, payload: claimsOf(account), hash: 'sha384' })],
  ['HS512', (account) => forge({ header: { alg: 'HS512' }, payload: claimsOf(account), hash: 'sha512' })],
  headed('HS512 in the header alone', { alg: 'HS512' }),
  headed('RS256 with an HMAC for signature', { alg: 'RS256' }),
  ['RS256 with a key of its own', (account) => rs256(claimsOf(account))],
  headed('hs256 in lower case', { alg: 'hs256' }),
  headed('no alg', { typ: 'JWT' }),
  headed('alg in an array', { alg: ['HS256'] }),
  headed('a header that is null', 'null'),
  headed('a header that is an array', '[]'),
  headed('a header that is not JSON', '{"alg":"HS256"'),
  headed('crit of a known claim', { ...HS256, crit: ['exp'] }),
  headed('an empty crit', { ...HS256, crit: [] }),
];

const OTHER_KEY: Forgery[] = [
  ownKey('another key', {}),
  ownKey('an empty key', {}, ''),
  ownKey('the key with a blank after it', {}, `${TEST_SECRET} `),
  ownKey('a kid that names an empty file', { kid: '../../../../dev/null' }, ''),
  ownKey('a jku', { jku: 'http://127.0.0.1:9/keys.json', kid: '1' }),
  ownKey('a jwk', { jwk: { kty: 'oct', k: Buffer.from(OTHER_SECRET).toString('base64url') } }),
];

const TAMPERED: Forgery[] = [
  changed('the next account as subject', ([h, p, s]) => `${h}.${part(nextAccount(decoded(p)))}.${s}`),
  changed('other authorities', ([h, p, s]) => `${h}.${part(decoded(p).replace('USER', 'ADMIN'))}.${s}`),
  changed('a payload with white space added', ([h, p, s]) => `${h}.${part(`${decoded(p)} `)}.${s}`),
  changed('another header', ([, p, s]) => `${part({ alg: 'HS256' })}.${p}.${s}`),
  changed(
    'a signature with unused bits set',
    ([h, p, s]) => `${h}.${p}.${s.slice(0, -1)}${nextTo(s.at(-1)!)}`,
  ),
  changed('a signature of another token', ([h, p]) => `${h}.${p}.${forge({ payload: {} }).split('.')[2]!}`),
  changed('a signature cut short', ([h, p, s]) => `${h}.${p}.${s.slice(0, -1)}`),
  changed('a signature with padding', ([h, p, s]) => `${h}.${p}.${s}=`),
  changed('an empty signature', ([h, p]) => `${h}.${p}.`),
  changed('no signature', ([h, p]) => `${h}.${p}`),
  changed('an empty header', ([, p, s]) => `.${p}.${s}`),
  changed('an empty payload', ([h, , s]) => `${h}..${s}`),
  changed('three empty parts', () => '..'),
  changed('a fourth part', ([h, p, s]) => `${h}.${p}.${s}.${s}`),
  changed('8,000 characters', () => 'a'.repeat(8000)),
];

const PAYLOADS: Forgery[] = ['null', '[]', '[{…}]', '"x"', '{}', '', '{…'].map((text) => payload(text, text));

const TIMES: Forgery[] = [
  claiming('exp missing', { exp: undefined }),
  claiming('exp null', { exp: null }),
  claiming('exp as a string', { exp: String(inSeconds(60)) }),
  claiming('exp a second ago', { exp: inSeconds(-1) }),
  ['exp just now', (account) => forge({ payload: claimsOf(account, { exp: inSeconds(0) }) })],
  claiming('exp in milliseconds', { exp: inSeconds(60) * 1000 }),
  payload('exp 1e400', '{…,"exp":1e400}'),
  claiming('iat missing', { iat: undefined }),
  claiming('iat as a string', { iat: String(inSeconds(0)) }),
  payload('iat 1e400', '{…,"iat":1e400}'),
  claiming('a life of 61 s more than configured', { iat: inSeconds(0), exp: inSeconds(3661) }),
  claiming('iat 0', { iat: 0 }),
  claiming('iat in an hour', { iat: inSeconds(3600), exp: inSeconds(7200) }),
  claiming('iat in an hour, past exp', { iat: inSeconds(3600), exp: inSeconds(600) }),
  ['nbf in the future', (account) => forge({ payload: claimsOf(account, { nbf: inSeconds(600) }) })],
];

const SUBJECTS: Forgery[] = [
  ...[
    undefined,
    null,
    '',
    '-1',
    '0',
    'me',
    '9223372036854775807',
    '9223372036854775808',
    '1'.repeat(5000),
  ].map((sub) => claiming(`sub ${String(sub).slice(0, 20)}`, { sub })),
  ...(
    [
      ['as a number', Number],
      ['in an array', (id) => [id]],
      ['with a blank after it', (id) => `${id} `],
      ['with a line feed after it', (id) => `${id}\n`],
      ['with a plus', (id) => `+${id}`],
      ['with a zero before it', (id) => `0${id}`],
      ['with an exponent', (id) => `${id}e0`],
      ['with U+0000', (id) => `${id}\u0000`],
    ] as [string, (id: string) => unknown][]
  ).map<Forgery>(([name, sub]) => [
    `sub ${name}`,
    (account) => forge({ payload: claimsOf(account, { sub: sub(account.id) }) }),
  ]),
  ['sub a username', (account) => forge({ payload: claimsOf(account, { sub: account.username }) })],
];

function rs256(claims: object): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const signed = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`;
  return `${signed}.${createSign('sha256').update(signed).sign(privateKey).toString('base64url')}`;
}

const decoded = (text: string): string => Buffer.from(text, 'base64url').toString();

const nextAccount = (claims: string): string =>
  claims.replace(/(?<="sub":")\d+/, (id) => String(Number(id) + 1));

/** The character after this one in base64url's alphabet: it differs in bits that 32 bytes leave unused. */
function nextTo(last: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return alphabet[alphabet.indexOf(last) + 1]!;
}

/** Tokens that a service has to refuse, by kind of fault. */
export const FORGERIES: [kind: string, forgeries: Forgery[]][] = [
  ['no algorithm', NO_ALGORITHM],
  ['another algorithm or header', OTHER_ALGORITHM],
  ['another key', OTHER_KEY],
  ['a changed text', TAMPERED],
  ['a payload without claims', PAYLOADS],
  ['wrong times', TIMES],
  ['a subject without an account', SUBJECTS],
];
