import { LosslessNumber, parse, stringify } from 'lossless-json';

/**
 * Reads JSON with every number as the text of its digits. JavaScript's own numbers are exact to about fifteen digits,
 * and ids and amounts may have nineteen.
 */
export function readExactJson(text) {
  return parse(text, undefined, (digits) => digits);
}

/** Writes JSON with the given texts of digits as its numbers: `{ amount: '0.10' }` becomes `{"amount":0.10}`. */
export function writeExactJson(numbers, others) {
  const exact = Object.entries(numbers).map(([name, digits]) => [name, new LosslessNumber(digits)]);
  return stringify({ ...Object.fromEntries(exact), ...others });
}
