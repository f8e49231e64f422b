import { Writable } from 'node:stream';
import { boundedOutput } from './logger.js';

const LINE = `${'x'.repeat(99)}\n`;

it('the log keeps no more than its bound for a reader that does not read', () => {
  const pipe = new Writable({ write: () => undefined });
  const output = boundedOutput(pipe, 1000);
  for (let left = 50; left > 0; left--) output.write(LINE);
  expect(pipe.writableLength).toBe(1000);
});

it('the log survives a reader that has gone', async () => {
  const pipe = new Writable();
  const output = boundedOutput(pipe);
  pipe.destroy(Object.assign(new Error('gone'), { code: 'EPIPE' }));
  output.write(LINE);
  await new Promise((resolve) => setImmediate(resolve));
  expect(pipe.destroyed).toBe(true);
});
