/** A number of a JSON text, digit for digit as it was written. */
export class JsonNumber {
  constructor(readonly text: string) {}
}

export type JsonObject = Record<string, unknown>;

const SPACE = 0x20;
/** A part of a string: of a longer match the engine would have to remember too much. */
const CHARACTERS = /(?:[ !#-[\]-\uffff]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})){1,1000}/y;
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
    const start = this.at;
    if (this.text[start] !== '"') throw this.unexpected();
    this.at++;
    while (this.text[this.at] !== '"') if (!this.passes(CHARACTERS)) throw this.unexpected();
    const token = this.text.slice(start, ++this.at);
    return token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1);
  }

  private scalar(): JsonNumber | boolean | null {
    const start = this.at;
    if (!this.passes(SCALAR)) throw this.unexpected();
    const token = this.text.slice(start, this.at);
    if (token < 'a') return new JsonNumber(token);
    return token === 'null' ? null : token === 'true';
  }

  /** Goes behind what the pattern matches here. */
  private passes(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const isMatch = pattern.test(this.text);
    if (isMatch) this.at = pattern.lastIndex;
    return isMatch;
  }

  /** The first character behind white space. */
  private next(): string | undefined {
    if (!(this.text.charCodeAt(this.at) > SPACE)) this.passes(WHITESPACE);
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
