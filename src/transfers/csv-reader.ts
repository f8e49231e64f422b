/** The most columns of a file, and the most characters of its header and of a record. */
const MAX_COLUMNS = 100;
const MAX_HEADER = 16 * 1024;
export const MAX_RECORD = 1024 * 1024;
/** Empty lines that are passed over at once. */
const MAX_EMPTY_LINES = 1000;

const [LF, CR, QUOTE] = [0x0a, 0x0d, 0x22];

/** A record of a CSV file. A cell with nothing in it is null. */
export interface CsvRecord {
  /** Of its first character, counted from 1. */
  readonly line: number;
  readonly cells: readonly (string | null)[];
  /** What is wrong with its form; the cells are then incomplete. */
  readonly fault?: string;
}

/**
 * Reads CSV (RFC 4180), its lines ended by LF or CRLF. Behind a malformed record reading goes on with the next line,
 * behind one that is too long it ends. One pass over the text in any case. Gives undefined for empty lines.
 */
export function* readCsv(text: string, separator: string): Generator<CsvRecord | undefined, void> {
  const reader = new CsvReader(text, separator.charCodeAt(0));
  let longest = MAX_HEADER;
  while (!reader.isAtEnd) {
    const record = reader.skipEmptyLines() ? undefined : reader.record(longest);
    yield record;
    if (record !== undefined) longest = MAX_RECORD;
  }
}

class CsvReader {
  private at = 0;
  private line = 1;
  /** The end of the text, or of the longest record that may begin here. */
  private limit = 0;

  constructor(
    private readonly text: string,
    private readonly separator: number,
  ) {}

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  record(longest: number): CsvRecord {
    const { line } = this;
    const cells: (string | null)[] = [];
    this.limit = Math.min(this.at + longest + 1, this.text.length);
    try {
      do {
        if (cells.length === MAX_COLUMNS) throw new SyntaxError(`has more than ${MAX_COLUMNS} cells`);
        cells.push(this.code === QUOTE ? this.quoted() : this.plain());
        if (this.at >= this.limit && this.limit < this.text.length) throw this.tooLong(longest);
      } while (this.skip(this.separator));
      this.endOfLine();
      return { line, cells };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.skipLine();
      return { line, cells, fault: error.message };
    }
  }

  /** NaN past the end. */
  private get code(): number {
    return this.text.charCodeAt(this.at);
  }

  /** Whether there were any; a part of them if they are many. */
  skipEmptyLines(): boolean {
    const { line } = this;
    while (this.line < line + MAX_EMPTY_LINES) {
      const end = this.code === CR ? this.at + 1 : this.at;
      if (this.text.charCodeAt(end) !== LF) break;
      this.at = end + 1;
      this.line++;
    }
    return this.line > line;
  }

  private plain(): string | null {
    const start = this.at;
    for (; this.at < this.limit; this.at++) {
      const { code } = this;
      if (code === this.separator || code === LF || code === CR) break;
      if (code === QUOTE) throw this.quoteWithin(start);
    }
    return this.at === start ? null : this.text.slice(start, this.at);
  }

  private quoted(): string {
    const { line } = this;
    const start = ++this.at;
    let escaped = false;
    for (; this.at < this.limit; this.at++) {
      const { code } = this;
      if (code === LF) this.line++;
      if (code !== QUOTE) continue;
      if (this.text.charCodeAt(this.at + 1) !== QUOTE) {
        const raw = this.text.slice(start, this.at++);
        return escaped ? raw.replaceAll(/""/g, '"') : raw;
      }
      escaped = true;
      this.at++;
    }
    if (this.limit < this.text.length) return '';
    this.at = this.text.length;
    throw new SyntaxError(`has a quote in line ${line} that is never closed`);
  }

  private quoteWithin(start: number): SyntaxError {
    const cell = JSON.stringify(this.text.slice(start, Math.min(this.at, start + 20)));
    return new SyntaxError(`has a quote within cell ${cell}, which is not quoted itself`);
  }

  /** Where the next record begins cannot be known. */
  private tooLong(longest: number): SyntaxError {
    this.at = this.text.length;
    return new SyntaxError(`is longer than ${longest} characters, and nothing behind it was read`);
  }

  private endOfLine(): void {
    if (this.isAtEnd) return;
    this.skip(CR);
    if (!this.skip(LF))
      throw new SyntaxError('has neither a separator nor the end of the line behind a cell');
    this.line++;
  }

  private skipLine(): void {
    const end = this.text.indexOf('\n', this.at);
    this.at = end === -1 ? this.text.length : end + 1;
    this.line++;
  }

  private skip(code: number): boolean {
    if (this.code !== code) return false;
    this.at++;
    return true;
  }
}
