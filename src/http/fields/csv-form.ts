import { validationFailed } from '../problem/problem.js';
import { OptionalField } from './fields.js';
import { flagInQuery, StrictQuery } from './query.js';
import { oneOf } from './values.js';

export const CSV = 'text/csv';

/** The name of a separator in a query → its character. */
export const SEPARATORS = { ',': ',', ';': ';', tab: '\t' } as const;
type Separator = keyof typeof SEPARATORS;
const DECIMALS = ['.', ','] as const;
type Decimal = (typeof DECIMALS)[number];

export const SeparatorField = OptionalField(oneOf(Object.keys(SEPARATORS) as Separator[], 'CsvSeparator'), {
  fallback: ',',
  description: 'The character between the cells of CSV. Spreadsheets with decimal commas use `;`.',
  example: ';',
});

export const DecimalField = OptionalField(oneOf(DECIMALS, 'CsvDecimal'), {
  fallback: '.',
  description: 'The decimal sign in the numbers of CSV.',
  example: ',',
});

export const ByteOrderMarkField = OptionalField(flagInQuery, {
  fallback: false,
  description: 'Whether CSV begins with a byte order mark, by which some spreadsheets recognise UTF-8.',
  example: false,
});

/** The form of CSV, in and out. */
export class CsvQuery extends StrictQuery {
  @SeparatorField separator!: Separator;
  @DecimalField decimal!: Decimal;
}

export class WrittenCsvQuery extends CsvQuery {
  @ByteOrderMarkField bom!: boolean;
}

/** The start of a file, up to its rows. Throws validation-failed for a separator that is the decimal sign. */
export function csvHead(columns: readonly string[], { separator, decimal, bom }: WrittenCsvQuery): string {
  if (separator === decimal) throw validationFailed({ decimal: 'must not be the separator' });
  return `${bom ? '\ufeff' : ''}${columns.join(SEPARATORS[separator])}\r\n`;
}
