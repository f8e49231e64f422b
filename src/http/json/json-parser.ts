/** A number of a JSON text, digit for digit as it was written. */
export class JsonNumber {
  constructor(readonly text: string) {}
}

export type JsonObject = Record<string, unknown>;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const WHITESPACE = /[ \t\n\r]*/y;
/** One for all empty objects: 1 MiB of them would take 64 MiB. */
const EMPTY: JsonObject = Object.freeze(Object.create(null) as JsonObject);

/** The parser recurses; a bound far below the stack's keeps a hostile text a SyntaxError. */
export const MAX_DEPTH = 64;

/**
 * Reads JSON (RFC 8259) with every number as its text: JSON.parse rounds numbers, and shows a reviver their text
 * only from Node 21 on. Objects have no prototype, so that `__proto__` is a name like any other. A name that comes twice
 * is refused, because two readers may differ on its meaning (RFC 7493, section 2.3). One pass over the text in any case.
 * Why not by a library: docs/adr/0007. Throws SyntaxError, also for more than {@link MAX_DEPTH} levels.
 */
export function parseJson(text: string): unknown {
  return new JsonParser(text).parse();
}

/** Whether a value that was parsed is an object. */
export function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
  );
}

class JsonParser {
  private at = 0;

  constructor(private readonly text: string) {}

  parse(): unknown {
    const value = this.value(1);
    if (this.next() !== undefined) throw this.unexpected();
    return value;
  }

  private value(level: number): unknown {
    const char = this.next();
    if (char === '"') return this.string();
    if (char !== '{' && char !== '[') return this.scalar();
    if (level > MAX_DEPTH) throw new SyntaxError(`it is nested deeper than ${MAX_DEPTH} levels`);
    this.at++;
    return char === '{' ? this.object(level) : this.array(level);
  }

  private object(level: number): JsonObject {
    if (this.skips('}')) return EMPTY;
    const object = Object.create(null) as JsonObject;
    do {
      this.next();
      const start = this.at;
      const name = this.string();
      if (name in object) throw new SyntaxError(`the name at position ${start} comes twice`);
      this.take(':');
      object[name] = this.value(level + 1);
    } while (this.skips(','));
    this.take('}');
    return object;
  }

  private array(level: number): unknown[] {
    if (this.skips(']')) return [];
    const array = [this.value(level + 1)]; // the first push to an empty array would make room for 17
    while (this.skips(',')) array.push(this.value(level + 1));
    this.take(']');
    return array;
  }

  private string(): string {
    if (this.text[this.at] !== '"') throw this.unexpected();
    const start = ++this.at;
    for (let escaped = false; ; this.at++) {
      const char = this.text.charCodeAt(this.at); // NaN past the end
      if (char === QUOTE) {
        const end = this.at++;
        return escaped ? this.unescaped(start, end) : this.text.slice(start, end);
      }
      if (!(char >= FIRST_PRINTABLE)) throw this.unexpected();
      if (char === BACKSLASH) {
        escaped = true;
        this.at++; // the escaped character is no end
      }
    }
  }

  /** JSON.parse knows the escapes; all that it can refuse here is one of these. */
  private unescaped(start: number, end: number): string {
    try {
      return JSON.parse(`"${this.text.slice(start, end)}"`) as string;
    } catch {
      throw new SyntaxError(`the string at position ${start - 1} has an escape that JSON does not know`);
    }
  }

  private scalar(): JsonNumber | boolean | null {
    SCALAR.lastIndex = this.at;
    const [token] = SCALAR.exec(this.text) ?? [];
    if (token === undefined) throw this.unexpected();
    this.at += token.length;
    if (token < 'a') return new JsonNumber(token);
    return token === 'null' ? null : token === 'true';
  }

  /** The first character behind white space. */
  private next(): string | undefined {
    if (!(this.text.charCodeAt(this.at) > FIRST_PRINTABLE)) {
      WHITESPACE.lastIndex = this.at;
      WHITESPACE.test(this.text);
      this.at = WHITESPACE.lastIndex;
    }
    return this.text[this.at];
  }

  private skips(char: string): boolean {
    const isNext = this.next() === char;
    if (isNext) this.at++;
    return isNext;
  }

  private take(char: string): void {
    if (!this.skips(char)) throw this.unexpected();
  }

  private unexpected(): SyntaxError {
    return this.at >= this.text.length
      ? new SyntaxError('it ends too early')
      : new SyntaxError(`there is an unexpected character at position ${this.at}`);
  }
}
