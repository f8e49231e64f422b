import { readable } from './money.mjs';

const HEADING = ['Income', 'Expenses', 'Net'];
/** Sums that are in neither income nor expenses, shown when they are not zero. */
const OTHERS = {
  refundedIncome: 'Refunded income',
  refundedExpenses: 'Refunded expenses',
  depositsHeld: 'Security deposits held',
};

/** The profit and loss as a table for people. */
export function toTable({ year, byCategory, groups, total, paidWithoutDate }) {
  const rows = groups.flatMap(({ propertyName, groups: categories, ...sums }) => [
    [propertyName, ...amounts(sums)],
    ...categories.map(({ category, ...ofCategory }) => [`  ${category}`, ...amounts(ofCategory)]),
  ]);
  const heading = [byCategory ? 'Property, category' : 'Property', ...HEADING];
  const table = [heading, ...rows, ['Total', ...amounts(total)]];
  const widths = heading.map((_, column) => Math.max(...table.map((row) => Array.from(row[column]).length)));
  const lines = table.map((row) =>
    row.map((cell, column) => padded(cell, widths[column], column > 0)).join('  '),
  );
  lines.splice(-1, 0, '-'.repeat(lines[0].length));
  const others = Object.entries(OTHERS)
    .filter(([name]) => Number(total[name]) !== 0)
    .map(([name, label]) => `${label}: ${readable(total[name])}`);
  if (paidWithoutDate !== null && Number(paidWithoutDate.count) > 0) {
    const { count, income, expenses } = paidWithoutDate;
    const sums = `income ${readable(income)}, expenses ${readable(expenses)}`;
    others.push(`Paid without paidAt, and in no figure above: ${count} (${sums})`);
  }
  if (others.length > 0) lines.push('', ...others);
  return `Profit and loss ${year}\n\n${lines.join('\n')}\n`;
}

function amounts({ income, expenses, net }) {
  return [income, expenses, net].map(readable);
}

function padded(text, width, isRight) {
  const space = ' '.repeat(width - Array.from(text).length);
  return isRight ? space + text : text + space;
}
