import { readDecimal, wholeNumber } from './decimal.js';

// What fields accept and refuse is in test/support/kinds/requests.ts, and is sent to the service.

it.each([
  ['-0.0e400', '0'],
  ['-0.015', '-0.015'],
  ['12.34e1', '123.4'],
  ['100e-2', '1'],
  ['1e-7', '0.0000001'],
  [`0e${'9'.repeat(400)}`, '0'],
])('readDecimal() of %s is %s, digit for digit', (text, plain) => {
  expect(readDecimal(text)?.toText()).toBe(plain);
});

it.each(['', '-', '+1', '.5', '1.', '1e', '0x1', '1_000', '1,5', ' 1', 'NaN', '1\n'])(
  'readDecimal() of %j is undefined',
  (text) => expect(readDecimal(text)).toBeUndefined(),
);

it('readDecimal() of a million zeros takes time in proportion to the text', () => {
  const zeros = '0'.repeat(500_000);
  const started = performance.now();
  expect(readDecimal(`1${zeros}1.${zeros}1`)?.scale).toBe(500_001);
  expect(readDecimal(`${zeros}.${zeros}`)?.toText()).toBe('0');
  expect(performance.now() - started).toBeLessThan(2000);
});

it.each([`1e${'9'.repeat(400)}`, '1e400'])('wholeNumber() of %s exceeds 64 bits on its own side', (text) => {
  expect(wholeNumber(text)).toBeGreaterThan(2n ** 64n);
  expect(wholeNumber(`-${text}`)).toBeLessThan(-(2n ** 64n));
});

it.each([
  ['1e41', 0.01, 1],
  ['-1e400', 0.01, -1],
  ['1e-400', 0.01, -1],
  ['1e-400', 0, 1],
  ['-1e-400', 0, -1],
  ['-0.0', 0, 0],
])('toComparable() keeps %s on its side of %d', (text, amount, side) => {
  expect(Math.sign(Number(readDecimal(text)!.toComparable()) - amount)).toBe(side);
});

it.each([
  ['99999999999999999.99', '99999999999999999.99'],
  ['-1.2345', '-1.231'],
  [`0.${'3'.repeat(100_000)}`, '0.331'],
])('toComparable() of %s is exact, or short with a digit for the rest', (text, comparable) => {
  expect(readDecimal(text)!.toComparable()).toBe(comparable);
});
