import { timeZone } from '../../common/validation/calendar.js';
import { CSV_READ, CSV_WRITTEN, type WrittenCsvQuery } from '../../common/validation/csv-form.js';
import { optional, required, requestOf } from '../../common/validation/fields.js';
import { boolean, listOf, objectOf, oneOf } from '../../common/validation/values.js';
import { SORT_OF_PROPERTIES } from '../../properties/dto/property.request.js';
import { TransactionRequest } from '../../transactions/dto/transaction.request.js';

export class TransactionExportQuery extends requestOf({
  ...CSV_WRITTEN,
  timeZone: optional(timeZone, {
    fallback: 'UTC',
    description:
      'The time zone of the file: its times are local, with their offset (`2026-08-01T00:00:00.000+01:00`), and an import ' +
      'has the same instants again. `UTC`, or an area and a location of the IANA database.',
    example: 'Europe/Lisbon',
  }),
}) {}

/** A property has no times. */
export class PropertyExportQuery extends requestOf({ ...CSV_WRITTEN, sort: SORT_OF_PROPERTIES }) {}

export type ExportQuery = WrittenCsvQuery & Partial<Pick<TransactionExportQuery, 'timeZone'>>;

export class ImportQuery extends requestOf({
  ...CSV_READ,
  dryRun: optional(boolean, {
    fallback: false,
    description: 'Reports the same, and stores nothing.',
    example: false,
  }),
  duplicates: optional(oneOf(['refuse', 'skip', 'allow'], 'DuplicateRule'), {
    fallback: 'refuse',
    description:
      'What to do with a row that has the property, the amount, the day (in UTC) and the payment reference, or without ' +
      'one the type, description and vendor, of a stored transaction: refuse the file, skip such rows, or allow them. ' +
      'Rows are counted: of two alike with one stored, one is new.',
    example: 'skip',
  }),
  by: optional(oneOf(['content', 'reference'], 'DuplicateKey'), {
    fallback: 'content',
    description:
      'By what a duplicate is known: all of that, or the reference alone, whatever was corrected since.',
    example: 'reference',
  }),
  lines: optional(boolean, {
    fallback: false,
    description: 'Names the transaction of each row.',
    example: false,
  }),
  timeZone: optional(timeZone, {
    fallback: 'UTC',
    description:
      'The time zone of days without a time (`2026-02-01`) in the file, which mean their first instant: `UTC`, or an area ' +
      'and a location of the IANA database.',
    example: 'Europe/Lisbon',
  }),
}) {}

/** A batch has no parameters. */
export class BatchQuery extends requestOf({}) {}

/** The most transactions of a batch. */
const MAX_BATCH = 100;

export class TransactionBatchRequest extends requestOf({
  transactions: required(listOf(objectOf(TransactionRequest), MAX_BATCH, 1), {
    description: 'Each like the body that records one.',
  }),
}) {}
