import { validationFailed } from '../problems/problem.js';
import { optional, requestOf } from './fields.js';
import { boolean, oneOf } from './values.js';

export const CSV = 'text/csv';

/** The name of a separator in a query → its character. */
export const SEPARATORS = { ',': ',', ';': ';', tab: '\t' } as const;

/** The form of a file of CSV. */
export const CSV_READ = {
  separator: optional(oneOf(Object.keys(SEPARATORS) as (keyof typeof SEPARATORS)[], 'CsvSeparator'), {
    fallback: ',',
    description: 'The character between the cells of CSV. Spreadsheets with decimal commas use `;`.',
    example: ';',
  }),
  decimal: optional(oneOf(['.', ','], 'CsvDecimal'), {
    fallback: '.',
    description: 'The decimal sign in the numbers of CSV.',
    example: ',',
  }),
};

export const CSV_WRITTEN = {
  ...CSV_READ,
  bom: optional(boolean, {
    fallback: false,
    description: 'Whether CSV begins with a byte order mark, by which some spreadsheets recognise UTF-8.',
    example: false,
  }),
};

export class CsvQuery extends requestOf(CSV_READ) {}
export class WrittenCsvQuery extends requestOf(CSV_WRITTEN) {}

/** The start of a file, up to its rows. Throws validation-failed for a separator that is the decimal sign. */
export function csvHead(
  columns: readonly (readonly [name: string, ...unknown[]])[],
  { separator, decimal, bom }: WrittenCsvQuery,
): string {
  if (separator === decimal) throw validationFailed({ decimal: 'must not be the separator' });
  return `${bom ? '\ufeff' : ''}${columns.map(([name]) => name).join(SEPARATORS[separator])}\r\n`;
}
