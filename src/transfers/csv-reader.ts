/** The most columns of a file, and the most characters of its header and of a record. */
const MAX_COLUMNS = 100;
const MAX_HEADER = 16 * 1024;
export const MAX_RECORD = 1024 * 1024;

/** A record of a CSV file. */
export interface CsvRecord {
  /** The line of its first character, counted from 1. */
  readonly line: number;
  /** None for an empty line; null for a cell without a character. */
  readonly cells: readonly (string | null)[];
  /** The fault of its form; the cells are then incomplete. */
  readonly fault?: string;
}

/**
 * Reads CSV (RFC 4180), its lines ended by LF or CRLF. Behind a malformed record reading goes on with the next line,
 * behind one that is too long it ends. One pass over the text in any case.
 */
export function* readCsv(text: string, separator: string): Generator<CsvRecord, void> {
  const reader = new CsvReader(text, separator);
  let longest = MAX_HEADER;
  while (!reader.isAtEnd) {
    const record = reader.record(longest);
    yield record;
    if (record.cells.length > 0) longest = MAX_RECORD;
  }
}

class CsvReader {
  private at = 0;
  private line = 1;
  /** The last character that the record may have. */
  private limit = 0;
  private readonly unquoted: RegExp;

  constructor(
    private readonly text: string,
    private readonly separator: string,
  ) {
    this.unquoted = new RegExp(`[^"\\r\\n${separator}]*`, 'y');
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  record(longest: number): CsvRecord {
    const { line } = this;
    const cells: (string | null)[] = [];
    this.limit = this.at + longest;
    try {
      if (this.isEndOfLine()) return { line, cells };
      do {
        if (cells.length === MAX_COLUMNS) throw new SyntaxError(`has more than ${MAX_COLUMNS} cells`);
        cells.push(this.text[this.at] === '"' ? this.quotedCell() : this.cell());
        if (this.at > this.limit) throw this.tooLong(longest);
      } while (this.skip(this.separator));
      if (!this.isAtEnd && !this.isEndOfLine())
        throw new SyntaxError('has neither a separator nor the end of the line behind a cell');
      return { line, cells };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.skipLine();
      return { line, cells, fault: error.message };
    }
  }

  private cell(): string | null {
    const start = this.at;
    this.unquoted.lastIndex = start;
    this.unquoted.test(this.text);
    this.at = this.unquoted.lastIndex;
    const cell = this.text.slice(start, this.at);
    if (this.text[this.at] !== '"') return cell === '' ? null : cell;
    const beginning = JSON.stringify(cell.slice(0, 20));
    throw new SyntaxError(`has a quote within cell ${beginning}, which is not quoted itself`);
  }

  private quotedCell(): string {
    const { line, text } = this;
    const start = this.at + 1;
    let end = text.indexOf('"', start);
    while (text[end + 1] === '"' && end !== -1 && end < this.limit) end = text.indexOf('"', end + 2);
    this.at = end === -1 ? text.length : end + 1;
    if (end === -1) throw new SyntaxError(`has a quote in line ${line} that is never closed`);
    const raw = text.slice(start, end);
    for (let lf = raw.indexOf('\n'); lf !== -1; lf = raw.indexOf('\n', lf + 1)) this.line++;
    return raw.includes('"') ? raw.replaceAll('""', '"') : raw;
  }

  /** The start of the next record cannot be known. */
  private tooLong(longest: number): SyntaxError {
    this.at = this.text.length;
    return new SyntaxError(`is longer than ${longest} characters, and nothing behind it was read`);
  }

  private isEndOfLine(): boolean {
    if (!this.skip('\n') && !this.skip('\r\n')) return false;
    this.line++;
    return true;
  }

  private skipLine(): void {
    const end = this.text.indexOf('\n', this.at);
    this.at = end === -1 ? this.text.length : end + 1;
    this.line++;
  }

  private skip(expected: string): boolean {
    if (!this.text.startsWith(expected, this.at)) return false;
    this.at += expected.length;
    return true;
  }
}
