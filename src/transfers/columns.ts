import type { Type } from '@nestjs/common';
import type { CellKind } from '../database/csv.js';
import { declaredFields } from '../http/fields/fields.js';
import type { Schema } from '../http/fields/schema.js';
import { PropertyResponse } from '../properties/property.response.js';
import { TransactionResponse } from '../transactions/transaction.response.js';

export interface Column {
  /** Of the field in JSON, too. */
  readonly name: string;
  readonly kind: CellKind;
}

/** The columns of a file, in their order: the fields of the answer, so that a new field needs no further place. */
export const TRANSACTION_COLUMNS = columnsOf(TransactionResponse);
export const PROPERTY_COLUMNS = columnsOf(PropertyResponse);

function columnsOf(answer: Type): readonly Column[] {
  return [...declaredFields(answer)].map(([name, { schema }]) => ({ name, kind: kindOf(schema) }));
}

function kindOf({ type, format, enumName }: Schema): CellKind {
  if (enumName !== undefined) return 'word';
  if (type === 'string') return format === 'date-time' ? 'instant' : 'text';
  if (type === 'boolean') return 'boolean';
  return type === 'number' || type === 'integer' ? 'number' : 'json';
}
