import type { Type } from '@nestjs/common';
import { getSchemaPath, type SchemaObject } from '@nestjs/swagger';
import { decimalText, thousandthsOf } from '../json/decimal.js';
import { declaredFields, Fault, type FieldReader, fieldReader, readObject, textReader } from './fields.js';
import { isObject, JsonNumber } from '../json/json-parser.js';
import { BOOLEAN, INT32, INT64, MONEY, MAX_PARTS, type Schema, STORABLE, STRING_MAP } from './schema.js';

/** The largest amount that numeric(19,2) holds, as text. */
const MAX_MONEY = '99999999999999999.99';

/** `\p{Cc}` for readers of JSON Schema, many of whom do not know the classes of Unicode. */
const CONTROL_CHARACTERS = '\\u0000-\\u001f\\u007f-\\u009f';
const EMAIL = /^[^@\s\p{Cc}]+@[^@\s\p{Cc}]+$/u;
const INT32_MAX = 2 ** 31 - 1;

/** A string of at most `max` Unicode code points, kept as it is: neither trimmed nor normalised. */
export function text(max = Infinity, min = 0): FieldReader<string> {
  const schema: Schema = { type: 'string', pattern: STORABLE };
  if (min > 0) schema.minLength = min;
  if (max < Infinity) schema.maxLength = max;
  return fieldReader(schema, (input) => {
    if (typeof input !== 'string') return Fault.of('must be a string');
    if (!isStorable(input)) return Fault.of('must not contain U+0000 or a lone surrogate');
    const length = min === 0 && input.length <= max ? 0 : lengthOf(input, max);
    if (length >= min && length <= max) return input;
    return Fault.of(`must have ${rangeOf(min, max)} characters`);
  });
}

/** Notes and instructions: a page of a hundred must have a bound. */
export const longText = text(10_000);

/** PostgreSQL's text holds neither. */
export function isStorable(value: string): boolean {
  return value.isWellFormed() && !value.includes('\u0000');
}

/** Code points, as PostgreSQL counts them; a string that is certainly too long is not counted. */
function lengthOf(value: string, max: number): number {
  if (value.length > 2 * max) return Infinity;
  return value.length - (value.match(/[\udc00-\udfff]/g)?.length ?? 0);
}

const anyText = text();
const shortText = text(255);

/** Exactly one @ with something on both sides, no white space, no control characters; nothing stricter. */
export const email = fieldReader<string>(
  { type: 'string', maxLength: 255, pattern: EMAIL.source.replaceAll('\\p{Cc}', CONTROL_CHARACTERS) },
  (input) => {
    const value = shortText(input);
    return value instanceof Fault || EMAIL.test(value) ? value : Fault.of('must be an e-mail address');
  },
);

export const boolean = fieldReader<boolean>(BOOLEAN, (input) =>
  typeof input === 'boolean' ? input : Fault.of('must be true or false'),
);

/** One of the texts, with regard to case. `enumName` is what the API document calls the enumeration. */
export function oneOf<T extends string>(allowed: readonly T[], enumName?: string): FieldReader<T> {
  return textReader(
    { type: 'string', enum: [...allowed], ...(enumName !== undefined && { enumName }) },
    `must be one of ${allowed.join(', ')}`,
    (text) => allowed.find((value) => value === text),
  );
}

export function int32(min: number, max = INT32_MAX): FieldReader<number> {
  const range = max === INT32_MAX ? `of at least ${min}` : `from ${min} to ${max}`;
  return fieldReader({ ...INT32, minimum: min, maximum: max }, (input) => {
    const value = integerOf(input);
    if (value instanceof Fault) return value;
    return value >= min && value <= max ? Number(value) : Fault.of(`must be a whole number ${range}`);
  });
}

/** A 64-bit integer as decimal digits: JavaScript's numbers are exact up to 2^53 only. */
export const int64 = fieldReader<string>(INT64, (input) => {
  const value = integerOf(input);
  if (value instanceof Fault) return value;
  return BigInt.asIntN(64, value) === value ? value.toString() : Fault.of('must fit into 64 bits');
});

function integerOf(input: unknown): bigint | Fault {
  const value = thousandths(input) ?? 1n;
  return value % 1000n === 0n ? value / 1000n : Fault.of('must be a whole number');
}

function thousandths(input: unknown): bigint | undefined {
  return input instanceof JsonNumber ? thousandthsOf(input.text) : undefined;
}

/** Money as decimal text: at most two decimals, never rounded, from `min` to `max` inclusive. */
export function money(min: string, max: string = MAX_MONEY): FieldReader<string> {
  const [lowest, highest] = [thousandthsOf(min), thousandthsOf(max)];
  // As a number the largest amount of all would be written rounded; the next integer is exact.
  const maximum: Schema = max === MAX_MONEY ? { exclusiveMaximum: 1e17 } : { maximum: Number(max) };
  const schema: Schema = { ...MONEY, minimum: Number(min), ...maximum };
  return fieldReader(schema, (input) => {
    const value = thousandths(input);
    if (value === undefined) return Fault.of('must be a number');
    if (value % 10n !== 0n) return Fault.of('must have at most 2 decimals');
    if (value < lowest || value > highest) return Fault.of(`must be from ${min} to ${max}`);
    return decimalText(value / 10n, 2);
  });
}

/** Any number, as text that PostgreSQL can compare with an amount without a change of the outcome. */
export const anyNumber = fieldReader<string>({ type: 'number', format: 'decimal' }, (input) => {
  const value = thousandths(input);
  return value === undefined ? Fault.of('must be a number') : decimalText(value, 3);
});

/** A list whose every element is read; faults are named by index. */
export function listOf<T>(element: FieldReader<T>, max = MAX_PARTS, min = 0): FieldReader<T[]> {
  const schema: Schema = { type: 'array', items: element.schema as SchemaObject, maxItems: max };
  if (min > 0) schema.minItems = min;
  const read = (input: unknown): T[] | Fault => {
    if (!Array.isArray(input)) return Fault.of('must be an array');
    if (input.length < min || input.length > max) return Fault.of(`must have ${rangeOf(min, max)} elements`);
    const faults = new Fault();
    const items: T[] = [];
    for (let index = 0; index < input.length && !faults.isFull; index++) {
      const value = element(input[index]);
      if (value instanceof Fault) faults.add(`[${index}]`, value);
      else items.push(value);
    }
    return faults.size > 0 ? faults : items;
  };
  return fieldReader(schema, read, element.shape);
}

function rangeOf(min: number, max: number): string {
  return min > 0 ? `${min} to ${max}` : `at most ${max}`;
}

/** An object that is read as a body of that type is. Every fault is named by its field. */
export function objectOf<T extends object>(type: Type<T>): FieldReader<T> {
  const read = (input: unknown): T | Fault =>
    isObject(input) ? readObject(type, input, '.') : Fault.of('must be an object');
  return fieldReader({ $ref: getSchemaPath(type) } as Schema, read, declaredFields(type));
}

/** An object of strings, with every key it came with, and without a prototype for one to clash with. */
export const stringMap = fieldReader(STRING_MAP, (input: unknown): Record<string, string> | Fault => {
  if (!isObject(input)) return Fault.of('must be an object');
  const members = Object.entries(input);
  if (members.length > MAX_PARTS) return Fault.of(`must have at most ${MAX_PARTS} members`);
  let faults: Fault | undefined;
  for (const [key, item] of members) {
    if (faults?.isFull) break;
    const isAllowed = isStorable(key) && key !== '__proto__';
    const value = isAllowed ? anyText(item) : Fault.of('is not an allowed key');
    if (value instanceof Fault) (faults ??= new Fault()).add(`.${key.slice(0, 100).toWellFormed()}`, value);
  }
  return faults ?? (input as Record<string, string>);
});
