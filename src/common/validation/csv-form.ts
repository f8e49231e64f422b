import { applyDecorators } from '@nestjs/common';
import { Bool, Enumeration } from './decorators.js';
import { Also, Optional } from './field.js';
import { enumOf } from './schema.js';

export const CSV = 'text/csv';

/** The name of a separator in a query → its character. */
export const SEPARATORS = { ',': ',', ';': ';', tab: '\t' } as const;

const SEPARATOR_NAMES = ['COMMA_SEPARATED', 'SEMICOLON_SEPARATED', 'TAB_SEPARATED'];

const DecimalSign = (): PropertyDecorator =>
  applyDecorators(
    Enumeration(enumOf(['.', ','], 'CsvDecimal', ['DECIMAL_POINT', 'DECIMAL_COMMA']), {
      description: 'The decimal sign in the numbers of CSV.',
      example: '.',
    }),
    Optional({ fallback: '.' }),
  );

export class CsvQuery {
  @Optional({ fallback: ',' })
  @Enumeration(enumOf(Object.keys(SEPARATORS), 'CsvSeparator', SEPARATOR_NAMES), {
    description: 'The character between the cells of CSV. Spreadsheets with decimal commas use `;`.',
    example: ',',
  })
  readonly separator!: keyof typeof SEPARATORS;

  @DecimalSign()
  readonly decimal!: '.' | ',';
}

export class WrittenCsvQuery extends CsvQuery {
  // A file that is read may quote its numbers.
  @Also('must not be the separator', (sign, { separator }) => sign !== (separator ?? ','))
  @DecimalSign()
  override readonly decimal!: '.' | ',';

  @Optional({ fallback: false })
  @Bool({
    description: 'Whether CSV begins with a byte order mark, by which some spreadsheets recognise UTF-8.',
    example: false,
  })
  readonly bom!: boolean;
}

/** The start of a file, up to its rows. */
export function csvHead(columns: readonly (readonly [name: string, ...unknown[]])[], form: WrittenCsvQuery) {
  const { separator, bom } = form;
  return `${bom ? '\ufeff' : ''}${columns.map(([name]) => name).join(SEPARATORS[separator])}\r\n`;
}
