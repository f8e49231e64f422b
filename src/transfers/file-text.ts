import { nextTurn, Turn } from '../common/concurrency/turns.js';
import { malformedRequest } from '../common/problems/problem.js';
import { notUtf8 } from '../http/bodies.js';

const VALUES = 30; // of a line: about as many as a transaction has fields

/** The text of a file while it comes in: at least the characters that its reader needs next. */
export class FileText {
  text = '';
  /** The next character to be read. */
  at = 0;
  /** Its line, counted from 1. */
  line = 1;
  /** Whether the text goes on to the end of the file. */
  isWhole = false;
  /** Others have theirs whenever it is full. */
  readonly turn = new Turn();
  private isUnread = true;
  private readonly decoder = new TextDecoder('utf-8', { fatal: true });
  private readonly chunks = this.bytes[Symbol.asyncIterator]();

  constructor(private readonly bytes: AsyncIterable<Buffer, undefined>) {}

  /** Skips the text, if it comes next. */
  skip(expected: string): boolean {
    if (!this.text.startsWith(expected, this.at)) return false;
    this.at += expected.length;
    return true;
  }

  /** The next characters. */
  take(length: number): string {
    const taken = this.text.slice(this.at, this.at + length);
    for (let lf = taken.indexOf('\n'); lf !== -1; lf = taken.indexOf('\n', lf + 1)) this.line++;
    this.at += length;
    return taken;
  }

  /** Skips LF or CRLF, if it comes next. */
  skipEndOfLine(): boolean {
    if (!this.skip('\n') && !this.skip('\r\n')) return false;
    this.line++;
    return true;
  }

  /** Goes to the next line that is not empty, with so many characters read ahead. False at the end. Throws malformed-request. */
  async fillLine(length: number): Promise<boolean> {
    if (this.turn.fills(VALUES, 0)) await nextTurn();
    for (;;) {
      while (this.skipEndOfLine());
      if (this.isWhole || this.text.length - this.at >= length) return this.at < this.text.length;
      let text = this.text.slice(this.at);
      // Twice as many, so that no character is copied more than twice
      while (text.length < 2 * length && !this.isWhole) {
        const { value } = await this.chunks.next();
        if (this.isUnread && isUtf16(value))
          throw malformedRequest('The file is in UTF-16: send it in UTF-8.');
        this.isUnread = false;
        this.isWhole = value === undefined;
        text += this.decoded(value);
      }
      this.text = text;
      this.at = 0;
    }
  }

  /** At the end of the file, undefined: its last character must be whole. */
  private decoded(bytes: Buffer | undefined): string {
    try {
      return this.decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw notUtf8();
    }
  }
}

/** Whether the first two bytes are the mark of UTF-16 or a character of ASCII in it. Neither begins a CSV or a JSON text. */
function isUtf16([first, second]: Uint8Array = new Uint8Array()): boolean {
  return (
    first === 0 || second === 0 || (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  );
}
