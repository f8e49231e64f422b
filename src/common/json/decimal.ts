/** Decimal numbers as scaled integers: JSON's numbers have no bound, and floating point would round them. */

/** Digits before the point: no column holds more, and `1e999999999` is a short text of a long number. */
const LONGEST = 20;

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * A JSON number in thousandths. The last digit is 1 if anything follows the second decimal, so that the result compares
 * with every bigint and numeric(19,2) as the number does. A number past 10^20 becomes that power of ten.
 */
export function thousandthsOf(text: string): bigint {
  const [, sign, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return 0n;
  const ofHundredths = digits.length - fraction.length + Number(exponent) + 2;
  const magnitude = ofHundredths > LONGEST + 2 ? 10n ** BigInt(LONGEST + 3) : cutOff(digits, ofHundredths);
  return sign === '-' ? -magnitude : magnitude;
}

function cutOff(digits: string, length: number): bigint {
  const end = Math.max(length, 0);
  return BigInt(`${digits.slice(0, end).padEnd(end, '0')}${/[1-9]/.test(digits.slice(end)) ? 1 : 0}`);
}

/** A scaled integer in plain notation. */
export function decimalText(scaled: bigint, decimals: number): string {
  const digits = String(scaled < 0n ? -scaled : scaled).padStart(decimals + 1, '0');
  return `${scaled < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
