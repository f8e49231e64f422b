import { createHash } from 'node:crypto';
import { isPlaceholder } from './placeholders.js';

const RANDOM = 'qL0Yz3v9c2m8Tn1xWb7RkP4sJd6HfGuAoE5iVhNl';
const HEX = '9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LETTERS = UPPER + UPPER.toLowerCase();
const DIGITS = '0123456789';

const VARIABLES = [
  ...[`\${JWT_SECRET:-${RANDOM}}`, 'jwt:${JWT_SECRET}', `${HEX}-\${env:JWT_SECRET}-${HEX}`, '$(JWT_SECRET)'],
  ...[`{{ vault.jwt_secret | default("${HEX}") }}`, `{{ .Values.jwtSecret }}-${HEX}`, 'x-$(JWT_SECRET)-y'],
  ...['<your secret of at least 32 bytes>', '%JWT_SECRET%', '#{JWT_SECRET}#', '#{JwtSecret}'],
  ...[`#{jwt.secret}#${HEX}`, '@jwt.secret.of.the.build@', '__jwtSecret__', '[[jwt-secret]]'],
  ...['[your JWT secret goes here, 32 bytes or more]', '$jwtSecretOfTheService', '$env:JWT_SECRET'],
  ...['<<JWT_SECRET>>', '%%JWT_SECRET%%', '@@JWT_SECRET@@', `<%= ENV["JWT_SECRET"] %>`, ` \${JWT_SECRET} \n`],
];
const WORDS = [
  ...['change-me', `change-me-${RANDOM}`, `CHANGEME_${HEX}`, 'changeMeInProductionOrElseSomebodyWill'],
  ...['this secret must be changed: change this now!', `replace-me-${HEX}`, `placeholder${'x'.repeat(40)}`],
  ...['ReplaceMeWithAtLeastThirtyTwoBytes', 'REPLACE_WITH_A_REAL_SECRET_OF_32_BYTES'],
  ...['yourSecretKeyYourSecretKeyYourSecretKey', 'ExampleSecretForTheDocumentation1234567'],
  ...['todo-todo-todo-todo-todo-todo-todo-todo', 'fixme-before-the-release-of-this-service'],
  ...['todo'.repeat(8), 'yoursecret'.repeat(4), `example${'x'.repeat(30)}`],
];
const SECRETS = [
  ...[`changeme${RANDOM}`, `${RANDOM.slice(0, 20)}-example-${RANDOM.slice(20)}`, `placeholder${RANDOM}+/==`],
  ...[`${RANDOM}\${a}{b}`, `$${RANDOM}`, `[${RANDOM}]${RANDOM}`, 'k'.repeat(32)],
  ...['$ab12cd34ef56gh78ij90kl12mn34op56qr78st90', 'a-secret-for-tests-only-0123456789abcdef'],
  ...['$2b$10$dpblC6STQ./bTIZqOsdbleZqoHds0AAWFGcPvmbD04Sem2HIBrj82'],
  ...['correct-horse-battery-staple-unchanged-mentor', 'mastodons-toadstools-custodot-yours-examples'],
];

it.each([...VARIABLES, ...WORDS])('%s is a placeholder', (text) => expect(isPlaceholder(text)).toBe(true));

it.each(SECRETS)('%s is no placeholder', (text) => expect(isPlaceholder(text)).toBe(false));

/** The same in every run. */
function randomText(length: number, alphabet: string, seed: number): string {
  const bytes = createHash('shake256', { outputLength: length }).update(String(seed)).digest();
  return Array.from(bytes, (byte) => alphabet.charAt(byte % alphabet.length)).join('');
}

it.each([
  ['hexadecimal', 64, '0123456789abcdef'],
  ['base32', 52, `${UPPER}234567`],
  ['base58', 44, (LETTERS + DIGITS).replaceAll(/[IOl0]/g, '')],
  ['base64', 43, `${LETTERS}${DIGITS}+/`],
  ['base64url', 64, `${LETTERS}${DIGITS}-_`],
  ['Z85', 40, `${LETTERS}${DIGITS}.-:+=^!/*?&<>()[]{}@%$#`],
  ['printable', 32, String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 33 + index))],
])('none of 2,000 random %s texts of %i characters is a placeholder', (_, length, alphabet) => {
  const texts = Array.from({ length: 2000 }, (_one, index) => randomText(length, alphabet, index));
  expect(texts.filter(isPlaceholder)).toEqual([]);
});
