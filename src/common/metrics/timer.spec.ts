import { Timer } from './timer.js';

const MINUTE = 60_000;

it.each<[records: string, at: number, value: number]>([
  ['', 0, 0],
  ['2@0 7@0 3@0', 0, 7],
  ['7@0', 2 * MINUTE - 1, 7],
  ['7@0', 2 * MINUTE, 0],
  ['7@0', 86_400_000, 0],
  ['7@59999', 2 * MINUTE - 1, 7], // the end of a minute
  ['7@0 3@60001', MINUTE + 1, 7],
  ['7@0 3@60000', 2 * MINUTE, 3],
])('the longest of the records "%s" is, after %i ms, %i', (records, at, value) => {
  let now = 5_000;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
  const timer = new Timer();
  for (const [, record, recordedAt] of records.matchAll(/(\d+)@(\d+)/g)) {
    now = 5_000 + Number(recordedAt);
    timer.record(Number(record));
  }
  now = 5_000 + at;
  const { max } = timer;
  clock.mockRestore();
  expect(max).toBe(value);
});
