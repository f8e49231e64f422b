import { Refusal } from '../faults.js';

/** Amounts are whole cents as BigInt: sums of any size stay exact. */
const SIGN = '[+\\-\\u2212\\u2013]?';
const UNIT = '(?:[A-Z]{3}|[A-Z]{0,2}\\p{Sc})?';
/** `-1,234.50`, `€-5`, `-€5`, `5.00 EUR`, `5.00-`, `(5.00)` and `$(5.00)`. */
const AMOUNT = new RegExp(
  `^(\\(?)(${SIGN}) ?(${UNIT}) ?(${SIGN})(\\d[\\d.,' \\u2019]*?|[.,]\\d+) ?(${UNIT}) ?(${SIGN})(\\)?)$`,
  'u',
);
/** Another word, such as DEB, would be a direction. */
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));
/** Thousands, or as in India hundreds of thousands, by the decimal mark. */
const GROUPED = {
  '.': /^(\d{1,3}(?:([,' ])\d{3}(?:\2\d{3})*)?|\d{1,2}(?:,\d{2})+,\d{3}|\d*)$/,
  ',': /^(\d{1,3}(?:([.' ])\d{3}(?:\2\d{3})*)?|\d*)$/,
};

export type DecimalMark = keyof typeof GROUPED;

/** Undefined for a text that is no amount. */
function partsOf(text: string): { digits: string; unit: string; isNegative: boolean } | undefined {
  const [, open, before = '', code = '', between = '', digits = '', unit = '', after = '', close] =
    AMOUNT.exec(text.replace(/^(\p{L}*\p{Sc}) ?\(/u, '($1')) ?? [];
  const [signs, isBracketed] = [before + between + after, open === '('];
  const areUnits = [code, unit].every((word) => /(^|\p{Sc})$/u.test(word) || CURRENCIES.has(word));
  const isSignedOnce = signs.length <= (isBracketed ? 0 : 1) && isBracketed === (close === ')');
  if (digits === '' || !areUnits || !isSignedOnce) return undefined;
  const isNegative = isBracketed || /[-\u2212\u2013]/.test(signs);
  return { digits: digits.replaceAll('\u2019', "'"), unit: code || unit, isNegative };
}

/** The currencies that the amounts themselves name. */
export function currenciesIn(texts: readonly string[]): string[] {
  return [...new Set(texts.map((text) => partsOf(text)?.unit ?? ''))].filter(Boolean);
}

/** Nothing, or one of the dashes that stand for it. */
export function isEmptyAmount(text: string): boolean {
  return /^[-\u2010-\u2015\u2212]{0,2}$/.test(text);
}

/** The cents of an amount as banks write it; undefined for another text, and for fractions of a cent. */
export function centsOf(text: string, mark: DecimalMark = '.'): bigint | undefined {
  const parts = partsOf(text);
  const [whole = '', fraction = '', ...more] = parts?.digits.split(mark) ?? [];
  const hasCents = /^\d{0,2}0*$/.test(fraction);
  if (parts === undefined || more.length > 0 || !GROUPED[mark].test(whole) || !hasCents) return undefined;
  const cents = BigInt(whole.replace(/\D/g, '') + fraction.slice(0, 2).padEnd(2, '0'));
  return parts.isNegative ? -cents : cents;
}

/** `-1234.50`. */
export function decimalOf(cents: bigint): string {
  const digits = String(magnitude(cents)).padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

export function magnitude(cents: bigint): bigint {
  return cents < 0n ? -cents : cents;
}

export function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, cents) => sum + cents, 0n);
}

/** What these amounts have before their cents. Throws when they do not tell, or contradict each other. */
export function decimalMarkIn(texts: readonly string[]): DecimalMark {
  const examples = new Map(texts.map((text) => [markIn(partsOf(text)?.digits ?? ''), text]));
  const [point, comma, open] = (['.', ',', 'open'] as const).map((mark) => examples.get(mark));
  if (point !== undefined && comma !== undefined)
    throw new Refusal(`"${point}" has a decimal point and "${comma}" a comma: "decimal" says which is right`);
  if (point === undefined && comma === undefined && open !== undefined)
    throw new Refusal(`"${open}" may have thousands or decimals: "decimal", "." or ",", says which`);
  return comma === undefined ? '.' : ',';
}

/** `open` for what looks like thousands as much as like decimals, undefined for what says nothing. */
function markIn(digits: string): DecimalMark | 'open' | undefined {
  const marks = (digits.match(/[.,]/g) ?? []) as DecimalMark[];
  const last = marks.at(-1);
  if (last === undefined) return undefined;
  if (marks.indexOf(last) < marks.length - 1) return last === '.' ? ',' : '.'; // 1.234.567
  const isOpen = marks.length === 1 && /^[1-9]\d{0,2}\D\d{3}$/.test(digits); // not 0.125, 1234.500 and 1.234,500
  return isOpen ? 'open' : last;
}
