import { notUtf8 } from '../http/json/json-body.js';

/** The text of a file while it comes in: at least the characters that its reader needs next. */
export class FileText {
  text = '';
  /** The next character to be read. */
  at = 0;
  /** Its line, counted from 1. */
  line = 1;
  /** Whether the text goes on to the end of the file. */
  isWhole = false;
  private readonly parts: AsyncIterator<string, void>;

  constructor(bytes: AsyncIterable<Buffer>) {
    this.parts = decoded(bytes);
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** Goes behind the text, if that comes next. */
  skip(expected: string): boolean {
    if (!this.text.startsWith(expected, this.at)) return false;
    this.at += expected.length;
    return true;
  }

  /** Goes behind LF or CRLF, if one comes next. */
  skipEndOfLine(): boolean {
    if (!this.skip('\n') && !this.skip('\r\n')) return false;
    this.line++;
    return true;
  }

  /** Goes to the next line that is not empty. Afterwards there are so many characters, or all that are left. */
  async fillLine(length: number): Promise<void> {
    let from: number;
    do {
      await this.fill(length);
      from = this.line;
      while (this.skipEndOfLine());
    } while (this.line > from);
  }

  /** Afterwards there are so many characters from here on, or all that are left. Throws malformed-request. */
  private async fill(length: number): Promise<void> {
    if (this.isWhole || this.text.length - this.at >= length) return;
    const parts = [this.text.slice(this.at)];
    // Twice as many, so that no character is copied more than twice
    for (let left = this.text.length - this.at; left < 2 * length;) {
      const { value: part } = await this.parts.next();
      this.isWhole = part === undefined;
      if (part === undefined) break;
      parts.push(part);
      left += part.length;
    }
    this.text = parts.join('');
    this.at = 0;
  }
}

async function* decoded(bytes: AsyncIterable<Buffer>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode(); // judges the last character
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? notUtf8() : error;
  }
}
