import { Fault } from '../common/validation/field.js';
import type { FileText } from './file-text.js';

/** The most columns of a file, and the most characters of its header and of a record. */
const MAX_COLUMNS = 100;
const MAX_HEADER = 16 * 1024;
export const MAX_RECORD = 1024 * 1024;

export const UNREAD = 'and nothing behind it was read';

/** Null is an empty cell without quotes. */
export type Cells = readonly (string | null)[];

/** A record: the line on which it begins, counted from 1, and its cells, or the fault in its form. */
export type CsvRecord = readonly [line: number, cells: Cells | Fault];

/**
 * Reads CSV (RFC 4180) as it arrives, with LF or CRLF; empty lines are skipped. After a malformed record reading continues
 * with the next line, after one that is too long it ends. The text is passed over once in any case.
 */
export async function* readCsv(file: FileText, separator: string): AsyncGenerator<CsvRecord, void> {
  const unquoted = new RegExp(`[^"\\r\\n${separator}]*`, 'y');
  let goesOn = true;
  for (let longest = MAX_HEADER; goesOn; longest = MAX_RECORD) {
    if (!(await file.fillLine(longest + '\r\n'.length))) return;
    const { line } = file;
    const limit = file.at + longest;
    const cells: (string | null)[] = [];
    try {
      do {
        if (cells.length === MAX_COLUMNS) throw new SyntaxError(`has more than ${MAX_COLUMNS} cells`);
        cells.push(file.text[file.at] === '"' ? quotedCell(file, limit) : unquotedCell(file, unquoted));
        if (file.at > limit) throw new SyntaxError(`is longer than ${longest} characters`);
      } while (file.skip(separator));
      if (file.at < file.text.length && !file.skipEndOfLine())
        throw new SyntaxError('has neither a separator nor the end of the line behind a cell');
      yield [line, cells];
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      goesOn = skipLine(file, limit);
      yield [line, Fault.of(goesOn ? error.message : `${error.message}, ${UNREAD}`)];
    }
  }
}

function unquotedCell(file: FileText, unquoted: RegExp): string | null {
  const { text, at } = file;
  unquoted.lastIndex = at;
  unquoted.test(text);
  file.at = unquoted.lastIndex;
  const cell = text.slice(at, file.at);
  if (text[file.at] !== '"') return cell === '' ? null : cell;
  const beginning = JSON.stringify(cell.slice(0, 20));
  throw new SyntaxError(`has a quote within cell ${beginning}, which is not quoted itself`);
}

function quotedCell(file: FileText, limit: number): string {
  const { text, at, line, isWhole } = file;
  let end = text.indexOf('"', at + 1);
  while (text[end + 1] === '"' && end !== -1 && end < limit) end = text.indexOf('"', end + 2);
  file.at = end === -1 ? text.length : end + 1;
  if (end === -1 && isWhole) throw new SyntaxError(`has a quote in line ${line} that is never closed`);
  if (file.at > limit) return '';
  const raw = text.slice(at + 1, end);
  for (let lf = raw.indexOf('\n'); lf !== -1; lf = raw.indexOf('\n', lf + 1)) file.line++;
  return raw.includes('"') ? raw.replaceAll('""', '"') : raw;
}

/** Skips to the next line. False when its start is unknown: the record is too long, or the line has not arrived. */
function skipLine(file: FileText, limit: number): boolean {
  const isTooLong = file.at > limit;
  const end = isTooLong ? -1 : file.text.indexOf('\n', file.at);
  file.at = end === -1 ? file.text.length : end + 1;
  file.line++;
  return end !== -1 || (!isTooLong && file.isWhole);
}
