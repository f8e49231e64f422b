import * as contract from '../contract.js';

/** What a field takes and what it refuses, as JSON text. */
export interface Kind {
  /** The token, and what the service answers for it, when that is not the token itself. */
  readonly accepted: readonly (readonly [token: string, echo?: string])[];
  /** The token, and below the field's name the paths of its faults, when that is not the field itself. */
  readonly refused: readonly (readonly [token: string, ...below: string[]])[];
  /** What each message must name. */
  readonly names?: readonly string[];
}

const quoted = (text: string): string => JSON.stringify(text);

const plain = (...tokens: string[]): [string][] => tokens.map((token) => [token]);

const texts = (...values: string[]): [string][] => plain(...values.map(quoted));

/** Nothing is ever coerced. */
const NO_STRING = plain('1', 'true', '[]', '["a"]', '{}');

const NO_NUMBER = plain('"1"', '""', '"NaN"', 'true', '[]', '[1]', '{}');

const UNSTORABLE = plain(...['a\\u0000b', '\\ud800', '\\udfff', '\\ude00\\ud83d'].map((text) => `"${text}"`));

const NO_TEXT = [...NO_STRING, ...UNSTORABLE];

/** Nothing is trimmed, normalised or escaped away. */
const KEPT_TEXTS = plain(
  ...['', '  padded  ', 'NULL'].map(quoted),
  quoted('"quoted" it\'s <b> %_ back\\slash\n\t\u0001\u001f\u007f\ufeff\uffff e\u0301 Ü 👩‍👩‍👧‍👦 \u200f\u05e9'),
);

const text255: Kind = {
  accepted: [
    ...KEPT_TEXTS,
    ...texts('a'.repeat(255), '😀'.repeat(255), `${'❤️'.repeat(127)}a`),
    [String.raw`"\ud83d\ude00\u0041\/"`, '"😀A/"'],
  ],
  refused: [...NO_TEXT, ...texts(...['a', ' ', '😀'].map((unit) => unit.repeat(256)), '❤️'.repeat(255))],
};

/** Without a bound of its own. */
const anyText: Kind = {
  accepted: [...KEPT_TEXTS, ...texts('a'.repeat(256), '😀'.repeat(20_000))],
  refused: NO_TEXT,
};

const longText: Kind = {
  accepted: [...KEPT_TEXTS, ...texts('a'.repeat(256), 'a'.repeat(10_000), '😀'.repeat(10_000))],
  refused: [...NO_TEXT, ...texts('a'.repeat(10_001), '😀'.repeat(10_001))],
};

/** The grammar has a table of its own; here is what every such field must know of it. */
const dateTime: Kind = {
  accepted: [
    ['"2026-01-15T10:30:00Z"', '"2026-01-15T10:30:00.000Z"'],
    ['"2026-01-15T10:30"', '"2026-01-15T10:30:00.000Z"'],
    ['"2026-01-15T10:30:00.9999+02:00"', '"2026-01-15T08:30:00.999Z"'],
    ['"0001-01-01T00:00:00Z"', '"0001-01-01T00:00:00.000Z"'],
    ['"9999-12-31T23:59:59.999Z"', '"9999-12-31T23:59:59.999Z"'],
  ],
  refused: [
    ...texts('2026-01-15', '2026-02-30T00:00:00Z', '2026-01-15T24:00:00Z', '', 'now', 'infinity'),
    ...texts('0000-01-01T00:00:00Z', '9999-12-31T23:59:59-00:01'),
    ...plain('1768473000000', '1.5', 'true', '["2026-01-15T10:30:00Z"]', '{}', String.raw`"\u0000"`),
  ],
};

function int32(min: number, max: number): Kind {
  return {
    accepted: [[`${min}`], [`${max}`], [`${min}.0`, `${min}`], [`${max}.000`, `${max}`]],
    refused: [
      ...NO_NUMBER,
      ...plain(`${min - 1}`, `${max + 1}`, `${max}.5`, '0.5', '1e-1', '1e400', '-1e400', '1e-400'),
      ...plain('2147483648', '4294967297', '18446744073709551617'),
    ],
  };
}

const NO_INT64 = [
  ...NO_NUMBER,
  ...plain('9223372036854775808', '-9223372036854775809', '9223372036854775807.5', '18446744073709551617'),
  ...plain('1.5', '1e-1', '1e400', '-1e400', '1e-400'),
];

const int64: Kind = {
  accepted: [
    ...plain('0', '-1', '9223372036854775807', '-9223372036854775808', '9007199254740993'),
    ['1.0', '1'],
    ['-0', '0'],
  ],
  refused: NO_INT64,
};

/** An id: what is accepted depends on what there is. */
const reference: Kind = { accepted: [], refused: NO_INT64 };

const NO_MONEY = [
  ...NO_NUMBER,
  ...plain('-0.01', '-1e400', '1e400', '1e999999999999', '1e-400', '1e-3', '0.001', '0.015', '1.999'),
  ...plain('100000000000000000', '1e17', '99999999999999999.991'),
];

const amount: Kind = {
  accepted: [
    ...plain('0.01', '99999999999999999.99', '90071992547409.93', '1.10'),
    ['9999999999999999e1', '99999999999999990.00'],
    ['1', '1.00'],
    ['1.100', '1.10'],
    ['1E+2', '100.00'],
    ['1.5e1', '15.00'],
    ['9999999999999999999e-2', '99999999999999999.99'],
    ['9007199254740993', '9007199254740993.00'],
  ],
  refused: [...NO_MONEY, ...plain('0', '-0', '0.00', '0e5', '99999999999999999.995')],
};

const price: Kind = {
  accepted: [
    ...plain('0.00', '99999999.99', '1.10'),
    ['-0', '0.00'],
    ['1e2', '100.00'],
    ['9.999999999E7', '99999999.99'],
  ],
  refused: [...NO_MONEY, ...plain('100000000', '1e8', '99999999.991', '99999999999999999.99')],
};

/** A bound of a search: any number at all. */
const anyNumber: Kind = {
  accepted: plain('-0', '-1', '1.10', '0.001', '1e2', '1e400', '-1e400', '1e-400', `1.${'3'.repeat(1000)}`),
  refused: NO_NUMBER,
};

const page: Kind = {
  accepted: [['0'], ['7'], ['2147483647'], ['1.0', '1'], ['-0', '0']],
  refused: [...NO_NUMBER, ...plain('-1', '2147483648', '0.5', '1e400', '4294967296')],
};

const boolean: Kind = {
  accepted: plain('true', 'false'),
  refused: plain('0', '1', '"true"', '"false"', '""', '[]', '[true]', '{}'),
};

function oneOf(values: readonly string[]): Kind {
  const [some] = values as [string];
  return {
    accepted: values.map((value) => [quoted(value)]),
    refused: [
      ...plain(quoted(some.toLowerCase()), quoted(` ${some}`), quoted(`${some}\n`), '""', '"UNKNOWN"'),
      ...plain('"toString"', '0', 'true', `[${quoted(some)}]`, '{}'),
    ],
    names: values,
  };
}

/** Fields that have the same rules in a transaction and in a search. */
const REQUIRED_CHOICES = { type: oneOf(contract.TYPES), category: oneOf(contract.CATEGORIES) };
const OPTIONAL_CHOICES = {
  status: oneOf(contract.STATUSES),
  paymentMethod: oneOf(contract.PAYMENT_METHODS),
  recurring: boolean,
  frequency: oneOf(contract.FREQUENCIES),
  vendor: text255,
};

const sortBy: Kind = {
  ...oneOf(contract.TRANSACTION_SORT_FIELDS),
  refused: plain(
    ...['""', '"ID"', '"created_at"', '"t.id"', '"date,desc"', '"id; DROP TABLE transactions"', '" date"'],
    ...['"propertyId"', '"propertyName"', '"toString"', '"constructor"', '1', 'true', '["date"]', '{}'],
  ),
};

const sortDirection: Kind = {
  accepted: plain('"asc"', '"desc"', '"ASC"', '"dEsC"'),
  refused: plain('""', '"ascending"', '" asc"', '"desc "', '"asc,desc"', '-1', 'true', '["asc"]', '{}'),
  names: ['asc', 'desc'],
};

const tags: Kind = {
  accepted: plain(
    ...['[]', '["a"]', '["b","a","b",""]', '["NULL","null","{}","a,b","\\"q\\"","\\\\","{\\"}"," "]'],
    JSON.stringify(['a'.repeat(255), '😀'.repeat(255)]),
    JSON.stringify(Array.from({ length: 1000 }, (_, index) => `tag ${index}`)),
  ),
  refused: [
    ...plain('"a"', '1', 'true', '{}', '{"0":"a"}', '""', JSON.stringify(Array(1001).fill('a'))),
    ['[1]', '[0]'],
    ['["a",null]', '[1]'],
    ['["a",true,"b",{},["c"]]', '[1]', '[3]', '[4]'],
    [JSON.stringify(['a', 'b'.repeat(256), 'c', '❤️'.repeat(255)]), '[1]', '[3]'],
    [String.raw`["\u0000","\ud800"]`, '[0]', '[1]'],
  ],
};

const HOUSE = '🏠'; // one code point, two UTF-16 units, four bytes

function numbered(length: number): [string, string][] {
  return Array.from({ length }, (_, index) => [`key ${index}`, '']);
}

const metadata: Kind = {
  accepted: plain(
    ...['{}', '{"":"","a.b":"c","a[0]":"d"}', '{"10":"x","9":"y","a":"z"}', '{" a ":" b "}'],
    '{"toString":"a","constructor":"b","hasOwnProperty":"c","valueOf":"d","prototype":"e","__defineGetter__":"f"}',
    ...['{"ключ":"значение","鍵":"値","😀":"❤️"}', '{"length":"1","then":"x","toJSON":"y"}'],
    JSON.stringify({ ['k'.repeat(1000)]: 'v'.repeat(10_000) }),
    JSON.stringify(Object.fromEntries(numbered(1000))),
  ),
  refused: [
    ...plain('"a"', '1', 'true', '[]', '["a"]', '""', JSON.stringify(Object.fromEntries(numbered(1001)))),
    ['{"a":1}', '.a'],
    ['{"a":null}', '.a'],
    ['{"ok":"x","a":{"b":"c"},"d":["e"],"f":true}', '.a', '.d', '.f'],
    ['{"toString":1,"constructor":{}}', '.toString', '.constructor'],
    ['{"__proto__":"x"}', '.__proto__'],
    ['{"__proto__":{"polluted":"x"}}', '.__proto__'],
    ['{"":1}', '.'],
    [String.raw`{"a":"\u0000"}`, '.a'],
    [String.raw`{"a":"\ud800"}`, '.a'],
    [String.raw`{"a\u0000":"b"}`, '.a\u0000'],
    [String.raw`{"a\ud800":"b"}`, '.a\ufffd'],
    [`{"${'a'.repeat(99)}${HOUSE}\\u0000":"b"}`, `.${'a'.repeat(99)}\ufffd`],
  ],
};

/** Faults of every text of a sign-up; the end makes the text long enough. */
const noSignUpText = (end: string): [string][] => [
  ...NO_STRING,
  ...plain('null', '""'),
  ...plain(...['\\u0000', '\\ud83c', '\\udfe0', '\\udfe0\\ud83c'].map((text) => `"ab${text}${end}"`)),
];

const outsideOf = (min: number, max: number): [string][] =>
  texts(...['x', HOUSE].flatMap((unit) => [unit.repeat(min - 1), unit.repeat(max + 1)]));

const NO_EMAIL = [
  ...['example.com', '@example.com', 'ada@', '@', 'ada@home@example.com', 'ada@@example.com'],
  ...[' ada@example.com', 'ada@example.com ', 'ada@example.com\n'],
  ...Array.from(' \t\u00a0\u2028\u3000\u0007\u007f\u0085', (char) => `a${char}da@example.com`),
  ...['x', HOUSE].map((unit) => `${unit.repeat(244)}@example.com`),
];

export type Fields = Readonly<Record<string, Kind>>;

const allOf = <Name extends string>(kind: Kind, ...names: Name[]): Record<Name, Kind> =>
  Object.fromEntries(names.map((name) => [name, kind])) as Record<Name, Kind>;

export const SIGN_UP_REQUIRED: Fields = {
  email: {
    accepted: texts('a@b', `${HOUSE.repeat(243)}@example.com`, '.Ü"<x>..y@-exämple'),
    refused: [...noSignUpText('@example.com'), ...texts(...NO_EMAIL)],
  },
  username: {
    accepted: texts('abc', HOUSE.repeat(50), ` <b>"'%_\\ `),
    refused: [...noSignUpText('cd'), ...outsideOf(3, 50)],
  },
  password: {
    accepted: texts('12345678', HOUSE.repeat(72)),
    refused: [...noSignUpText('cdefgh'), ...outsideOf(8, 72)],
  },
};

export const SIGN_UP_OPTIONAL: Fields = allOf(text255, 'firstName', 'lastName');

export const PROPERTY_REQUIRED: Fields = {
  ...allOf(text255, 'name', 'address'),
  basePrice: price,
  maxGuests: int32(1, 100),
  ...allOf(int32(0, 50), 'bedrooms', 'bathrooms'),
  active: boolean,
};

export const PROPERTY_OPTIONAL: Fields = {
  ...allOf(text255, 'description', 'strPermitNumber'),
  ...allOf(longText, 'houseRules', 'checkInInstructions'),
};

export const TRANSACTION_REQUIRED: Fields = {
  propertyId: reference,
  ...REQUIRED_CHOICES,
  description: text255,
  amount,
  date: dateTime,
};

export const TRANSACTION_OPTIONAL: Fields = {
  ...OPTIONAL_CHOICES,
  ...allOf(text255, 'subcategory', 'paymentReference', 'receiptUrl', 'bookingReference'),
  ...allOf(dateTime, 'dueDate', 'paidAt'),
  notes: longText,
  bookingId: int64,
  tags,
  metadata,
};

export const SEARCH: Fields = {
  ...REQUIRED_CHOICES,
  ...OPTIONAL_CHOICES,
  ...allOf(dateTime, 'startDate', 'endDate'),
  ...allOf(anyNumber, 'minAmount', 'maxAmount'),
  propertyId: int64,
  approvalStatus: anyText,
  overdue: boolean,
  searchTerm: text255,
  page,
  size: int32(1, 100),
  sortBy,
  sortDirection,
};
