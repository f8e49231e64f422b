import { availableParallelism } from 'node:os';
import { CASES, TARGET_CONNECTIONS } from './cases.js';
import type { Cleanup } from './cleanup.js';
import { print, runCommand } from './command.js';
import { databaseOf, seededDatabase, startServer } from './database.js';
import { type Dataset, MEDIUM_TRANSACTIONS } from './dataset.js';
import { type Comparison, compareCases } from './measure.js';
import { list, numbers, text, UsageError, type ValuesOf, wholeNumber } from './options.js';
import { measurePaths } from './paths.js';
import { peakMemoryOf } from './processes.js';
import { atMost, comparisonHeader, type Verdict, verdictLines } from './report.js';
import { startReference, startService } from './servers.js';
import { loadWorld } from './world.js';

/** The name of all single requests with a limit of their own, beside the cases. */
const PATHS = 'paths';
/** From the start of the process to the first good readiness probe, in seconds. */
const LONGEST_START = 1.5;
/** Of a case, beside the service of another checkout. */
const LEAST_AGAINST = 0.95;
const SIZES = `SELECT datname AS name, pg_size_pretty(pg_database_size(datname)) AS size FROM pg_database
  WHERE datname ~ '^(ledger_|against)'`;
/** The highest resident memory under the load of the cases, in MB. */
const MOST_MEMORY = 200;

const OPTIONS = {
  only: list(
    'CASE',
    `only these cases, or "${PATHS}": every order, filter, term and report against its limit`,
    [...CASES.map(({ key }) => key), PATHS],
  ),
  connections: numbers('connections of the load generator', [1, 16, 64]),
  rounds: wholeNumber('rounds of each server, in turn; the median counts', 3),
  seconds: wholeNumber('about how long a round takes', 1),
  owners: wholeNumber('accounts in the seeded database', 402),
  transactions: wholeNumber('rows in all', 502_000),
  big: wholeNumber('rows of the largest owner', 200_000),
  against: text(
    'DIR',
    'compare with the service of this checkout, which has been built, in place of the reference',
  ),
  keep: text('DIR', 'keep the seeded PostgreSQL in this folder, and use what is there already'),
};

type Options = ValuesOf<typeof OPTIONS>;

async function bench(options: Options, cleanup: Cleanup): Promise<readonly Verdict[]> {
  const { only, keep, connections, rounds, seconds, against } = options;
  const cases = CASES.filter(({ key }) => only.length === 0 || only.includes(key));
  const dataset = datasetOf(options);
  const database = await startServer(keep, cleanup);
  print(headline(dataset, database.server.version));
  const url = await seededDatabase(database, dataset);
  const other = against && (await databaseOf(against, database, dataset, cleanup));
  for (const { name, size } of await database.sql<{ name: string; size: string }>(SIZES))
    print(`${name}: ${size}\n`);
  const world = await loadWorld(url);
  const service = await startService(url, cleanup);
  const reference = await (other ? startService(other, cleanup, against) : startReference(url, cleanup));
  const { postmaster = 0, sql } = database;
  print(
    `Medians of ${rounds} rounds of ${seconds} s, each after a checkpoint. "ref" is the ${other ? 'other service' : 'reference'}. ` +
      'CPU and write-ahead log are per request; "used" is the share of the processors.\n',
  );
  print(comparisonHeader());
  const effort = { connections, rounds, seconds };
  const comparisons = await compareCases(cases, { service, reference, postmaster, sql }, world, effort);
  const least = new Map(cases.map(({ key, least: ratio }) => [key, other ? LEAST_AGAINST : ratio]));
  return [
    ...ratioVerdicts(least, comparisons),
    atMost('start to ready', service.startTime / 1000, LONGEST_START, ' s'),
    atMost('peak memory', peakMemoryOf(service.pid) ?? NaN, MOST_MEMORY, ' MB'),
    ...(only.length === 0 || only.includes(PATHS) ? await measurePaths(service, world) : []),
  ];
}

function datasetOf({ owners, transactions, big }: Options): Dataset {
  const large = [big, MEDIUM_TRANSACTIONS];
  if (owners <= large.length || transactions < big + MEDIUM_TRANSACTIONS)
    throw new UsageError(
      'the sizes leave nothing for other owners: more --owners or --transactions, or less --big',
    );
  return { owners, transactions, large };
}

/** At the number of connections of the targets. A failed request misses one. */
function ratioVerdicts(least: ReadonlyMap<string, number>, comparisons: readonly Comparison[]): Verdict[] {
  return comparisons.flatMap(({ key, connections, ratio, failures }) => {
    const target = least.get(key) ?? NaN;
    if (connections !== TARGET_CONNECTIONS) return [];
    const passed = ratio >= target && failures === 0;
    return [{ name: key, value: ratio, unit: '', bound: 'at least', target, passed }];
  });
}

function headline({ owners, transactions, large }: Dataset, version: string): string {
  const [big, medium, all, rows] = [...large, owners, transactions].map((it) => it.toLocaleString('en'));
  return (
    `${all} owners, ${rows} transactions: one owner has ${big}, one ${medium}. ` +
    `Node ${process.versions.node}, PostgreSQL ${version}, ${availableParallelism()} cores.\n\n`
  );
}

await runCommand({
  call: 'npm run bench',
  about:
    'Compares the service with a server written by hand for the same database, on this machine, and fails when the ' +
    'service misses a target of bench/cases.ts. Takes about a quarter of an hour.',
  options: OPTIONS,
  example: '--only list-large,search-medium --keep /tmp/bench',
  async run(options, cleanup) {
    const verdicts = await bench(options, cleanup);
    print(`\n${verdictLines(verdicts)}`);
    return verdicts.every(({ passed }) => passed) ? 0 : 1;
  },
});
