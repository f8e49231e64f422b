import { AnswerInParts } from './answer-in-parts.js';

const PART = 'x'.repeat(64 * 1024);
const SECOND = 1000;

/** Of so many parts, each of which takes so long to be read from the database. */
async function* parts(count: number, each: number): AsyncGenerator<string> {
  for (let left = count; left > 0; left--) {
    if (each > 0) await new Promise((resolve) => setTimeout(resolve, each));
    yield PART;
  }
}

/** When and how a response ends whose client needs so long for each part, and the database so long to read it. */
async function read(count: number, perPart: number, perRead = 0): Promise<{ seconds: number; end: string }> {
  const begin = performance.now();
  const over = jest.fn();
  const opening = AnswerInParts.of(parts(count, perRead), { over });
  await jest.advanceTimersByTimeAsync(perRead);
  const stream = (await opening).toStream();
  let end = '';
  stream.once('end', () => (end = 'all')).once('error', ({ message }) => (end = message));
  const take = async (): Promise<void> => {
    for await (const part of stream)
      await new Promise((resolve) => setTimeout(resolve, (perPart * String(part).length) / PART.length));
  };
  void take().catch(() => undefined);
  while (end === '') await jest.advanceTimersByTimeAsync(SECOND / 4);
  return { seconds: (performance.now() - begin) / SECOND, end };
}

describe('the client of an answer in parts', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const TOO_SLOW = 'its client takes less than 64 KiB a second';
  const TOO_LONG = 'its client has taken an hour';

  it.each([
    ['64 KiB a second for ten minutes', 600, 1 * SECOND, 0, { seconds: 600, end: 'all' }],
    ['64 KiB a second for longer than an hour', 4000, 1 * SECOND, 0, { seconds: 3600, end: TOO_LONG }],
    ['nothing', 10, 3600 * SECOND, 0, { seconds: 30, end: TOO_SLOW }],
    ['half as much as it should', 100, 2 * SECOND, 0, { seconds: 60, end: TOO_SLOW }],
    ['everything at once, from a slow database', 20, 0, 60 * SECOND, { seconds: 1200, end: 'all' }],
  ])('that takes %s', async (_, count, perPart, perRead, expected) => {
    const found = await read(count, perPart, perRead);
    expect(found.end).toBe(expected.end);
    expect(Math.abs(found.seconds - expected.seconds)).toBeLessThanOrEqual(2);
  });
});
