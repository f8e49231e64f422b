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

type Steps<Result> = Generator<undefined, Result>;

/** By recursive descent. What it reads in steps pauses where the turn is full. */
class JsonParser {
  private at = 0;
  /** The position up to which characters have been counted in the turn. */
  private counted = 0;
  private depth = 0;

  constructor(
    private readonly text: string,
    private readonly turn: Turn,
  ) {}

  *parse(shape: Shape | undefined): Steps<unknown> {
    while (this.isBlank()) yield;
    const value = yield* this.value('{[', this.text[this.at] === '{' ? shape : undefined);
    if (this.at < this.text.length) throw this.unexpected();
    return value;
  }

  /** A value and the white space around it. Undefined for an object or array whose bracket is not wanted, unless it is empty. */
  private *value(wanted: '' | '{' | '{[', shape: Shape | undefined): Steps<unknown> {
    if (this.fillsTurn(1)) yield;
    while (this.isBlank()) yield;
    const char = this.text[this.at] ?? '';
    let value: unknown;
    if (char === '{' || char === '[') {
      if (this.depth === MAX_DEPTH) throw new SyntaxError(`it is nested deeper than ${MAX_DEPTH} levels`);
      this.depth++;
      this.at++;
      const isWanted = wanted.includes(char);
      value = yield* char === '{' ? this.object(isWanted, shape) : this.array(isWanted, shape);
      this.depth--;
    } else value = char === '"' ? (this.shortString() ?? (yield* this.longString())) : this.scalar();
    while (this.isBlank()) yield;
    return value;
  }

  private *object(isWanted: boolean, shape: Shape | undefined): Steps<JsonObject | undefined> {
    while (this.isBlank()) yield;
    if (this.skips('}')) return EMPTY;
    const built = isWanted ? (Object.create(null) as JsonObject) : undefined;
    /** The names of members that are not built: of others V8 would keep each name. */
    const names = new Set<string>();
    let members = 0;
    do {
      while (this.isBlank()) yield;
      const start = this.at;
      const name = this.shortString() ?? (yield* this.longString());
      const isMember = built !== undefined && shape?.has(name) !== false;
      const isBuilt = isMember && members++ < MOST_MEMBERS;
      const isTwice = (isMember && name in built) || (!isBuilt && names.size === names.add(name).size);
      if (isTwice) throw new SyntaxError(`the name at position ${start} appears twice`);
      while (this.isBlank()) yield;
      this.take(':');
      const value = yield* this.value(isBuilt && shape !== undefined ? '{[' : '', shape?.get(name)?.shape);
      if (isBuilt) built[name] = value;
    } while (this.skips(','));
    this.take('}');
    return built;
  }

  private *array(isWanted: boolean, shape: Shape | undefined): Steps<unknown[] | undefined> {
    while (this.isBlank()) yield;
    if (this.skips(']')) return [];
    let built: unknown[] | undefined;
    do {
      const isBuilt = isWanted && (built?.length ?? 0) < MOST_MEMBERS;
      const value = yield* this.value(isBuilt && shape !== undefined ? '{' : '', shape);
      if (!isBuilt) continue;
      if (built === undefined)
        built = [value]; // the first push to an empty array would make room for 17
      else built.push(value);
    } while (this.skips(','));
    this.take(']');
    return built;
  }

  private shortString(): string | undefined {
    const start = this.at;
    return this.passes(SHORT_STRING) ? this.text.slice(start + 1, this.at - 1) : undefined;
  }

  private *longString(): Steps<string> {
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
