import * as contract from './contract.js';
import type { SearchFields } from './list-oracle.js';
import type { Random } from './random.js';
import { rawJson } from './raw-json.js';
import type { Service } from './service.js';

/** A row by the fields of its response, and its owner. Money is in cents, so that it is exact. */
export type StoredProperty = ReturnType<typeof someProperty>;
export type StoredTransaction = ReturnType<typeof someTransaction>;
export type StoredRow = StoredProperty | StoredTransaction;

interface Place {
  readonly id: number;
  readonly ownerId: string;
}

/** Few and awkward, so that they tie, differ by case alone, and look like wildcards. U+FB00 is behind no emoji. */
const PIECES = [
  ...['clean', 'CLEAN', 'Clean', 'ing', 'ärger', 'ÄRGER', 'Ключ', 'КЛЮЧ', 'ñ', 'Ñ', 'Z', 'z', '😀', '\ufb00'],
  ...['100%', '100x', '%', '_', 'a_b', 'aXb', 'c\\d', 'cd', '\\', "o'neil", '"', '<'],
  ...[' ', '  ', '\u001f', 'b\u001fa'],
];
const DATES = [
  ...['2026-01-15T10:30:00.000Z', '2026-01-15T10:30:00.001Z', '2026-01-14T23:59:59.999Z'],
  ...['0001-01-01T00:00:00.000Z', '2025-12-31T23:00:00.000Z', '2026-06-01T00:00:00.000Z'],
  ...['9999-12-31T23:59:59.999Z', '2026-01-01T00:00:00.000Z'],
];
/** Far from the moment of the test. */
const DUE_DATES = ['2019-05-01T00:00:00.000Z', '2020-01-01T00:00:00.000Z', '2990-01-01T00:00:00.000Z'];
const CENTS = [
  ...[1, 2, 99, 100, 101, 1000, 9999, 10_000, 36_075, 123_456_789, 9_007_199_254_740_991],
  ...[9_999_999_999_999_999_998n, 9_999_999_999_999_999_999n], // one double for both
];
const APPROVAL_STATUSES = ['APPROVED', 'approved', 'REJECTED', ''];

function someText(random: Random): string {
  return Array.from({ length: random.below(4) }, () => random.pick(PIECES)).join('');
}

/** A value, or null in a third of the rows. */
function maybe<T>(random: Random, value: T): T | null {
  return random.chance(0.35) ? null : value;
}

export function someProperty(random: Random, id: number, ownerId: string) {
  return {
    id,
    ownerId,
    name: random.pick(PIECES),
    address: someText(random),
    description: maybe(random, someText(random)),
    cents: random.pick<number | bigint>([0, 1, 900, 1000, 9_999_999_999]),
    maxGuests: random.pick([1, 2, 10, 100]),
    bedrooms: random.below(4),
    bathrooms: random.below(3),
    active: random.chance(0.5),
    strPermitNumber: maybe(random, someText(random)),
    houseRules: maybe(random, someText(random)),
    checkInInstructions: maybe(random, someText(random)),
    createdAt: random.pick(DATES.slice(0, 3)),
    updatedAt: random.pick(DATES.slice(0, 5)),
  };
}

/** Random rows of these properties, whose ids and times have different orders. */
export function someTransactions(
  random: Random,
  count: number,
  properties: readonly Place[],
): StoredTransaction[] {
  const ids = random.shuffled(Array.from({ length: count }, (_, index) => 1000 + index));
  return ids.map((id) => someTransaction(random, id, random.pick(properties)));
}

export function someTransaction(random: Random, id: number, property: Place) {
  const recurring = random.chance(0.5);
  return {
    id,
    ownerId: property.ownerId,
    propertyId: property.id,
    propertyName: `Property ${property.id}`,
    type: random.pick(contract.TYPES),
    category: random.pick(contract.CATEGORIES.slice(0, 5)),
    subcategory: maybe(random, someText(random)),
    description: someText(random),
    cents: random.pick<number | bigint>(CENTS),
    date: random.pick(DATES),
    status: random.pick(contract.STATUSES),
    paymentMethod: maybe(random, random.pick(contract.PAYMENT_METHODS.slice(0, 3))),
    paymentReference: maybe(random, someText(random)),
    recurring,
    frequency: recurring ? maybe(random, random.pick(contract.FREQUENCIES)) : 'ONE_TIME',
    vendor: maybe(random, someText(random)),
    receiptUrl: maybe(random, someText(random)),
    notes: maybe(random, someText(random)),
    dueDate: maybe(random, random.pick(DUE_DATES)),
    paidAt: random.chance(0.7) ? null : random.pick(DATES),
    bookingId: maybe(random, random.below(100)),
    bookingReference: maybe(random, someText(random)),
    tags: [someText(random), someText(random)],
    metadata: { [someText(random)]: someText(random) },
    approvalStatus: maybe(random, random.pick(APPROVAL_STATUSES)),
    createdAt: random.pick(DATES.slice(0, 3)),
    updatedAt: random.pick(DATES.slice(0, 5)),
  };
}

const BOUNDS = [
  ...['2026-01-15T10:30:00Z', '2026-01-15T10:30', '2026-01-15T10:30:00.001Z', '2026-03-01T00:00:00Z'],
  ...['2026-01-15T00:59:59.9999+01:00', '2025-12-31T18:00:00-05:00'],
  ...['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'],
];
const AMOUNTS = [
  ...['0', '0.01', '0.011', '1', '1.0', '1.001', '1e1', '1e2', '100', '360.75', '-5', '0.005'],
  ...['1e400', '-1e400', '1e-400', '1234567.89', '1234567.8900000001', '90071992547409.91'],
  ...['99999999999999999.99', '99999999999999999.985'],
];

/** A search with some filters: few enough that most find something. */
export function someSearch(random: Random, propertyIds: readonly number[]): SearchFields {
  const fields: Record<keyof SearchFields, string | boolean> = {
    startDate: random.pick(BOUNDS),
    endDate: random.pick(BOUNDS),
    minAmount: random.pick(AMOUNTS),
    maxAmount: random.pick(AMOUNTS),
    type: random.pick(contract.TYPES),
    category: random.pick(contract.CATEGORIES.slice(0, 6)),
    propertyId: String(random.pick([...propertyIds, ...propertyIds, 999_999_999])),
    status: random.pick(contract.STATUSES),
    paymentMethod: random.pick(contract.PAYMENT_METHODS.slice(0, 4)),
    recurring: random.chance(0.5),
    frequency: random.pick(contract.FREQUENCIES),
    vendor: someText(random),
    bookingReference: someText(random),
    paymentReference: someText(random),
    approvalStatus: random.pick([...APPROVAL_STATUSES, '%']),
    overdue: random.chance(0.5),
    searchTerm: random.chance(0.1) ? ' ' : someText(random),
    sortBy: random.pick(contract.TRANSACTION_SORT_FIELDS),
    sortDirection: random.pick(['asc', 'desc', 'ASC', 'Desc']),
  };
  const isGiven = ([name]: [string, unknown]): boolean =>
    random.chance(name.startsWith('sort') ? 0.6 : random.pick([0.05, 0.1, 0.2]));
  return Object.fromEntries(Object.entries(fields).filter(isGiven));
}

/** Some fields of a row as JSON, its money and its owner digit for digit. */
export function jsonOf(
  row: StoredRow,
  fields: readonly string[],
  nameOf = (field: string): string => field,
): string {
  const cents = String(row.cents).padStart(3, '0');
  const amount = `${cents.slice(0, -2)}.${cents.slice(-2)}`;
  const tokens: Readonly<Record<string, string>> = { amount, basePrice: amount, ownerId: row.ownerId };
  const valueOf = (field: string): string =>
    tokens[field] ?? JSON.stringify(row[field as keyof StoredRow] ?? null);
  return rawJson({}, Object.fromEntries(fields.map((field) => [nameOf(field), valueOf(field)])));
}

const columnOf = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Puts rows into their table, past the service: some columns no request can set. */
export async function store(service: Service, rows: readonly StoredRow[]): Promise<void> {
  const [table, money] = 'name' in rows[0]! ? ['properties', 'basePrice'] : ['transactions', 'amount'];
  const fields = Object.keys(rows[0]!).map((field) => (field === 'cents' ? money : field));
  const columns = fields.map(columnOf).join(', ');
  const records = rows.map((row) => jsonOf(row, fields, columnOf)).join();
  await service.sql(
    `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1)`,
    [`[${records}]`],
  );
}
