import { isLosslessNumber, LosslessNumber } from 'lossless-json';

export type JsonObject = Record<string, unknown>;

/** A value that only the response tells, and its rule. */
export class Unknown {
  constructor(
    readonly what: string,
    readonly accepts: (actual: unknown) => boolean,
  ) {}
}

/** The time of the call; {@link requireNow} looks closer. */
export const NOW = new Unknown('the time of the call', (actual) => typeof actual === 'string');

/** A new id: above every one before. */
export function newId(seen: readonly number[]): Unknown {
  const highest = Math.max(0, ...seen);
  return new Unknown(`an id above ${highest}`, (actual) => numberIn(actual) > highest);
}

export function whole(value: number): LosslessNumber {
  return new LosslessNumber(String(value));
}

export function numberIn(value: unknown): number {
  return isLosslessNumber(value) ? Number(value.value) : NaN;
}

/** The first place where a value is not the expected one. */
export function difference(expected: unknown, actual: unknown, path = ''): string | undefined {
  const told = `body${path} is ${inWords(actual)} instead of ${inWords(expected)}`;
  if (expected instanceof Unknown) return expected.accepts(actual) ? undefined : told;
  if (isLosslessNumber(expected) && isLosslessNumber(actual))
    return expected.value === actual.value ? undefined : told;
  if (!isContainer(expected) || !isContainer(actual) || Array.isArray(expected) !== Array.isArray(actual))
    return expected === actual ? undefined : told;
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const found = difference(ownOf(expected, key), ownOf(actual, key), `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function ownOf(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function isContainer(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !isLosslessNumber(value);
}

function inWords(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (isLosslessNumber(value)) return value.value;
  return value instanceof Unknown ? value.what : JSON.stringify(value).slice(0, 300);
}
