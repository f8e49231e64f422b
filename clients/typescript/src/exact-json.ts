import { isLosslessNumber, isNumber, LosslessNumber, parse, stringify } from 'lossless-json';
import { DECIMAL_FIELDS, INT64_FIELDS, OPEN_OBJECTS } from './generated/fields.js';
import { isRecord } from './is-record.js';

const INTEGER = /^-?(0|[1-9]\d*)$/;

/** A double keeps any fifteen digits: thirteen, and two of cents. */
const LARGEST_WITH_CENTS = 1e13;

/** A request's body as JSON, with exact fields digit for digit as given. */
export function encodeBody(body: unknown): string | undefined {
  return stringify(isRecord(body) ? encodeFields(body) : body);
}

function encodeFields(body: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, encodeField(name, value)]));
}

function encodeField(name: string, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if (Array.isArray(value) && value.every(isRecord)) return value.map(encodeFields);
  if (INT64_FIELDS.has(name)) return new LosslessNumber(integerDigits(name, value));
  if (DECIMAL_FIELDS.has(name)) return new LosslessNumber(decimalDigits(name, value));
  return value;
}

/** The digits of a 64-bit integer. Throws TypeError for another value, and for a number that has lost digits. */
export function integerDigits(name: string, value: unknown): string {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return String(value);
  if (typeof value === 'string' && INTEGER.test(value)) return value;
  if (typeof value === 'number' && Number.isInteger(value))
    throw new TypeError(`${name}: ${value} is too large for a number; give it as a string or a bigint`);
  throw new TypeError(`${name}: ${shown(value)} is not an integer`);
}

function decimalDigits(name: string, value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'string' && isNumber(value)) return value;
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw new TypeError(`${name}: ${shown(value)} is not a decimal`);
  if (Math.abs(value) >= LARGEST_WITH_CENTS)
    throw new TypeError(
      `${name}: ${value} is too large for a number to keep its decimals; give it as a string`,
    );
  return String(value);
}

function shown(value: unknown): string {
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}

/** A response's body as JSON that `JSON.parse` reads without loss: exact fields are strings of their digits. */
export function withDigitsAsStrings(json: string): string {
  return JSON.stringify(readable(parse(json), { exact: false, open: false }));
}

function readable(value: unknown, within: { exact: boolean; open: boolean }): unknown {
  if (isLosslessNumber(value)) return within.exact ? value.value : Number(value.value);
  if (Array.isArray(value)) return value.map((element) => readable(element, within));
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).map(([name, inner]) => {
    const exact = !within.open && (INT64_FIELDS.has(name) || DECIMAL_FIELDS.has(name));
    return [name, readable(inner, { exact, open: within.open || OPEN_OBJECTS.has(name) })] as const;
  });
  return Object.fromEntries(fields);
}
