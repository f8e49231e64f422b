import { isRecord } from '../../../typescript/src/is-record.js';
import { Refusal } from '../faults.js';

/** A kind of values. */
export interface Kind<T> {
  readonly isOne: (given: unknown) => boolean;
  readonly wanted: string;
  readonly of?: T;
}

/** A kind, a list, or an object all of whose members may be missing. */
export type Shape = Kind<unknown> | readonly Shape[] | { readonly [name: string]: Shape };
export type Of<S> =
  S extends Kind<infer T>
    ? T
    : S extends readonly (infer Item)[]
      ? readonly Of<Item>[]
      : { readonly [Name in keyof S]?: Of<S[Name]> };

export function kind<T>(isOne: (given: unknown) => boolean, wanted: string): Kind<T> {
  return { isOne, wanted };
}

export function oneOf<const T extends string>(...words: readonly T[]): Kind<T> {
  return { isOne: (given) => words.includes(given as T), wanted: `one of ${words.join(', ')}` };
}

export function severalOf<T>({ isOne, wanted }: Kind<T>): Kind<T | readonly T[]> {
  return { isOne: (given) => [given].flat().every(isOne), wanted: `${wanted}, or several` };
}

/** Throws a Refusal that says how the value at the path must be. An unknown member is refused: it would be ignored. */
export function check(given: unknown, shape: Shape, path = ''): void {
  const refuse = (wanted: string): Error => new Refusal(`${path || 'the file'} must be ${wanted}`, 2);
  if (isKind(shape)) {
    if (!shape.isOne(given)) throw refuse(shape.wanted);
  } else if (Array.isArray(shape)) {
    if (!Array.isArray(given)) throw refuse('a list');
    for (const [index, item] of given.entries())
      check(item, (shape as Shape[])[0] ?? {}, `${path}[${index}]`);
  } else {
    if (!isRecord(given)) throw refuse('an object, {…}');
    for (const [name, member] of Object.entries(given)) {
      const [place, known] = [path === '' ? name : `${path}.${name}`, Object.keys(shape)];
      const inner = known.includes(name) ? (shape as Record<string, Shape>)[name] : undefined;
      if (inner === undefined)
        throw new Refusal(`"${place}" is unknown${nearest(name, known)}; known are ${known.join(', ')}`, 2);
      check(member, inner, place);
    }
  }
}

function isKind(shape: Shape): shape is Kind<unknown> {
  return 'isOne' in shape;
}

/** Suggests the word with which it has most pairs of letters in common, where that is half of them. */
function nearest(given: string, words: readonly string[]): string {
  const pairsOf = (word: string): string[] =>
    Array.from(word.toLowerCase(), (_, index) => word.toLowerCase().slice(index, index + 2));
  const likeness = (word: string): number =>
    pairsOf(word).filter((pair) => pairsOf(given).includes(pair)).length / (word.length + given.length);
  const [near = ''] = words.toSorted((one, other) => likeness(other) - likeness(one));
  return likeness(near) >= 0.25 ? `: is "${near}" meant?` : '';
}
