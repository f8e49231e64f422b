import { createHash } from 'node:crypto';
import { claimsOf, forge, inSeconds, part, type TokenParts } from './forged-token.js';
import type { Account } from './service.js';
import { TEST_SECRET } from './settings.js';

export type Forgery = [name: string, forge: (account: Account) => string];

interface Parts extends Partial<TokenParts> {
  /** These replace valid claims. */
  readonly claims?: Record<string, unknown>;
  /** The exact text, with valid claims in place of `…`. */
  readonly payload?: string;
}

const HS256 = { alg: 'HS256', typ: 'JWT' };
export const OTHER_SECRET = 'another-secret-of-somebody-else-0123456789';
const MAX_INT64 = '9223372036854775807';

/** A token that would be valid but for these parts. */
export const forged = (name: string, { claims, payload, ...parts }: Parts): Forgery => [
  name,
  (account) => {
    const valid = claimsOf(account, claims);
    return forge({ ...parts, payload: payload?.replace('…', JSON.stringify(valid).slice(1, -1)) ?? valid });
  },
];

/** A valid token, changed as text. */
const changed = (name: string, change: (parts: [string, string, string]) => string): Forgery => [
  name,
  (account) => change(account.token!.split('.') as [string, string, string]),
];

/** A valid token but for its subject: JSON, with the account's id in place of ID. */
const subject = (json: string): Forgery => [
  `sub ${json.slice(0, 40)}`,
  (account) => {
    const sub: unknown = JSON.parse(json.replace('ID', account.id));
    return forge({ payload: claimsOf(account, { sub }) });
  },
];

/** Tokens that a service has to refuse. */
export const FORGERIES: readonly Forgery[] = [
  ...['none', 'nOnE', ''].flatMap<Forgery>((alg) => [
    [`alg "${alg}" without a signature`, (account) => `${part({ alg })}.${part(claimsOf(account))}.`],
    forged(`alg "${alg}" with a good signature`, { header: { alg } }),
  ]),
  forged('HS384', { header: { alg: 'HS384' }, hash: 'sha384' }),
  forged('HS512', { header: { alg: 'HS512' }, hash: 'sha512' }),
  forged('HS512 in the header alone', { header: { alg: 'HS512' } }),
  forged('RS256 with an HMAC for signature', { header: { alg: 'RS256' } }),
  forged('hs256 in lower case', { header: { alg: 'hs256' } }),
  forged('no alg', { header: { typ: 'JWT' } }),
  forged('a header that is null', { header: 'null' }),
  forged('a header that is not JSON', { header: '{"alg":"HS256"' }),
  forged('crit of a known claim', { header: { ...HS256, crit: ['exp'] } }),
  forged('an empty crit', { header: { ...HS256, crit: [] } }),
  ...['"none"', '""', '0', 'null', '["kid"]', '"__proto__"'].map((kid) =>
    forged(`a key named ${kid}`, { header: `{"alg":"HS256","kid":${kid}}` }),
  ),
  changed('the name of its key, which has not signed it', ([h, p]) => {
    const [, , signature] = forge({ header: decoded(h), payload: decoded(p), secret: OTHER_SECRET }).split(
      '.',
    );
    return `${h}.${p}.${signature!}`;
  }),
  forged('another key', { secret: OTHER_SECRET }),
  forged('an empty key', { secret: '' }),
  forged('the key with a blank after it', { secret: `${TEST_SECRET} ` }),
  forged('a key in the header', {
    header: { ...HS256, jwk: { kty: 'oct', k: Buffer.from(OTHER_SECRET).toString('base64url') } },
    secret: OTHER_SECRET,
  }),
  changed('the next account as subject', ([h, p, s]) => `${h}.${part(nextAccount(decoded(p)))}.${s}`),
  changed('other authorities', ([h, p, s]) => `${h}.${part(decoded(p).replace('USER', 'ADMIN'))}.${s}`),
  changed('a payload with white space added', ([h, p, s]) => `${h}.${part(`${decoded(p)} `)}.${s}`),
  changed('another header', ([, p, s]) => `${part({ alg: 'HS256' })}.${p}.${s}`),
  changed('a signature of another token', ([h, p]) => `${h}.${p}.${forge({ payload: {} }).split('.')[2]!}`),
  changed('a signature cut short', ([h, p, s]) => `${h}.${p}.${s.slice(0, -1)}`),
  changed('a signature with padding', ([h, p, s]) => `${h}.${p}.${s}=`),
  changed('an empty signature', ([h, p]) => `${h}.${p}.`),
  changed('no signature', ([h, p]) => `${h}.${p}`),
  changed('an empty header', ([, p, s]) => `.${p}.${s}`),
  changed('an empty payload', ([h, , s]) => `${h}..${s}`),
  changed('a fourth part', ([h, p, s]) => `${h}.${p}.${s}.${s}`),
  changed('8,000 characters', () => 'a'.repeat(8000)),
  ...['null', '[]', '[{…}]', '"x"', '{}', '', '{…'].map((payload) =>
    forged(`the payload ${payload}`, { payload }),
  ),
  changed('the name of its key, and the payload null', ([h]) =>
    forge({ header: decoded(h), payload: 'null' }),
  ),
  forged('exp missing', { claims: { exp: undefined } }),
  forged('exp null', { claims: { exp: null } }),
  forged('exp as a string', { claims: { exp: String(inSeconds(60)) } }),
  forged('exp a second ago', { claims: { exp: inSeconds(-1) } }),
  ['exp just now', (account) => forge({ payload: claimsOf(account, { exp: inSeconds(0) }) })],
  forged('exp in milliseconds', { claims: { exp: inSeconds(60) * 1000 } }),
  forged('exp 1e400', { payload: '{…,"exp":1e400}' }),
  forged('iat missing', { claims: { iat: undefined } }),
  forged('iat as a string', { claims: { iat: String(inSeconds(0)) } }),
  forged('iat 1e400', { payload: '{…,"iat":1e400}' }),
  forged('a life of 61 s more than configured', { claims: { iat: inSeconds(0), exp: inSeconds(3661) } }),
  forged('iat 0', { claims: { iat: 0 } }),
  ['iat in 65 s', (account) => forge({ payload: claimsOf(account, { iat: inSeconds(65) }) })],
  ['nbf in the future', (account) => forge({ payload: claimsOf(account, { nbf: inSeconds(600) }) })],
  forged('no sub', { claims: { sub: undefined } }),
  ...['null', '""', '"-1"', '"0"', '"me"', `"${MAX_INT64}"`, '"9223372036854775808"'].map(subject),
  ...[`"${'1'.repeat(5000)}"`, 'ID', '["ID"]', '"ID "', '"ID\\n"', '"+ID"', '"0ID"', '"IDe0"'].map(subject),
  subject('"ID\\u0000"'),
  ['the username as sub', (account) => forge({ payload: claimsOf(account, { sub: account.username }) })],
];

/** An API key, changed as text. The other one is of the same account. */
export type KeyForgery = [name: string, forge: (key: string, other: string) => string];

const SECRET = /[\w-]{43}$/;
const [NO_KEY, MIN_INT64] = ['9223372036854775806', '-9223372036854775808'];

/** Texts in place of a key that a service has to refuse. */
export const KEY_FORGERIES: readonly KeyForgery[] = [
  ['another last character', (key) => key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A')],
  ['the secret of another', (key, other) => key.replace(SECRET, SECRET.exec(other)![0])],
  ['the id of another', (key, other) => key.replace(/\d+/, /\d+/.exec(other)![0])],
  ...[NO_KEY, MAX_INT64, '9223372036854775808', '1'.repeat(5000), MIN_INT64, '-1', '0', '', '1e0'].map(
    (id): KeyForgery => [`the id ${id.slice(0, 40)}`, (key) => key.replace(/\d+/, id)],
  ),
  ['a leading zero', (key) => key.replace('pfk_', 'pfk_0')],
  ['another prefix', (key) => key.replace('pfk', 'pfx')],
  ['no prefix', (key) => key.slice('pfk_'.length)],
  ['its prefix twice', (key) => `pfk_${key}`],
  ['upper case', (key) => key.toUpperCase()],
  ['a character less', (key) => key.slice(0, -1)],
  ['a character more', (key) => `${key}A`],
  ['padding', (key) => `${key}=`],
  ['no secret', (key) => key.replace(SECRET, '')],
  ['an empty secret of blanks', (key) => key.replace(SECRET, ' '.repeat(43))],
  ['its SHA-256', (key) => key.replace(SECRET, createHash('sha256').update(key).digest('base64url'))],
  ['a token as its secret', (key) => key.replace(SECRET, forge({ payload: {} }))],
  ['8,000 characters', () => `pfk_1_${'a'.repeat(8000)}`],
  ['two keys', (key, other) => `${key}.${other}`],
];

const decoded = (text: string): string => Buffer.from(text, 'base64url').toString();

const nextAccount = (claims: string): string =>
  claims.replace(/(?<="sub":")\d+/, (id) => String(Number(id) + 1));
