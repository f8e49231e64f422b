import { IntersectionType } from '@nestjs/swagger';
import { TimeZone } from '../../common/validation/calendar.js';
import { CsvQuery, WrittenCsvQuery } from '../../common/validation/csv-form.js';
import { Bool, Enumeration, ListOf } from '../../common/validation/decorators.js';
import { Optional } from '../../common/validation/field.js';
import { enumOf } from '../../common/validation/schema.js';
import { PropertySortQuery } from '../../properties/dto/property.request.js';
import { TransactionFilters, TransactionRequest } from '../../transactions/dto/transaction.request.js';

export class TransactionExportQuery extends WrittenCsvQuery {
  @Optional({ fallback: 'UTC' })
  @TimeZone({
    description:
      'The time zone of the file: its times are local, with their offset (`2026-08-01T00:00:00.000+01:00`), and an import ' +
      'has the same instants again. `UTC`, or an area and a location of the IANA database.',
    example: 'Europe/Lisbon',
  })
  readonly timeZone!: string;
}

/** The same with a search's filters in the URL. */
export class TransactionDownloadQuery extends IntersectionType(TransactionFilters, TransactionExportQuery) {}

/** A property has no times. */
export class PropertyExportQuery extends IntersectionType(WrittenCsvQuery, PropertySortQuery) {}

export type ExportQuery = WrittenCsvQuery & Partial<Pick<TransactionExportQuery, 'timeZone'>>;

const DUPLICATE_RULES = ['refuse', 'skip', 'allow'] as const;
const DUPLICATE_KEYS = ['content', 'reference'] as const;

export class ImportQuery extends CsvQuery {
  @Optional({ fallback: false })
  @Bool({ description: 'Reports the same, and stores nothing.', example: false })
  readonly dryRun!: boolean;

  @Optional({ fallback: 'refuse' })
  @Enumeration(enumOf(DUPLICATE_RULES, 'DuplicateRule'), {
    description:
      'What to do with a row that has the property, the amount, the day (in UTC) and the payment reference, or without ' +
      'one the type, description and vendor, of a stored transaction: refuse the file, skip such rows, or allow them. ' +
      'Rows are counted: of two alike with one stored, one is new.',
    example: 'skip',
  })
  readonly duplicates!: (typeof DUPLICATE_RULES)[number];

  @Optional({ fallback: 'content' })
  @Enumeration(enumOf(DUPLICATE_KEYS, 'DuplicateKey'), {
    description:
      'By what a duplicate is known: all of that, or the reference alone, whatever was corrected since.',
    example: 'reference',
  })
  readonly by!: (typeof DUPLICATE_KEYS)[number];

  @Optional({ fallback: false })
  @Bool({ description: 'Names the transaction of each row.', example: false })
  readonly lines!: boolean;

  @Optional({ fallback: 'UTC' })
  @TimeZone({
    description:
      'The time zone of days without a time (`2026-02-01`) in the file, which mean their first instant: `UTC`, or an area ' +
      'and a location of the IANA database.',
    example: 'Europe/Lisbon',
  })
  readonly timeZone!: string;
}

/** A batch has no parameters. */
export class BatchQuery extends Object {}

/** The most transactions of a batch. */
const MAX_BATCH = 100;

export class TransactionBatchRequest {
  @ListOf(TransactionRequest, { min: 1, max: MAX_BATCH, description: 'Each like the body that records one.' })
  readonly transactions!: TransactionRequest[];
}
