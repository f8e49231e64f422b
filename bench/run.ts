import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { type Case, CASES } from './cases.js';
import type { Cleanup } from './cleanup.js';
import { Cluster } from './cluster.js';
import { runCommand, UsageError } from './command.js';
import { compareCases } from './compare.js';
import { measureFlood } from './flood.js';
import { measureGrowth } from './growth.js';
import type { Comparison } from './measure.js';
import { HELP, type Options, readOptions } from './options.js';
import { peakMemoryOf } from './processes.js';
import {
  changeLines,
  comparisonHeader,
  comparisonLine,
  digits,
  ratioVerdicts,
  type Verdict,
  verdictLines,
} from './report.js';
import { type Server, startReference, startService } from './servers.js';
import { loadWorld } from './world.js';

/** What `--json` writes and `--compare` reads. */
interface Results {
  readonly node: string;
  readonly postgres: string;
  readonly cores: number;
  readonly options: Options;
  readonly comparisons: readonly Comparison[];
  readonly verdicts: readonly Verdict[];
}

const CLEAR_LINE = '\r\u001b[K';

function print(text: string): void {
  process.stdout.write(process.stdout.isTTY ? CLEAR_LINE + text : text);
}

/** One line that is written over and over; in a file it would only be in the way. */
function progress(step: string): void {
  if (process.stdout.isTTY) process.stdout.write(`${CLEAR_LINE}… ${step}`);
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
  const cluster = await Cluster.start(options.keep, process.env, cleanup);
  print(headline(options, cluster.version));
  const onSeeded = await onSeededDatabase(options, cases, cluster, cleanup);
  const growth = options.parts.includes('growth')
    ? await measureGrowth(cluster, options.dataset, options, cleanup, progress)
    : [];
  return {
    node: process.version,
    postgres: cluster.version,
    cores: availableParallelism(),
    options,
    comparisons: onSeeded.comparisons,
    verdicts: [...onSeeded.verdicts, ...growth],
  };
}

async function onSeededDatabase(
  options: Options,
  cases: readonly Case[],
  cluster: Cluster,
  cleanup: Cleanup,
): Promise<Pick<Results, 'comparisons' | 'verdicts'>> {
  const url = await cluster.database(options.dataset, progress);
  const world = await loadWorld(url, options.dataset);
  const service = await startService(url, cleanup);
  const comparisons: Comparison[] = [];
  const verdicts: Verdict[] = [];
  if (options.parts.includes('cases')) {
    const reference = await startReference(url, cleanup);
    print(legend(options) + comparisonHeader());
    const opponents = { service, reference, postmaster: cluster.pid };
    const report = (comparison: Comparison): void => print(comparisonLine(comparison));
    comparisons.push(...(await compareCases(cases, opponents, world, options, progress, report)));
    print(memoryLine(service, reference));
    verdicts.push(...ratioVerdicts(comparisons));
    await reference.stop();
  }
  if (options.parts.includes('flood')) verdicts.push(await measureFlood(service, world, progress, print));
  await service.stop();
  return { comparisons, verdicts };
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

/** The exit status: 0 when every target is met. */
async function main(args: string[], cleanup: Cleanup): Promise<number> {
  const options = readOptions(args);
  if (options === undefined) {
    print(HELP);
    return 0;
  }
  const earlier =
    options.compare === undefined
      ? undefined
      : (JSON.parse(readFileSync(options.compare, 'utf8')) as Results);
  const results = await bench(options, cleanup);
  print(verdictLines(results.verdicts));
  if (earlier !== undefined) print(`\n${changeLines(earlier.comparisons, results.comparisons)}`);
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`);
  return results.verdicts.every((verdict) => verdict.passed) ? 0 : 1;
}

await runCommand('npm run bench', main);
