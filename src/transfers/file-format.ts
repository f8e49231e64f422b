import type { Type } from '@nestjs/common';
import { type CellKind, type CsvColumn, csvLine } from '../database/csv.js';
import { instantText, type JsonView } from '../database/json-view.js';
import { type LinesStatement, rowsOf } from '../database/lists/list-lines.js';
import type { FileType } from '../http/uploaded-file.js';
import { unknownZone } from '../common/validation/calendar.js';
import { CSV, csvHead } from '../common/validation/csv-form.js';
import { fieldsOf, schemaOf } from '../common/validation/fields.js';
import type { Schema } from '../common/validation/schema.js';
import { PropertyResponse } from '../properties/dto/property.response.js';
import { TransactionResponse } from '../transactions/dto/transaction.response.js';
import type { ExportQuery } from './dto/transfers.request.js';

/** The columns of a table's file: name → kind of its cells. */
export const COLUMNS = {
  properties: columnsOf(PropertyResponse),
  transactions: columnsOf(TransactionResponse),
};

/** The fields of the response in their order, and the version, with which an update of the row comes back. */
function columnsOf(response: Type): ReadonlyMap<string, CellKind> {
  const columns = fieldsOf(response).map((name) => [name, kindOf(schemaOf(response, name))] as const);
  return new Map([...columns, ['version', 'number']]);
}

function kindOf({ type, format, enumName }: Schema): CellKind {
  if (enumName !== undefined) return 'word';
  if (type === 'string') return format === 'date-time' ? 'instant' : 'text';
  if (type === 'boolean') return 'boolean';
  return type === 'number' || type === 'integer' ? 'number' : 'json';
}

/** The lines of rows with given ids. */
export function linesStatement(
  type: FileType,
  form: ExportQuery,
  table: keyof typeof COLUMNS,
  { octets, fields, json }: JsonView,
  ofOneOwner: boolean,
): LinesStatement {
  const from = rowsOf(table, ofOneOwner);
  const { timeZone = 'UTC' } = form;
  const zone = timeZone === 'UTC' ? undefined : ofOneOwner ? '$3' : '$2';
  const cells = Array.from(COLUMNS[table], ([name, kind]): CsvColumn => {
    const value = fields.get(name) ?? 'NULL';
    if (kind !== 'instant') return [name, kind, value];
    return [name, kind, zone === undefined ? instantText(value) : localOf(value, zone)];
  });
  const of = (line: string): string => `SELECT t.id, ${line} AS text ${from}`;
  const lines = { octets, values: zone === undefined ? [] : [timeZone], invalidValue: unknownZone };
  if (type === CSV)
    return { ...lines, head: csvHead(cells, form), text: of(csvLine(cells, form)), lineEnd: '\r\n' };
  const row = `SELECT ${cells.map(([name, , value]) => `${value} AS "${name}"`).join(', ')} ${from}`;
  const local = `SELECT v.id, row_to_json(v)::text AS text FROM (${row}) v`;
  return { ...lines, head: '', text: zone === undefined ? of(json) : local, lineEnd: '\n' };
}

/**
 * SQL: the text of an instant as the clocks of a zone show it, and their offset in whole minutes. At either end of the
 * calendar the offset is zero, so that the year keeps four digits. No subquery: a cluster takes none for several owners.
 */
function localOf(instant: string, zone: string): string {
  const offset = `CASE WHEN ${instant} BETWEEN '0001-01-02' AND '9999-12-30'
    THEN date_trunc('minute', ${instant} AT TIME ZONE ${zone}::text - ${instant} AT TIME ZONE 'UTC') ELSE interval '0' END`;
  return `to_char(${instant} AT TIME ZONE 'UTC' + ${offset}, 'YYYY-MM-DD"T"HH24:MI:SS.MS')
    || CASE WHEN ${offset} < interval '0' THEN '-' ELSE '+' END || to_char(greatest(${offset}, -${offset}), 'HH24:MI')`;
}
