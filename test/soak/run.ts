import { writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import type { Cleanup } from '../../bench/cleanup.js';
import { runCommand } from '../../bench/command.js';
import { criterionLine } from '../faults/report.js';
import { Rig } from '../faults/support/rig.js';
import { HELP, readOptions } from './options.js';
import { sampleHeader, sampleLine } from './report.js';
import { Soak } from './soak.js';

function print(text: string): void {
  process.stdout.write(text);
}

/** The exit status: 0 when every criterion is met. */
async function main(args: string[], cleanup: Cleanup): Promise<number> {
  const options = readOptions(args);
  if (options === undefined) {
    print(HELP);
    return 0;
  }
  const { course, json } = options;
  const soak = await Soak.start(new Rig(cleanup, process.env), course);
  print(sampleHeader());
  const { samples, answers, criteria } = await soak.run(course, (sample, { total }) =>
    print(sampleLine(sample, total)),
  );
  print(`\nanswers: ${String(answers)}\n\n`);
  for (const criterion of criteria) print(criterionLine(criterion));
  const missed = criteria.filter(({ passed }) => !passed).length;
  print(
    `\n${criteria.length - missed} of ${criteria.length} criteria met; load average ${(loadavg()[0] ?? 0).toFixed(1)}\n`,
  );
  if (json !== undefined) {
    const told = samples.map(({ series, ...sample }) => ({ ...sample, series: series.size }));
    const about = { node: process.version, cores: availableParallelism(), course };
    const results = { ...about, samples: told, answers: String(answers), criteria };
    writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
  }
  return missed === 0 ? 0 : 1;
}

await runCommand('npm run test:soak', main);
