import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { PostgresServer } from '../test/support/postgres-server.js';
import { type Case, CASES } from './cases.js';
import type { Cleanup } from './cleanup.js';
import { print, runCommand } from './command.js';
import { compareCases } from './compare.js';
import { measureGrowth } from './growth.js';
import type { Comparison } from './measure.js';
import { seededDatabase, startServer } from './database.js';
import { type Dataset, MEDIUM_TRANSACTIONS, sharesOf, SMALL } from './dataset.js';
import {
  list,
  numberAbove0,
  type Option,
  text,
  UsageError,
  type ValuesOf,
  wholeNumber,
  wholeNumberReader,
  wholeNumbers,
} from './options.js';
import { measureParts, PARTS } from './parts.js';
import { peakMemoryOf } from './processes.js';
import {
  changeLines,
  comparisonHeader,
  digits,
  ratioVerdicts,
  type Verdict,
  verdictLines,
} from './report.js';
import { type Server, startReference, startService } from './servers.js';
import { loadWorld } from './world.js';

/** As with the defaults of `--owners` and `--transactions`. */
const ROWS_OF_OWNER = 200;

const OPTIONS = {
  parts: list(
    'PART',
    'cases: service and reference in turn; paths: every order, filter and kind of term; cursors: a page far behind the first, in every order; ' +
      'reports: of all rows of a large owner; flood: reads while sign-ins flood the service; export: memory for a file of all rows; ' +
      'writes: batches and Idempotency-Key against single creates; imports: files of 10,000 rows; ' +
      'growth: latency at 20,000 rows and at all, start and memory (all)',
  ),
  only: list('CASE', 'only the part "cases", and of it only these; a name that does not exist lists all'),
  connections: wholeNumbers('connections of the load generator', [1, 16, 64]),
  rounds: wholeNumber('rounds of each server, in turn; the median counts', 3),
  seconds: numberAbove0('about how long a round takes', 1),
  owners: wholeNumber('accounts in the seeded database', 10_000),
  transactions: wholeNumber('rows in all', 2_000_000),
  rows: {
    argument: 'N',
    about: 'only the part "growth", with so many rows in all, and an owner for every 200 of them',
    read: (value, name) =>
      value === undefined ? undefined : wholeNumberReader(0, SMALL.transactions)(value, name),
  } satisfies Option<number | undefined>,
  big: wholeNumber('rows of each of the two largest owners', 200_000),
  keep: text('DIR', 'keep the seeded PostgreSQL in this folder, and use what is there already'),
  json: text('FILE', 'write the results there as well'),
  compare: text('FILE', 'and say what has changed since such a file was written'),
};

type Options = ValuesOf<typeof OPTIONS> & { readonly dataset: Dataset };

/** What `--json` writes and `--compare` reads. */
interface Results {
  readonly node: string;
  readonly postgres: string;
  readonly cores: number;
  readonly options: Options;
  readonly comparisons: readonly Comparison[];
  readonly verdicts: readonly Verdict[];
}

function chooseCases({ only }: Options): readonly Case[] {
  const unknown = only.filter((key) => !CASES.some((benchmark) => benchmark.key === key));
  if (unknown.length > 0) {
    const known = CASES.map(({ key }) => key).join(', ');
    throw new UsageError(`--only: there is no case ${unknown.join(', ')}; there are ${known}`);
  }
  return CASES.filter(({ key }) => only.length === 0 || only.includes(key));
}

async function bench(options: Options, cleanup: Cleanup): Promise<Results> {
  const cases = chooseCases(options);
  const database = await startServer(options.keep, cleanup);
  print(headline(options, database.version));
  const onSeeded = await onSeededDatabase(options, cases, database, cleanup);
  const growth = options.parts.includes('growth')
    ? await measureGrowth(database, options.dataset, options, cleanup)
    : [];
  return {
    node: process.version,
    postgres: database.version,
    cores: availableParallelism(),
    options,
    comparisons: onSeeded.comparisons,
    verdicts: [...onSeeded.verdicts, ...growth],
  };
}

async function onSeededDatabase(
  options: Options,
  cases: readonly Case[],
  database: PostgresServer,
  cleanup: Cleanup,
): Promise<Pick<Results, 'comparisons' | 'verdicts'>> {
  const url = await seededDatabase(database, options.dataset);
  const world = await loadWorld(url, options.dataset);
  const comparisons: Comparison[] = [];
  if (options.parts.includes('cases')) {
    const service = await startService(url, cleanup);
    const reference = await startReference(url, cleanup);
    print(legend(options) + comparisonHeader());
    const opponents = { service, reference, postmaster: database.postmaster };
    comparisons.push(...(await compareCases(cases, opponents, world, options)));
    print(memoryLine(service, reference));
    await service.stop();
    await reference.stop();
  }
  const others = await measureParts(options.parts, database, url, world, cleanup);
  return { comparisons, verdicts: [...ratioVerdicts(comparisons), ...others] };
}

function headline({ dataset: { owners, transactions, large } }: Options, version: string): string {
  const [big = 0, , medium = 0] = large;
  const rows = (number: number): string => number.toLocaleString('en');
  return (
    `${rows(owners)} owners, ${rows(transactions)} transactions: two owners have ${rows(big)}, one ${rows(medium)}. ` +
    `Node ${process.versions.node}, PostgreSQL ${version}, ${availableParallelism()} cores.\n\n`
  );
}

function legend({ rounds, seconds }: Options): string {
  return `Medians of ${rounds} rounds of ${seconds} s. "ref" is the reference; for sign-in, bcrypt alone. CPU is per request.\n`;
}

function memoryLine(service: Server, reference: Server): string {
  const peak = ({ pid }: Server): string => digits(peakMemoryOf(pid));
  return (
    `\nPeak memory: service ${peak(service)} MB, reference ${peak(reference)} MB. ` +
    `Start to ready: service ${digits(service.startTime)} s, reference ${digits(reference.startTime)} s.\n\n`
  );
}

function choosePart({ parts, only, rows }: ValuesOf<typeof OPTIONS>): readonly string[] {
  const unknown = parts.filter((name) => !PARTS.includes(name));
  if (unknown.length > 0)
    throw new UsageError(`--parts: there is no part ${unknown.join(', ')}; there are ${PARTS.join(', ')}`);
  if (only.length > 0) return ['cases'];
  if (rows !== undefined) return ['growth'];
  return parts.length > 0 ? parts : PARTS;
}

function datasetOf({ rows, big, ...given }: ValuesOf<typeof OPTIONS>): Dataset {
  const { owners, transactions } =
    rows === undefined ? given : { owners: Math.floor(rows / ROWS_OF_OWNER), transactions: rows };
  const dataset = { owners, transactions, large: [big, big, MEDIUM_TRANSACTIONS] };
  try {
    sharesOf(dataset);
    return dataset;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

await runCommand({
  call: 'npm run bench',
  about:
    'Compares the service with a server written by hand for the same database, on this machine, and fails when the ' +
    'service misses a target of bench/targets.ts. Takes about a quarter of an hour.',
  options: OPTIONS,
  example: '--only list-large,search-medium --keep /tmp/bench',
  success: 'every target is met',
  failure: 'one is missed',
  async run(values, cleanup) {
    const options = { ...values, parts: choosePart(values), dataset: datasetOf(values) };
    const { compare, json } = options;
    const earlier =
      compare === undefined ? undefined : (JSON.parse(readFileSync(compare, 'utf8')) as Results);
    const results = await bench(options, cleanup);
    print(verdictLines(results.verdicts));
    if (earlier !== undefined) print(`\n${changeLines(earlier.comparisons, results.comparisons)}`);
    if (json !== undefined) writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
    return results.verdicts.every((verdict) => verdict.passed) ? 0 : 1;
  },
});
