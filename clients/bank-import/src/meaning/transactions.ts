import type { TransactionCategory } from '../../../typescript/src/public.js';
import { centsOf, decimalOf, magnitude, sumOf } from './amounts.js';
import type { Signed } from './balance.js';
import type { Cells, Draft } from './cells.js';
import type { Condition, Rule } from './rules.js';

/** One transaction of a line. */
export interface Planned {
  /** What its reference has behind that of the line. */
  readonly suffix: string;
  readonly type: 'INCOME' | 'EXPENSE';
  readonly category: TransactionCategory;
  /** Above zero. */
  readonly cents: bigint;
}

/** The parts of a line's amount and its fee, by the first rule that fits, whose position is -1 where none does. */
export function planOf(draft: Draft, signed: Signed, cells: Cells, text: string): [rule: number, Planned[]] {
  const { rules, otherwise, feeCategory } = cells.rules;
  const isApart = (index: number): boolean => feeCategory !== undefined && draft.parts[index]?.isFee === true;
  const amount = sumOf(signed.filter((_, index) => !isApart(index)));
  const fee = sumOf(signed.filter((_, index) => isApart(index)));
  const isFor = (rule: Rule): boolean => isInRange(rule, amount) && cells.fits(rule, draft.row, [text]);
  const found = rules.findIndex((rule) => (amount !== 0n || rule.transfer) && isFor(rule));
  const { category: single, split, transfer } = rules[found] ?? {};
  if (transfer) return [found, []];
  const parts = split === undefined ? [[amount, single] as const] : partsOf(draft, cells, amount, split);
  const numbered = parts.map((part, index) => [...part, index === 0 ? '' : `-${index + 1}`] as const);
  const planned = [...numbered, [fee, feeCategory, '-fee'] as const].map(([cents, own, suffix]): Planned => {
    const type = cents > 0n ? 'INCOME' : 'EXPENSE';
    return { suffix, type, category: own ?? otherwise[type] ?? `OTHER_${type}`, cents: magnitude(cents) };
  });
  return [found, planned.filter(({ cents }) => cents !== 0n)];
}

function isInRange({ direction, min, max }: Condition, amount: bigint): boolean {
  const [least, most] = [min, max].map((bound) => centsOf(String(bound ?? '')));
  const [size, way] = [magnitude(amount), amount > 0n ? 'in' : 'out'];
  return (direction ?? way) === way && size >= (least ?? size) && size <= (most ?? size);
}

/** Amounts of a split go the way of the line, those below zero the other. One of them may be the rest. */
function partsOf({ row }: Draft, cells: Cells, amount: bigint, parts: NonNullable<Rule['split']>) {
  const given = parts.map(({ amount: stated, column }) => {
    if (column !== undefined) return cells.cents(row, column) ?? 0n;
    return stated === undefined ? undefined : centsOf(String(stated));
  });
  const rest = magnitude(amount) - sumOf(given.map((part) => part ?? 0n));
  const open = given.filter((part) => part === undefined).length;
  if (open > 1) throw new Error('only one part of a split can be the rest');
  if ((open === 0 && rest !== 0n) || rest < 0n)
    throw new Error(
      `the parts of the split and ${decimalOf(magnitude(amount))} differ by ${decimalOf(rest)}`,
    );
  return parts.map(({ category }, index) => {
    const cents = given[index] ?? rest;
    return [amount < 0n ? -cents : cents, category] as const;
  });
}
