import { parseArgs } from 'node:util';
import { UsageError } from './command.js';
import { type Dataset, MEDIUM_TRANSACTIONS, sharesOf } from './dataset.js';

export const HELP = `Usage: npm run bench -- [options]

Compares the service with a server written by hand for the same database, on this machine, and fails when the
service misses a target of bench/targets.ts. Takes about a quarter of an hour.

  --parts PART,...      cases: service and reference in turn; growth: latency at a hundredth of the rows and at all,
                        start and memory; flood: reads while sign-ins flood the service (cases,growth,flood)
  --only CASE,...       only the part "cases", and of it only these; a name that does not exist lists all
  --connections N,...   connections of the load generator (1,16,64)
  --rounds N            rounds of each server, in turn; the median counts (3)
  --seconds N           about how long a round takes (1)

  --owners N            accounts in the seeded database (10000)
  --transactions N      rows in all (2000000)
  --big N               rows of each of the two largest owners (200000)
  --postgres MAJOR      on PostgreSQL 15, 16, 17 or 18, which npm fetches (18, which is installed)
  --keep DIR            keep the seeded PostgreSQL in this folder, and use what is there already

  --json FILE           write the results there as well
  --compare FILE        and say what has changed since such a file was written
  --help, -h            this

Example: npm run bench -- --only list-large,search-medium --keep /tmp/bench

Exit codes: 0 every target is met, 1 one is missed, or it failed, 2 called wrongly, 130 interrupted.
`;

const PARTS = ['cases', 'growth', 'flood'] as const;
export type Part = (typeof PARTS)[number];

export interface Options {
  readonly parts: readonly Part[];
  readonly only: readonly string[];
  readonly connections: readonly number[];
  readonly rounds: number;
  readonly seconds: number;
  readonly dataset: Dataset;
  readonly keep: string | undefined;
  readonly json: string | undefined;
  readonly compare: string | undefined;
}

/** Undefined for `--help`. Throws {@link UsageError}. */
export function readOptions(args: string[]): Options | undefined {
  const values = parse(args);
  if (values.help) return undefined;
  const big = number('big', values.big);
  return {
    parts: values.only === undefined ? parts(values.parts) : ['cases'],
    only: values.only?.split(',') ?? [],
    connections: values.connections.split(',').map((text) => number('connections', text)),
    rounds: number('rounds', values.rounds),
    seconds: number('seconds', values.seconds, 0.05),
    dataset: possible({
      owners: number('owners', values.owners),
      transactions: number('transactions', values.transactions),
      large: [big, big, MEDIUM_TRANSACTIONS],
    }),
    keep: values.keep,
    json: values.json,
    compare: values.compare,
  };
}

function parse(args: string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', short: 'h', default: false } as const;
  const options = {
    parts: { ...text, default: PARTS.join(',') },
    only: text,
    connections: { ...text, default: '1,16,64' },
    rounds: { ...text, default: '3' },
    seconds: { ...text, default: '1' },
    owners: { ...text, default: '10000' },
    transactions: { ...text, default: '2000000' },
    big: { ...text, default: '200000' },
    keep: text,
    json: text,
    compare: text,
    help: flag,
  } as const;
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function parts(text: string): Part[] {
  return text.split(',').map((name) => {
    const part = PARTS.find((known) => known === name);
    if (part === undefined)
      throw new UsageError(`--parts: there is no part ${name}; there are ${PARTS.join(', ')}`);
    return part;
  });
}

function possible(dataset: Dataset): Dataset {
  try {
    sharesOf(dataset);
    return dataset;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function number(name: string, text: string, min = 1): number {
  const value = Number(text);
  if (!(value >= min) || (min >= 1 && !Number.isInteger(value)))
    throw new UsageError(`--${name} must be a number of at least ${min}`);
  return value;
}
