import { nextTurn, type Turn } from '../concurrency/turns.js';

/** A number of a JSON text, digit for digit as it was written. */
export class JsonNumber {
  constructor(readonly text: string) {}
}

export type JsonObject = Record<string, unknown>;

/**
 * The wanted members of an object by name, each with the shape of the objects within; an array has that of its elements.
 * Without a shape the members or elements of a value are wanted, but no object or array among them.
 */
export type Shape = ReadonlyMap<string, { readonly shape?: Shape | undefined }>;

const SPACE = 0x20;
/** Most strings. Longer ones, and those with escapes, are read in parts. */
const SHORT_STRING = /"[ !#-[\]-\uffff]{0,1000}"/y;
/** A part of a string: for a longer match the engine would need too much memory. */
const CHARACTERS = /(?:[ !#-[\]-\uffff]{1,60}|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})){1,250}/y;
/** No number of more digits is read: they are one step. */
const SCALAR = /-?(?:0|[1-9]\d{0,14999})(?:\.\d{1,15000})?(?:[eE][+-]?\d{1,15000})?|true|false|null/y;
/** A part of a run of white space. */
const WHITESPACE = /[ \t\n\r]{1,15000}/y;
/** Most members of an object, and elements of an array, that are built. No request has as many. */
const MOST_MEMBERS = 1001;
/** One for all empty objects: 1 MiB of them would take 64 MiB. */
const EMPTY: JsonObject = Object.freeze(Object.create(null) as JsonObject);

/** Bounds what a hostile text holds open. */
const MAX_DEPTH = 64;

/**
 * Reads JSON (RFC 8259) with every number as its text: JSON.parse rounds numbers, and shows a reviver their text
 * only from Node 21 on. Objects have no prototype, so that `__proto__` is a name like any other. A name that comes twice
 * is refused, because two readers may differ on its meaning (RFC 7493, section 2.3). Members that the shape does not want
 * are checked and not built. One pass over the text in any case, with a pause whenever the turn, which may have begun with
 * other texts, is full. Why not by a library: docs/adr/0007. Throws SyntaxError, also for more than {@link MAX_DEPTH} levels.
 */
export async function parseInTurns(text: string, turn: Turn, shape?: Shape): Promise<unknown> {
  const parts = new JsonParser(text, turn).parse(shape);
  for (;;) {
    const { done, value } = parts.next();
    if (done === true) return value;
    await nextTurn();
  }
}

/** Whether a value that was parsed is an object. */
export function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
  );
}

/** An object or array that is still open. `built` is undefined when it is not wanted. */
class Container {
  built: JsonObject | unknown[] | undefined;
  private name = '';
  private members = 0;
  /** The names of members that are not built. */
  private names: Set<string> | undefined;

  constructor(
    readonly isObject: boolean,
    /** Whether the value that comes next is wanted. */
    private wantsNext: boolean,
    private readonly shape: Shape | undefined,
  ) {
    if (wantsNext) this.built = isObject ? (Object.create(null) as JsonObject) : [];
  }

  /** The container that comes next within it. */
  opened(isObject: boolean): Container {
    const { wantsNext, shape } = this;
    const isWanted = wantsNext && shape !== undefined && (isObject || this.isObject);
    return new Container(isObject, isWanted, this.isObject ? shape?.get(this.name)?.shape : shape);
  }

  /** Takes the name of the next member. False for one that comes twice. */
  begin(name: string): boolean {
    this.name = name;
    const isWanted = this.built !== undefined && this.shape?.has(name) !== false;
    if (isWanted && name in (this.built as JsonObject)) return false; // of others V8 would keep each name
    this.wantsNext = isWanted && this.members < MOST_MEMBERS;
    if (this.wantsNext) {
      this.members++;
      return true;
    }
    const { names = (this.names = new Set()) } = this;
    return names.size < names.add(name).size;
  }

  add(value: unknown): void {
    const { built } = this;
    if (built === undefined || !this.wantsNext) return;
    if (!Array.isArray(built)) built[this.name] = value;
    // the first push to an empty array would make room for 17
    else if (built.length === 0) this.built = [value];
    else this.wantsNext = built.push(value) < MOST_MEMBERS;
  }
}

class JsonParser {
  private at = 0;
  /** The position up to which characters have been counted in the turn. */
  private counted = 0;
  private readonly open: Container[] = [];

  constructor(
    private readonly text: string,
    private readonly turn: Turn,
  ) {}

  /** Reads value after value, each with the name before it and the ends of containers after it. */
  *parse(shape: Shape | undefined): Generator<undefined, unknown> {
    for (;;) {
      if (this.fillsTurn(1)) yield;
      const container = this.open.at(-1);
      if (container?.isObject === true) {
        while (this.isBlank()) yield;
        const start = this.at;
        const name = this.shortString() ?? (yield* this.longString());
        if (!container.begin(name)) throw new SyntaxError(`the name at position ${start} appears twice`);
        while (this.isBlank()) yield;
        this.take(':');
      }
      while (this.isBlank()) yield;
      const char = this.text[this.at];
      const isObject = char === '{';
      let value: unknown;
      if (isObject || char === '[') {
        if (this.open.length === MAX_DEPTH)
          throw new SyntaxError(`it is nested deeper than ${MAX_DEPTH} levels`);
        this.at++;
        while (this.isBlank()) yield;
        if (!this.skips(isObject ? '}' : ']')) {
          this.open.push(
            container?.opened(isObject) ?? new Container(isObject, true, isObject ? shape : undefined),
          );
          continue;
        }
        value = isObject ? EMPTY : [];
      } else value = char === '"' ? (this.shortString() ?? (yield* this.longString())) : this.scalar();
      while (this.isBlank()) yield;
      for (let own = this.open.at(-1); own !== undefined && this.ends(own, value); own = this.open.at(-1)) {
        value = own.built;
        while (this.isBlank()) yield;
      }
      if (this.open.length > 0) continue;
      if (this.at < this.text.length) throw this.unexpected();
      return value;
    }
  }

  /** Adds a value to the innermost container. Whether it ends behind it. */
  private ends(container: Container, value: unknown): boolean {
    container.add(value);
    if (this.skips(',')) return false;
    this.take(container.isObject ? '}' : ']');
    this.open.pop();
    return true;
  }

  private shortString(): string | undefined {
    const start = this.at;
    return this.passes(SHORT_STRING) ? this.text.slice(start + 1, this.at - 1) : undefined;
  }

  private *longString(): Generator<undefined, string> {
    const parts: string[] = [];
    this.take('"');
    for (let start = this.at; this.text[this.at] !== '"'; start = this.at) {
      if (!this.passes(CHARACTERS)) throw this.unexpected();
      const part = this.text.slice(start, this.at);
      parts.push(part.includes('\\') ? (JSON.parse(`"${part}"`) as string) : part);
      if (this.fillsTurn(0)) yield;
    }
    this.at++;
    return parts.join('');
  }

  private scalar(): JsonNumber | boolean | null {
    const start = this.at;
    if (!this.passes(SCALAR)) throw this.unexpected();
    const token = this.text.slice(start, this.at);
    if (token < 'a') return new JsonNumber(token);
    return token === 'null' ? null : token === 'true';
  }

  private fillsTurn(values: number): boolean {
    const characters = this.at - this.counted;
    this.counted = this.at;
    return this.turn.fills(values, characters);
  }

  /** Moves past a match of the pattern at this position. False without one. */
  private passes(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const isMatch = pattern.test(this.text);
    if (isMatch) this.at = pattern.lastIndex;
    return isMatch;
  }

  /** Skips white space, but no more than fits into the turn: then true. */
  private isBlank(): boolean {
    while (!(this.text.charCodeAt(this.at) > SPACE) && this.passes(WHITESPACE))
      if (this.fillsTurn(0)) return true;
    return false;
  }

  private skips(char: string): boolean {
    const isNext = this.text[this.at] === char;
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
