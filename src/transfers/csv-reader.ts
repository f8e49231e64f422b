import type { FileText } from './file-text.js';

/** The most columns of a file, and the most characters of its header and of a record. */
const MAX_COLUMNS = 100;
const MAX_HEADER = 16 * 1024;
export const MAX_RECORD = 1024 * 1024;
/** The characters CR and LF behind a record. */
const END_OF_LINE = 2;

export const UNREAD = 'and nothing behind it was read';

/** A record of a CSV file. */
export interface CsvRecord {
  /** The line of its first character, counted from 1. */
  readonly line: number;
  /** Null for a cell without a character. */
  readonly cells: readonly (string | null)[];
  /** The fault of its form; the cells are then incomplete. */
  readonly fault?: string;
}

/**
 * Reads CSV (RFC 4180) while it comes in, its lines ended by LF or CRLF, the empty ones left out. Behind a malformed record
 * reading goes on with the next line, behind one that is too long it ends. One pass over the text in any case.
 */
export async function* readCsv(file: FileText, separator: string): AsyncGenerator<CsvRecord, void> {
  const reader = new CsvReader(file, separator);
  for (let longest = MAX_HEADER; !reader.isStopped; longest = MAX_RECORD) {
    await file.fillLine(longest + END_OF_LINE);
    if (file.isAtEnd) return;
    yield reader.record(longest);
  }
}

class CsvReader {
  /** Behind a fault after which the start of the next record cannot be known. */
  isStopped = false;
  /** The last character that the record may have. */
  private limit = 0;
  private readonly unquoted: RegExp;

  constructor(
    private readonly file: FileText,
    private readonly separator: string,
  ) {
    this.unquoted = new RegExp(`[^"\\r\\n${separator}]*`, 'y');
  }

  record(longest: number): CsvRecord {
    const { file } = this;
    const { line } = file;
    const cells: (string | null)[] = [];
    this.limit = file.at + longest;
    try {
      do {
        if (cells.length === MAX_COLUMNS) throw new SyntaxError(`has more than ${MAX_COLUMNS} cells`);
        cells.push(file.text[file.at] === '"' ? this.quotedCell() : this.cell());
        if (file.at > this.limit) throw new SyntaxError(`is longer than ${longest} characters`);
      } while (file.skip(this.separator));
      if (!file.isAtEnd && !file.skipEndOfLine())
        throw new SyntaxError('has neither a separator nor the end of the line behind a cell');
      return { line, cells };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.skipLine();
      return { line, cells, fault: this.isStopped ? `${error.message}, ${UNREAD}` : error.message };
    }
  }

  private cell(): string | null {
    const { text, at } = this.file;
    this.unquoted.lastIndex = at;
    this.unquoted.test(text);
    const end = this.unquoted.lastIndex;
    this.file.at = end;
    const cell = text.slice(at, end);
    if (text[end] !== '"') return cell === '' ? null : cell;
    const beginning = JSON.stringify(cell.slice(0, 20));
    throw new SyntaxError(`has a quote within cell ${beginning}, which is not quoted itself`);
  }

  private quotedCell(): string {
    const { text, at, line, isWhole } = this.file;
    let end = text.indexOf('"', at + 1);
    while (text[end + 1] === '"' && end !== -1 && end < this.limit) end = text.indexOf('"', end + 2);
    this.file.at = end === -1 ? text.length : end + 1;
    if (end === -1 && isWhole) throw new SyntaxError(`has a quote in line ${line} that is never closed`);
    if (this.file.at > this.limit) return '';
    const raw = text.slice(at + 1, end);
    for (let lf = raw.indexOf('\n'); lf !== -1; lf = raw.indexOf('\n', lf + 1)) this.file.line++;
    return raw.includes('"') ? raw.replaceAll('""', '"') : raw;
  }

  private skipLine(): void {
    const { file } = this;
    const end = file.text.indexOf('\n', file.at);
    this.isStopped = file.at > this.limit || (end === -1 && !file.isWhole);
    file.at = end === -1 ? file.text.length : end + 1;
    file.line++;
  }
}
