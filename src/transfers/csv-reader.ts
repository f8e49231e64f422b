/** A record of a CSV file. A cell that has nothing, not even quotes, is null. */
export interface CsvRecord {
  /** Where it begins, counted from 1; a record has several when line breaks are quoted. */
  readonly line: number;
  readonly cells: readonly (string | null)[];
  /** With the end of its line; it is a part of the file's, not a copy. */
  readonly text: string;
  /** What is wrong with its form; the cells are then not to be relied on. */
  readonly fault?: string;
}

const PLAIN_CELL = /[^",\r\n]*/y;

/**
 * Reads CSV (RFC 4180) with commas, its lines ended by LF or CRLF; empty lines are passed over. A record that is
 * malformed is told, and reading goes on behind its line. One pass, whatever the text holds.
 */
export function* readCsv(text: string): Generator<CsvRecord, void> {
  const reader = new CsvReader(text);
  for (;;) {
    const record = reader.next();
    if (record === undefined) return;
    if (record.cells.length > 1 || record.cells[0] !== null || record.fault !== undefined) yield record;
  }
}

/** The one record that is in the text. */
export function recordIn(text: string): CsvRecord {
  return new CsvReader(text).next() ?? { line: 1, cells: [], text };
}

class CsvReader {
  private at = 0;
  private line = 1;

  constructor(private readonly text: string) {}

  next(): CsvRecord | undefined {
    if (this.at >= this.text.length) return undefined;
    const { at: start, line } = this;
    const cells: (string | null)[] = [];
    try {
      do cells.push(this.cell());
      while (this.skip(','));
      this.endOfLine();
      return { line, cells, text: this.text.slice(start, this.at) };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.skipLine();
      return { line, cells, text: this.text.slice(start, this.at), fault: error.message };
    }
  }

  private cell(): string | null {
    if (this.text[this.at] === '"') return this.quoted();
    PLAIN_CELL.lastIndex = this.at;
    const [cell = ''] = PLAIN_CELL.exec(this.text) ?? [];
    this.at += cell.length;
    if (this.text[this.at] === '"')
      throw new SyntaxError(
        `has a quote within cell ${JSON.stringify(cell.slice(0, 20))}, which is not quoted itself`,
      );
    return cell === '' ? null : cell;
  }

  private quoted(): string {
    const start = this.at + 1;
    let end = start;
    for (;;) {
      end = this.text.indexOf('"', end);
      if (end === -1) {
        const { line } = this;
        this.at = this.text.length;
        throw new SyntaxError(`has a quote in line ${line} that is never closed`);
      }
      if (this.text[end + 1] !== '"') break;
      end += 2;
    }
    this.at = end + 1;
    const raw = this.text.slice(start, end);
    this.line += raw.split('\n').length - 1;
    return raw.includes('"') ? raw.replaceAll('""', '"') : raw;
  }

  private endOfLine(): void {
    if (this.at >= this.text.length) return;
    this.skip('\r');
    if (!this.skip('\n')) throw new SyntaxError('has neither a comma nor the end of the line behind a cell');
    this.line++;
  }

  private skipLine(): void {
    const end = this.text.indexOf('\n', this.at);
    this.at = end === -1 ? this.text.length : end + 1;
    this.line++;
  }

  private skip(char: string): boolean {
    if (this.text[this.at] !== char) return false;
    this.at++;
    return true;
  }
}
