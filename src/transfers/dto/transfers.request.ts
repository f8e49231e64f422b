import { IntersectionType } from '@nestjs/swagger';
import { TimeZone } from '../../common/validation/calendar.js';
import { CsvQuery, WrittenCsvQuery } from '../../common/validation/csv-form.js';
import { Bool, Enumeration, Int32, Int64, ListOf, Text } from '../../common/validation/decorators.js';
import { Optional } from '../../common/validation/field.js';
import { enumOf } from '../../common/validation/schema.js';
import { PropertySortQuery } from '../../properties/dto/property.request.js';
import { TransactionFilters, TransactionRequest } from '../../transactions/dto/transaction.request.js';

export class TransactionExportQuery extends WrittenCsvQuery {
  @TimeZone('The time zone of the file’s times, which carry their offset (`2026-08-01T00:00:00.000+01:00`)')
  readonly timeZone!: string;
}

/** The same with a search's filters in the URL. */
export class TransactionDownloadQuery extends IntersectionType(TransactionFilters, TransactionExportQuery) {}

/** A property has no times. */
export class PropertyExportQuery extends IntersectionType(WrittenCsvQuery, PropertySortQuery) {}

export type ExportQuery = WrittenCsvQuery & Partial<Pick<TransactionExportQuery, 'timeZone'>>;

export class ImportQuery extends CsvQuery {
  @Optional({ fallback: 'create' })
  @Enumeration(enumOf(['create', 'update'], 'ImportMode'), {
    description:
      'Whether rows are new transactions, or replace those of their `id` if these still have the `version` of the row. Then ' +
      'fields without a column stay as they are, a row that changes nothing is not written, and none is a duplicate.',
    example: 'create',
  })
  readonly mode!: 'create' | 'update';

  @Optional({ fallback: 'id' })
  @Enumeration(enumOf(['id', 'name'], 'PropertyBy', ['BY_ID', 'BY_NAME']), {
    description:
      'With `name`, a row without a `propertyId` belongs to the property of its `propertyName`, if exactly one of yours has that name.',
    example: 'name',
  })
  readonly property!: 'id' | 'name';

  @Optional({ fallback: false })
  @Bool({
    description: 'Reports the same, with each change of an update, but stores nothing.',
    example: false,
  })
  readonly dryRun!: boolean;

  @Optional({ fallback: 'refuse' })
  @Enumeration(enumOf(['refuse', 'skip', 'allow'], 'DuplicateRule'), {
    description:
      'What to do with a row that has the property, the amount, the day (in UTC) and the payment reference, or without ' +
      'one the type, description and vendor, of a stored transaction: refuse the file, skip such rows, or allow them. ' +
      'Rows are counted: of two alike with one stored, one is new.',
    example: 'skip',
  })
  readonly duplicates!: 'refuse' | 'skip' | 'allow';

  @Optional({ fallback: 'content' })
  @Enumeration(enumOf(['content', 'reference'], 'DuplicateKey'), {
    description: 'What a duplicate is known by: all of that, or the reference alone, whatever was corrected.',
    example: 'reference',
  })
  readonly by!: 'content' | 'reference';

  @Optional({ fallback: false })
  @Bool({ description: 'Names the transaction of each row.', example: false })
  readonly lines!: boolean;

  @TimeZone('The time zone of days without a time (`2026-02-01`) in the file, which mean their first instant')
  readonly timeZone!: string;
}

/** A row of a file: the body of a POST, and what else may name its transaction or its property. Some fields are not read. */
export class TransactionRow extends TransactionRequest {
  @Int64({}) readonly id!: string;
  @Int32({ min: 1 }) readonly version!: number;
  @Text(255, {}) readonly propertyName!: string | undefined;
}

export class TransactionBatchRequest {
  @ListOf(TransactionRequest, { min: 1, max: 100, description: 'Each like the body that records one.' })
  readonly transactions!: TransactionRequest[];
}
