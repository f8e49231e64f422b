import {
  commandOf,
  flag,
  list,
  numberAbove0,
  readOptions,
  UsageError,
  wholeNumber,
  wholeNumbers,
} from '../bench/options.js';

const OPTIONS = {
  calls: wholeNumber('at least so many calls', 20),
  rate: numberAbove0('requests per second', 0.5),
  only: list('NAME', 'these alone'),
  connections: wholeNumbers('connections', [1, 16]),
  short: flag('shorter'),
};
const DEFAULTS = { calls: 20, rate: 0.5, only: [], connections: [1, 16], short: false };
const read = (args: readonly string[]): unknown =>
  readOptions(commandOf('npm run x', '', OPTIONS), OPTIONS, args);

describe('the options of a measuring command', () => {
  it.each<[string[], object]>([
    [[], {}],
    [['--calls', '7', '--rate=2.5'], { calls: 7, rate: 2.5 }],
    [['--only', 'a,b', '--connections', '4', '--short'], { only: ['a', 'b'], connections: [4], short: true }],
  ])('%j is read', (args, expected) => expect(read(args)).toEqual({ ...DEFAULTS, ...expected }));

  it.each([[['--help']], [['-h']]])('%j asks for the help', (args) => expect(read(args)).toBeUndefined());

  it.each([
    [['--calls', '0'], '--calls must be a whole number from 1'],
    [['--calls='], '--calls must be a whole number from 1'],
    [['--rate', '0'], '--rate must be a number above 0'],
    [['--connections', '1,x'], '--connections must be a whole number from 1'],
    [['--cals', '1'], /unknown option '--cals'/],
    [['--calls'], /argument missing/],
    [['word'], /too many arguments/],
  ])('%j is refused', (args, message) => {
    expect(() => read(args)).toThrow(UsageError);
    expect(() => read(args)).toThrow(message);
  });
});
