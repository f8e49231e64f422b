import { readDecimal, wholeNumber } from './decimal.js';

describe('readDecimal', () => {
  it.each([
    ['-0', '0'],
    ['-0.0e400', '0'],
    ['-1', '-1'],
    ['100.00', '100'],
    ['-0.015', '-0.015'],
    ['1E+2', '100'],
    ['12.34e1', '123.4'],
    ['12.34e-1', '1.234'],
    ['100e-2', '1'],
    ['1e-7', '0.0000001'],
    ['99999999999999999.99', '99999999999999999.99'],
  ])('reads %s as %s, digit for digit', (text, plain) => {
    expect(readDecimal(text)?.toText()).toBe(plain);
  });

  it.each(['', '-', '+1', '.5', '1.', '1e', '0x1', '1_000', '1,5', ' 1', 'NaN', '1\n'])(
    'takes %j for no number',
    (text) => expect(readDecimal(text)).toBeUndefined(),
  );

  it.each([
    ['0', 0, 0],
    ['0.015', -1, 3],
    ['99999999999999999.99', 17, 2],
    ['1e400', 401, -400],
  ])('knows of %s that it has %i integer digits and a scale of %i', (text, integerDigits, scale) => {
    expect(readDecimal(text)).toMatchObject({ integerDigits, scale });
  });

  it('stays beyond every bound with an exponent that is a long number itself', () => {
    const exponent = '9'.repeat(400);
    expect(readDecimal(`1e${exponent}`)?.integerDigits).toBeGreaterThan(17);
    expect(readDecimal(`1e-${exponent}`)?.scale).toBeGreaterThan(2);
    expect(readDecimal(`0e${exponent}`)?.toText()).toBe('0');
  });

  it('takes time in proportion to the text', () => {
    const zeros = '0'.repeat(500_000);
    const started = performance.now();
    expect(readDecimal(`1${zeros}1.${zeros}1`)?.scale).toBe(500_001);
    expect(readDecimal(`${zeros}.${zeros}`)?.toText()).toBe('0');
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe('wholeNumber', () => {
  it.each([
    ['-0', 0n],
    ['-5.000', -5n],
    ['9223372036854775807', 2n ** 63n - 1n],
  ])('reads %s as the integer it is', (text, value) => {
    expect(wholeNumber(text)).toBe(value);
  });

  it.each(['-0.5', '1e-1', '9223372036854775807.5', 'x'])('finds no integer in %j', (text) => {
    expect(wholeNumber(text)).toBeUndefined();
  });

  it.each([
    ['1e400', 1n],
    ['-1e400', -1n],
    ['1e999999999999999999999', 1n],
  ])('keeps %s beyond 64 bits without writing it out', (text, sign) => {
    expect(wholeNumber(text)! * sign).toBeGreaterThan(2n ** 64n);
  });
});

describe('toComparable', () => {
  it.each([
    ['1e41', 0.01, 1],
    ['-1e400', 0.01, -1],
    ['1e-400', 0.01, -1],
    ['1e-400', 0, 1],
    ['-1e-400', 0, -1],
    ['-0.0', 0, 0],
  ])('keeps %s on its side of %d', (text, amount, side) => {
    expect(Math.sign(Number(readDecimal(text)!.toComparable()) - amount)).toBe(side);
  });

  it.each(['0.001', '1.10', '12345678901234567890.123', '-7'])('leaves %s what it is', (text) => {
    expect(readDecimal(readDecimal(text)!.toComparable())).toEqual(readDecimal(text));
  });

  it('is short for a number of any length, and tells that there was more', () => {
    const long = `0.${'3'.repeat(100_000)}`;
    const short = readDecimal(long)!.toComparable();
    expect(short.length).toBeLessThan(100);
    expect(short).toMatch(/^0\.3{80}1$/);
  });
});
