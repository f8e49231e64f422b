import { FACETS } from '../transactions/facets.js';
import type { Status } from '../transactions/transaction.enums.js';

const { type, status, category } = FACETS;

/** How the books classify a transaction, as an integer in SQL. */
export const KIND = {
  expenses: type.of('EXPENSE'),
  income: type.of('INCOME'),
  refundedExpenses: 2 + type.of('EXPENSE'),
  refundedIncome: 2 + type.of('INCOME'),
  depositsReturned: 4 + type.of('EXPENSE'),
  depositsReceived: 4 + type.of('INCOME'),
  /** Received and returned. */
  depositsRefunded: 7,
} as const;

const has = (value: Status): string => `t.facets & ${status.mask} = ${status.of(value)}`;
const TYPE = `(t.facets & ${type.mask})`;

/** SQL over `t`: its {@link KIND}. */
export const KIND_OF_ENTRY = `CASE
  WHEN t.facets & ${category.mask} = ${category.of('SECURITY_DEPOSIT')}
    THEN CASE WHEN ${has('REFUNDED')} THEN ${KIND.depositsRefunded} ELSE 4 + ${TYPE} END
  WHEN ${has('REFUNDED')} THEN 2 + ${TYPE} ELSE ${TYPE} END`;

/** SQL over `t`: a cancelled transaction never happened. */
export const COUNTS = `t.facets & ${status.mask} <> ${status.of('CANCELLED')}`;

/** SQL over `e`, the amounts by kind: the sum of these kinds. */
export function sumOf(...kinds: number[]): string {
  return `coalesce(sum(e.amount) FILTER (WHERE e.kind IN (${kinds.join(', ')})), 0.00)`;
}

const [received, returned] = [
  sumOf(KIND.depositsReceived, KIND.depositsRefunded),
  sumOf(KIND.depositsReturned, KIND.depositsRefunded),
];

/** Figure → its SQL over the amounts by kind. */
export const FIGURES = {
  income: sumOf(KIND.income),
  expenses: sumOf(KIND.expenses),
  net: `${sumOf(KIND.income)} - ${sumOf(KIND.expenses)}`,
  refundedIncome: sumOf(KIND.refundedIncome),
  refundedExpenses: sumOf(KIND.refundedExpenses),
  depositsReceived: received,
  depositsReturned: returned,
  depositsHeld: `${received} - ${returned}`,
} as const;
