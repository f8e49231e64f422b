import { nextTurn, Turn } from '../concurrency/turns.js';

/** A number of a JSON text, digit for digit as it was written. */
export class JsonNumber {
  constructor(readonly text: string) {}
}

export type JsonObject = Record<string, unknown>;

/**
 * The wanted members of an object by name, each with the shape of the objects within. Without a shape all of a value is
 * wanted. An array has the shape of its elements.
 */
export type Shape = ReadonlyMap<string, { readonly shape?: Shape | undefined }>;

const SPACE = 0x20;
/** Most strings. Longer ones, and those with escapes, are read in parts. */
const SHORT_STRING = /"[ !#-[\]-\uffff]{0,1000}"/y;
/** A part of a string: for a longer match the engine would need too much memory. */
const CHARACTERS = /(?:[ !#-[\]-\uffff]{1,60}|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})){1,1000}/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const WHITESPACE = /[ \t\n\r]*/y;
/** One for all empty objects: 1 MiB of them would take 64 MiB. */
const EMPTY: JsonObject = Object.freeze(Object.create(null) as JsonObject);

/** Bounds what a hostile text holds open. */
export const MAX_DEPTH = 64;

/**
 * Reads JSON (RFC 8259) with every number as its text: JSON.parse rounds numbers, and shows a reviver their text
 * only from Node 21 on. Objects have no prototype, so that `__proto__` is a name like any other. A name that comes twice
 * is refused, because two readers may differ on its meaning (RFC 7493, section 2.3). Members that the shape does not want
 * are checked and not built. One pass over the text in any case. Why not by a library: docs/adr/0007. Throws SyntaxError,
 * also for more than {@link MAX_DEPTH} levels.
 */
export function parseJson(text: string, shape?: Shape): unknown {
  const parts = new JsonParser(text, new Turn()).parse(shape);
  for (;;) {
    const { done, value } = parts.next();
    if (done === true) return value;
  }
}

/** As {@link parseJson}, with a pause whenever the turn, which may have begun with other texts, is full. */
export async function parseInTurns(
  text: string,
  turn = new Turn(),
  shape?: Shape,
  pause = nextTurn,
): Promise<unknown> {
  const parts = new JsonParser(text, turn).parse(shape);
  for (;;) {
    const { done, value } = parts.next();
    if (done === true) return value;
    await pause();
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
  /** The names of members that are not built. */
  private names: Set<string> | undefined;

  constructor(
    readonly isObject: boolean,
    isWanted: boolean,
    private readonly shape: Shape | undefined,
  ) {
    if (isWanted) this.built = isObject ? (Object.create(null) as JsonObject) : [];
  }

  /** Whether the value that comes next is wanted. */
  get isNextWanted(): boolean {
    return this.built !== undefined && !(this.isObject && this.shape?.has(this.name) === false);
  }

  get nextShape(): Shape | undefined {
    return this.isObject ? this.shape?.get(this.name)?.shape : this.shape;
  }

  /** Takes the name of the next member. False for one that comes twice. */
  begin(name: string): boolean {
    this.name = name;
    if (this.isNextWanted) return !(name in (this.built as JsonObject));
    const { names = (this.names = new Set()) } = this;
    return names.size < names.add(name).size;
  }

  add(value: unknown): void {
    if (!this.isNextWanted) return;
    if (Array.isArray(this.built) && this.built.length > 0) this.built.push(value);
    // the first push to an empty array would make room for 17
    else if (Array.isArray(this.built)) this.built = [value];
    else if (this.built !== undefined) this.built[this.name] = value;
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
        this.next();
        const start = this.at;
        const name = this.shortString() ?? (yield* this.longString());
        if (!container.begin(name)) throw new SyntaxError(`the name at position ${start} comes twice`);
        this.take(':');
      }
      const char = this.next();
      if ((char === '{' || char === '[') && this.opens(char, container, shape)) continue;
      const value =
        char === '"' ? (this.shortString() ?? (yield* this.longString())) : this.scalarOrEmpty(char);
      const whole = this.close(value);
      if (whole !== undefined) return whole.value;
    }
  }

  /** Enters an object or array, unless it is empty. */
  private opens(char: '{' | '[', container: Container | undefined, shape: Shape | undefined): boolean {
    if (this.open.length === MAX_DEPTH) throw new SyntaxError(`it is nested deeper than ${MAX_DEPTH} levels`);
    this.at++;
    const isObject = char === '{';
    if (this.next() === (isObject ? '}' : ']')) return false;
    const own =
      container === undefined
        ? new Container(isObject, true, shape)
        : new Container(isObject, container.isNextWanted, container.nextShape);
    this.open.push(own);
    return true;
  }

  /** Closes the containers that end after the value. The value of the whole text when none is left open. */
  private close(last: unknown): { readonly value: unknown } | undefined {
    let value = last;
    for (;;) {
      const container = this.open.at(-1);
      if (container === undefined) break;
      container.add(value);
      if (this.skips(',')) return undefined;
      this.take(container.isObject ? '}' : ']');
      this.open.pop();
      value = container.built;
    }
    if (this.next() !== undefined) throw this.unexpected();
    return { value };
  }

  private scalarOrEmpty(char: string | undefined): unknown {
    if (char !== '{' && char !== '[') return this.scalar();
    this.at++;
    return char === '{' ? EMPTY : [];
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

  /** The first character after white space. */
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
