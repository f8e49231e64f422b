import type { Readable } from 'node:stream';
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
  private readonly chunks: AsyncIterator<Buffer, undefined>;
  private readonly decoder = new TextDecoder('utf-8', { fatal: true });

  constructor(bytes: Readable) {
    this.chunks = bytes[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
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
      const { done, value } = await this.chunks.next();
      const part = this.decode(value);
      parts.push(part);
      left += part.length;
      if (done === true) {
        this.isWhole = true;
        break;
      }
    }
    this.text = parts.join('');
    this.at = 0;
  }

  /** The text of further bytes; at the end, without any, the decoder judges the last character. */
  private decode(bytes?: Buffer): string {
    try {
      return this.decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw notUtf8();
    }
  }
}
