import { type Kind, NO_STRING, plain, quoted } from './kind.js';
import { text255 } from './texts.js';

const HOUSE = '🏠'; // one code point, two UTF-16 units, four bytes

/** What a text of a sign-up must not be, whatever it is of; the last of its letters are given. */
const noText = (end: string): [string][] => [
  ...NO_STRING,
  ...plain('null', '""'),
  ...plain(
    ...['\\u0000', '\\ud83c', '\\udfe0', '\\udfe0\\ud83c'].map((unstorable) => `"ab${unstorable}${end}"`),
  ),
];

const outsideOf = (min: number, max: number): [string][] =>
  plain(...['x', HOUSE].flatMap((unit) => [unit.repeat(min - 1), unit.repeat(max + 1)]).map(quoted));

const email: Kind = {
  accepted: [],
  refused: [
    ...noText('@example.com'),
    ...plain(...['x', HOUSE].map((unit) => quoted(`${unit.repeat(244)}@example.com`))),
    ...plain(
      ...['example.com', '@example.com', 'ada@', '@', 'ada@home@example.com', 'ada@@example.com'].map(quoted),
    ),
    ...plain(...[' ada@example.com', 'ada@example.com ', 'ada@example.com\n'].map(quoted)),
    ...plain(
      ...Array.from(' \t\u00a0\u2028\u3000\u0007\u007f\u0085', (char) => quoted(`a${char}da@example.com`)),
    ),
  ],
};

export const SIGN_UP = {
  email,
  username: { accepted: [], refused: [...noText('cd'), ...outsideOf(3, 50)] },
  password: { accepted: [], refused: [...noText('cdefgh'), ...outsideOf(8, 72)] },
  firstName: text255,
  lastName: text255,
};
