import { decimalText, thousandthsOf } from './decimal.js';

const MANY = '9'.repeat(400);
const PAST_ALL = '100000000000000000000.000';

it.each([
  ['-0.0e400', '0.000'],
  [`0e${MANY}`, '0.000'],
  ['12.34e1', '123.400'],
  ['100e-2', '1.000'],
  ['-1.2345', '-1.231'],
  ['0.015', '0.011'],
  ['-1e-7', '-0.001'],
  [`1e-${MANY}`, '0.001'],
  [`0.${'3'.repeat(100_000)}`, '0.331'],
  ['99999999999999999.99', '99999999999999999.990'],
  ['99999999999999999999', '99999999999999999999.000'],
  ['123456789012345678901', PAST_ALL],
  [`-1e${MANY}`, `-${PAST_ALL}`],
])('thousandthsOf() %s are those of %s', (text, plain) => {
  expect(decimalText(thousandthsOf(text), 3)).toBe(plain);
});

it('thousandthsOf() a million zeros takes time in proportion to the text', () => {
  const zeros = '0'.repeat(500_000);
  const cpu = process.cpuUsage();
  expect(thousandthsOf(`${zeros}1.${zeros}1`)).toBe(1001n);
  expect(thousandthsOf(`${zeros}.${zeros}`)).toBe(0n);
  expect(process.cpuUsage(cpu).user).toBeLessThan(1_000_000);
});
