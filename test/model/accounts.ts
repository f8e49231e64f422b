import { type BodyChoices, type Choice } from './choices.js';

const PASSWORDS = ['correct horse', 'x'.repeat(72), '😀'.repeat(72), 'pässwörd ', `${'é'.repeat(36)}a`];
/** Some differ by case alone, and some are those of accounts that every sequence starts with. */
const EMAILS = ['anna@example.com', 'ANNA@example.COM', 'bob@example.com', 'b@b', 'Owner-0@Example.com'];
const USERNAMES = [
  'anna',
  'Anna',
  'bob',
  'BOB',
  'ärger',
  'ÄRGER',
  'OWNER-1',
  'x y',
  '😀😀😀',
  'n'.repeat(50),
];

const strings = (field: string, values: readonly string[]): Choice[] =>
  values.map((value) => ({ field, token: JSON.stringify(value), value }));

const refused = (field: string, values: readonly unknown[]): Choice[] =>
  [...values.map((value) => JSON.stringify(value)), 'null', undefined].map((token) => ({
    field,
    token,
    faults: [field],
  }));

export const SIGN_UP_BASE: Readonly<Record<string, Choice>> = Object.fromEntries(
  [
    ...strings('email', ['guest@example.com']),
    ...strings('username', ['guest']),
    ...strings('password', ['correct horse']),
  ].map((choice) => [choice.field, choice]),
);

export const SIGN_UP: BodyChoices = {
  right: [
    ...strings('email', EMAILS),
    ...strings('username', USERNAMES),
    ...strings('password', PASSWORDS),
    ...strings('firstName', ['', 'Änne', 'x'.repeat(255)]),
    ...strings('lastName', ['', '😀'.repeat(255)]),
    ...['null', undefined].flatMap((token) => ['firstName', 'lastName'].map((field) => ({ field, token }))),
    { field: 'role', token: '"ADMIN"' },
    { field: 'id', token: '1' },
  ],
  wrong: [
    ...refused('email', ['', 'a', 'a@', '@b', 'a@b@c', 'a b@c', `${'a'.repeat(254)}@b`, 1, ['a@b']]),
    ...refused('username', ['', 'ab', 'n'.repeat(51), '😀'.repeat(51), 3, {}]),
    ...refused('password', ['', 'x'.repeat(7), 'x'.repeat(73), '😀'.repeat(7), 12345678, true]),
    { field: 'firstName', token: JSON.stringify('x'.repeat(256)), faults: ['firstName'] },
    { field: 'lastName', token: '7', faults: ['lastName'] },
  ],
};
