import { writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { print } from '../../bench/command.js';
import { flag, numberAbove0, text } from '../../bench/options.js';
import { runCriteria } from '../faults/support/command.js';
import { Rig } from '../faults/support/rig.js';
import { lasting, SHORT } from './course.js';
import { sampleHeader, sampleLine } from './report.js';
import { Soak } from './soak.js';

await runCriteria({
  call: 'npm run test:soak',
  about:
    'Puts a mixed load on the service, one request in ten wrong in some way, and fails when the service holds more ' +
    'memory, descriptors, connections or metric series at the end than soon after the start. ' +
    'See docs/reliability.md.',
  options: {
    minutes: numberAbove0('how long the load lasts', 30),
    rate: numberAbove0('requests per second', 100),
    short: flag('about a minute in all'),
    json: text('FILE', 'write every sample there'),
  },
  example: '--minutes 5',
  async run({ minutes, rate, short, json }, cleanup, tell) {
    const course = short ? SHORT : lasting(minutes, rate);
    const soak = await Soak.start(new Rig(cleanup), course);
    print(sampleHeader());
    const { samples, answers, criteria } = await soak.run(course, (sample, { total }) =>
      print(sampleLine(sample, total)),
    );
    print(`\nload average ${(loadavg()[0] ?? 0).toFixed(1)}\n`);
    tell(criteria, `answers: ${String(answers)}`);
    if (json !== undefined) {
      const told = samples.map(({ series, ...sample }) => ({ ...sample, series: series.size }));
      const about = { node: process.version, cores: availableParallelism(), course };
      const results = { ...about, samples: told, answers: String(answers), criteria };
      writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
    }
  },
});
