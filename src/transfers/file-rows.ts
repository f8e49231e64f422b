import { type CellKind, unguarded } from '../database/csv.js';
import { CSV, SEPARATORS } from '../common/validation/csv-form.js';
import { Fault } from '../common/validation/field.js';
import { declaredFields, validated } from '../common/validation/fields.js';
import type { Turn } from '../common/concurrency/turns.js';
import { isObject, type JsonObject, parseInTurns } from '../common/json/json-parser.js';
import { malformedRequest, validationFailed } from '../common/problems/problem.js';
import type { FileType } from '../http/uploaded-file.js';
import { type Cells, type CsvRecord, MAX_RECORD, readCsv, UNREAD } from './csv-reader.js';
import { startsOfDays } from './days.js';
import { type Row, rowOf } from './duplicates.js';
import { FileText } from './file-text.js';
import { Findings } from './findings.js';
import { COLUMNS } from './file-format.js';
import { type ImportQuery, TransactionRow } from './dto/transfers.request.js';

/** The fields of a row as the JSON body of a POST has them, still to be read. */
type Source = readonly [line: number, fields: JsonObject | Fault];

export type ReadRows = Awaited<ReturnType<typeof readFileRows>>;

const FIELDS = declaredFields(TransactionRow);
const KINDS = COLUMNS.transactions;
const INSTANTS = [...FIELDS.keys()].filter((name) => KINDS.get(name) === 'instant');

/** The number of all rows, the valid ones, and the faults of others. Throws validation-failed for the columns of CSV. */
export async function readFileRows(
  type: FileType,
  bytes: AsyncIterable<Buffer, undefined>,
  rowLimit: number,
  query: ImportQuery,
) {
  const file = new FileText(bytes);
  const startOf = startsOfDays(query.timeZone);
  const rows: Row[] = [];
  const findings = new Findings();
  let count = 0;
  for await (const [line, fields] of type === CSV ? csvRows(file, query) : jsonRows(file)) {
    if (count === rowLimit) {
      findings.add(line, Fault.of(`is beyond the ${rowLimit} rows that a file may have`));
      break;
    }
    const read = rowIn(fields, startOf, query);
    const row = read instanceof Fault ? read : rowOf(line, read, query);
    if (row instanceof Fault) findings.add(line, row);
    else rows.push(row);
    count++;
  }
  return { count, rows, findings };
}

/** A day without a time becomes the instant at which it begins. */
function rowIn(fields: JsonObject | Fault, startOf: (day: string) => string | undefined, query: ImportQuery) {
  if (fields instanceof Fault) return fields;
  for (const name of INSTANTS) {
    const value = fields[name];
    if (typeof value === 'string') fields[name] = startOf(value) ?? value;
  }
  const faults = new Fault();
  const wanted = [...FIELDS].filter(([name]) => isRead(name, fields, query));
  const row = validated(TransactionRow, fields, faults, '', wanted);
  return faults.size > 0 ? faults : row;
}

/** All fields of a new transaction are read, and those that a row has of one that is there. */
function isRead(name: string, fields: JsonObject, { mode, property }: ImportQuery): boolean {
  const isGiven = (field: string): boolean => mode === 'create' || Object.hasOwn(fields, field);
  const isNamed = property === 'name' && fields['propertyId'] == null && isGiven('propertyName');
  if (name === 'id' || name === 'version') return mode === 'update';
  if (name === 'propertyName') return isNamed;
  return isGiven(name) && !(name === 'propertyId' && isNamed);
}

async function* jsonRows(file: FileText): AsyncGenerator<Source, void> {
  while (await file.fillLine(MAX_RECORD + 1)) {
    const { line } = file;
    const newline = file.text.indexOf('\n', file.at);
    const row = file.take((newline === -1 ? file.text.length : newline) - file.at);
    if (row.length > MAX_RECORD) {
      yield [line, Fault.of(`is longer than ${MAX_RECORD} characters, ${UNREAD}`)];
      return;
    }
    if (row.trim() !== '') yield [line, await jsonIn(row, file.turn)];
  }
}

async function jsonIn(row: string, turn: Turn): Promise<JsonObject | Fault> {
  try {
    const value = await parseInTurns(row, turn, FIELDS);
    return isObject(value) ? value : Fault.of('must be a JSON object');
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return Fault.of(`is not valid JSON: ${error.message}`);
  }
}

async function* csvRows(file: FileText, query: ImportQuery): AsyncGenerator<Source, void> {
  const records = readCsv(file, SEPARATORS[query.separator]);
  const { value: first } = await records.next();
  if (first === undefined) throw malformedRequest('The file is empty: its first line must name the columns.');
  const columns = columnsIn(first, query);
  for await (const [line, cells] of records) {
    if (cells instanceof Fault) yield [line, cells];
    else if (cells.some(Boolean)) yield [line, await fieldsIn(cells, columns, query, file.turn)];
  }
}

/** The names in the first line: fields of a request, or of a response alone, which are ignored. */
function columnsIn([line, cells]: CsvRecord, query: ImportQuery): readonly string[] {
  const { separator } = query;
  if (cells instanceof Fault) throw malformedRequest(`Line ${line} of the file ${cells.get('')}.`);
  const names = cells.map((cell) => cell ?? '');
  const other = Object.entries(SEPARATORS).find(([, char]) => names.length === 1 && names[0]?.includes(char));
  if (other !== undefined)
    throw validationFailed({
      separator: `is "${separator}", and the first line is then one column: is the file separated by "${other[0]}"?`,
    });
  const faults = new Fault();
  for (const [index, name] of names.entries()) {
    const printable = name.slice(0, 100).toWellFormed();
    if (name === '')
      faults.set(`column ${index + 1}`, 'has no name: is there a separator at the end of the first line?');
    else if (!KINDS.has(name)) faults.set(printable, 'is not a column of a transaction');
    else if (names.indexOf(name) < index) faults.set(printable, 'appears twice');
  }
  const given = Object.fromEntries(names.map((name) => [name, true]));
  for (const [name, { fallback }] of FIELDS)
    if (fallback === undefined && !names.includes(name) && isRead(name, given, query))
      faults.set(name, 'is required');
  if (faults.size > 0) throw validationFailed(Object.fromEntries(faults));
  return names;
}

async function fieldsIn(cells: Cells, columns: readonly string[], { decimal }: ImportQuery, turn: Turn) {
  if (cells.length !== columns.length)
    return Fault.of(`has ${cells.length} cells, and the first line names ${columns.length} columns`);
  const fields: JsonObject = {};
  for (const [index, name] of columns.entries()) {
    if (!FIELDS.has(name)) continue;
    const [cell = null, kind = 'text'] = [cells[index], KINDS.get(name)];
    if (kind === 'text') fields[name] = cell && unguarded(cell);
    else if (cell === null || cell === '') fields[name] = null;
    else if (kind === 'instant' || kind === 'word') fields[name] = cell;
    // The rule of the field refuses a cell that is not JSON.
    else fields[name] = await parseInTurns(asJson(cell, kind, decimal), turn).catch(() => cell);
  }
  return fields;
}

/** A cell as JSON writes its value; a comma between thousands is no JSON. */
function asJson(cell: string, kind: CellKind, decimal: ImportQuery['decimal']): string {
  if (kind === 'boolean') return cell.toLowerCase(); // spreadsheets write TRUE
  return kind === 'number' ? cell.replace(/[.,]/, (sign) => (sign === decimal ? '.' : ',')) : cell;
}
