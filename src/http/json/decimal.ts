/** Decimal numbers as texts of digits: JSON's numbers have no bound, and floating point would round them. */

/** Digits before the point: no column holds more, and `1e999999999` is a short text of a long number. */
const LONGEST = 20;

export class Decimal {
  /** The value is `digits` × 10^-`scale`; digits have no zero at either end, `scale` may be negative. */
  constructor(
    readonly negative: boolean,
    readonly digits: string,
    readonly scale: number,
  ) {}

  /** How many digits stand before the decimal point; 0 or less for a value below 1. */
  get integerDigits(): number {
    return this.digits === '' ? 0 : this.digits.length - this.scale;
  }

  /** Plain notation. Only for a decimal of a reasonable size: see {@link toComparable} for any. */
  toText(): string {
    const sign = this.negative && this.digits !== '' ? '-' : '';
    if (this.scale <= 0)
      return `${sign}${this.digits || '0'}${'0'.repeat(this.digits === '' ? 0 : -this.scale)}`;
    const padded = this.digits.padStart(this.scale + 1, '0');
    return `${sign}${padded.slice(0, -this.scale)}.${padded.slice(-this.scale)}`;
  }

  /**
   * A text that compares with every bigint and every numeric(19,2) as this number does: larger magnitudes are brought
   * near, and digits behind the second decimal only tell that there is something more.
   */
  toComparable(): string {
    if (this.integerDigits > LONGEST) return new Decimal(this.negative, '1', -LONGEST).toText();
    if (this.scale <= 2) return this.toText();
    const kept = this.digits.slice(0, Math.max(0, this.digits.length - this.scale + 2));
    return new Decimal(this.negative, `${kept}1`, 3).toText();
  }
}

/** Reads a JSON number. Undefined only for what is not one. */
export function readDecimal(text: string): Decimal | undefined {
  const [, sign, whole, fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const significant = (whole + fraction).replace(/^0+/, '');
  const digits = stripTrailingZeros(significant);
  if (digits === '') return new Decimal(false, '', 0);
  // An exponent past 2^53 stays what it is: far beyond every bound.
  const scale = fraction.length - Number(exponent) - (significant.length - digits.length);
  return new Decimal(sign === '-', digits, scale);
}

/** A loop, for /0+$/ takes quadratic time on a long run of zeros that does not end the text. */
function stripTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 0x30) end--;
  return digits.slice(0, end);
}

/** The integer that a JSON number stands for (`1.0` and `1e2` too), or undefined. Past 10^20 that power of ten. */
export function wholeNumber(text: string): bigint | undefined {
  const decimal = readDecimal(text);
  return decimal === undefined || decimal.scale > 0 ? undefined : BigInt(decimal.toComparable());
}
