import { CsvError } from './csv.mjs';
import { centsOf } from './money.mjs';

const SIGN = '[+\\-\\u2212]?';
const CURRENCY = '(?:[A-Z]{3}|[A-Z]{0,2}\\p{Sc})?';
/** `-1,234.50`, `€-5`, `-€5`, `5.00 EUR`, `5.00-` and `(5.00)`. */
const AMOUNT = new RegExp(
  `^(\\(?)(${SIGN}) ?${CURRENCY} ?(${SIGN})(\\d[\\d.,' \\u2019]*?) ?${CURRENCY}(${SIGN})(\\)?)$`,
  'u',
);

/** The digits and marks of an amount, and whether it is negative; undefined when it is none. */
function partsOf(text) {
  const [, open, before, between, digits, after, close] = AMOUNT.exec(text.replace(/\s+/g, ' ').trim()) ?? [];
  const signs = before + between + after;
  const isBracketed = open === '(';
  if (digits === undefined || isBracketed !== (close === ')') || signs.length > (isBracketed ? 0 : 1))
    return undefined;
  return { digits: digits.replaceAll('\u2019', "'"), isNegative: isBracketed || /[-\u2212]/.test(signs) };
}

/** The cents of an amount as banks write it, with its currency or without; undefined when it is none. */
export function bankCentsOf(text, decimalMark) {
  const parts = partsOf(text);
  const cents = parts && centsOf(parts.digits, decimalMark);
  return cents !== undefined && parts.isNegative ? -cents : cents;
}

/** What these amounts have before their cents, `.` or `,`. Throws when they do not tell, or contradict each other. */
export function decimalMarkIn(texts) {
  const examples = {};
  for (const text of texts) {
    const mark = markIn(partsOf(text)?.digits ?? '');
    if (mark !== undefined) examples[mark] ??= text;
  }
  const { '.': point, ',': comma, open } = examples;
  if (point !== undefined && comma !== undefined)
    throw new CsvError(
      `"${point}" has a decimal point and "${comma}" a comma; --decimal says which is right`,
    );
  if ((point ?? comma) === undefined && open !== undefined)
    throw new CsvError(`"${open}" may have thousands or decimals; --decimal . or --decimal , says which`);
  return comma === undefined ? '.' : ',';
}

/** `open` for what looks like thousands as much as like decimals, undefined for what says nothing. */
function markIn(digits) {
  const marks = digits.match(/[.,]/g) ?? [];
  const last = marks.at(-1);
  if (/[.,]\d{1,2}$/.test(digits)) return marks.indexOf(last) === marks.length - 1 ? last : undefined;
  if (!/^\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*$/.test(digits)) return undefined;
  if (marks.length === 1) return 'open';
  return last === '.' ? ',' : '.';
}
