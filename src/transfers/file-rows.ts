import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CellKind, unguarded } from '../database/csv.js';
import { SEPARATORS } from '../http/fields/csv-form.js';
import { declaredFields, Fault } from '../http/fields/fields.js';
import { readObject } from '../http/fields/fields.pipe.js';
import { isObject, parseJson } from '../http/json/json-parser.js';
import { malformedRequest, validationFailed } from '../http/problem/problem.js';
import type { ReceivedFile } from '../http/edge/file-bodies.js';
import { TransactionRequest } from '../transactions/transactions.dto.js';
import { recordOf } from '../transactions/transactions.writes.js';
import { TRANSACTION_COLUMNS } from './columns.js';
import { type CsvRecord, MAX_RECORD, readCsv } from './csv-reader.js';
import { startsOfDays } from './days.js';
import { type Comparable, comparable } from './duplicates.js';
import { Findings } from './findings.js';
import type { ImportQuery } from './transfers.dto.js';

/** A row of a file as the JSON body of a POST has it, its fields still to be read, or the fault of its form. */
interface SourceRow {
  readonly line: number;
  readonly fields: Fields | Fault;
}

type Fields = Record<string, unknown>;

/** A valid row. Whether its property exists, and whether it is a duplicate, is checked later. */
export interface Row extends Comparable {
  readonly propertyId: string;
  /** The JSON of its columns without the first brace: as objects all rows would take ten times the memory of the file. */
  readonly record: Buffer;
}

export interface ReadRows {
  /** Rows of the file, those at fault included. */
  readonly count: number;
  readonly rows: readonly Row[];
  readonly faults: Findings;
}

const FIELDS = declaredFields(TransactionRequest);
const REQUIRED = [...FIELDS].flatMap(([name, { required }]) => (required ? [name] : []));
const KINDS = new Map(TRANSACTION_COLUMNS.map(({ name, kind }) => [name, kind]));
const INSTANTS = [...FIELDS.keys()].filter((name) => KINDS.get(name) === 'instant');

/** Milliseconds for which other requests may have to wait. */
const LONGEST_TURN = 10;

/** Reads each row once, as the body of a POST is read. Throws validation-failed for the columns of CSV. */
export async function readRows(file: ReceivedFile, rowLimit: number, query: ImportQuery): Promise<ReadRows> {
  const startOf = startsOfDays(query.timeZone);
  const rows: Row[] = [];
  const faults = new Findings();
  let count = 0;
  let since = performance.now();
  for (const source of file.type === 'text/csv' ? csvRows(file.text, query) : jsonRows(file.text)) {
    if (performance.now() - since > LONGEST_TURN) {
      await nextTurn();
      since = performance.now();
    }
    if (source === undefined) continue;
    const { line, fields } = source;
    if (count === rowLimit) {
      faults.add(line, null, `is past the ${rowLimit} rows that a file may have`);
      break;
    }
    count++;
    const request = fields instanceof Fault ? fields : requestIn(fields, startOf);
    if (!(request instanceof Fault)) rows.push(rowOf(line, request));
    else for (const [path, reason] of request.messages) faults.add(line, path === '' ? null : path, reason);
  }
  return { count, rows, faults };
}

/** A day without a time becomes the instant at which it begins. */
function requestIn(fields: Fields, startOf: (day: string) => string | undefined): TransactionRequest | Fault {
  for (const name of INSTANTS) {
    const value = fields[name];
    if (typeof value === 'string') fields[name] = startOf(value) ?? value;
  }
  return readObject(TransactionRequest, fields);
}

function rowOf(line: number, request: TransactionRequest): Row {
  const record = Buffer.from(JSON.stringify(recordOf(request)).slice(1));
  return { ...comparable(line, request), propertyId: request.propertyId, record };
}

/** The rows of NDJSON; undefined stands for an empty line. */
function* jsonRows(text: string): Generator<SourceRow | undefined, void> {
  for (let line = 1, start = 0; start < text.length; line++) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    if (end - start > MAX_RECORD) {
      yield {
        line,
        fields: Fault.of(`is longer than ${MAX_RECORD} characters, and nothing behind it was read`),
      };
      return;
    }
    const row = text.slice(start, end);
    yield row.trim() === '' ? undefined : { line, fields: objectIn(row) };
    start = end + 1;
  }
}

function objectIn(row: string): Fields | Fault {
  try {
    const value = parseJson(row);
    return isObject(value) ? value : Fault.of('must be a JSON object');
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return Fault.of(`is not valid JSON: ${error.message}`);
  }
}

/** The rows of CSV; undefined stands for empty lines. */
function* csvRows(text: string, query: ImportQuery): Generator<SourceRow | undefined, void> {
  let columns: readonly string[] | undefined;
  for (const record of readCsv(text, SEPARATORS[query.separator])) {
    if (record === undefined) yield undefined;
    else if (columns === undefined) columns = columnsIn(record, query);
    else yield { line: record.line, fields: fieldsIn(record, columns, query) };
  }
  if (columns === undefined)
    throw malformedRequest('The file is empty: its first line must name the columns.');
}

/** The names in the first line: fields of a request, or of a response alone, which are ignored. */
function columnsIn({ line, cells, fault }: CsvRecord, { separator }: ImportQuery): readonly string[] {
  if (fault !== undefined) throw malformedRequest(`Line ${line} of the file ${fault}.`);
  const names = cells.map((cell) => cell ?? '');
  const other = Object.entries(SEPARATORS).find(([, char]) => names.length === 1 && names[0]?.includes(char));
  if (other !== undefined)
    throw validationFailed({
      separator: `is ${separator}, with which the first line is one column: is the file separated by ${other[0]}?`,
    });
  const errors = names.flatMap((name, index) => {
    const printable = name.slice(0, 100).toWellFormed();
    if (!KINDS.has(name)) return [[printable, 'is not a column of a transaction']];
    return names.indexOf(name) < index ? [[printable, 'comes twice']] : [];
  });
  errors.push(...REQUIRED.filter((name) => !names.includes(name)).map((name) => [name, 'is required']));
  if (errors.length > 0) throw validationFailed(Object.fromEntries(errors) as Record<string, string>);
  return names;
}

function fieldsIn(
  { cells, fault }: CsvRecord,
  columns: readonly string[],
  { decimal }: ImportQuery,
): Fields | Fault {
  if (fault !== undefined) return Fault.of(fault);
  if (cells.length !== columns.length)
    return Fault.of(`has ${cells.length} cells, and the first line names ${columns.length} columns`);
  return Object.fromEntries(
    columns.flatMap((name, index) =>
      FIELDS.has(name) ? [[name, valueIn(cells[index] ?? null, KINDS.get(name) ?? 'text', decimal)]] : [],
    ),
  );
}

/** The value that a JSON body has in place of the cell. The reader of the field refuses what is not JSON. */
function valueIn(cell: string | null, kind: CellKind, decimal: ImportQuery['decimal']): unknown {
  if (kind === 'text') return cell === null ? null : unguarded(cell);
  if (cell === null || cell === '') return null;
  if (kind === 'instant' || kind === 'word') return cell;
  if (kind === 'number' && decimal === ',' && cell.includes('.')) return cell; // 1.234 is a thousand and more there
  try {
    return parseJson(jsonIn(cell, kind, decimal));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return cell;
  }
}

function jsonIn(cell: string, kind: CellKind, decimal: ImportQuery['decimal']): string {
  if (kind === 'boolean') return cell.toLowerCase(); // spreadsheets write TRUE
  if (kind === 'number') return decimal === ',' ? cell.replace(',', '.') : cell;
  return cell;
}
