/** Amounts are whole cents as BigInt: sums of any size stay exact. */

/** What may stand between groups of three digits, by the decimal mark. */
const GROUPED = {
  '.': /^\d{1,3}(?:([,' \u00a0\u202f])\d{3}(?:\1\d{3})*)?$|^\d+$/,
  ',': /^\d{1,3}(?:([.' \u00a0\u202f])\d{3}(?:\1\d{3})*)?$|^\d+$/,
};

/** The cents that a text such as `-1,234.50` stands for, or undefined when it is no amount. */
export function centsOf(text, decimalMark = '.') {
  const [, sign, rest] = /^([+\-\u2212]?)(.*)$/s.exec(text.trim());
  const [whole, fraction = '', ...more] = rest.split(decimalMark);
  if (more.length > 0 || !GROUPED[decimalMark].test(whole) || !/^\d{0,2}$/.test(fraction)) return undefined;
  const cents = BigInt(whole.replace(/\D/g, '') + fraction.padEnd(2, '0'));
  return sign === '-' || sign === '\u2212' ? -cents : cents;
}

/** `-1234.50`: for JSON, CSV and other programs. */
export function decimalOf(cents) {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** `-1,234.50`: for people. */
export function readable(decimal) {
  return decimal.replace(/\B(?=(\d{3})+\.)/g, ',');
}
