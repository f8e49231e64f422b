import { nextTurn, type Turn } from '../common/concurrency/turns.js';
import { Fault } from '../common/validation/field.js';
import type { FileText } from './file-text.js';

/** The most columns of a file, and the most characters of its header and of a record. */
const MAX_COLUMNS = 100;
const MAX_HEADER = 16 * 1024;
export const MAX_RECORD = 1024 * 1024;

export const UNREAD = 'and nothing behind it was read';

/** A part of a quoted cell. */
const QUOTED = /(?:[^"]{1,60}|""){1,250}/y;

/** Null is an empty cell without quotes. */
export type Cells = readonly (string | null)[];

/** A record: the line on which it begins, counted from 1, and its cells, or the fault in its form. */
export type CsvRecord = readonly [line: number, cells: Cells | Fault];

/**
 * Reads CSV (RFC 4180) as it arrives, with LF or CRLF; empty lines are skipped. After a malformed record reading continues
 * with the next line, after one that is too long it ends. The text is passed over once in any case.
 */
export async function* readCsv(
  file: FileText,
  separator: string,
  turn: Turn,
): AsyncGenerator<CsvRecord, void> {
  const unquoted = new RegExp(`[^"\\r\\n${separator}]{1,15000}`, 'y');
  let goesOn = true;
  for (let longest = MAX_HEADER; goesOn; longest = MAX_RECORD) {
    if (!(await file.fillLine(longest + '\r\n'.length))) return;
    const { line } = file;
    const limit = file.at + longest;
    const cells: (string | null)[] = [];
    try {
      do {
        if (cells.length === MAX_COLUMNS) throw new SyntaxError(`has more than ${MAX_COLUMNS} cells`);
        const isQuoted = file.text[file.at] === '"';
        cells.push(await (isQuoted ? quotedCell(file, limit, turn) : unquotedCell(file, unquoted, turn)));
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

async function unquotedCell(file: FileText, unquoted: RegExp, turn: Turn): Promise<string | null> {
  const { text, at } = file;
  for (unquoted.lastIndex = at; unquoted.test(text); unquoted.lastIndex = file.at) {
    const length = unquoted.lastIndex - file.at;
    file.at += length;
    if (turn.fills(0, length)) await nextTurn();
  }
  const cell = text.slice(at, file.at);
  if (text[file.at] !== '"') return cell === '' ? null : cell;
  const beginning = JSON.stringify(cell.slice(0, 20));
  throw new SyntaxError(`has a quote within cell ${beginning}, which is not quoted itself`);
}

async function quotedCell(file: FileText, limit: number, turn: Turn): Promise<string> {
  const { text, line, isWhole } = file;
  const parts: string[] = [];
  file.at++;
  for (QUOTED.lastIndex = file.at; QUOTED.test(text); QUOTED.lastIndex = file.at) {
    const part = text.slice(file.at, QUOTED.lastIndex);
    for (let lf = part.indexOf('\n'); lf !== -1; lf = part.indexOf('\n', lf + 1)) file.line++;
    parts.push(part.includes('"') ? part.replaceAll('""', '"') : part);
    file.at = QUOTED.lastIndex;
    if (file.at > limit) return '';
    if (turn.fills(0, part.length)) await nextTurn();
  }
  if (!file.skip('"') && isWhole) throw new SyntaxError(`has a quote in line ${line} that is never closed`);
  return parts.join('');
}

/** Skips to the next line. False when its start is unknown: the record is too long, or the line has not arrived. */
function skipLine(file: FileText, limit: number): boolean {
  const isTooLong = file.at > limit;
  const end = isTooLong ? -1 : file.text.indexOf('\n', file.at);
  file.at = end === -1 ? file.text.length : end + 1;
  file.line++;
  return end !== -1 || (!isTooLong && file.isWhole);
}
