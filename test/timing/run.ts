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
  --help
`;

const DEFAULTS = {
  samples: { type: 'string', default: '400' },
  seed: { type: 'string', default: '1' },
  help: { type: 'boolean', default: false },
} as const;

/** The exit status: 0 when no pair can be told apart. */
async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: DEFAULTS });
  if (values.help) {
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
      const random = new Random(Number(values.seed));
      const comparison = await measure(pair, connection, random, Number(values.samples));
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
  process.exitCode = 2;
  process.stderr.write(`${(error as Error).stack}\n`);
}
