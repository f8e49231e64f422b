import { Places } from './places.js';

const refusal = (message: string) => ({ after: 200, error: () => new Error(message) });
const placesOf = (size: number, share = size): Places =>
  new Places(size, share, { own: refusal('Your own.'), others: refusal('Of others.') });
const [ada, bob, eve] = [{ id: 'ada' }, { id: 'bob' }, { id: 'eve' }];

// That they admit as many as there are: test/shares.e2e-spec.ts.
describe('places', () => {
  it('admit those in line account by account, each in the order in which its own came', async () => {
    const places = placesOf(1);
    const order: string[] = [];
    const pass = async (taker: { id: string }, name: string): Promise<void> => {
      const leave = await places.take(taker);
      order.push(name);
      leave();
    };
    const leave = await places.take(ada);
    const line = [pass(ada, 'a1'), pass(ada, 'a2'), pass(ada, 'a3'), pass(bob, 'b1'), pass(eve, 'e1')];
    leave();
    await Promise.all([...line, pass(bob, 'b2')]);
    expect(order).toEqual(['a1', 'b1', 'e1', 'a2', 'b2', 'a3']);
    expect([places.depth, places.has(ada), places.has(bob)]).toEqual([0, false, false]);
  });

  it('give one account no more than its share, but all it asks for at once while it has none', async () => {
    const places = placesOf(10, 4);
    const leave = await places.take(ada, 9);
    expect(() => places.takeNow(ada, 1)).toThrow('Your own.');
    expect(() => places.takeNow(bob, 2)).toThrow('Of others.');
    expect(places.has(bob)).toBe(false);
    leave();
    const leaveBob = await places.take(bob, 3);
    expect(() => places.takeNow(bob, 2)).toThrow('Your own.');
    places.takeNow(bob, 2, true)();
    leaveBob();
    (await places.take(eve, 100))(); // more than there are
  });

  it('give many greedy accounts equal parts, and leave room for one more', () => {
    const places = placesOf(1000, 1000 / 3);
    const takers = Array.from({ length: 8 }, (_, index) => ({ id: String(index), taken: 0 }));
    for (let again = true; again;) {
      again = false;
      for (const taker of takers) {
        try {
          places.takeNow(taker, 10);
        } catch (error) {
          expect(error).toEqual(new Error('Of others.'));
          continue;
        }
        taker.taken += 10;
        again = true;
      }
    }
    for (const { taken } of takers) expect(taken).toBe(100);
    places.takeNow(ada, 60)();
    expect(() => places.takeNow(ada, 70)).toThrow('Of others.');
  });

  it('give an account that has none more than its share only while a share is free', () => {
    const places = placesOf(30, 10);
    const leave = places.takeNow(ada, 20);
    const leaveBob = places.takeNow(bob, 9);
    expect(() => places.takeNow(eve, 1)).toThrow('Of others.');
    leaveBob();
    places.takeNow(eve, 10)();
    leave();
    expect(places.depth).toBe(0);
  });

  it('count what an account has beside a body without bytes', async () => {
    const places = placesOf(10, 4);
    const leaveNothing = places.takeNow(ada, 0, true);
    (await places.take(ada, 2))();
    await places.take(ada, 3);
    leaveNothing();
    expect(() => places.takeNow(ada, 2)).toThrow('Your own.');
  });

  it('admit a body without bytes behind a large one', async () => {
    const places = placesOf(10, 4);
    const leave = await places.take(ada);
    const [large, empty] = [places.take(ada, 9), places.take(ada, 0)];
    leave();
    (await large)();
    (await empty)();
    expect(places.depth).toBe(0);
  });

  it('refuse one that has waited too long, and admit the one behind it', async () => {
    jest.useFakeTimers();
    const places = placesOf(4, 2);
    const leave = await places.take(ada, 2);
    const late = expect(places.take(ada, 2)).rejects.toThrow('Your own.');
    await jest.advanceTimersByTimeAsync(100);
    const inTime = places.take(ada);
    await jest.advanceTimersByTimeAsync(101);
    await late;
    leave();
    await expect(inTime).resolves.toBeDefined();
    expect(places.depth).toBe(1);
  });

  it('let one that fits, behind a larger one of its own, wait as long as that one', async () => {
    jest.useFakeTimers();
    const own = { ...refusal('Your own.'), after: 300 };
    const places = new Places(10, 3, { own, others: refusal('Of others.') });
    await places.take(ada, 2);
    const late = expect(places.take(ada, 2)).rejects.toThrow('Your own.');
    const small = places.take(ada);
    await jest.advanceTimersByTimeAsync(301);
    await late;
    await expect(small).resolves.toBeDefined();
  });

  it('admit none who is gone, and the one behind it', async () => {
    const places = placesOf(1);
    let hasLeft = false;
    const leaver = (taker: { id: string }) => ({ ...taker, isGone: () => hasLeft });
    const leave = await places.take(ada);
    const [gone, alone] = [places.take(leaver(bob)), places.take(leaver(eve))];
    const behind = places.take(bob);
    hasLeft = true;
    const late = places.take(leaver(ada));
    leave();
    for (const refused of [gone, alone, late]) await expect(refused).rejects.toThrow('Your own.');
    (await behind)();
    expect([ada, bob, eve].map((taker) => places.has(taker))).toEqual([false, false, false]);
  });

  it('take nobody out of the line when the longest wait of one already admitted ends', async () => {
    jest.useFakeTimers();
    const places = placesOf(1);
    const leave = await places.take(ada);
    const second = places.take(ada);
    await jest.advanceTimersByTimeAsync(150);
    leave();
    const leaveSecond = await second;
    const third = places.take(ada);
    await jest.advanceTimersByTimeAsync(100);
    leaveSecond();
    await expect(third).resolves.toBeDefined();
  });
});
