import { responseOf } from '../../common/validation/fields.js';
import { BOOLEAN, INT32, INT64, TEXT } from '../../common/validation/schema.js';
import { TransactionResponse } from '../../transactions/dto/transaction.response.js';
import { MAX_SHOWN } from '../../transactions/update-many.js';

export class TransactionBatchResponse extends responseOf({
  transactions: { type: [TransactionResponse], description: 'In the order of the request.' },
}) {}

export const MAX_FINDINGS = 100; // nobody reads more

/** A fault of a row, or the stored transaction that it repeats. */
export class ImportFinding extends responseOf({
  line: { ...INT32, minimum: 1, description: 'Where the row begins in the file.', example: 17 },
  field: {
    ...TEXT,
    nullable: true,
    description: 'The field, or an element of it; null when it is about the whole row.',
    example: null,
  },
  reason: { ...TEXT, example: 'is a duplicate of transaction 4711' },
}) {
  readonly line!: number;
  readonly field!: string | null;
  readonly reason!: string;
}

export class ImportLine extends responseOf({
  line: { ...INT32, minimum: 1, example: 17 },
  id: { ...INT64, nullable: true, description: 'Null where a dry run would create one.', example: 4711 },
  created: { ...BOOLEAN, description: 'False where the transaction was there before.', example: true },
}) {}

export const MAX_CHANGES = 1000;

const SHOWN = { ...TEXT, nullable: true, description: `Its text, of which at most ${MAX_SHOWN} characters.` };

export class ImportChange extends responseOf({
  line: { ...INT32, minimum: 1, example: 17 },
  field: { ...TEXT, example: 'amount' },
  from: { ...SHOWN, example: '100.00' },
  to: { ...SHOWN, example: '120.00' },
}) {}

const COUNT = { ...INT32, minimum: 0 };

export class ImportResponse extends responseOf({
  dryRun: { ...BOOLEAN, description: 'Whether this was a dry run, which stores nothing.', example: false },
  rows: { ...COUNT, description: 'Rows of the file, without the header line.', example: 120 },
  created: { ...COUNT, description: 'Transactions that were stored, or would have been.', example: 118 },
  updated: { ...COUNT, description: 'Transactions that were changed, or would have been.', example: 0 },
  duplicates: { ...COUNT, description: 'Rows that were skipped, or allowed, as duplicates.', example: 2 },
  findings: {
    type: [ImportFinding],
    maxItems: MAX_FINDINGS,
    description: `The first ${MAX_FINDINGS} duplicates, by line.`,
  },
  lines: {
    type: [ImportLine],
    required: false,
    description: 'Every row of the file, with `lines=true` alone.',
  },
  changes: {
    type: [ImportChange],
    required: false,
    maxItems: MAX_CHANGES,
    description: `The first ${MAX_CHANGES} changes, of a dry run of an update alone.`,
  },
}) {}
