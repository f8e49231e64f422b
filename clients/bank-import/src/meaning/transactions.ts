import type { TransactionCategory } from '../../../typescript/src/public.js';
import { centsOf, decimalOf, magnitude } from './amounts.js';
import type { Cells } from './cells.js';
import type { DraftedRow } from './drafts.js';
import type { Condition, Rule } from './rules.js';

/** One transaction of a line. */
export interface Planned {
  readonly reference: string;
  readonly type: 'INCOME' | 'EXPENSE';
  readonly category: TransactionCategory;
  /** Above zero. */
  readonly cents: bigint;
}

export interface Moved {
  /** Without the fee where that is a transaction of its own. */
  readonly amount: bigint;
  /** Above zero where it was paid. */
  readonly fee: bigint;
}

/** The first rule that fits, with its position. */
export function ruleFor(
  { row }: DraftedRow,
  cells: Cells,
  { amount }: Moved,
  description: string,
): [Rule, number] | undefined {
  const { rules } = cells.rules;
  const index = rules.findIndex(
    (rule) =>
      isInRange(rule, amount) &&
      cells.has(rule, row, [description]) &&
      (amount !== 0n || rule.transfer === true),
  );
  const rule = rules[index];
  return rule === undefined ? undefined : [rule, index];
}

function isInRange({ direction, min, max }: Condition, amount: bigint): boolean {
  const [least, most] = [min, max].map((bound) => (bound === undefined ? undefined : centsOf(String(bound))));
  const [size, way] = [magnitude(amount), amount > 0n ? 'in' : 'out'];
  return (direction ?? way) === way && size >= (least ?? size) && size <= (most ?? size);
}

/** The transactions of a line: the parts of its amount, and its fee. */
export function transactionsOf(
  draft: DraftedRow,
  cells: Cells,
  moved: Moved,
  rule: Rule | undefined,
  reference: string,
): Planned[] {
  const { otherwise, feeCategory = 'PLATFORM_FEES' } = cells.rules;
  const plan = (cents: bigint, category: TransactionCategory | undefined, suffix: string): Planned[] => {
    const type = cents > 0n ? 'INCOME' : 'EXPENSE';
    if (cents === 0n) return [];
    return [
      { reference: reference + suffix, type, category: category ?? otherwise[type], cents: magnitude(cents) },
    ];
  };
  const parts =
    rule?.split === undefined
      ? [[moved.amount, rule?.category] as const]
      : partsOf(draft, cells, moved.amount, rule.split);
  return [
    ...parts.flatMap(([cents, category], index) => plan(cents, category, index === 0 ? '' : `-${index + 1}`)),
    ...plan(-moved.fee, feeCategory, '-fee'),
  ];
}

function partsOf(
  { row }: DraftedRow,
  cells: Cells,
  amount: bigint,
  parts: NonNullable<Rule['split']>,
): [bigint, TransactionCategory | undefined][] {
  const turned = amount < 0n ? -1n : 1n;
  const given = parts.map(({ amount: stated, column }) =>
    column !== undefined
      ? (cells.cents(row, column) ?? 0n)
      : stated === undefined
        ? undefined
        : (centsOf(String(stated)) ?? 0n),
  );
  const rest = magnitude(amount) - given.reduce<bigint>((sum, part) => sum + (part ?? 0n), 0n);
  const open = given.filter((part) => part === undefined).length;
  if (open > 1) throw new Error('only one part of a split can be the rest');
  if ((open === 0 && rest !== 0n) || rest < 0n)
    throw new Error(
      `the parts of the split and ${decimalOf(magnitude(amount))} differ by ${decimalOf(rest)}`,
    );
  return parts.map(({ category }, index) => [turned * (given[index] ?? rest), category]);
}
