import { exportStream } from './export-stream.js';

const PART = 'x'.repeat(64 * 1024);
const SECOND = 1000;
const after = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time));

async function* parts(count: number, each: number): AsyncGenerator<string, void> {
  for (let left = count; left > 0; left--) {
    if (each > 0) await after(each);
    yield PART;
  }
}

/** When and how a stream ends whose client needs so long for each part, and the database so long to read it. */
async function read(
  count: number,
  perPart: number,
  perRead: number,
): Promise<{ seconds: number; end: string }> {
  const begin = performance.now();
  const opening = exportStream(parts(count, perRead));
  await jest.advanceTimersByTimeAsync(perRead);
  const stream = await opening;
  let end = '';
  stream.once('end', () => (end = 'all')).once('error', ({ message }) => (end = message));
  const take = async (): Promise<void> => {
    for await (const part of stream) await after((perPart * String(part).length) / PART.length);
  };
  void take().catch(() => undefined);
  while (end === '') await jest.advanceTimersByTimeAsync(SECOND / 4);
  return { seconds: (performance.now() - begin) / SECOND, end };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const TOO_SLOW = 'its client takes less than 64 KiB a second';
const TOO_LONG = 'its client has taken an hour';

it.each([
  ['64 KiB a second for ten minutes', 600, 1 * SECOND, 0, 600, 'all'],
  ['64 KiB a second for longer than an hour', 4000, 1 * SECOND, 0, 3600, TOO_LONG],
  ['nothing', 10, 3600 * SECOND, 0, 30, TOO_SLOW],
  ['half as much as it should', 100, 2 * SECOND, 0, 60, TOO_SLOW],
  ['everything at once, from a slow database', 20, 0, 60 * SECOND, 1200, 'all'],
])('a stream to a client that takes %s ends in time', async (_, count, perPart, perRead, seconds, end) => {
  const found = await read(count, perPart, perRead);
  expect(found.end).toBe(end);
  expect(Math.abs(found.seconds - seconds)).toBeLessThanOrEqual(2);
});

it('a stream that is destroyed while a part is read leaves no timer', async () => {
  const opening = exportStream(parts(2, SECOND));
  await jest.advanceTimersByTimeAsync(SECOND);
  const stream = await opening;
  stream.resume();
  await jest.advanceTimersByTimeAsync(SECOND / 2);
  stream.destroy();
  await jest.advanceTimersByTimeAsync(SECOND);
  expect(jest.getTimerCount()).toBe(0);
});
