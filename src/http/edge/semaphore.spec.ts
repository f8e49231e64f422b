import { Semaphore } from './semaphore.js';

/** Milliseconds. */
const LONG = 60_000;

afterEach(() => jest.useRealTimers());

describe('Semaphore', () => {
  it('admits as many as it is large at once, however short the longest wait', async () => {
    const semaphore = new Semaphore(2, 1);
    await expect(Promise.all([semaphore.take(), semaphore.take()])).resolves.toEqual([true, true]);
  });

  it('admits those in line in the order in which they came, before a later one', async () => {
    const semaphore = new Semaphore(1, LONG);
    const order: string[] = [];
    const enter = (name: string): Promise<unknown> => semaphore.take().then(() => order.push(name));
    await semaphore.take();
    const waiting = ['a', 'b'].map(enter);
    semaphore.leave();
    waiting.push(enter('c'));
    await waiting[0];
    expect(order).toEqual(['a']);
    semaphore.leave();
    semaphore.leave();
    await Promise.all(waiting);
    expect(order).toEqual(['a', 'b', 'c']);
  });

  it('refuses one that has waited too long, and admits the one behind it', async () => {
    jest.useFakeTimers();
    const semaphore = new Semaphore(1, 200);
    await semaphore.take();
    const late = semaphore.take();
    await jest.advanceTimersByTimeAsync(100);
    const inTime = semaphore.take();
    await jest.advanceTimersByTimeAsync(101);
    await expect(late).resolves.toBe(false);
    semaphore.leave();
    await expect(inTime).resolves.toBe(true);
  });

  it('counts those at work and those in line', async () => {
    const semaphore = new Semaphore(2, LONG);
    const taken = [semaphore.take(), semaphore.take(), semaphore.take()];
    expect(semaphore.depth).toBe(3);
    for (const [index, one] of taken.entries()) {
      await one;
      semaphore.leave();
      expect(semaphore.depth).toBe(2 - index);
    }
  });
});
