import { ApiExtraModels } from '@nestjs/swagger';
import { Returned } from '../http/fields/fields.js';
import { BOOLEAN, INT32, referencesTo, TEXT } from '../http/fields/schema.js';
import { TransactionResponse } from '../transactions/transaction.response.js';

@ApiExtraModels(TransactionResponse)
export class TransactionBatchResponse {
  @Returned({ ...referencesTo(TransactionResponse), description: 'In the order of the request.' })
  transactions!: TransactionResponse[];
}

/** The most findings of a response: more would say no more. */
export const MAX_FINDINGS = 100;

/** A fault of a row, or the stored transaction that it repeats. */
export class ImportFinding {
  @Returned({ ...INT32, minimum: 1, description: 'Where the row begins in the file.', example: 17 })
  line!: number;

  @Returned({
    ...TEXT,
    nullable: true,
    description: 'The field, or an element of it; null when it is about the whole row.',
    example: null,
  })
  field!: string | null;

  @Returned({ ...TEXT, example: 'is a duplicate of transaction 4711' })
  reason!: string;
}

const COUNT = { ...INT32, minimum: 0 };

@ApiExtraModels(ImportFinding)
export class ImportResponse {
  @Returned({ ...BOOLEAN, description: 'Whether this was a dry run, which stores nothing.', example: false })
  dryRun!: boolean;

  @Returned({ ...COUNT, description: 'Rows of the file, without the header line.', example: 120 })
  rows!: number;

  @Returned({ ...COUNT, description: 'Transactions that were stored, or would have been.', example: 118 })
  created!: number;

  @Returned({ ...COUNT, description: 'Rows that were skipped, or allowed, as duplicates.', example: 2 })
  duplicates!: number;

  @Returned({
    ...referencesTo(ImportFinding),
    maxItems: MAX_FINDINGS,
    description: `The first ${MAX_FINDINGS} duplicates, by line.`,
  })
  findings!: ImportFinding[];
}
