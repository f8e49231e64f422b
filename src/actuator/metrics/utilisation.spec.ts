import { type BusyTime, Utilisation } from './utilisation.js';

describe('Utilisation', () => {
  let now: BusyTime;
  let utilisation: Utilisation;
  beforeEach(() => {
    now = { busy: 1_000, total: 5_000 };
    utilisation = new Utilisation(() => now);
  });
  const pass = (busy: number, total: number): void => {
    now = { busy: now.busy + busy, total: now.total + total };
  };

  it('is the busy share of the time since the reading before', () => {
    pass(250, 1_000);
    expect(utilisation.read()).toBe(0.25);
    pass(500, 1_000);
    expect(utilisation.read()).toBe(0.5);
  });

  it('repeats itself when it is read again at once, and loses nothing by it', () => {
    pass(250, 1_000);
    expect(utilisation.read()).toBe(0.25);
    pass(10, 10);
    expect(utilisation.read()).toBe(0.25);
    pass(0, 90);
    expect(utilisation.read()).toBe(0.1);
  });

  it.each([
    { busy: 1_001, share: 1 },
    { busy: -1, share: 0 },
  ])('stays within 0 and 1 when the clocks disagree ($busy of 1000)', ({ busy, share }) => {
    pass(busy, 1_000);
    expect(utilisation.read()).toBe(share);
  });
});
