import { writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { print } from '../../bench/command.js';
import { flag, numberAbove0, text } from '../../bench/options.js';
import { runCriteria } from '../faults/support/command.js';
import { count } from '../faults/support/figures.js';
import { Rig } from '../faults/support/rig.js';
import type { Sample } from './sample.js';
import { type Course, Soak } from './soak.js';
import { megabytes } from './verdict.js';

const WIDTH = 12;
/** About a minute in all. It sees few requests, so that less growth than in half an hour tells of a leak. */
const SHORT: Course = { rate: 250, round: 600, warmUp: 5, samples: 6, growth: 1.04 };
const ROUND_SECONDS = 40;

function lasting(minutes: number, rate: number): Course {
  const rounds = Math.max(8, Math.round((minutes * 60) / ROUND_SECONDS));
  return { rate, round: ROUND_SECONDS * rate, warmUp: 2, samples: rounds - 2, growth: 1.1 };
}

const line = (cells: readonly string[]): void =>
  print(`${cells.map((cell) => cell.padStart(WIDTH)).join('')}\n`);

function show(
  { at, heap, external, resident, descriptors, handles, series }: Sample,
  requests: number,
): void {
  const memory = [heap, external, resident].map(megabytes);
  line([`${at.toFixed(0)} s`, count(requests), ...memory, ...[descriptors, handles, series.size].map(count)]);
}

await runCriteria({
  call: 'npm run test:soak',
  about:
    'Puts random requests, right and wrong, on the service, and fails when it holds more memory, descriptors, ' +
    'connections or metric series at the end than soon after the start. See docs/reliability.md.',
  options: {
    minutes: numberAbove0('how long the load lasts', 30),
    rate: numberAbove0('requests per second', 100),
    short: flag('about a minute in all'),
    json: text('FILE', 'write every sample there'),
  },
  example: '--minutes 5',
  async run({ minutes, rate, short, json }, cleanup, tell) {
    const course = short ? SHORT : lasting(minutes, rate);
    const soak = await Soak.start(new Rig(cleanup));
    line(['time', 'requests', 'heap', 'external', 'resident', 'descriptors', 'handles', 'series']);
    const samples: object[] = [];
    const criteria = await soak.run(course, (sample, requests) => {
      samples.push({ ...sample, series: sample.series.size });
      show(sample, requests);
    });
    print(`\nload average ${(loadavg()[0] ?? 0).toFixed(1)}\n`);
    tell(criteria);
    const about = { node: process.version, cores: availableParallelism(), course };
    if (json !== undefined)
      writeFileSync(json, `${JSON.stringify({ ...about, samples, criteria }, null, 2)}\n`);
  },
});
