import type { ProblemError } from '../http/problem/problem.js';
import { HashQueue } from './hash-queue.js';

/** Work that ends when it is told to. */
function controlled(): { work: () => Promise<string>; end: (result: string) => void; started: boolean } {
  let end!: (result: string) => void;
  const result = new Promise<string>((resolve) => (end = resolve));
  const control = {
    end,
    started: false,
    work: () => {
      control.started = true;
      return result;
    },
  };
  return control;
}

function outcomeOf(error: unknown): string {
  const { slug, options } = error as ProblemError;
  return `${slug}, to be repeated after ${options.headers?.['retry-after'] ?? '?'} s`;
}

const REFUSED = 'service-unavailable, to be repeated after 1 s';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Milliseconds. */
const LONG = 60_000;

describe('HashQueue', () => {
  it('runs what comes when there is room, however short the longest wait', async () => {
    await expect(new HashQueue(1, 1).run(() => Promise.resolve(42))).resolves.toBe(42);
  });

  it('runs no more at a time than it may, and the next as soon as one ends', async () => {
    const queue = new HashQueue(2, LONG);
    const works = [controlled(), controlled(), controlled(), controlled()];
    const results = works.map(({ work }) => queue.run(work));
    await settled();
    expect(works.map(({ started }) => started)).toEqual([true, true, false, false]);

    works[1]!.end('second');
    await expect(results[1]).resolves.toBe('second');
    await settled();
    expect(works.map(({ started }) => started)).toEqual([true, true, true, false]);

    for (const { end } of works) end('done');
    await expect(Promise.all(results)).resolves.toEqual(['done', 'second', 'done', 'done']);
  });

  it('lets the waiting in by the order in which they came, before whoever comes later', async () => {
    const queue = new HashQueue(1, LONG);
    const order: string[] = [];
    const first = controlled();
    const running = queue.run(first.work);
    const waiting = ['a', 'b', 'c'].map((name) => queue.run(() => Promise.resolve(order.push(name))));
    first.end('');
    await running;
    waiting.push(queue.run(() => Promise.resolve(order.push('d'))));
    await Promise.all(waiting);
    expect(order).toEqual(['a', 'b', 'c', 'd']);
  });

  describe('knows how long a hash takes, and', () => {
    const MS = 100;
    const hash = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, MS));
    let queue: HashQueue;

    beforeEach(async () => {
      jest.useFakeTimers();
      queue = new HashQueue(2, 5.2 * MS);
      for (let left = 60; left > 0; left--)
        await Promise.all([queue.run(hash), jest.advanceTimersByTimeAsync(MS)]);
    });
    afterEach(() => jest.useRealTimers());

    /** What becomes of so many that come at once. */
    const outcomes = async (count: number): Promise<string[]> => {
      const all = Array.from({ length: count }, () =>
        queue.run(hash).then(
          () => 'done',
          (error: unknown) => outcomeOf(error),
        ),
      );
      await jest.advanceTimersByTimeAsync(count * MS);
      return Promise.all(all);
    };

    it('lets in as many as come to their turn in time, and refuses the others at once', async () => {
      // Two run, and ten wait for five times a hash at most.
      expect(await outcomes(12)).toEqual(Array(12).fill('done'));
      expect(await outcomes(14)).toEqual([...Array<string>(12).fill('done'), REFUSED, REFUSED]);
      expect(queue.depth).toBe(0);
    });

    it('lets whoever it refuses know before anybody has waited', async () => {
      const all = Array.from({ length: 14 }, () => queue.run(hash).catch(outcomeOf));
      expect(await Promise.race(all)).toBe(REFUSED);
      await jest.advanceTimersByTimeAsync(14 * MS);
      await Promise.all(all);
    });

    it('refuses nobody because a single one was slow', async () => {
      const slow = queue.run(() => new Promise((resolve) => setTimeout(resolve, 10 * MS)));
      await jest.advanceTimersByTimeAsync(10 * MS);
      await slow;
      expect(await outcomes(6)).toEqual(Array(6).fill('done'));
    });
  });

  it('refuses after that time whom it has let in wrongly, and keeps the order of the others', async () => {
    jest.useFakeTimers();
    try {
      const queue = new HashQueue(1, 200);
      const [first, second, third] = [controlled(), controlled(), controlled()];
      const running = queue.run(first.work);
      const late = queue.run(second.work).catch(outcomeOf);
      await jest.advanceTimersByTimeAsync(100);
      const inTime = queue.run(third.work);
      await jest.advanceTimersByTimeAsync(101);
      expect(await late).toBe(REFUSED);
      expect(queue.depth).toBe(2);
      first.end('first');
      await running;
      third.end('third');
      expect(await inTime).toBe('third');
      await jest.advanceTimersByTimeAsync(1000);
      expect([second.started, queue.depth]).toEqual([false, 0]);
    } finally {
      jest.useRealTimers();
    }
  });

  it.each([
    ['rejects', (): Promise<never> => Promise.reject(new Error('broken'))],
    [
      'throws',
      (): Promise<never> => {
        throw new Error('broken');
      },
    ],
  ])('gives the place of work that %s to the next', async (_, broken) => {
    const queue = new HashQueue(1, LONG);
    const failed = queue.run(broken);
    const next = queue.run(() => Promise.resolve('next'));
    await expect(failed).rejects.toThrow('broken');
    await expect(next).resolves.toBe('next');
    expect(queue.depth).toBe(0);
  });

  it('counts who runs or waits', async () => {
    const queue = new HashQueue(2, LONG);
    const works = [controlled(), controlled(), controlled()];
    expect(queue.depth).toBe(0);
    const results = works.map(({ work }) => queue.run(work));
    expect(queue.depth).toBe(3);
    for (const [index, { end }] of works.entries()) {
      end('');
      await results[index];
      expect(queue.depth).toBe(works.length - 1 - index);
    }
  });
});
