import { LosslessNumber } from 'lossless-json';

/** What the oracle cannot know beforehand, and how to tell that it is right. */
export class Unknown {
  constructor(
    readonly what: string,
    readonly accepts: (actual: unknown) => boolean,
  ) {}
}

export type JsonObject = Record<string, unknown>;

/** Where and how a value is not the expected one; undefined when it is. */
export function difference(expected: unknown, actual: unknown, path = ''): string | undefined {
  if (expected instanceof Unknown)
    return expected.accepts(actual) ? undefined : told(path, expected.what, actual);
  if (expected instanceof LosslessNumber && actual instanceof LosslessNumber)
    return expected.value === actual.value ? undefined : told(path, expected.value, actual.value);
  if (isContainer(expected) && isContainer(actual) && Array.isArray(expected) === Array.isArray(actual))
    return differenceBelow(expected, actual, path);
  return expected === actual ? undefined : told(path, expected, actual);
}

function differenceBelow(expected: object, actual: object, path: string): string | undefined {
  const [left, right] = [expected, actual] as [JsonObject, JsonObject];
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    if (!Object.hasOwn(left, key)) return told(`${path}.${key}`, undefined, right[key]);
    if (!Object.hasOwn(right, key)) return told(`${path}.${key}`, left[key], undefined);
    const found = difference(left[key], right[key], `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof LosslessNumber);
}

function told(path: string, expected: unknown, actual: unknown): string {
  return `body${path} is ${inWords(actual)} instead of ${inWords(expected)}`;
}

function inWords(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 300);
}
