/** A number of a JSON text, digit for digit as it was written. */
export class JsonNumber {
  constructor(readonly text: string) {}
}

/** An array or object of a JSON text, checked and counted, to be read on demand. */
export class JsonSource {
  constructor(
    private readonly text: string,
    /** Number of elements or members. */
    readonly size: number,
  ) {}

  get isArray(): boolean {
    return this.text.startsWith('[');
  }

  /**
   * Its elements or wanted members. Arrays and objects within it are further sources. Throws SyntaxError for a wanted
   * name that comes twice.
   */
  read(isWanted: (name: string) => boolean = () => true): unknown {
    return new JsonParser(this.text, Infinity, isWanted).parse();
  }
}

export type JsonObject = Record<string, unknown>;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const UNWANTED = new JsonNumber('');
/** Unread names of an object that are compared: more would take longer than to read them. */
const MAX_COMPARED = 1000;
const WHITESPACE = /[ \t\n\r]*/y;
const LITERALS = { true: true, false: false, null: null };

/**
 * Reads JSON (RFC 8259) with every number as its text: JSON.parse rounds numbers, and shows a reviver their text
 * only from Node 21 on. Objects have no prototype, so that `__proto__` is a name like any other. A name that comes twice
 * is refused, because two readers may differ on its meaning (RFC 7493, section 2.3). One pass over the text in any case.
 * Why not by a library: docs/adr/0007.
 *
 * An array or object is checked whole and returned as a {@link JsonSource}: members that nobody reads cost no memory,
 * however many values a body packs into 1 MiB. Throws SyntaxError, also for more than `maxDepth` levels.
 */
export function parseValue(text: string, maxDepth: number): unknown {
  return new JsonParser(text, maxDepth, () => true).parsePart();
}

class JsonParser {
  private at = 0;
  private depth = 0;
  /** Whether what is read is wanted, or only checked. */
  private wanted = true;
  /** Of the array or object that ended last. */
  private size = 0;

  constructor(
    private readonly text: string,
    private readonly maxDepth: number,
    private readonly isWanted: (name: string) => boolean,
  ) {}

  parse(): unknown {
    return this.only(this.value());
  }

  parsePart(): unknown {
    return this.only(this.part());
  }

  private only(value: unknown): unknown {
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
    let unkept: Set<string> | undefined;
    this.elements('}', () => {
      const start = this.at;
      if (this.text[start] !== '"') throw this.unexpected();
      const name = this.string();
      if (name in object || unkept?.has(name) === true)
        throw new SyntaxError(`the name at position ${start} comes twice`);
      this.skipWhitespace();
      if (!this.skip(':')) throw this.unexpected();
      if (this.wanted && this.isWanted(name)) object[name] = this.part();
      else {
        this.unwanted();
        if ((unkept ??= new Set()).size < MAX_COMPARED) unkept.add(name);
      }
    });
    return object;
  }

  /** An element or member that is kept. */
  private part(): unknown {
    this.skipWhitespace();
    const start = this.at;
    if (this.text[start] !== '{' && this.text[start] !== '[') return this.value();
    this.unwanted();
    return new JsonSource(this.text.slice(start, this.at), this.size);
  }

  private unwanted(): void {
    const { wanted } = this;
    this.wanted = false;
    this.value();
    this.wanted = wanted;
  }

  private array(): unknown[] {
    const array: unknown[] = [];
    this.elements(']', () => {
      if (this.wanted) array.push(this.part());
      else this.value();
    });
    return array;
  }

  /** What stands between a bracket and its counterpart, separated by commas. */
  private elements(end: string, read: () => void): void {
    if (++this.depth > this.maxDepth)
      throw new SyntaxError(`it is nested deeper than ${this.maxDepth} levels`);
    this.at++;
    this.skipWhitespace();
    let size = 0;
    if (!this.skip(end)) {
      do {
        this.skipWhitespace();
        read();
        size++;
        this.skipWhitespace();
      } while (this.skip(','));
      if (!this.skip(end)) throw this.unexpected();
    }
    this.size = size;
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
