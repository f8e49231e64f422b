import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { type Case, CASES } from './cases.js';
import type { Cleanup } from './cleanup.js';
import { print, runCommand } from './command.js';
import { type Comparison, compareCases } from './measure.js';
import { seededDatabase, startServer } from './database.js';
import { type Dataset, MEDIUM_TRANSACTIONS, sharesOf } from './dataset.js';
import { list, numberAbove0, text, UsageError, type ValuesOf, wholeNumber, wholeNumbers } from './options.js';
import { measurePaths } from './paths.js';
import { peakMemoryOf } from './processes.js';
import {
  atMost,
  changeLines,
  comparisonHeader,
  digits,
  ratioVerdicts,
  type Verdict,
  verdictLines,
} from './report.js';
import { type Server, startReference, startService } from './servers.js';
import { LIMITS } from './targets.js';
import { loadWorld } from './world.js';

/** The name of all single requests with a limit of their own, beside the cases. */
const PATHS = 'paths';

const OPTIONS = {
  only: list(
    'CASE',
    `only these cases, or "${PATHS}": every order, filter, term and report against its limit`,
  ),
  connections: wholeNumbers('connections of the load generator', [1, 16, 64]),
  rounds: wholeNumber('rounds of each server, in turn; the median counts', 3),
  seconds: numberAbove0('about how long a round takes', 1),
  owners: wholeNumber('accounts in the seeded database', 10_000),
  transactions: wholeNumber('rows in all', 2_000_000),
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
  const known = [...CASES.map(({ key }) => key), PATHS];
  const unknown = only.filter((key) => !known.includes(key));
  if (unknown.length > 0)
    throw new UsageError(`--only: there is no case ${unknown.join(', ')}; there are ${known.join(', ')}`);
  return CASES.filter(({ key }) => only.length === 0 || only.includes(key));
}

async function bench(options: Options, cleanup: Cleanup): Promise<Results> {
  const cases = chooseCases(options);
  const database = await startServer(options.keep, cleanup);
  print(headline(options, database.version));
  const url = await seededDatabase(database, options.dataset);
  const world = await loadWorld(url, options.dataset);
  const service = await startService(url, cleanup);
  const reference = await startReference(url, cleanup);
  const opponents = { service, reference, postmaster: database.postmaster };
  print(legend(options) + comparisonHeader());
  const comparisons = await compareCases(cases, opponents, world, options);
  print(memoryLine(service, reference));
  const verdicts = [
    ...ratioVerdicts(comparisons),
    atMost('start to ready', service.startTime, LIMITS.startTime, ' s'),
    atMost('peak memory', peakMemoryOf(service.pid) ?? 0, LIMITS.memory, ' MB'),
    ...(isWanted(PATHS, options) ? await measurePaths(service, world) : []),
  ];
  await service.stop();
  await reference.stop();
  return {
    node: process.version,
    postgres: database.version,
    cores: availableParallelism(),
    options,
    comparisons,
    verdicts,
  };
}

function isWanted(name: string, { only }: Options): boolean {
  return only.length === 0 || only.includes(name);
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
  return `Medians of ${rounds} rounds of ${seconds} s. "ref" is the reference. CPU is per request.\n`;
}

function memoryLine(service: Server, reference: Server): string {
  const peak = ({ pid }: Server): string => digits(peakMemoryOf(pid));
  return (
    `\nPeak memory: service ${peak(service)} MB, reference ${peak(reference)} MB. ` +
    `Start to ready: service ${digits(service.startTime)} s, reference ${digits(reference.startTime)} s.\n\n`
  );
}

function datasetOf({ owners, transactions, big }: ValuesOf<typeof OPTIONS>): Dataset {
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
    const options = { ...values, dataset: datasetOf(values) };
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
