import { TimeWindowMax } from './time-window-max.js';

describe('TimeWindowMax', () => {
  let now: number;
  let max: TimeWindowMax;
  beforeEach(() => {
    now = 5_000;
    max = new TimeWindowMax(() => now);
  });

  it('is 0 as long as nothing was recorded', () => {
    expect(max.value).toBe(0);
  });

  it('is the highest of what was recorded, in whatever order', () => {
    for (const value of [2, 7, 3]) max.record(value);
    expect(max.value).toBe(7);
  });

  it.each([
    { after: 79_999, value: 7 },
    { after: 120_000, value: 0 },
    { after: 86_400_000, value: 0 },
  ])('reads $value when the highest was recorded $after ms ago', ({ after, value }) => {
    max.record(7);
    now += after;
    expect(max.value).toBe(value);
  });

  it('falls to the highest of the later ones when the highest is forgotten', () => {
    max.record(7);
    now += 60_000;
    max.record(3);
    now += 30_000;
    max.record(1);
    expect(max.value).toBe(7);
    now += 40_000;
    expect(max.value).toBe(3);
    now += 40_000;
    expect(max.value).toBe(1);
    now += 40_000;
    expect(max.value).toBe(0);
  });

  it('keeps its rhythm when it is read at odd times', () => {
    now += 39_999;
    max.record(7); // at the end of a slice
    now += 1;
    expect(max.value).toBe(7);
    now += 79_999;
    expect(max.value).toBe(7);
    now += 1;
    expect(max.value).toBe(0);
  });
});
