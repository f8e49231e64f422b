import { startOwnService } from '../support/own-service.js';
import { type Checked, checkSequences } from './check.js';
import { checkCrowd } from './crowd.js';
import { HELP, type Options, readOptions, UsageError } from './options.js';
import { Stage } from './stage.js';

const CLEAR_LINE = '\r\u001b[K';

/** One line that is written over and over; in a file it would only be in the way. */
function progress(calls: number): void {
  if (process.stdout.isTTY) process.stdout.write(`${CLEAR_LINE}… ${calls} calls`);
}

async function check(options: Options): Promise<string> {
  const service = await startOwnService();
  try {
    const start = performance.now();
    const stage = await Stage.on(service);
    const checked =
      options.clients === 1
        ? await checkSequences(stage, options, progress)
        : await checkCrowd(stage, options, progress);
    return report(options, checked, (performance.now() - start) / 1000);
  } finally {
    await service.stop();
  }
}

function report(
  { seed, clients }: Options,
  { calls, sequences, statuses }: Checked,
  seconds: number,
): string {
  const who = clients === 1 ? 'one client' : `${clients} clients at once`;
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  return [
    `${calls} calls of ${who} in ${sequences} sequences, all as the contract has it.`,
    `${seconds.toFixed(1)} s, ${(calls / seconds).toFixed(0)} calls/s, seed ${seed}.`,
    `Answers: ${counts.join(', ')}\n`,
  ].join('\n');
}

/** The exit status when nothing was found. */
async function main(args: string[]): Promise<number> {
  const options = readOptions(args, Date.now() % 2 ** 31);
  process.stdout.write(options === undefined ? HELP : await check(options));
  return 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const isUsage = error instanceof UsageError;
  process.exitCode = isUsage ? 2 : 1;
  process.stderr.write(
    isUsage ? `${error.message}\n"npm run test:model -- --help" says more.\n` : `${describe(error)}\n`,
  );
}

function describe(error: unknown): string {
  const { message, cause } = error as Error;
  return cause === undefined ? message : `${message}\n\n${describe(cause)}`;
}
