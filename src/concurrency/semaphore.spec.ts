import { Semaphore } from './semaphore.js';

/** Milliseconds. */
const LONG = 60_000;

const refusal = (): Error => new Error('Too many.');

afterEach(() => jest.useRealTimers());

describe('Semaphore', () => {
  it('admits as many as it is large at once, however short the longest wait', async () => {
    const semaphore = new Semaphore(2, 1, refusal);
    await expect(Promise.all([semaphore.take(), semaphore.take()])).resolves.toHaveLength(2);
  });

  it('admits those in line in the order in which they came, before a later one', async () => {
    const semaphore = new Semaphore(1, LONG, refusal);
    const order: string[] = [];
    const pass = async (name: string): Promise<void> => {
      const leave = await semaphore.take();
      order.push(name);
      leave();
    };
    const leave = await semaphore.take();
    const line = [pass('a'), pass('b')];
    leave();
    await Promise.all([...line, pass('c')]);
    expect(order).toEqual(['a', 'b', 'c']);
  });

  it('refuses one that has waited too long, and admits the one behind it', async () => {
    jest.useFakeTimers();
    const semaphore = new Semaphore(1, 200, refusal);
    const leave = await semaphore.take();
    const late = expect(semaphore.take()).rejects.toThrow('Too many.');
    await jest.advanceTimersByTimeAsync(100);
    const inTime = semaphore.take();
    await jest.advanceTimersByTimeAsync(101);
    await late;
    leave();
    await expect(inTime).resolves.toBeDefined();
  });

  it('counts those at work and those in line', async () => {
    const semaphore = new Semaphore(2, LONG, refusal);
    const taken = [semaphore.take(), semaphore.take(), semaphore.take()];
    expect(semaphore.depth).toBe(3);
    for (const [index, one] of taken.entries()) {
      (await one)();
      expect(semaphore.depth).toBe(2 - index);
    }
  });
});
