import { csvRecord } from './csv.mjs';
import { readable } from './money.mjs';

const HEADING = ['Income', 'Expenses', 'Net'];
/** What is in neither income nor expenses, where there is any. */
const APART = {
  refundedIncome: 'Refunded income',
  refundedExpenses: 'Refunded expenses',
  depositsHeld: 'Security deposits held',
};

/** For people. */
export function toTable({ year, byCategory, groups, total }) {
  const rows = groups.flatMap(({ propertyName, groups: categories, ...sums }) => [
    [propertyName, ...amounts(sums, readable)],
    ...categories.map(({ category, ...ofCategory }) => [`  ${category}`, ...amounts(ofCategory, readable)]),
  ]);
  const heading = [byCategory ? 'Property, category' : 'Property', ...HEADING];
  const table = [heading, ...rows, ['Total', ...amounts(total, readable)]];
  const widths = heading.map((_, column) => Math.max(...table.map((row) => Array.from(row[column]).length)));
  const lines = table.map((row) =>
    row.map((cell, column) => padded(cell, widths[column], column > 0)).join('  '),
  );
  lines.splice(-1, 0, '-'.repeat(lines[0].length));
  const apart = Object.entries(APART).filter(([name]) => Number(total[name]) !== 0);
  if (apart.length > 0) lines.push('', ...apart.map(([name, label]) => `${label}: ${readable(total[name])}`));
  return `Profit and loss ${year}\n\n${lines.join('\n')}\n`;
}

/** One record for each property, or for each category of each property. */
export function toCsv({ byCategory, groups }) {
  const names = ['propertyId', 'property', ...(byCategory ? ['category'] : []), 'income', 'expenses', 'net'];
  const records = groups.flatMap(({ propertyId, propertyName, groups: categories, ...sums }) =>
    byCategory
      ? categories.map(({ category, ...ofCategory }) => [
          propertyId,
          propertyName,
          category,
          ...amounts(ofCategory),
        ])
      : [[propertyId, propertyName, ...amounts(sums)]],
  );
  return [names, ...records].map(csvRecord).join('');
}

/** Ids and amounts are strings: a reader's numbers may not hold all of their digits. */
export function toJson({ year, byCategory, groups, total }) {
  const properties = groups.map(({ propertyId, propertyName, groups: categories, ...sums }) => ({
    propertyId,
    property: propertyName,
    ...named(sums),
    ...(byCategory
      ? { categories: categories.map(({ category, ...ofCategory }) => ({ category, ...named(ofCategory) })) }
      : {}),
  }));
  return `${JSON.stringify({ year: Number(year), properties, total: named(total) }, undefined, 2)}\n`;
}

function named({ income, expenses, net }) {
  return { income, expenses, net };
}

function amounts({ income, expenses, net }, textOf = (digits) => digits) {
  return [income, expenses, net].map(textOf);
}

function padded(text, width, isRight) {
  const space = ' '.repeat(width - Array.from(text).length);
  return isRight ? space + text : text + space;
}
