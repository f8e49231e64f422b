import { FACETS } from '../transactions/transaction.enums.js';

const { type, status, category } = FACETS;
const [EXPENSE, INCOME] = [type.of('EXPENSE'), type.of('INCOME')];
/** Added to the number of the type. */
const [REFUNDED, DEPOSIT] = [2, 4];
const BOTH = 7; // a security deposit that was received, and then refunded

const TYPE = `(t.facets & ${type.mask})`;
const IS_REFUNDED = `t.facets & ${status.mask} = ${status.of('REFUNDED')}`;

/** SQL over `t`: one number for type, deposit and refund, by which amounts are summed. */
export const KIND = `CASE
  WHEN t.facets & ${category.mask} = ${category.of('SECURITY_DEPOSIT')}
    THEN CASE WHEN ${IS_REFUNDED} THEN ${BOTH} ELSE ${DEPOSIT} + ${TYPE} END
  WHEN ${IS_REFUNDED} THEN ${REFUNDED} + ${TYPE} ELSE ${TYPE} END`;

/** SQL over `t`: whether a transaction counts; a cancelled one does not. */
export const COUNTS = `t.facets & ${status.mask} <> ${status.of('CANCELLED')}`;

function sumOf(...kinds: number[]): string {
  return `coalesce(sum(e.amount) FILTER (WHERE e.kind IN (${kinds.join(', ')})), 0.00)`;
}

const [income, expenses] = [sumOf(INCOME), sumOf(EXPENSE)];
const [received, returned] = [sumOf(DEPOSIT + INCOME, BOTH), sumOf(DEPOSIT + EXPENSE, BOTH)];

const WITHOUT = 'Without refunded amounts and security deposits.';

/** Figure → its SQL over `e`, the amounts by kind, and its description and example. */
export const FIGURES = {
  income: [income, WITHOUT, 1319.5],
  expenses: [expenses, WITHOUT, 166.25],
  net: [`${income} - ${expenses}`, '`income` less `expenses`.', 1153.25],
  refundedIncome: [sumOf(REFUNDED + INCOME), 'Income with the status `REFUNDED`.', 0],
  refundedExpenses: [sumOf(REFUNDED + EXPENSE), 'Expenses with the status `REFUNDED`.', 0],
  depositsReceived: [received, 'Security deposits received.', 500],
  depositsReturned: [returned, 'Security deposits returned, or `REFUNDED`.', 300],
  depositsHeld: [
    `${received} - ${returned}`,
    '`depositsReceived` less `depositsReturned`: a liability, not income.',
    200,
  ],
} as const;
