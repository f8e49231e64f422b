import type { Type } from '@nestjs/common';
import { type CellKind, csvLine } from '../database/csv.js';
import type { JsonView } from '../database/json-view.js';
import { type LinesStatement, MAX_ROWS } from '../database/lists/whole-list.js';
import type { FileType } from '../http/uploaded-file.js';
import { CSV, csvHead, type WrittenCsvQuery } from '../common/validation/csv-form.js';
import { declaredFields } from '../common/validation/fields.js';
import type { Schema } from '../common/validation/schema.js';
import { PROPERTY_VIEW } from '../properties/properties.queries.js';
import { PropertyResponse } from '../properties/dto/property.response.js';
import { TransactionResponse } from '../transactions/dto/transaction.response.js';
import { TRANSACTION_VIEW } from '../transactions/transactions.queries.js';

/** The rows of a file, which is named like their table. */
export type Rows = ReturnType<typeof rowsOf>;

export const PROPERTIES = rowsOf('properties', PROPERTY_VIEW, PropertyResponse);
export const TRANSACTIONS = rowsOf('transactions', TRANSACTION_VIEW, TransactionResponse);

/** The columns are the fields of the response in their order, so that a new field needs no further place. */
function rowsOf(table: 'properties' | 'transactions', view: JsonView, response: Type) {
  const columns = [...declaredFields(response)].map(([name, { schema }]) => [name, kindOf(schema)] as const);
  return { table, view, columns: new Map(columns) };
}

function kindOf({ type, format, enumName }: Schema): CellKind {
  if (enumName !== undefined) return 'word';
  if (type === 'string') return format === 'date-time' ? 'instant' : 'text';
  if (type === 'boolean') return 'boolean';
  return type === 'number' || type === 'integer' ? 'number' : 'json';
}

/** For the rows with the ids of a parameter. Throws validation-failed for a separator that is the decimal sign. */
export function linesStatement(
  type: FileType,
  form: WrittenCsvQuery,
  { table, view, columns }: Rows,
  ofOneOwner: boolean,
): LinesStatement {
  // One look-up for each id: where PostgreSQL expects few rows of an owner, it would read all of them for an array of ids.
  const ofOwner = `SELECT t.* FROM ${table} t WHERE t.owner_id = $1 AND t.id = k.id OFFSET 0`;
  const from = ofOneOwner
    ? `FROM unnest($2::bigint[]) k (id) CROSS JOIN LATERAL (${ofOwner}) t LIMIT ${MAX_ROWS}`
    : `FROM ${table} t WHERE t.id = ANY ($1::bigint[]) LIMIT ${MAX_ROWS}`;
  const of = (line: string): string => `SELECT t.id, ${line} AS line ${from}`;
  const { octets, fields, json } = view;
  if (type !== CSV) return { octets, head: '', text: of(json), lineEnd: '\n' };
  const cells = [...columns].map(([name, kind]) => [name, kind, fields.get(name) ?? 'NULL'] as const);
  return { octets, head: csvHead(cells, form), text: of(csvLine(cells, form)), lineEnd: '\r\n' };
}
