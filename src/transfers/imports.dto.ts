import { OptionalField, RequiredField } from '../http/fields/fields.js';
import { objectsOf } from '../http/fields/objects.js';
import { flagInQuery, StrictQuery } from '../http/fields/query.js';
import { oneOf } from '../http/fields/values.js';
import { TransactionRequest } from '../transactions/transactions.dto.js';
import { type DuplicateRule, DUPLICATES } from './duplicates.js';

/** The most transactions of a batch. */
const MAX_BATCH = 100;

export class TransactionBatchRequest {
  @RequiredField(objectsOf(TransactionRequest, MAX_BATCH), {
    description: 'Each like the body that records one.',
  })
  transactions!: TransactionRequest[];
}

/** None. */
export class BatchQuery extends StrictQuery {}

export class ImportQuery extends StrictQuery {
  @OptionalField(flagInQuery, {
    fallback: false,
    description: 'Gives the same answer, and stores nothing.',
    example: false,
  })
  dryRun!: boolean;

  @OptionalField(oneOf(DUPLICATES, 'DuplicateRule'), {
    fallback: 'refuse',
    description:
      'What to do with a row that has the property, the amount, the day (in UTC) and the payment reference of a row ' +
      'before it or of a transaction that is stored: refuse the file, skip such rows, or allow them.',
    example: 'skip',
  })
  duplicates!: DuplicateRule;
}
