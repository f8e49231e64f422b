import { Writable } from 'node:stream';
import { duration, stepsOn, styled } from './terminal.js';

/** A stream that keeps what is written, as a pipe or as a terminal that knows colours. */
class Sink extends Writable {
  text = '';

  constructor(readonly isTTY?: true) {
    super();
  }

  getColorDepth(env: Record<string, string> = process.env as Record<string, string>): number {
    return env['NO_COLOR'] === undefined && env['TERM'] !== 'dumb' ? 8 : 1;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

describe('a style', () => {
  const before = process.env['FORCE_COLOR'];
  beforeEach(() => Reflect.deleteProperty(process.env, 'FORCE_COLOR'));
  afterAll(() => {
    if (before !== undefined) process.env['FORCE_COLOR'] = before;
  });

  it('is shown on a terminal', () => {
    expect(styled('red', 'FAIL', new Sink(true))).toBe('\u001b[31mFAIL\u001b[39m');
  });

  it('is left out of a pipe', () => {
    expect(styled('red', 'FAIL', new Sink())).toBe('FAIL');
  });

  it.each([
    ['NO_COLOR', '1'],
    ['TERM', 'dumb'],
  ])('is left out where %s is %s', (name, value) => {
    const given = process.env[name];
    process.env[name] = value;
    try {
      expect(styled('red', 'FAIL', new Sink(true))).toBe('FAIL');
    } finally {
      if (given === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = given;
    }
  });
});

describe('a step', () => {
  it('is one line with its duration', async () => {
    const sink = new Sink();
    expect(await stepsOn(sink)('Filling in', () => Promise.resolve('filled'))).toBe('filled');
    expect(sink.text).toMatch(/^Filling in … \d+ ms\n$/);
  });

  it('says that it failed, and throws on', async () => {
    const sink = new Sink();
    const failing = stepsOn(sink)('Filling in', () => Promise.reject(new Error('full')));
    await expect(failing).rejects.toThrow('full');
    expect(sink.text).toBe('Filling in … failed\n');
  });
});

it.each([
  [0.4, '0 ms'],
  [999.4, '999 ms'],
  [999.5, '1.0 s'],
  [61_250, '61.3 s'],
])('%d ms are said as %s', (milliseconds, text) => {
  expect(duration(milliseconds)).toBe(text);
});
