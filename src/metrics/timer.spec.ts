import { RecentMax } from './timer.js';

describe('RecentMax', () => {
  let now: number;
  let max: RecentMax;
  beforeEach(() => {
    now = 5_000;
    max = new RecentMax(() => now);
  });

  it('is 0 as long as nothing was recorded', () => {
    expect(max.value).toBe(0);
  });

  it('is the highest of the recorded values, in any order', () => {
    for (const value of [2, 7, 3]) max.record(value);
    expect(max.value).toBe(7);
  });

  it.each([
    { after: 59_999, value: 7 },
    { after: 119_999, value: 7 },
    { after: 120_000, value: 0 },
    { after: 86_400_000, value: 0 },
  ])('is $value $after ms after the highest was recorded', ({ after, value }) => {
    max.record(7);
    now += after;
    expect(max.value).toBe(value);
  });

  it('forgets a value recorded at the end of a minute after another minute', () => {
    now += 59_999;
    max.record(7);
    now += 60_000;
    expect(max.value).toBe(7);
    now += 1;
    expect(max.value).toBe(0);
  });

  it('falls to the highest of the later values when the highest is forgotten', () => {
    max.record(7);
    now += 60_000;
    max.record(3);
    expect(max.value).toBe(7);
    now += 60_000;
    expect(max.value).toBe(3);
    now += 60_000;
    expect(max.value).toBe(0);
  });
});
