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

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('HashQueue', () => {
  it('returns what the work returns', async () => {
    await expect(new HashQueue(1, 0).run(() => Promise.resolve(42))).resolves.toBe(42);
  });

  it('runs no more at a time than it may, and the next as soon as one ends', async () => {
    const queue = new HashQueue(2, 10);
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
    const queue = new HashQueue(1, 10);
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

  it('refuses at once whom it has no room for, without running the work', async () => {
    const queue = new HashQueue(1, 1);
    const [first, second, third] = [controlled(), controlled(), controlled()];
    const running = [queue.run(first.work), queue.run(second.work)];
    await expect(queue.run(third.work)).rejects.toMatchObject({
      slug: 'service-unavailable',
      options: { headers: { 'retry-after': '1' } },
    });
    expect(third.started).toBe(false);
    first.end('');
    second.end('');
    await Promise.all(running);
    await expect(queue.run(() => Promise.resolve('room again'))).resolves.toBe('room again');
  });

  it('refuses whoever would have to wait when nobody may', async () => {
    const queue = new HashQueue(1, 0);
    const first = controlled();
    const running = queue.run(first.work);
    await expect(queue.run(first.work)).rejects.toMatchObject({ slug: 'service-unavailable' });
    first.end('');
    await running;
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
    const queue = new HashQueue(1, 1);
    const failed = queue.run(broken);
    const next = queue.run(() => Promise.resolve('next'));
    await expect(failed).rejects.toThrow('broken');
    await expect(next).resolves.toBe('next');
    expect(queue.depth).toBe(0);
  });

  it('counts who runs or waits', async () => {
    const queue = new HashQueue(2, 10);
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
