import {
  CATEGORIES,
  FREQUENCIES,
  PAYMENT_METHODS,
  STATUSES,
  TRANSACTION_SORT_FIELDS,
  TYPES,
} from './contract.js';
import type { Random } from './random.js';
import { rawJson } from './raw-json.js';
import type { SearchFields } from './search-oracle.js';
import { APPROVAL_STATUSES, someText } from './search-rows.js';

const BOUNDS = [
  ...['2026-01-15T10:30:00Z', '2026-01-15T10:30', '2026-01-15T10:30:00.001Z', '2026-03-01T00:00:00Z'],
  ...['2026-01-15T00:59:59.9999+01:00', '2025-12-31T18:00:00-05:00'],
  ...['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'],
];
const AMOUNTS = [
  ...['0', '0.01', '0.011', '1', '1.0', '1.001', '1e1', '1e2', '100', '360.75', '-5', '0.005'],
  ...['1e400', '-1e400', '1e-400', '1234567.89', '1234567.8900000001', '90071992547409.91'],
];

export interface GeneratedSearch {
  /** Whose token it carries. */
  readonly caller: 'owner' | 'other' | 'admin';
  readonly fields: SearchFields;
  readonly page: number;
  readonly size: number;
}

/** A search with some filters: few enough that most find something. */
export function someSearch(random: Random, propertyIds: readonly number[]): GeneratedSearch {
  const fields: Record<keyof SearchFields, string | boolean> = {
    startDate: random.pick(BOUNDS),
    endDate: random.pick(BOUNDS),
    minAmount: random.pick(AMOUNTS),
    maxAmount: random.pick(AMOUNTS),
    type: random.pick(TYPES),
    category: random.pick(CATEGORIES.slice(0, 6)),
    propertyId: String(random.pick([...propertyIds, ...propertyIds, 999_999_999])),
    status: random.pick(STATUSES),
    paymentMethod: random.pick(PAYMENT_METHODS.slice(0, 4)),
    recurring: random.chance(0.5),
    frequency: random.pick(FREQUENCIES),
    vendor: someText(random),
    approvalStatus: random.pick([...APPROVAL_STATUSES, '%']),
    overdue: random.chance(0.5),
    searchTerm: random.chance(0.1) ? ' ' : someText(random),
    sortBy: random.pick(TRANSACTION_SORT_FIELDS),
    sortDirection: random.pick(['asc', 'desc', 'ASC', 'Desc']),
  };
  const isGiven = ([name]: [string, unknown]): boolean =>
    random.chance(name.startsWith('sort') ? 0.6 : random.pick([0.05, 0.1, 0.2]));
  return {
    caller: random.pick(['owner', 'owner', 'other', 'admin']),
    fields: Object.fromEntries(Object.entries(fields).filter(isGiven)),
    page: random.pick([0, 0, 0, 1, 2, 50]),
    size: random.pick([1, 7, 20, 100, 100]),
  };
}

/** The request's body: the numbers stand in it digit by digit. */
export function searchBody({ fields, page, size }: Omit<GeneratedSearch, 'caller'>): string {
  const { minAmount, maxAmount, propertyId, ...rest } = fields;
  return rawJson({ ...rest, page, size }, { minAmount, maxAmount, propertyId });
}
