import { csvRecord } from './csv.mjs';
import { decimalOf, readableOf } from './money.mjs';

/** For people. */
export function toTable({ year, byCategory, statement, total }) {
  const rows = statement.flatMap(({ property, categories, ...sums }) => [
    [property, ...amounts(sums, readableOf)],
    ...categories.map(({ category, ...ofCategory }) => [`  ${category}`, ...amounts(ofCategory, readableOf)]),
  ]);
  const heading = [byCategory ? 'Property, category' : 'Property', 'Income', 'Expenses', 'Net'];
  const table = [heading, ...rows, ['Total', ...amounts(total, readableOf)]];
  const widths = heading.map((_, column) => Math.max(...table.map((row) => Array.from(row[column]).length)));
  const lines = table.map((row) =>
    row.map((cell, column) => padded(cell, widths[column], column > 0)).join('  '),
  );
  lines.splice(-1, 0, '-'.repeat(lines[0].length));
  return `Profit and loss ${year}\n\n${lines.join('\n')}\n`;
}

/** One record for each property, or for each category of each property. */
export function toCsv({ byCategory, statement }) {
  const names = ['propertyId', 'property', ...(byCategory ? ['category'] : []), 'income', 'expenses', 'net'];
  const records = statement.flatMap(({ propertyId, property, categories, ...sums }) =>
    byCategory
      ? categories.map(({ category, ...ofCategory }) => [
          propertyId,
          property,
          category,
          ...amounts(ofCategory, decimalOf),
        ])
      : [[propertyId, property, ...amounts(sums, decimalOf)]],
  );
  return [names, ...records].map(csvRecord).join('');
}

/** Ids and amounts are strings: a reader's numbers may not hold all of their digits. */
export function toJson({ year, byCategory, statement, total }) {
  const properties = statement.map(({ propertyId, property, categories, ...sums }) => ({
    propertyId,
    property,
    ...named(sums),
    ...(byCategory
      ? { categories: categories.map(({ category, ...ofCategory }) => ({ category, ...named(ofCategory) })) }
      : {}),
  }));
  return `${JSON.stringify({ year: Number(year), properties, total: named(total) }, undefined, 2)}\n`;
}

function named(sums) {
  const [income, expenses, net] = amounts(sums, decimalOf);
  return { income, expenses, net };
}

function amounts({ income, expenses }, textOf) {
  return [income, expenses, income - expenses].map(textOf);
}

function padded(text, width, isRight) {
  const space = ' '.repeat(width - Array.from(text).length);
  return isRight ? space + text : text + space;
}
