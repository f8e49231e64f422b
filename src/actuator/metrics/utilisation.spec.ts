import { Utilisation } from './utilisation.js';

it.each<[shares: number[], passed: [busy: number, total: number][]]>([
  [
    [0.25, 0.5],
    [
      [250, 1000],
      [500, 1000],
    ],
  ],
  [
    [0.25, 0.25, 0.1],
    [
      [250, 1000],
      [10, 10],
      [0, 90],
    ],
  ], // too soon after the last reading
  [[1], [[1001, 1000]]], // two clocks
  [[0], [[-1, 1000]]],
])('Utilisation reads %j after busy and total times of %j', (shares, passed) => {
  let now = { busy: 1_000, total: 5_000 };
  const utilisation = new Utilisation(() => now);
  const read = passed.map(([busy, total]) => {
    now = { busy: now.busy + busy, total: now.total + total };
    return utilisation.read();
  });
  expect(read).toEqual(shares);
});
