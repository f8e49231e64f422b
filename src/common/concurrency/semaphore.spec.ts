import { Semaphore } from './semaphore.js';

const refusal = (): Error => new Error('Too many.');

afterEach(() => jest.useRealTimers());

// That it admits as many as it is large: test/shares.e2e-spec.ts.
describe('a semaphore', () => {
  it('admits those in line in the order in which they came, before a later one', async () => {
    const semaphore = new Semaphore(1, 60_000, refusal);
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
    expect([order, semaphore.depth]).toEqual([['a', 'b', 'c'], 0]);
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
    expect(semaphore.depth).toBe(2);
    leave();
    await expect(inTime).resolves.toBeDefined();
  });

  it('takes nobody out of the line when the longest wait of one already admitted ends', async () => {
    jest.useFakeTimers();
    const semaphore = new Semaphore(1, 200, refusal);
    const leave = await semaphore.take();
    const second = semaphore.take();
    await jest.advanceTimersByTimeAsync(150);
    leave();
    const leaveSecond = await second;
    const third = semaphore.take();
    await jest.advanceTimersByTimeAsync(100);
    leaveSecond();
    await expect(third).resolves.toBeDefined();
  });
});
