import { Writable } from 'node:stream';
import { LogOutput } from './log-output.js';

/** A stream whose reader takes what is written only when it is told to. */
class Pipe extends Writable {
  readonly read: string[] = [];
  reading = false;
  #waiting: (() => void)[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.read.push(chunk.toString());
    if (this.reading) done();
    else this.#waiting.push(done);
  }

  drain(): void {
    this.reading = true;
    for (const done of this.#waiting.splice(0)) done();
  }
}

const BASE = { application: 'ledger' };
const LINE = `${'x'.repeat(99)}\n`;

describe('the output of the log', () => {
  it('passes lines on', () => {
    const pipe = new Pipe();
    pipe.reading = true;
    new LogOutput(pipe, BASE).write(LINE);
    expect(pipe.read).toEqual([LINE]);
  });

  it('keeps no more than its bound for a reader that does not read', () => {
    const pipe = new Pipe();
    const output = new LogOutput(pipe, BASE, 1000);
    for (let left = 50; left > 0; left--) output.write(LINE);
    expect(pipe.writableLength).toBe(1000);
  });

  it('tells how many lines were dropped once somebody reads again', () => {
    const pipe = new Pipe();
    const output = new LogOutput(pipe, BASE, 1000);
    for (let left = 15; left > 0; left--) output.write(LINE);
    pipe.drain();
    output.write(LINE);
    output.write(LINE);
    expect(pipe.read).toHaveLength(13);
    expect(JSON.parse(pipe.read[10]!)).toMatchObject({ level: 'warn', application: 'ledger', dropped: 5 });
    expect(pipe.read.slice(11)).toEqual([LINE, LINE]);
  });

  it('survives a reader that has gone', async () => {
    const pipe = new Pipe();
    const output = new LogOutput(pipe, BASE);
    pipe.destroy(Object.assign(new Error('gone'), { code: 'EPIPE' }));
    output.write(LINE);
    await new Promise((resolve) => setImmediate(resolve));
    expect(pipe.read).toEqual([]);
  });
});
