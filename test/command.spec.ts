import {
  describeOptions,
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
  only: list('NAME', `these alone ${'and nothing else '.repeat(10)}`),
  connections: wholeNumbers('connections', [1, 16]),
  short: flag('shorter'),
};
const DEFAULTS = { calls: 20, rate: 0.5, only: [], connections: [1, 16], short: false };

describe('the options of a measuring command', () => {
  it.each<[string[], object]>([
    [[], {}],
    [['--calls', '7', '--rate=2.5'], { calls: 7, rate: 2.5 }],
    [['--only', 'a,b', '--connections', '4', '--short'], { only: ['a', 'b'], connections: [4], short: true }],
  ])('are read: %j', (args, expected) =>
    expect(readOptions(OPTIONS, args)).toEqual({ ...DEFAULTS, ...expected }),
  );

  it.each([['--help'], ['-h'], ['--calls', 'x', '-h']])('give way to the help: %s', (...args) =>
    expect(readOptions(OPTIONS, args)).toBeUndefined(),
  );

  it.each([
    [['--calls', '0'], '--calls must be a whole number from 1'],
    [['--calls='], '--calls must be a whole number from 1'],
    [['--rate', '0'], '--rate must be a number above 0'],
    [['--connections', '1,x'], '--connections must be a whole number from 1'],
    [['--cals', '1'], /Unknown option '--cals'/],
    [['--calls'], /argument missing/],
    [['word'], /Unexpected argument 'word'/],
  ])('are refused: %j', (args, message) => {
    const read = (): unknown => readOptions(OPTIONS, args);
    expect(read).toThrow(UsageError);
    expect(read).toThrow(message);
  });

  it('are described with their defaults, in lines that a terminal holds', () => {
    const lines = describeOptions(OPTIONS).trimEnd().split('\n');
    expect(lines[0]).toBe('  --calls N            at least so many calls (20)');
    expect(lines.at(-1)).toBe('  --help, -h           this');
    expect(lines.filter((line) => line.length > 120)).toEqual([]);
  });
});
