import { writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { Cleanup } from '../../bench/cleanup.js';
import { UsageError } from '../faults/options.js';
import { criterionLine } from '../faults/report.js';
import { Rig } from '../faults/support/rig.js';
import { HELP, readOptions } from './options.js';
import { sampleHeader, sampleLine } from './report.js';
import { Soak } from './soak.js';

const cleanup = new Cleanup();

function print(text: string): void {
  process.stdout.write(text);
}

/** The exit status: 0 when every criterion is met. */
async function main(args: string[]): Promise<number> {
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

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    void cleanup.run().finally(() => process.exit(130));
  });
}
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const isUsage = error instanceof UsageError;
  process.exitCode = isUsage ? 2 : 1;
  if (isUsage) process.stderr.write(`${error.message}\n"npm run test:soak -- --help" says more.\n`);
  else if (!cleanup.begun) process.stderr.write(`${(error as Error).stack}\n`);
} finally {
  await cleanup.run();
}
