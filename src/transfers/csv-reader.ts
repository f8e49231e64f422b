import { nextTurn } from '../common/concurrency/turns.js';
import { Fault } from '../common/validation/field.js';
import type { FileText } from './file-text.js';

/** The most columns of a file, and the most characters of its header and of a record. */
const MAX_COLUMNS = 100;
const MAX_HEADER = 16 * 1024;
export const MAX_RECORD = 1024 * 1024;

export const UNREAD = 'and nothing after it was read';

/** Parts of cells, between which others have their turn. */
const QUOTED = /(?:[^"]{1,60}|""){1,250}/y;
const unquotedBy = (separator: string): RegExp => new RegExp(`[^"\\r\\n${separator}]{1,15000}`, 'y');

/** Null is an empty cell without quotes. */
export type Cells = readonly (string | null)[];

/** A record: the line on which it begins, counted from 1, and its cells, or the fault in its form. */
export type CsvRecord = readonly [line: number, cells: Cells | Fault];

/**
 * Reads CSV (RFC 4180) as it arrives, with LF or CRLF; empty lines are skipped. After a malformed record reading continues
 * with the next line, after one that is too long it ends. The text is passed over once in any case.
 */
export async function* readCsv(file: FileText, separator: string): AsyncGenerator<CsvRecord, void> {
  const unquoted = unquotedBy(separator);
  let goesOn = true;
  for (let longest = MAX_HEADER; goesOn; longest = MAX_RECORD) {
    if (!(await file.fillLine(longest + '\r\n'.length))) return;
    const { line } = file;
    const limit = file.at + longest;
    const cells: (string | null)[] = [];
    try {
      do {
        if (cells.length === MAX_COLUMNS) throw new SyntaxError(`has more than ${MAX_COLUMNS} cells`);
        cells.push(await nextCell(file, unquoted, limit));
        if (file.at > limit) throw new SyntaxError(`is longer than ${longest} characters`);
      } while (file.skip(separator));
      if (file.at < file.text.length && !file.skipEndOfLine())
        throw new SyntaxError('has neither a separator nor the end of the line after a cell');
      yield [line, cells];
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      goesOn = skipLine(file, limit);
      yield [line, Fault.of(goesOn ? error.message : `${error.message}, ${UNREAD}`)];
    }
  }
}

/** Stops soon after the limit. */
async function nextCell(file: FileText, unquoted: RegExp, limit: number): Promise<string | null> {
  const { line } = file;
  const isQuoted = file.skip('"');
  const part = isQuoted ? QUOTED : unquoted;
  let cell = '';
  for (part.lastIndex = file.at; part.test(file.text); part.lastIndex = file.at) {
    const text = file.take(part.lastIndex - file.at);
    cell += text.includes('"') ? text.replaceAll('""', '"') : text;
    if (file.at > limit) return cell;
    if (file.turn.fills(0, text.length)) await nextTurn();
  }
  const endsWithQuote = file.skip('"');
  if (isQuoted && !endsWithQuote && file.isWhole)
    throw new SyntaxError(`has a quote in line ${line} that is never closed`);
  if (!isQuoted && endsWithQuote)
    throw new SyntaxError(
      `has a quote within cell ${JSON.stringify(cell.slice(0, 20))}, which is not quoted itself`,
    );
  return isQuoted || cell !== '' ? cell : null;
}

/** Skips to the next line. False when its start is unknown: the record is too long, or the line has not arrived. */
function skipLine(file: FileText, limit: number): boolean {
  const end = file.text.indexOf('\n', file.at);
  if (file.at > limit || (end === -1 && !file.isWhole)) return false;
  file.at = end === -1 ? file.text.length : end + 1;
  file.line++;
  return true;
}
