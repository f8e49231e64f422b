import { CATEGORIES, FREQUENCIES, PAYMENT_METHODS, STATUSES, TYPES } from './contract.js';
import type { Random } from './random.js';
import type { Service } from './service.js';

/** A row of the table `transactions`, column by column. Amounts are in cents, so that they are exact. */
export interface StoredTransaction {
  readonly id: number;
  readonly owner_id: string;
  readonly property_id: number;
  readonly property_name: string;
  readonly type: string;
  readonly category: string;
  readonly subcategory: string | null;
  readonly description: string;
  readonly cents: number | bigint;
  readonly date: string;
  readonly status: string;
  readonly payment_method: string | null;
  readonly payment_reference: string | null;
  readonly recurring: boolean;
  readonly frequency: string | null;
  readonly vendor: string | null;
  readonly notes: string | null;
  readonly due_date: string | null;
  readonly paid_at: string | null;
  readonly booking_reference: string | null;
  readonly approval_status: string | null;
  readonly created_at: string;
  readonly updated_at: string;
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

/** Random rows of two owners' properties; ids and times are in no order of each other. */
export function someTransactions(
  random: Random,
  count: number,
  properties: readonly { id: number; ownerId: string }[],
): StoredTransaction[] {
  const maybe = <T>(value: T): T | null => (random.chance(0.35) ? null : value);
  const ids = random.shuffled(Array.from({ length: count }, (_, index) => 1000 + index));
  return ids.map((id) => {
    const property = random.pick(properties);
    const recurring = random.chance(0.5);
    return {
      id,
      owner_id: property.ownerId,
      property_id: property.id,
      property_name: `Property ${property.id}`,
      type: random.pick(TYPES),
      category: random.pick(CATEGORIES.slice(0, 5)),
      subcategory: maybe(someText(random)),
      description: someText(random),
      cents: random.pick(CENTS),
      date: random.pick(DATES),
      status: random.pick(STATUSES),
      payment_method: maybe(random.pick(PAYMENT_METHODS.slice(0, 3))),
      payment_reference: maybe(someText(random)),
      recurring,
      frequency: recurring ? maybe(random.pick(FREQUENCIES)) : 'ONE_TIME',
      vendor: maybe(someText(random)),
      notes: maybe(someText(random)),
      due_date: maybe(random.pick(DUE_DATES)),
      paid_at: random.chance(0.7) ? null : random.pick(DATES),
      booking_reference: maybe(someText(random)),
      approval_status: maybe(random.pick(APPROVAL_STATUSES)),
      created_at: random.pick(DATES.slice(0, 3)),
      updated_at: random.pick(DATES.slice(0, 5)),
    };
  });
}

/** An amount as the service writes it. */
export function amountOf({ cents }: Pick<StoredTransaction, 'cents'>): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Puts the rows into the table, past the service: some columns no request can set. */
export async function store(service: Service, rows: readonly StoredTransaction[]): Promise<void> {
  const stored = rows.map(({ cents, ...columns }) => ({ ...columns, amount: amountOf({ cents }) }));
  const columns = Object.keys(stored[0]!).join(', ');
  await service.sql(
    `INSERT INTO transactions (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::transactions, $1)`,
    [JSON.stringify(stored)],
  );
}
