/** A number of a JSON text, digit for digit as it was written. */
export class JsonNumber {
  constructor(readonly text: string) {}
}

/** An array or object in a body, read once somebody asks for it. */
export class JsonSource {
  constructor(private readonly text: string) {}

  read(): unknown {
    return parseJson(this.text, Infinity);
  }
}

export type JsonObject = Record<string, unknown>;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const UNWANTED = new JsonNumber('');
const WHITESPACE = /[ \t\n\r]*/y;
const LITERALS = { true: true, false: false, null: null };

/**
 * Reads JSON (RFC 8259) with every number as its text: JSON.parse rounds numbers, and shows a reviver their text
 * only from Node 21 on. An object comes without a prototype, so that `__proto__` is a name like any other; a name
 * that comes twice is refused, for two readers may differ on what it means (RFC 7493, section 2.3). One pass over the
 * text, whatever it holds. Why not by a library: docs/adr/0007.
 *
 * Throws SyntaxError, also for more than `maxDepth` levels of arrays and objects.
 */
export function parseJson(text: string, maxDepth: number): unknown {
  return new JsonParser(text, maxDepth).parse();
}

/**
 * As {@link parseJson}, but arrays and objects within the outermost object are only checked, and left as
 * {@link JsonSource}: what nobody asks for then costs no memory, however many values a body packs into 1 MiB.
 */
export function parseBody(text: string, maxDepth: number): unknown {
  return new JsonParser(text, maxDepth, { lazy: true }).parse();
}

class JsonParser {
  private at = 0;
  private depth = 0;
  /** Whether what is read is wanted, or only checked. */
  private wanted = true;

  constructor(
    private readonly text: string,
    private readonly maxDepth: number,
    private readonly options: { readonly lazy?: boolean } = {},
  ) {}

  parse(): unknown {
    const value = this.value();
    this.skipWhitespace();
    if (this.at < this.text.length) throw this.unexpected();
    return value;
  }

  private value(): unknown {
    this.skipWhitespace();
    switch (this.text[this.at]) {
      case '{':
        return this.object();
      case '[':
        return this.array();
      case '"':
        return this.string();
      case 't':
        return this.literal('true');
      case 'f':
        return this.literal('false');
      case 'n':
        return this.literal('null');
      default:
        return this.number();
    }
  }

  private object(): JsonObject {
    const object = Object.create(null) as JsonObject;
    this.elements('}', () => {
      const start = this.at;
      if (this.text[start] !== '"') throw this.unexpected();
      const name = this.string();
      if (name in object) throw new SyntaxError(`the name at position ${start} comes twice`);
      this.skipWhitespace();
      if (!this.skip(':')) throw this.unexpected();
      object[name] = this.depth === 1 && this.options.lazy === true ? this.member() : this.value();
    });
    return object;
  }

  private member(): unknown {
    this.skipWhitespace();
    const start = this.at;
    if (this.text[start] !== '{' && this.text[start] !== '[') return this.value();
    this.wanted = false;
    this.value();
    this.wanted = true;
    return new JsonSource(this.text.slice(start, this.at));
  }

  private array(): unknown[] {
    const array: unknown[] = [];
    this.elements(']', () => {
      const value = this.value();
      if (this.wanted) array.push(value);
    });
    return array;
  }

  /** What stands between a bracket and its counterpart, separated by commas. */
  private elements(end: string, read: () => void): void {
    if (++this.depth > this.maxDepth)
      throw new SyntaxError(`it is nested deeper than ${this.maxDepth} levels`);
    this.at++;
    this.skipWhitespace();
    if (!this.skip(end)) {
      do {
        this.skipWhitespace();
        read();
        this.skipWhitespace();
      } while (this.skip(','));
      if (!this.skip(end)) throw this.unexpected();
    }
    this.depth--;
  }

  private string(): string {
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
        this.at++; // what follows is not the end
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

  private literal(word: keyof typeof LITERALS): boolean | null {
    if (!this.text.startsWith(word, this.at)) throw this.unexpected();
    this.at += word.length;
    return LITERALS[word];
  }

  private number(): JsonNumber {
    const start = this.at;
    NUMBER.lastIndex = start;
    if (!NUMBER.test(this.text)) throw this.unexpected();
    this.at = NUMBER.lastIndex;
    return this.wanted ? new JsonNumber(this.text.slice(start, this.at)) : UNWANTED;
  }

  private skip(char: string): boolean {
    if (this.text[this.at] !== char) return false;
    this.at++;
    return true;
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
