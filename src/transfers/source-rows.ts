import { declaredFields, Fault } from '../http/fields/fields.js';
import { MAX_DEPTH } from '../http/requests/json-body.js';
import { JsonSource, parseValue } from '../http/json/json-parser.js';
import { malformedRequest, validationFailed } from '../http/problem/problem.js';
import type { ReceivedFile } from '../http/requests/file-bodies.js';
import { TransactionRequest } from '../transactions/transactions.dto.js';
import { type CellKind, TRANSACTION_COLUMNS } from './columns.js';
import { type CsvRecord, readCsv, recordIn } from './csv-reader.js';
import { unguarded } from './formula-guard.js';

/** A row of a file as a JSON body would have it, its fields still to be read, or what is wrong with its form. */
export interface SourceRow {
  readonly line: number;
  /** Of its text, in characters. */
  readonly length: number;
  readonly fields: object | Fault;
  /** Reads the fields once more: kept, they would take far more memory than the text. */
  readonly again: () => object | Fault;
}

const FIELDS = declaredFields(TransactionRequest);
const REQUIRED = [...FIELDS].flatMap(([name, { required }]) => (required ? [name] : []));
const KINDS = new Map(TRANSACTION_COLUMNS.map(({ name, kind }) => [name, kind]));

/** The rows of a file, which has none that is longer than so many characters. Throws validation-failed for its columns. */
export function rowsOf({ type, text }: ReceivedFile, longest: number): Iterable<SourceRow> {
  return type === 'text/csv' ? csvRows(text, longest) : jsonRows(text, longest);
}

function* jsonRows(text: string, longest: number): Generator<SourceRow, void> {
  for (let line = 1, start = 0; start < text.length; line++) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const length = end - start;
    const row = length > longest ? undefined : text.slice(start, end);
    const read = (): object | Fault => (row === undefined ? tooLong(longest) : objectIn(row));
    if (row?.trim() !== '') yield { line, length, fields: read(), again: read };
    start = end + 1;
  }
}

function objectIn(row: string): object | Fault {
  try {
    const value = parseValue(row, MAX_DEPTH);
    return value instanceof JsonSource && !value.isArray ? value : Fault.of('must be a JSON object');
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return Fault.of(`is not valid JSON: ${error.message}`);
  }
}

function* csvRows(text: string, longest: number): Generator<SourceRow, void> {
  const records = readCsv(text);
  const columns = columnsIn(records.next().value ?? undefined);
  for (const record of records) {
    const { line, text: row } = record;
    const { length } = row;
    const fields = length > longest ? tooLong(longest) : fieldsIn(record, columns);
    yield { line, length, fields, again: () => fieldsIn(recordIn(row), columns) };
  }
}

/** What the first line names, each a field that a request has or one that only an answer has, which is passed over. */
function columnsIn(header: CsvRecord | undefined): readonly string[] {
  if (header === undefined)
    throw malformedRequest('The file is empty: its first line must name the columns.');
  if (header.fault !== undefined) throw malformedRequest(`Line ${header.line} of the file ${header.fault}.`);
  const names = header.cells.map((cell) => cell ?? '');
  const errors = names.flatMap((name, index) => {
    const printable = name.slice(0, 100).toWellFormed();
    if (!KINDS.has(name)) return [[printable, 'is no column of a transaction']];
    return names.indexOf(name) < index ? [[printable, 'comes twice']] : [];
  });
  errors.push(...REQUIRED.filter((name) => !names.includes(name)).map((name) => [name, 'is required']));
  if (errors.length > 0) throw validationFailed(Object.fromEntries(errors) as Record<string, string>);
  return names;
}

function fieldsIn({ cells, fault }: CsvRecord, columns: readonly string[]): object | Fault {
  if (fault !== undefined) return Fault.of(fault);
  if (cells.length !== columns.length)
    return Fault.of(`has ${cells.length} cells, and the first line names ${columns.length} columns`);
  return Object.fromEntries(
    columns.flatMap((name, index) =>
      FIELDS.has(name) ? [[name, valueIn(cells[index] ?? null, KINDS.get(name) ?? 'text')]] : [],
    ),
  );
}

/** What a JSON body would have had in place of the cell. What is no JSON is left to the field's reader to refuse. */
function valueIn(cell: string | null, kind: CellKind): unknown {
  if (kind === 'text') return cell === null ? null : unguarded(cell);
  if (cell === null || cell === '') return null;
  if (kind === 'instant' || kind === 'word') return cell;
  try {
    return parseValue(kind === 'boolean' ? cell.toLowerCase() : cell, MAX_DEPTH); // spreadsheets write TRUE
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return cell;
  }
}

function tooLong(longest: number): Fault {
  return Fault.of(`is longer than ${longest} characters`);
}
