import { Writable } from 'node:stream';
import { boundedOutput } from './logger.js';

/** A stream whose reader takes nothing, unless `reading`. */
class Pipe extends Writable {
  readonly read: string[] = [];
  reading = false;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.read.push(chunk.toString());
    if (this.reading) done();
  }
}

const LINE = `${'x'.repeat(99)}\n`;

describe('the output of the log', () => {
  it('passes lines on', () => {
    const pipe = new Pipe();
    pipe.reading = true;
    boundedOutput(pipe).write(LINE);
    expect(pipe.read).toEqual([LINE]);
  });

  it('keeps no more than its bound for a reader that does not read', () => {
    const pipe = new Pipe();
    const output = boundedOutput(pipe, 1000);
    for (let left = 50; left > 0; left--) output.write(LINE);
    expect(pipe.writableLength).toBe(1000);
  });

  it('survives a reader that has gone', async () => {
    const pipe = new Pipe();
    const output = boundedOutput(pipe);
    pipe.destroy(Object.assign(new Error('gone'), { code: 'EPIPE' }));
    output.write(LINE);
    await new Promise((resolve) => setImmediate(resolve));
    expect(pipe.read).toEqual([]);
  });
});
