import * as contract from './contract.js';
import { words } from './contract.js';

type Value = readonly [json: string, ...about: string[]];

/** Values of a field. */
export interface Kind {
  /** With the value in the response, where it is another one. */
  readonly accepted: readonly Value[];
  /** With the paths of the faults below the field. */
  readonly refused: readonly Value[];
  /** Parts of each message. */
  readonly names?: readonly string[];
}

type Values = string | readonly string[];

/** From values such as `1.0→1` and `[1,"a",2] → [0] → [2]`; a single text has them between blanks. */
function kind(accepted: Values, refused: Values, names: readonly string[] = []): Kind {
  const split = (values: Values): Value[] =>
    (typeof values === 'string' ? words(values) : values).map((it) => it.split(/ ?→ ?/) as [string]);
  return { accepted: split(accepted), refused: split(refused), names };
}

const quoted = (...texts: readonly string[]): string[] => texts.map((text) => JSON.stringify(text));

/** Nothing is ever coerced. */
const NO_STRING = words('1 true [] ["a"] {}');
const NO_NUMBER = '"1" "" "NaN" true [] [1] {}';
/** Broken texts, with an end that makes them long enough. */
const noText = (end = 'c'): string[] => [
  ...NO_STRING,
  ...['\\u0000', '\\ud800', '\\udfff', '\\ude00\\ud83d'].map((chars) => `"ab${chars}${end}"`),
];

/** Nothing is trimmed, normalised or escaped away. */
const KEPT = quoted(
  ...['', '  padded  ', 'NULL'],
  '"quoted" it\'s <b> %_ back\\slash\n\t\u0001\u001f\u007f\ufeff\uffff e\u0301 Ü 👩‍👩‍👧‍👦 \u200f\u05e9',
);

/** The bound counts code points: two for the last of the refused letters. */
function text(longest: number): Kind {
  const kept = [...KEPT, ...quoted(...['a', '🐀', '🏿'].map((unit) => unit.repeat(longest)))];
  const tooLong = quoted(...['a', ' ', '😀'].map((unit) => unit.repeat(longest + 1)), '❤️'.repeat(longest));
  return kind([...kept, String.raw`"\ud83d\ude00\u0041\/" → "😀A/"`], [...noText(), ...tooLong]);
}
const text255 = text(255);
const anyText = kind([...KEPT, ...quoted('a'.repeat(256), '😀'.repeat(20_000))], noText());

/** The whole grammar of date-times, for the field `date`. */
const DATE_TIMES: readonly string[] = [
  // without a zone it is UTC; seconds may be left out
  ...words('2026-01-15T10:30:00Z→2026-01-15T10:30:00.000Z 2026-01-15T10:30→2026-01-15T10:30:00.000Z'),
  ...words(`2026-01-15T10:30+02:00→2026-01-15T08:30:00.000Z 2026-01-15T10:30:00-00:00→2026-01-15T10:30:00.000Z
    2026-01-15T10:30:00+23:59→2026-01-14T10:31:00.000Z 2026-01-15T10:30:00-23:59→2026-01-16T10:29:00.000Z
    2026-01-01T00:30:00+01:00→2025-12-31T23:30:00.000Z 2026-01-15T10:30:00-0330→2026-01-15T14:00:00.000Z
    2026-01-15T10:30:00+23→2026-01-14T11:30:00.000Z`),
  // a comma is a decimal point as well; fractions beyond milliseconds are cut off, never rounded
  ...words(`2026-01-15T10:30:00,25+0200→2026-01-15T08:30:00.250Z 2026-01-15T10:30:00.1→2026-01-15T10:30:00.100Z
    2026-01-15T10:30:00.1239Z→2026-01-15T10:30:00.123Z`),
  `2026-01-15T10:30:00.${'9'.repeat(500)}Z→2026-01-15T10:30:00.999Z`,
  // the letters of RFC 3339 in either case
  '2026-01-15t10:30:00z→2026-01-15T10:30:00.000Z',
  // the calendar, and the years 0001 to 9999
  ...words('2024-02-29 2000-02-29 1582-10-10 0001-01-01 0099-12-31').map((day) => `${day}T00:00:00.000Z`),
  ...words('1969-12-31T23:59:59.999Z 9999-12-31T22:59:59-01:00→9999-12-31T23:59:59.000Z'),
];
const NO_DATE_TIMES: readonly string[] = [
  ...words(`now infinity 2026-01-15 10:30:00Z 1768473000 2026-0115T10:30:00Z 202601-15T10:30:00Z
    2026-01-15T1030Z 2026-01-15T10:3000Z 2026-W03-4T10:30:00Z 2026-015T10:30:00Z 2026-01-15T10:30.5Z
    2026-01-15T10:30:00.Z 2026-01-15T10:30,5Z 2026-1-15T10:30:00Z 2026-01-15T1:30:00Z`),
  ...['', '2026-01-15 10:30:00Z', ' 2026-01-15T10:30:00Z', '2026-01-15T10:30:00Z ', '2026-01-15T10:30:00Z\n'],
  ...['2026-01-15T10:30:00Z\u0000', 'Thu, 15 Jan 2026 10:30:00 GMT'],
  // no such day
  ...words('2026-02-29 1900-02-29 2026-00-15 2026-13-15 2026-01-00 2026-01-32').map(
    (day) => `${day}T00:00:00Z`,
  ),
  // no such time
  ...words('2026-01-15T24:00:00Z 2026-01-15T10:60:00Z 2026-12-31T23:59:60Z'),
  // no such zone
  ...words('+24:00 +01:60 +1:00 +1 +010 +01: +01:00:00 UTC [Europe/Paris] Z+01:00 \u221201:00').map(
    (zone) => `2026-01-15T10:30:00${zone}`,
  ),
  // outside of the years 0001 to 9999, if only by the zone; the first is the year 1 in UTC
  ...words(`0000-12-31T23:59:59-01:00 0001-01-01T00:00:00+00:01 9999-12-31T23:59:59-00:01
    10000-01-01T00:00:00Z +002026-01-15T10:30:00Z -0001-01-15T10:30:00Z \u0662\u0660\u0662\u0666-01-15T10:30:00Z`),
];
const ofDateTimes = (accepted: readonly string[], refused: readonly string[]): Kind =>
  kind(
    accepted.map((value) => quoted(...value.split('→')).join('→')),
    [...quoted(...refused), ...words('1768473000000 1.5 true ["2026-01-15T10:30:00Z"] {}')],
    ['date of the calendar, a T and a time'],
  );
const date = ofDateTimes(DATE_TIMES, NO_DATE_TIMES);
const dateTime = ofDateTimes(
  words('2026-01-15T10:30:00.9999+02:00→2026-01-15T08:30:00.999Z 9999-12-31T23:59:59.999Z'),
  ['2026-01-15', '2026-02-30T00:00:00Z', ''],
);

const int32 = (min: number, max: number): Kind =>
  kind(
    `${min} ${max} ${min}.0→${min} ${max}.000→${max}`,
    `${NO_NUMBER} ${min - 1} ${max + 1} ${max}.5 0.5 1e-1 1e400 -1e400 1e-400 2147483648 4294967297
    18446744073709551617`,
  );

const int64 = kind(
  '0 -1 9223372036854775807 -9223372036854775808 9007199254740993 1.0→1 -0→0',
  `${NO_NUMBER} 9223372036854775808 -9223372036854775809 9223372036854775807.5 18446744073709551617
  1.5 1e-1 1e400 -1e400 1e-400`,
);

const NO_MONEY = `${NO_NUMBER} -0.01 -1e400 1e400 1e999999999999 1e-400 1e-3 0.001 0.015 1.999
  100000000000000000 1e17 99999999999999999.991`;

const amount = kind(
  `0.01 99999999999999999.99 90071992547409.93 1.10 1→1.00 1.100→1.10 1E+2→100.00 1.5e1→15.00
  9999999999999999e1→99999999999999990.00 9999999999999999999e-2→99999999999999999.99
  9007199254740993→9007199254740993.00`,
  `${NO_MONEY} 0 -0 0.00 0e5 99999999999999999.995`,
);

const price = kind(
  '0.00 99999999.99 1.10 -0→0.00 1e2→100.00 9.999999999E7→99999999.99',
  `${NO_MONEY} 100000000 1e8 99999999.991 99999999999999999.99`,
);

/** A bound of a search: any number at all. */
const anyNumber = kind(`-0 -1 1.10 0.001 1e2 1e400 -1e400 1e-400 1.${'3'.repeat(1000)}`, NO_NUMBER);

const boolean = kind('true false', '0 1 "true" "false" "" [] [true] {}');

function oneOf(values: readonly string[]): Kind {
  const [some = ''] = values;
  const others = [some.toLowerCase(), ` ${some}`, `${some}\n`, '', 'UNKNOWN', 'toString'];
  return kind(quoted(...values), [...quoted(...others), '0', 'true', `["${some}"]`, '{}'], values);
}

/** Fields of transactions and searches alike. */
const SHARED = {
  type: oneOf(contract.TYPES),
  category: oneOf(contract.CATEGORIES),
  status: oneOf(contract.STATUSES),
  paymentMethod: oneOf(contract.PAYMENT_METHODS),
  recurring: boolean,
  frequency: oneOf(contract.FREQUENCIES),
  vendor: text255,
};

const sortBy = kind(
  quoted(...contract.TRANSACTION_SORT_FIELDS),
  [
    ...quoted('', 'ID', 'created_at', 't.id', 'date,desc', 'id; DROP TABLE transactions', ' date'),
    ...quoted('propertyId', 'propertyName', 'toString', 'constructor'),
    ...['1', 'true', '["date"]', '{}'],
  ],
  contract.TRANSACTION_SORT_FIELDS,
);

const sortDirection = kind(
  quoted('asc', 'desc', 'ASC', 'dEsC'),
  [...quoted('', 'ascending', ' asc', 'desc ', 'asc,desc'), '-1', 'true', '["asc"]', '{}'],
  ['asc', 'desc'],
);

const tags = kind(
  [
    ...['[]', '["a"]', '["b","a","b",""]', '["NULL","null","{}","a,b","\\"q\\"","\\\\","{\\"}"," "]'],
    ...['["constructor","prototype","toString","then"]', JSON.stringify(['a'.repeat(255), '😀'.repeat(255)])],
    JSON.stringify(Array.from({ length: 1000 }, (_, index) => `tag ${index}`)),
  ],
  [
    ...['"a"', '1', 'true', '{}', '{"0":"a"}', '""', JSON.stringify(Array(1001).fill('a'))],
    ...['[1] → [0]', '["a",null] → [1]', '["a",true,"b",{},["c"]] → [1] → [3] → [4]'],
    `${JSON.stringify(['a', 'b'.repeat(256), 'c', '❤️'.repeat(255)])} → [1] → [3]`,
    String.raw`["\u0000","\ud800",{"constructor":1},{"then":{}}] → [0] → [1] → [2] → [3]`,
  ],
);

const HOUSE = '🏠'; // one code point, two UTF-16 units, four bytes

const membersOf = (length: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length }, (_, index) => [`key ${index}`, ''])));

const metadata = kind(
  [
    ...['{}', '{"":"","a.b":"c","a[0]":"d"}', '{"10":"x","9":"y","a":"z"}', '{" a ":" b "}'],
    '{"toString":"a","constructor":"b","hasOwnProperty":"c","valueOf":"d","prototype":"e","__defineGetter__":"f"}',
    ...['{"ключ":"значение","鍵":"値","😀":"❤️"}', '{"length":"1","then":"x","toJSON":"y"}'],
    ...[JSON.stringify({ ['k'.repeat(1000)]: 'v'.repeat(10_000) }), membersOf(1000)],
  ],
  [
    ...['"a"', '1', 'true', '[]', '["a"]', '""', membersOf(1001), '{"a":1} → .a', '{"a":null} → .a'],
    '{"ok":"x","a":{"b":"c"},"d":["e"],"f":true} → .a → .d → .f',
    '{"toString":1,"constructor":{},"prototype":2,"then":{}} → .toString → .constructor → .prototype → .then',
    '{"toString":{},"constructor":1,"prototype":{},"then":2} → .toString → .constructor → .prototype → .then',
    ...['{"__proto__":"x"} → .__proto__', '{"__proto__":{"polluted":"x"}} → .__proto__', '{"":1} → .'],
    ...[String.raw`{"a":"\u0000"} → .a`, String.raw`{"a":"\ud800"} → .a`],
    ...['{"a\\u0000":"b"} → .a\u0000', '{"a\\ud800":"b"} → .a\ufffd'],
    `{"${'a'.repeat(99)}${HOUSE}\\u0000":"b"} → .${'a'.repeat(99)}\ufffd`,
  ],
);

const outsideOf = (min: number, max: number): string[] =>
  quoted(...['x', HOUSE].flatMap((unit) => [unit.repeat(min - 1), unit.repeat(max + 1)]));

const NO_EMAIL = quoted(
  ...['example.com', '@example.com', 'ada@', '@', 'ada@home@example.com', 'ada@@example.com'],
  ...[' ada@example.com', 'ada@example.com ', 'ada@example.com\n'],
  ...Array.from(' \t\u00a0\u2028\u3000\u0007\u007f\u0085', (char) => `a${char}da@example.com`),
  ...['x', HOUSE].map((unit) => `${unit.repeat(244)}@example.com`),
);

export type Fields = Readonly<Record<string, Kind>>;

/** The fields of a request's body. */
export interface Body {
  readonly fields: Fields;
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

function body(names: string, fields: Fields): Body {
  const required = words(names).filter(Boolean);
  return { fields, required, optional: Object.keys(fields).filter((name) => !required.includes(name)) };
}

const allOf = (of: Kind, ...names: readonly string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, of]));

const EMAILS = quoted('a@b', `${HOUSE.repeat(243)}@example.com`, '.Ü"<x>..y@-exämple');
const NAMES = quoted('abc', HOUSE.repeat(50), ` <b>"'%_\\ `);
const EMPTY = ['null', '""'];
const PASSWORDS = quoted('12345678', HOUSE.repeat(72));

export const SIGN_UP = body('email username password', {
  email: kind(EMAILS, [...noText('@example.com'), ...NO_EMAIL, ...EMPTY]),
  username: kind(NAMES, [...noText('cd'), ...outsideOf(3, 50), ...EMPTY]),
  password: kind(PASSWORDS, [...noText('cdefgh'), ...outsideOf(8, 72), ...EMPTY]),
  ...allOf(text255, 'firstName', 'lastName'),
});

export const PROPERTY = body('name address basePrice maxGuests bedrooms bathrooms active', {
  ...allOf(text255, 'name', 'address', 'description', 'strPermitNumber'),
  basePrice: price,
  maxGuests: int32(1, 100),
  ...allOf(int32(0, 50), 'bedrooms', 'bathrooms'),
  active: boolean,
  ...allOf(text(10_000), 'houseRules', 'checkInInstructions'),
});

export const TRANSACTION = body('propertyId type category description amount date', {
  ...SHARED,
  propertyId: { ...int64, accepted: [] }, // only the ids of the caller's properties
  ...allOf(text255, 'description', 'subcategory', 'paymentReference', 'receiptUrl', 'bookingReference'),
  amount,
  date,
  ...allOf(dateTime, 'dueDate', 'paidAt'),
  notes: text(10_000),
  bookingId: int64,
  tags,
  metadata,
});

export const SEARCH = body('', {
  ...SHARED,
  ...allOf(dateTime, 'startDate', 'endDate'),
  ...allOf(anyNumber, 'minAmount', 'maxAmount'),
  propertyId: int64,
  approvalStatus: anyText,
  overdue: boolean,
  ...allOf(text255, 'searchTerm', 'bookingReference', 'paymentReference'),
  page: int32(0, 2 ** 31 - 1),
  size: int32(1, 100),
  sortBy,
  sortDirection,
});
