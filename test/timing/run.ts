import { parseArgs } from 'node:util';
import { Connection } from '../model/connection.js';
import { startOwnService } from '../support/own-service.js';
import { Random } from '../support/random.js';
import { type Comparison, comparisonLine, HEADER, isMissed, measure } from './measure.js';
import { ownershipPairs } from './ownership.js';
import { signInPairs } from './sign-in.js';

const HELP = `Usage: npm run test:timing -- [options]

Measures whether the time of an answer tells what its text does not: if an account exists, or if somebody else's
resource does. Two requests in random turns; fails when their medians are further apart than they may be.

  --samples N   of each request of a pair (400)
  --seed N      of the random turns (1)
  --help, -h    this

Example: npm run test:timing -- --samples 1000

Exit codes: 0 no pair can be told apart, 1 one can, or it failed, 2 called wrongly, 130 interrupted.
`;

const DEFAULTS = {
  samples: { type: 'string', default: '400' },
  seed: { type: 'string', default: '1' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** The command line cannot be understood. */
class UsageError extends Error {}

/** Undefined for `--help`. Throws {@link UsageError}. */
function readOptions(args: string[]): { readonly samples: number; readonly seed: number } | undefined {
  const { help, samples, seed } = parse(args);
  return help ? undefined : { samples: wholeNumber('samples', samples), seed: wholeNumber('seed', seed) };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: DEFAULTS }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 2 ** 31 - 1)
    throw new UsageError(`--${name} must be a whole number of at least 1`);
  return value;
}

/** The exit status: 0 when no pair can be told apart. */
async function main(args: string[]): Promise<number> {
  const options = readOptions(args);
  if (options === undefined) {
    process.stdout.write(HELP);
    return 0;
  }
  const service = await startOwnService();
  const connection = new Connection(service.url);
  try {
    const pairs = [...(await ownershipPairs(service)), ...(await signInPairs(service))];
    process.stdout.write(HEADER);
    const comparisons: Comparison[] = [];
    for (const pair of pairs) {
      const random = new Random(options.seed);
      const comparison = await measure(pair, connection, random, options.samples);
      process.stdout.write(comparisonLine(comparison));
      comparisons.push(comparison);
    }
    const missed = comparisons.filter(isMissed);
    process.stdout.write(
      missed.length === 0
        ? '\nNo pair can be told apart.\n'
        : `\n${missed.length} pairs can be told apart.\n`,
    );
    return missed.length === 0 ? 0 : 1;
  } finally {
    connection.close();
    await service.stop();
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const isUsage = error instanceof UsageError;
  process.exitCode = isUsage ? 2 : 1;
  const text = isUsage
    ? `${error.message}\n"npm run test:timing -- --help" says more.`
    : (error as Error).stack;
  process.stderr.write(`${text}\n`);
}
