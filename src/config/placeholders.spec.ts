import { createCipheriv } from 'node:crypto';
import { isPlaceholder } from './placeholders.js';

const LONG = 'x'.repeat(40);
const HEX = '9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a';
/** The same in every run. */
function randomText(length: number, alphabet: string, seed: number): string {
  const iv = Buffer.alloc(16);
  iv.writeUInt32BE(seed);
  const bytes = createCipheriv('aes-128-ctr', Buffer.alloc(16), iv).update(Buffer.alloc(length));
  return Array.from(bytes, (byte) => alphabet.charAt(byte % alphabet.length)).join('');
}

const RANDOM = 'qL0Yz3v9c2m8Tn1xWb7RkP4sJd6HfGuAoE5iVhNl';

describe('a placeholder is', () => {
  it.each([
    `\${JWT_SECRET:-${RANDOM}}`,
    'jwt:${JWT_SECRET}',
    `${HEX}-\${env:JWT_SECRET}-${HEX}`,
    '$(JWT_SECRET)',
    'prefix-$(JWT_SECRET)-suffix',
    `{{ vault.jwt_secret | default("${HEX}") }}`,
    `{{ .Values.jwtSecret }}-${HEX}`,
    '<your secret of at least 32 bytes>',
    '%JWT_SECRET%',
    '#{JWT_SECRET}#',
    '#{JwtSecret}',
    `#{jwt.secret}#${HEX}`,
    '@jwt.secret.of.the.build@',
    '__jwtSecret__',
    '[your JWT secret goes here, 32 bytes or more]',
    '[[jwt-secret]]',
    '$jwtSecretOfTheService',
    '$env:JWT_SECRET',
    ` \${JWT_SECRET} \n`,
  ])('%s, in the form of a variable', (text) => {
    expect(isPlaceholder(text)).toBe(true);
  });

  it.each([
    'change-me',
    `change-me-${RANDOM}`,
    `changeme${LONG}`,
    `CHANGEME_${HEX}`,
    'changeMeInProductionOrElseSomebodyWill',
    'please-change-me-before-you-go-to-production',
    'this secret must be changed: change this now!',
    `replace-me-${HEX}`,
    'ReplaceMeWithAtLeastThirtyTwoBytes',
    'REPLACE_WITH_A_REAL_SECRET_OF_32_BYTES',
    `placeholder${LONG}`,
    'this-is-only-a-placeholder-1234567890',
    'yourSecretKeyYourSecretKeyYourSecretKey',
    'put-your-secret-here-put-your-secret-here',
    'ExampleSecretForTheDocumentation1234567',
    'todo-todo-todo-todo-todo-todo-todo-todo',
    'a secret that is still to come (todo) 123',
    'fixme-before-the-release-of-this-service',
  ])('%s, made of words', (text) => {
    expect(isPlaceholder(text)).toBe(true);
  });
});

describe('a placeholder is not', () => {
  it.each([
    `changeme${RANDOM}`,
    `${RANDOM.slice(0, 20)}changeme${RANDOM.slice(20)}`,
    `${RANDOM.slice(0, 20)}-example-${RANDOM.slice(20)}`,
    `placeholder${RANDOM}+/==`,
    `${RANDOM}\${a}{b}`,
    `$${RANDOM}`,
    '$ab12cd34ef56gh78ij90kl12mn34op56qr78st90',
    `[${RANDOM}]${RANDOM}`,
    '$2b$10$dpblC6STQ./bTIZqOsdbleZqoHds0AAWFGcPvmbD04Sem2HIBrj82',
    'correct-horse-battery-staple-unchanged-mentor',
    'a-secret-for-tests-only-0123456789abcdef',
    'mastodons-toadstools-custodot-yours-examples',
    'k'.repeat(32),
  ])('%s', (text) => {
    expect(isPlaceholder(text)).toBe(false);
  });

  const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
  const LETTERS = UPPER + UPPER.toLowerCase();
  const DIGITS = '0123456789';

  it.each([
    ['hexadecimal', 64, '0123456789abcdef'],
    ['base32', 52, `${UPPER}234567`],
    ['base58', 44, (LETTERS + DIGITS).replaceAll(/[IOl0]/g, '')],
    ['base64', 43, `${LETTERS}${DIGITS}+/`],
    ['base64url', 64, `${LETTERS}${DIGITS}-_`],
    ['small letters', 40, UPPER.toLowerCase()],
    ['Z85', 40, `${LETTERS}${DIGITS}.-:+=^!/*?&<>()[]{}@%$#`],
    ['what passwords are made of', 32, `${LETTERS}${DIGITS}!@#$%^&*_-`],
    ['what can be printed', 32, String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 33 + index))],
  ])('one of 2,000 random texts in %s of %i characters', (_, length, alphabet) => {
    const texts = Array.from({ length: 2000 }, (_one, index) => randomText(length, alphabet, index));
    expect(texts.filter(isPlaceholder)).toEqual([]);
  });
});
