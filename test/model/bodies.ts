import { LosslessNumber, parse } from 'lossless-json';
import {
  type Fields,
  PROPERTY_OPTIONAL,
  PROPERTY_REQUIRED,
  SEARCH,
  TRANSACTION_OPTIONAL,
  TRANSACTION_REQUIRED,
} from '../support/kinds/requests.js';

/** One field of a body, and its meaning. */
export interface Choice {
  readonly field: string;
  /** JSON text; undefined to leave the field out. */
  readonly token: string | undefined;
  /** Undefined for the default. */
  readonly value?: unknown;
  /** The paths of its errors. */
  readonly faults?: readonly string[];
}

export interface BodyChoices {
  readonly right: readonly Choice[];
  readonly wrong: readonly Choice[];
}

/** A body: its text, its meaning and its faults. */
export interface Body {
  readonly text: string;
  /** Field → value, without defaults. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Field → JSON text. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly faults: readonly string[];
}

/** Each choice replaces an earlier one for its field. */
export function bodyOf(base: readonly Choice[], choices: readonly Choice[]): Body {
  const fields = [...new Map([...base, ...choices].map((choice) => [choice.field, choice])).values()];
  const sent = fields.filter(({ token }) => token !== undefined);
  return {
    text: `{${sent.map(({ field, token }) => `${JSON.stringify(field)}:${token}`).join(',')}}`,
    values: Object.fromEntries(sent.map(({ field, value }) => [field, value])),
    tokens: Object.fromEntries(sent.map(({ field, token }) => [field, token!])),
    faults: fields.flatMap(({ faults = [] }) => faults),
  };
}

/** In place of a field's kind, for other choices of that field. */
const NOTHING = { accepted: [], refused: [] };

/** Longer ones would slow the model down; the validation matrix has them. */
const LONGEST_TOKEN = 1200;

/** Few and awkward: they tie, differ by case alone, or look like wildcards or formulas. */
const TEXTS = [
  ...'clean|Clean|CLEANing|Clean 100%|100%|100x|a_b|aXb|\\|| |Zebra|zebra'.split('|'),
  ...['ärger', 'ÄRGER', 'Ключ', '😀', '\ufb00', "o'neil", 'b\u001fa', '=SUM(A1)', "'-1", 'a "b", c\r\nd'],
];
const AMOUNTS = ['0.01', '1', '1.00', '99.99', '100', '100.00', '360.75', '90071992547409.91', '1e2'];
const INSTANTS = [
  ...['2026-01-15T10:30:00Z', '2026-01-15T10:30:00.001Z', '2026-01-15T11:30:00+01:00'],
  ...['2025-12-31T23:00:00Z', '2026-06-01T00:00:00Z'],
];
/** Far from the moment of the test, because being overdue depends on it. */
const DUE = ['2019-05-01T00:00:00Z', '2020-01-01T00:00:00Z', '2990-01-01T00:00:00Z'];

const acceptedBy = (fields: Fields): Choice[] =>
  Object.entries(fields).flatMap(([field, { accepted }]) =>
    accepted
      .filter(([token]) => token.length <= LONGEST_TOKEN)
      .map(([token, echo = token]) => ({ field, token, value: parse(echo) })),
  );

const refusedBy = (fields: Fields): Choice[] =>
  Object.entries(fields).flatMap(([field, { refused }]) =>
    refused.map(([token, ...below]) => ({
      field,
      token,
      faults: below.length === 0 ? [field] : below.map((path) => field + path),
    })),
  );

/** Null and nothing: faults of a required field, defaults of an optional one. */
const absent = (names: readonly string[], isFault: boolean): Choice[] =>
  names.flatMap((field) =>
    ['null', undefined].map((token) => ({ field, token, ...(isFault && { faults: [field] }) })),
  );

const ignored = ['id', 'ownerId', 'role', 'version', 'propertyName', 'createdAt', 'taxDetails'].map(
  (field): Choice => ({ field, token: '"ADMIN"' }),
);

const texts = (...names: readonly string[]): Choice[] =>
  names.flatMap((field) => TEXTS.map((value) => ({ field, token: JSON.stringify(value), value })));

const money = (field: string): Choice[] =>
  AMOUNTS.map((token) => ({ field, token, value: new LosslessNumber(Number(token).toFixed(2)) }));

const instants = (field: string, values: readonly string[]): Choice[] =>
  values.map((text) => ({ field, token: JSON.stringify(text), value: new Date(text).toISOString() }));

const tokens = (field: string, values: readonly string[]): Choice[] =>
  values.map((token) => ({ field, token }));

const plain = (fields: Readonly<Record<string, string>>): Choice[] =>
  Object.entries(fields).map(([field, token]) => ({ field, token, value: parse(token) }));

export const PROPERTY_BASE = plain({
  name: '"Seaside Cottage"',
  address: '"1 Harbour Road"',
  basePrice: '120.50',
  maxGuests: '4',
  bedrooms: '2',
  bathrooms: '1',
  active: 'true',
});

export const PROPERTY: BodyChoices = {
  right: [
    ...texts('name', 'name', 'address', 'description'),
    ...money('basePrice').filter(({ token }) => token!.length < 10),
    ...acceptedBy({ ...PROPERTY_REQUIRED, ...PROPERTY_OPTIONAL }),
    ...absent(Object.keys(PROPERTY_OPTIONAL), false),
    ...ignored,
  ],
  wrong: [
    ...refusedBy({ ...PROPERTY_REQUIRED, ...PROPERTY_OPTIONAL }),
    ...absent(Object.keys(PROPERTY_REQUIRED), true),
  ],
};

/** Without the property, which is no constant. */
export const TRANSACTION_BASE = plain({
  type: '"INCOME"',
  category: '"BOOKING_PAYMENT"',
  description: '"Three nights"',
  amount: '360.75',
  date: '"2026-01-15T10:30:00.000Z"',
});

const { status, recurring, frequency } = TRANSACTION_OPTIONAL;

export const TRANSACTION: BodyChoices = {
  right: [
    ...texts('description', 'notes', 'vendor', 'subcategory', 'paymentReference', 'bookingReference'),
    ...money('amount'),
    ...money('amount'),
    ...instants('date', INSTANTS),
    ...instants('paidAt', INSTANTS),
    // Filters and orders look at these.
    ...[1, 2, 3, 4].flatMap(() => [
      ...instants('dueDate', DUE),
      ...acceptedBy({ status: status!, recurring: recurring!, frequency: frequency! }),
    ]),
    ...acceptedBy({ ...TRANSACTION_REQUIRED, ...TRANSACTION_OPTIONAL, dueDate: NOTHING }),
    ...absent(Object.keys(TRANSACTION_OPTIONAL), false),
    ...ignored,
  ],
  wrong: [
    ...refusedBy({ ...TRANSACTION_REQUIRED, ...TRANSACTION_OPTIONAL }),
    ...absent(Object.keys(TRANSACTION_REQUIRED), true),
  ],
};

export const SEARCHED: BodyChoices = {
  right: [
    ...texts('searchTerm', 'searchTerm', 'vendor'),
    ...instants('startDate', INSTANTS),
    ...instants('endDate', INSTANTS),
    ...tokens('approvalStatus', ['"APPROVED"', '"approved"', '""', '"%"']),
    ...[1, 2, 3].flatMap(() => [
      ...acceptedBy({ overdue: SEARCH['overdue']!, recurring: SEARCH['recurring']! }),
      ...['minAmount', 'maxAmount'].flatMap((field) => tokens(field, [...AMOUNTS, '1e400', '0.011'])),
    ]),
    ...tokens('size', ['1', '2', '3', '7']),
    ...tokens('page', ['0', '1', '2', '50']),
    ...acceptedBy(SEARCH),
    ...absent(Object.keys(SEARCH), false),
    ...ignored,
  ],
  wrong: refusedBy(SEARCH),
};
