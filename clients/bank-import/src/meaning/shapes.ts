/** The rules file is not as it should be. */
export class Fault extends Error {}

/** Throws a Fault when the value at the path is not a T. */
export interface Check<T> {
  (given: unknown, path: string): void;
  readonly of?: T;
}

type Shape = Readonly<Record<string, Check<unknown>>>;
/** An object that has been checked. All members may be missing. */
export type Of<S> = { readonly [Name in keyof S]?: S[Name] extends Check<infer T> ? T : never };

export function value<T>(isRight: (given: unknown) => boolean, wanted: string): Check<T> {
  return (given, path) => {
    if (!isRight(given)) throw new Fault(`${path} must be ${wanted}`);
  };
}

export const text = value<string>((given) => typeof given === 'string' && given !== '', 'a text');
export const boolean = value<boolean>((given) => typeof given === 'boolean', 'true or false');

export function oneOf<const T extends string>(...words: readonly T[]): Check<T> {
  return (given, path) => {
    if (words.some((word) => word === given)) return;
    const near = suggestion(nearest(String(given), words));
    throw new Fault(`${path} does not take ${JSON.stringify(given)}${near}; it takes ${words.join(', ')}`);
  };
}

export function listOf<T>(check: Check<T>): Check<readonly T[]> {
  return (given, path) => {
    if (!Array.isArray(given)) throw new Fault(`${path} must be a list`);
    for (const [index, item] of given.entries()) check(item, `${path}[${index}]`);
  };
}

export function oneOrMore<T>(check: Check<T>): Check<T | readonly T[]> {
  return (given, path) => (Array.isArray(given) ? listOf(check)(given, path) : check(given, path));
}

/** Unknown members are refused: a misspelt one would be ignored in silence. */
export function object<S extends Shape>(shape: S): Check<Of<S>> {
  const known = Object.keys(shape);
  return (given, path) => {
    if (typeof given !== 'object' || given === null || Array.isArray(given))
      throw new Fault(`${path || 'the file'} must be an object, {…}`);
    for (const [name, member] of Object.entries(given)) {
      const [check, place] = [Object.hasOwn(shape, name) ? shape[name] : undefined, path && `${path}.`];
      if (check !== undefined) check(member, place + name);
      else
        throw new Fault(
          `"${place}${name}" is unknown${suggestion(nearest(name, known))}; known are ${known.join(', ')}`,
        );
    }
  };
}

function suggestion(near: string | undefined): string {
  return near === undefined ? '' : `: is "${near}" meant?`;
}

/** The word with the fewest letters to change; undefined when that would be half of it. */
function nearest(given: string, words: readonly string[]): string | undefined {
  const [near] = words
    .map((word) => [distance(given.toLowerCase(), word.toLowerCase()), word] as const)
    .toSorted(([one], [other]) => one - other);
  return near !== undefined && near[0] <= Math.max(near[1].length, given.length) / 2 ? near[1] : undefined;
}

/** Letters to insert, to remove or to replace. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of Array.from(one).entries()) {
    const next = [index + 1];
    for (const [place, compared] of Array.from(other).entries()) {
      const replaced = (row[place] ?? 0) + (letter === compared ? 0 : 1);
      next.push(Math.min((row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
