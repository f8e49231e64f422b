import type { Type } from '@nestjs/common';
import { getSchemaPath } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsBoolean, IsIn, IsString } from 'class-validator';
import { decimalText, thousandthsOf } from '../json/decimal.js';
import { isObject, JsonNumber } from '../json/json-parser.js';
import { type About, Check, Fault, Field, type Rule, textRule } from './field.js';
import { BOOLEAN, INT32, INT64, MAX_PARTS, MONEY, type Schema, STRING_MAP, SUM, TEXT } from './schema.js';

const MAX_MONEY = '99999999999999999.99'; // the largest amount that numeric(19,2) holds, as text

const EMAIL = /^[^@\s\p{Cc}]+@[^@\s\p{Cc}]+$/u;
const INT32_MAX = 2 ** 31 - 1;

/** A string of at most `max` Unicode code points, kept as it is: neither trimmed nor normalised. */
export function Text(max: number, { min = 0, ...about }: About & { min?: number }): PropertyDecorator {
  return Field(textSchema(max, min), about, Check('isText', text(max, min)));
}

/** Notes and instructions, bounded because a page may have a hundred. */
export const LongText = (about: About) => Text(10_000, about);

/** Any string, for a sign-in: an impossible name or password is simply wrong. */
export const AnyString = (about: About) => Field(TEXT, about, IsString({ message: 'must be a string' }));

export const Bool = (about: About) => Field(BOOLEAN, about, IsBoolean({ message: 'must be true or false' }));

/** One of the texts of {@link enumOf}, with regard to case. */
export const Enumeration = (schema: Schema & { enum: string[] }, about: About) =>
  Field(schema, about, IsIn(schema.enum, { message: `must be one of ${schema.enum.join(', ')}` }));

function textSchema(max: number, min = 0): Schema {
  const bounds = { ...(min > 0 && { minLength: min }), ...(max < Infinity && { maxLength: max }) };
  return { type: 'string', ...bounds };
}

function text(max = Infinity, min = 0): Rule {
  return (input) => {
    if (typeof input !== 'string') return Fault.of('must be a string');
    if (!isStorable(input)) return Fault.of('must not contain U+0000 or a lone surrogate');
    const length = min === 0 && input.length <= max ? 0 : lengthOf(input, max);
    return length >= min && length <= max ? undefined : Fault.of(`must have ${rangeOf(min, max)} characters`);
  };
}

/** Whether PostgreSQL's text can hold it: neither U+0000 nor a lone surrogate. */
export const isStorable = (value: string): boolean => value.isWellFormed() && !value.includes('\u0000');

/** Code points, as PostgreSQL counts them; a string that is certainly too long is not counted. */
function lengthOf(value: string, max: number): number {
  if (value.length > 2 * max) return Infinity;
  return value.length - (value.match(/[\udc00-\udfff]/g)?.length ?? 0);
}

const rangeOf = (min: number, max: number): string => (min > 0 ? `${min} to ${max}` : `at most ${max}`);

/** Exactly one @ with something on both sides, no white space, no control characters; nothing stricter. */
export function Email(about: About): PropertyDecorator {
  // Neither classes of Unicode nor U+0000: many readers of patterns know one of them at most.
  const pattern = '^[^@\\s]+@[^@\\s]+$';
  const [isText, hasForm] = [text(255), textRule('must be an e-mail address', (value) => EMAIL.test(value))];
  const isEmail: Rule = (input) => isText(input) ?? hasForm(input);
  return Field({ ...textSchema(255), pattern }, about, Check('isEmailAddress', isEmail));
}

interface Range<T> extends About {
  readonly min: T;
  readonly max?: T;
}

export function Int32({ min, max = INT32_MAX, ...about }: Range<number>): PropertyDecorator {
  const message = `must be a whole number from ${min} to ${max}`;
  const isInt32 = integer(message, (value) => value >= min && value <= max);
  const number = (digits: JsonNumber): number => Number(integerOf(digits));
  return Field({ ...INT32, minimum: min, maximum: max }, about, Check('isInt32', isInt32, number));
}

export const int64 = integer('must fit into 64 bits', (value) => BigInt.asIntN(64, value) === value);

/** Whether a text is the id of a row, as the service writes it. */
export const isId = (text = ''): boolean => /^[1-9]\d{0,18}$/.test(text) && BigInt(text) < 2n ** 63n;

/** Digits: JavaScript's numbers are exact up to 2^53 only. */
export const integerText = (number: JsonNumber): string => integerOf(number).toString();

export const Int64 = (about: About) => Field(INT64, about, Check('isInt64', int64, integerText));

function integer(message: string, isValid: (value: bigint) => boolean): Rule {
  return (input) => {
    const value = thousandths(input) ?? 1n;
    if (value % 1000n !== 0n) return Fault.of('must be a whole number');
    return isValid(value / 1000n) ? undefined : Fault.of(message);
  };
}

const integerOf = ({ text }: JsonNumber): bigint => thousandthsOf(text) / 1000n;

function thousandths(input: unknown): bigint | undefined {
  return input instanceof JsonNumber ? thousandthsOf(input.text) : undefined;
}

/** Money as decimal text: at most two decimals, never rounded, from `min` to `max` inclusive. */
export function Money({ min, max = MAX_MONEY, ...about }: Range<string>): PropertyDecorator {
  const [lowest, highest] = [thousandthsOf(min), thousandthsOf(max)];
  const bounds = { minimum: Number(min), maximum: Number(max) }; // MAX_MONEY becomes the double above it
  const isMoney: Rule = (input) => {
    const value = thousandths(input);
    if (value === undefined) return Fault.of('must be a number');
    if (value % 10n !== 0n) return Fault.of('must have at most 2 decimals');
    return value >= lowest && value <= highest ? undefined : Fault.of(`must be from ${min} to ${max}`);
  };
  const digits = (number: JsonNumber): string => decimalText(thousandthsOf(number.text) / 10n, 2);
  return Field({ ...MONEY, ...bounds }, about, Check('isMoney', isMoney, digits));
}

/** Any number, as text that compares with an amount as the number does. */
export function AnyNumber(about: About): PropertyDecorator {
  const isNumber: Rule = (input) => (input instanceof JsonNumber ? undefined : Fault.of('must be a number'));
  const digits = ({ text }: JsonNumber): string => decimalText(thousandthsOf(text), 3);
  return Field(SUM, about, Check('isJsonNumber', isNumber, digits));
}

export const TextList = (length: number, about: About) =>
  listOf(textSchema(length), { min: 0, max: MAX_PARTS, ...about }, 'isTextList', eachOf(text(length)));

/** A list of objects, each read as a body of that type. */
export function ListOf(type: Type, bounds: Bounds): PropertyDecorator {
  const areObjects = eachOf((item) => (isObject(item) ? undefined : Fault.of('must be an object')));
  return listOf({ $ref: getSchemaPath(type) } as Schema, bounds, 'isObjectList', areObjects, undefined, type);
}

type Bounds = Range<number> & { readonly max: number };

function listOf(items: Schema, { min, max, ...about }: Bounds, ...check: Parameters<typeof Check>) {
  const schema = { type: 'array', items, maxItems: max, ...(min > 0 && { minItems: min }) } as Schema;
  const size = { message: `must have ${rangeOf(min, max)} elements` };
  const rules = [IsArray({ message: 'must be an array' }), ArrayMinSize(min, size), ArrayMaxSize(max, size)];
  return Field(schema, about, ...rules, Check(...check));
}

/** Faults are named by index. */
function eachOf(rule: Rule): Rule {
  return (input) => {
    const faults = new Fault();
    for (const [index, item] of (input as unknown[]).entries()) {
      if (faults.isFull) break;
      faults.add(`[${index}]`, rule(item));
    }
    return faults.size > 0 ? faults : undefined;
  };
}

/** An object of strings. Every key is kept: there is no prototype with which one could clash. */
export const StringMap = (about: About) => Field(STRING_MAP, about, Check('isStringMap', stringMap));

const anyText = text();

const stringMap: Rule = (input) => {
  if (!isObject(input)) return Fault.of('must be an object');
  const members = Object.entries(input);
  if (members.length > MAX_PARTS) return Fault.of(`must have at most ${MAX_PARTS} members`);
  const faults = new Fault();
  for (const [key, item] of members) {
    if (faults.isFull) break;
    const fault = key === '__proto__' ? Fault.of('is not an allowed key') : (anyText(key) ?? anyText(item));
    faults.add(`.${key.slice(0, 100).toWellFormed()}`, fault);
  }
  return faults.size > 0 ? faults : undefined;
};
