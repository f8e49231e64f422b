import { timeZone } from '../http/fields/calendar.js';
import { CsvQuery, WrittenCsvQuery } from '../http/fields/csv-form.js';
import { OptionalField, RequiredField } from '../http/fields/fields.js';
import { objectOf } from '../http/fields/fields.pipe.js';
import { flagInQuery, StrictQuery } from '../http/fields/query.js';
import type { SortKey } from '../http/fields/sort.js';
import { listOf, oneOf } from '../http/fields/values.js';
import { SortOfProperties } from '../properties/properties.dto.js';
import type { PropertySortField } from '../properties/properties.sort.js';
import { TransactionRequest } from '../transactions/transactions.dto.js';

export class PropertyExportQuery extends WrittenCsvQuery {
  @SortOfProperties() sort!: SortKey<PropertySortField>[];
}

const DUPLICATES = ['refuse', 'skip', 'allow'] as const;
/** The treatment of rows that are stored already. */
type DuplicateRule = (typeof DUPLICATES)[number];

export class ImportQuery extends CsvQuery {
  @OptionalField(flagInQuery, {
    fallback: false,
    description: 'Reports the same, and stores nothing.',
    example: false,
  })
  dryRun!: boolean;

  @OptionalField(oneOf(DUPLICATES, 'DuplicateRule'), {
    fallback: 'refuse',
    description:
      'What to do with a row that has the property, the amount, the day (in UTC) and the payment reference, or without ' +
      'one the type, description and vendor, of a stored transaction: refuse the file, skip such rows, or allow them. ' +
      'Rows are counted: of two alike with one stored, one is new.',
    example: 'skip',
  })
  duplicates!: DuplicateRule;

  @OptionalField(timeZone, {
    fallback: 'UTC',
    description:
      'The time zone of days without a time (`2026-02-01`) in the file, which mean their first instant: `UTC`, or an area ' +
      'and a location of the IANA database.',
    example: 'Europe/Lisbon',
  })
  timeZone!: string;
}

/** A batch has no parameters. */
export class BatchQuery extends StrictQuery {}

/** The most transactions of a batch. */
const MAX_BATCH = 100;

export class TransactionBatchRequest {
  @RequiredField(listOf(objectOf(TransactionRequest), MAX_BATCH, 1), {
    description: 'Each like the body that records one.',
  })
  transactions!: TransactionRequest[];
}
