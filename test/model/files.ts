import { LosslessNumber, parse } from 'lossless-json';
import { type Cell, parseCsv } from '../support/csv.js';
import type { WireAnswer } from '../support/wire.js';
import type { CsvForm } from './commands.js';
import { difference, type JsonObject, Unknown } from './difference.js';

/** What an export writes. */
export interface FileOfRows {
  readonly isCsv: boolean;
  readonly form: CsvForm;
  /** The columns, in any order. */
  readonly fields: readonly string[];
  readonly rows: readonly JsonObject[];
}

const TIMES = ['date', 'dueDate', 'paidAt', 'approvedDate', 'createdAt', 'updatedAt'];

export function acceptHeader(isCsv: boolean): Record<string, string> {
  return { Accept: isCsv ? 'text/csv' : 'application/x-ndjson' };
}

/** Why an answer is not this file; undefined when it is. */
export function fileMismatch(file: FileOfRows, { headers, text }: WireAnswer): string | undefined {
  const expectedType = file.isCsv ? 'text/csv; charset=utf-8' : 'application/x-ndjson';
  const type = headers.get('content-type');
  if (type !== expectedType) return `content-type ${type} instead of ${expectedType}`;
  return file.isCsv ? csvMismatch(file, text) : linesMismatch(file, text);
}

function linesMismatch({ rows }: FileOfRows, text: string): string | undefined {
  const lines = text.split('\n');
  if (lines.at(-1) !== '') return `no line feed behind ${lines.at(-1)}`;
  return difference(
    rows,
    lines.slice(0, -1).map((line) => parse(line)),
  );
}

function csvMismatch({ fields, rows, form }: FileOfRows, text: string): string | undefined {
  const [header = [], ...records] = parseCsv(text, form.separator);
  const columns = header.map((cell) => cell.text);
  const told = records.map((record) => record.map(shown));
  return (
    difference([...fields].sort(), [...columns].sort()) ??
    difference(
      rows.map((row) => columns.map((name) => cellOf(name, row[name], form))),
      told,
    )
  );
}

/** A text in quotation marks, what stands there without them, or nothing. */
function shown({ text, quoted }: Cell): string {
  return quoted ? `"${text}"` : text;
}

function cellOf(column: string, value: unknown, { decimal }: CsvForm): unknown {
  if (value === null) return '';
  if (typeof value === 'boolean') return String(value);
  if (value instanceof LosslessNumber) return value.value.replace('.', decimal);
  if (typeof value === 'string') return TIMES.includes(column) ? value : `"${guarded(value)}"`;
  const isSame = (cell: string): boolean => difference(value, parse(cell.slice(1, -1))) === undefined;
  return new Unknown(JSON.stringify(value), (cell) => /^"[^]*"$/.test(String(cell)) && isSame(String(cell)));
}

/** Every formula for a spreadsheet, whatever it takes for a separator, has an apostrophe in front. */
export function guarded(text: string): string {
  return text.replaceAll(/^(?='*[=+\-@\t\r\n＝＋－＠])|(?<=[,;\t\r\n])(?='*[=+\-@＝＋－＠])/g, "'");
}
