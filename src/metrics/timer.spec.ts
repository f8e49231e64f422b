import { RecentMax } from './timer.js';

/** Milliseconds. */
const MINUTE = 60_000;

it.each<[name: string, records: [at: number, value: number][], at: number, value: number]>([
  ['without a record', [], 0, 0],
  [
    'of several records',
    [
      [0, 2],
      [0, 7],
      [0, 3],
    ],
    0,
    7,
  ],
  ['just under two minutes after the record', [[0, 7]], 2 * MINUTE - 1, 7],
  ['two minutes after the record', [[0, 7]], 2 * MINUTE, 0],
  ['a day after the record', [[0, 7]], 86_400_000, 0],
  ['a minute after a record at the end of a minute', [[MINUTE - 1, 7]], 2 * MINUTE - 1, 7],
  [
    'of records in two minutes',
    [
      [0, 7],
      [MINUTE, 3],
    ],
    MINUTE,
    7,
  ],
  [
    'of the later record when the higher one is forgotten',
    [
      [0, 7],
      [MINUTE, 3],
    ],
    2 * MINUTE,
    3,
  ],
])('RecentMax %s, %j, at %i ms is %i', (_, records, at, value) => {
  let now = 5_000;
  const max = new RecentMax(() => now);
  for (const [recordedAt, record] of records) {
    now = 5_000 + recordedAt;
    max.record(record);
  }
  now = 5_000 + at;
  expect(max.value).toBe(value);
});
