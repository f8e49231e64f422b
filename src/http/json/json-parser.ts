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
  private depth = 0;

  constructor(private readonly text: string) {}

  parse(): unknown {
    const value = this.value();
    this.skipWhitespace();
    if (this.at < this.text.length) throw this.unexpected();
    return value;
  }

  private value(): unknown {
    this.skipWhitespace();
    const char = this.text[this.at];
    if (char === '{') return this.object();
    if (char === '[') return this.array();
    return char === '"' ? this.string() : this.scalar();
  }

  private object(): JsonObject {
    let object: JsonObject | undefined;
    while (this.reachesElement('}', object === undefined)) {
      const start = this.at;
      const name = this.string();
      object ??= Object.create(null) as JsonObject;
      if (name in object) throw new SyntaxError(`the name at position ${start} comes twice`);
      this.skipWhitespace();
      this.take(':');
      object[name] = this.value();
    }
    return object ?? EMPTY;
  }

  private array(): unknown[] {
    if (!this.reachesElement(']', true)) return [];
    const array = [this.value()]; // the first push to an empty array would make room for 17
    while (this.reachesElement(']', false)) array.push(this.value());
    return array;
  }

  /** Goes past the opening bracket or a comma; past the closing bracket when no element is left. */
  private reachesElement(end: string, isFirst: boolean): boolean {
    if (isFirst && ++this.depth > MAX_DEPTH)
      throw new SyntaxError(`it is nested deeper than ${MAX_DEPTH} levels`);
    if (isFirst) this.at++;
    this.skipWhitespace();
    if (this.text[this.at] === end) {
      this.at++;
      this.depth--;
      return false;
    }
    if (!isFirst) this.take(',');
    this.skipWhitespace();
    return true;
  }

  private string(): string {
    this.take('"');
    const start = this.at;
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

  private take(char: string): void {
    if (this.text[this.at] !== char) throw this.unexpected();
    this.at++;
  }

  private skipWhitespace(): void {
    if (this.text.charCodeAt(this.at) > FIRST_PRINTABLE) return;
    WHITESPACE.lastIndex = this.at;
    WHITESPACE.test(this.text);
    this.at = WHITESPACE.lastIndex;
  }

  private unexpected(): SyntaxError {
    return this.at >= this.text.length
      ? new SyntaxError('it ends too early')
      : new SyntaxError(`there is an unexpected character at position ${this.at}`);
  }
}
