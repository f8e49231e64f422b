import { loadavg } from 'node:os';
import { print } from '../../bench/command.js';
import { flag, wholeNumber } from '../../bench/options.js';
import { runCriteria } from '../faults/support/command.js';
import { count } from '../faults/support/figures.js';
import { Rig } from '../faults/support/rig.js';
import { type Course, Soak } from './soak.js';

/** About a minute in all. It sees few requests, so that less growth than in half an hour tells of a leak. */
const SHORT: Course = { rate: 250, round: 600, warmUp: 5, samples: 6, growth: 1.04 };
const ROUND_SECONDS = 40;

function lasting(minutes: number, rate: number): Course {
  const rounds = Math.max(8, Math.round((minutes * 60) / ROUND_SECONDS));
  return { rate, round: ROUND_SECONDS * rate, warmUp: 2, samples: rounds - 2, growth: 1.1 };
}

const COLUMNS = ['heap', 'external', 'resident', 'descriptors', 'handles'] as const;
const line = (cells: readonly string[]): void =>
  print(`${cells.map((cell) => cell.padStart(12)).join('')}\n`);

await runCriteria({
  call: 'npm run test:soak',
  about:
    'Puts random requests, right and wrong, on the service, and fails when it holds more memory, descriptors, ' +
    'connections or label values of metrics at the end than soon after the start. See docs/reliability.md.',
  options: {
    minutes: wholeNumber('how long the load lasts', 30),
    rate: wholeNumber('requests per second', 100),
    short: flag('about a minute in all'),
  },
  example: '--minutes 5',
  async run({ minutes, rate, short }, cleanup, tell) {
    const soak = await Soak.start(new Rig(cleanup));
    line(['requests', ...COLUMNS, 'series']);
    const criteria = await soak.run(short ? SHORT : lasting(minutes, rate), (sample, requests) => {
      const figures = COLUMNS.map((name) => sample[name].toFixed(1));
      line([count(requests), ...figures, count(sample.series)]);
    });
    print(`\nload average ${(loadavg()[0] ?? 0).toFixed(1)}\n`);
    tell(criteria);
  },
});
