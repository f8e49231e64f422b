import { utilisation } from './process.metrics.js';

it.each([
  ['250/1000 500/1000', [0.25, 0.5]],
  ['250/1000 10/10 0/90', [0.25, 0.25, 0.1]], // too soon after the last reading
  ['1001/1000', [1]], // two clocks
  ['-1/1000', [0]],
])('the utilisation after busy and total times of %s is %j', (times, shares) => {
  let now = { busy: 1_000, total: 5_000 };
  const share = utilisation(() => now);
  const read = times.split(' ').map((passed) => {
    const [busy = 0, total = 0] = passed.split('/').map(Number);
    now = { busy: now.busy + busy, total: now.total + total };
    return share();
  });
  expect(read).toEqual(shares);
});
