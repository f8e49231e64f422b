import { CATEGORIES, FREQUENCIES, PAYMENT_METHODS, STATUSES, TYPES } from './contract.js';
import type { Random } from './random.js';
import type { Service } from './service.js';

/** A transaction by the fields of its response, and its owner. Amounts are in cents, so that they are exact. */
export type StoredTransaction = ReturnType<typeof someTransaction>;

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
/** Nowhere near the moment of the test. */
const DUE_DATES = ['2019-05-01T00:00:00.000Z', '2020-01-01T00:00:00.000Z', '2990-01-01T00:00:00.000Z'];
const CENTS = [1, 2, 99, 100, 101, 1000, 9999, 10_000, 36_075, 123_456_789, 9_007_199_254_740_991];
export const APPROVAL_STATUSES = ['APPROVED', 'approved', 'REJECTED', ''];

export function someText(random: Random): string {
  return Array.from({ length: random.below(4) }, () => random.pick(PIECES)).join('');
}

/** Random rows of these properties; ids and times are in no order of each other. */
export function someTransactions(
  random: Random,
  count: number,
  properties: readonly Place[],
): StoredTransaction[] {
  const ids = random.shuffled(Array.from({ length: count }, (_, index) => 1000 + index));
  return ids.map((id) => someTransaction(random, id, random.pick(properties)));
}

function someTransaction(random: Random, id: number, property: Place) {
  const maybe = <T>(value: T): T | null => (random.chance(0.35) ? null : value);
  const recurring = random.chance(0.5);
  return {
    id,
    ownerId: property.ownerId,
    propertyId: property.id,
    propertyName: `Property ${property.id}`,
    type: random.pick(TYPES),
    category: random.pick(CATEGORIES.slice(0, 5)),
    subcategory: maybe(someText(random)),
    description: someText(random),
    cents: random.pick<number | bigint>(CENTS),
    date: random.pick(DATES),
    status: random.pick(STATUSES),
    paymentMethod: maybe(random.pick(PAYMENT_METHODS.slice(0, 3))),
    paymentReference: maybe(someText(random)),
    recurring,
    frequency: recurring ? maybe(random.pick(FREQUENCIES)) : 'ONE_TIME',
    vendor: maybe(someText(random)),
    notes: maybe(someText(random)),
    dueDate: maybe(random.pick(DUE_DATES)),
    paidAt: random.chance(0.7) ? null : random.pick(DATES),
    bookingReference: maybe(someText(random)),
    approvalStatus: maybe(random.pick(APPROVAL_STATUSES)),
    createdAt: random.pick(DATES.slice(0, 3)),
    updatedAt: random.pick(DATES.slice(0, 5)),
  };
}

/** An amount as the service writes it. */
export function amountOf({ cents }: Pick<StoredTransaction, 'cents'>): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Puts the transactions into their table, past the service: some columns no request can set. */
export async function store(service: Service, rows: readonly StoredTransaction[]): Promise<void> {
  await insert(
    service,
    'transactions',
    rows.map(({ cents, ...fields }) => ({ ...fields, amount: amountOf({ cents }) })),
  );
}

/** Puts rows into a table; a column is a field in snake case. */
export async function insert(service: Service, table: string, rows: readonly object[]): Promise<void> {
  const columnOf = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const stored = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([field, value]) => [columnOf(field), value as unknown])),
  );
  const columns = Object.keys(stored[0]!).join(', ');
  await service.sql(
    `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1)`,
    [JSON.stringify(stored)],
  );
}
