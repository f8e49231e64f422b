import { LosslessNumber, parse } from 'lossless-json';
import {
  type Fields,
  PROPERTY_OPTIONAL,
  PROPERTY_REQUIRED,
  SEARCH,
  TRANSACTION_OPTIONAL,
  TRANSACTION_REQUIRED,
} from '../support/kinds/requests.js';

/** One field of a request's body, as it is sent and as the service must take it. */
export interface Choice {
  readonly field: string;
  /** JSON text; undefined for a field that is left out. */
  readonly token: string | undefined;
  /** What the service makes of it; undefined when it takes its default. */
  readonly value?: unknown;
  /** The paths of the field errors that it must cause. */
  readonly faults?: readonly string[];
}

/** What a generated body is made of. */
export interface BodyChoices {
  readonly right: readonly Choice[];
  readonly wrong: readonly Choice[];
}

/** Longer ones have tests of their own, and would only slow this one down. */
const LONGEST_TOKEN = 1200;

/** Few and awkward, so that they tie, differ by case alone, and look like wildcards, formulas or each other. */
const TEXTS = [
  'clean',
  'Clean',
  'CLEANing',
  '100%',
  '100x',
  'a_b',
  'aXb',
  '\\',
  '',
  ' ',
  'ärger',
  'ÄRGER',
].concat(
  ['Ключ', '😀', '\ufb00', "o'neil", 'b\u001fa', 'Zebra', 'zebra', 'Clean 100%'],
  ['=SUM(A1)', "'-1", 'a "b", c\r\nd'],
);
const SEARCHED = ['description', 'notes', 'vendor', 'subcategory', 'paymentReference', 'bookingReference'];
const AMOUNTS = ['0.01', '1', '1.00', '99.99', '100', '100.00', '360.75', '90071992547409.91', '1e2'];
const INSTANTS = ['2026-01-15T10:30:00Z', '2026-01-15T10:30:00.001Z', '2026-01-15T11:30:00+01:00'].concat([
  '2025-12-31T23:00:00Z',
  '2026-06-01T00:00:00Z',
]);
/** Nowhere near the moment of the test, because being overdue depends on it. */
const DUE = ['2019-05-01T00:00:00Z', '2020-01-01T00:00:00Z', '2990-01-01T00:00:00Z'];

const quoted = (texts: readonly string[]): string[] => texts.map((text) => JSON.stringify(text));

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

/** A field that must be there: null and nothing are faults. */
const missing = (names: readonly string[]): Choice[] =>
  names.flatMap((field) => ['null', undefined].map((token) => ({ field, token, faults: [field] })));

/** A field that may be left out, in both ways. */
const omitted = (names: readonly string[]): Choice[] =>
  names.flatMap((field) => ['null', undefined].map((token) => ({ field, token })));

/** Fields that only the server sets: they are ignored like any other that is not known. */
const IGNORED: Choice[] = ['id', 'ownerId', 'role', 'version', 'propertyName', 'createdAt', 'taxDetails'].map(
  (field) => ({ field, token: '"ADMIN"' }),
);

const texts = (names: readonly string[]): Choice[] =>
  names.flatMap((field) => TEXTS.map((text) => ({ field, token: JSON.stringify(text), value: text })));

const money = (field: string): Choice[] =>
  AMOUNTS.map((token) => ({ field, token, value: new LosslessNumber(Number(token).toFixed(2)) }));

const instants = (field: string, values: readonly string[]): Choice[] =>
  values.map((text) => ({
    field,
    token: JSON.stringify(text),
    value: new Date(text).toISOString(),
  }));

/** What filters and orders look at, and few values of it. */
const { status, recurring, frequency } = TRANSACTION_OPTIONAL;
const ENUMERATED: Fields = { status: status!, recurring: recurring!, frequency: frequency! };

/** The parts of a body that depend on when it is looked at: kept away from now. */
const withoutDueDate = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => field !== 'dueDate'));

export const PROPERTY_BASE: Readonly<Record<string, Choice>> = base([
  ['name', '"Seaside Cottage"'],
  ['address', '"1 Harbour Road"'],
  ['basePrice', '120.50'],
  ['maxGuests', '4'],
  ['bedrooms', '2'],
  ['bathrooms', '1'],
  ['active', 'true'],
]);

export const PROPERTY: BodyChoices = {
  right: [
    ...texts(['name', 'name', 'address', 'description']),
    ...money('basePrice').filter(({ token }) => token!.length < 10),
    ...acceptedBy(PROPERTY_REQUIRED),
    ...acceptedBy(PROPERTY_OPTIONAL),
    ...omitted(Object.keys(PROPERTY_OPTIONAL)),
    ...IGNORED,
  ],
  wrong: [
    ...refusedBy({ ...PROPERTY_REQUIRED, ...PROPERTY_OPTIONAL }),
    ...missing(Object.keys(PROPERTY_REQUIRED)),
  ],
};

/** Without the property, which is no constant. */
export const TRANSACTION_BASE: Readonly<Record<string, Choice>> = base([
  ['type', '"INCOME"'],
  ['category', '"BOOKING_PAYMENT"'],
  ['description', '"Three nights"'],
  ['amount', '360.75'],
  ['date', '"2026-01-15T10:30:00.000Z"'],
]);

export const TRANSACTION: BodyChoices = {
  right: [
    ...texts(SEARCHED),
    ...money('amount'),
    ...money('amount'),
    ...instants('date', INSTANTS),
    ...instants('paidAt', INSTANTS),
    ...[1, 2, 3, 4].flatMap(() => [...instants('dueDate', DUE), ...acceptedBy(ENUMERATED)]),
    ...acceptedBy(TRANSACTION_REQUIRED),
    ...acceptedBy(withoutDueDate(TRANSACTION_OPTIONAL)),
    ...omitted(Object.keys(TRANSACTION_OPTIONAL)),
    ...IGNORED,
  ],
  wrong: [
    ...refusedBy({ ...TRANSACTION_REQUIRED, ...TRANSACTION_OPTIONAL }),
    ...missing(['propertyId', ...Object.keys(TRANSACTION_BASE)]),
  ],
};

export const SEARCH_CHOICES: BodyChoices = {
  right: [
    ...texts(['searchTerm', 'searchTerm', 'vendor']),
    ...instants('startDate', INSTANTS),
    ...instants('endDate', INSTANTS),
    ...['minAmount', 'maxAmount'].flatMap((field) =>
      [...AMOUNTS, '1e400', '0.011'].map((token) => ({ field, token })),
    ),
    ...quoted(['APPROVED', 'approved', '', '%']).map((token) => ({ field: 'approvalStatus', token })),
    ...[1, 2, 3].flatMap(() => acceptedBy({ overdue: SEARCH['overdue']!, recurring: SEARCH['recurring']! })),
    ...['1', '2', '3', '7'].map((token) => ({ field: 'size', token })),
    ...['0', '1', '2', '50'].map((token) => ({ field: 'page', token })),
    ...acceptedBy(SEARCH),
    ...omitted(Object.keys(SEARCH)),
    ...IGNORED,
  ],
  wrong: refusedBy(SEARCH),
};

function base(fields: readonly (readonly [string, string])[]): Record<string, Choice> {
  return Object.fromEntries(fields.map(([field, token]) => [field, { field, token, value: parse(token) }]));
}
