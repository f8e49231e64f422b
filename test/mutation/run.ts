import { availableParallelism } from 'node:os';
import { print, progress, runCommand } from '../../bench/command.js';
import { list, wholeNumber } from '../../bench/options.js';
import { Random } from '../support/random.js';
import { sources } from '../support/sources.js';
import { isEquivalent, refuseStaleEntries } from './equivalents.js';
import { type Fault, faultsOf } from './faults.js';
import { Sandbox } from './sandbox.js';
import { FOLDERS, folderOf, testsOf } from './tests-of.js';

type Result = readonly [folder: string, isTold: boolean];
const told = ([, isTold]: Result): boolean => isTold;
const percentOf = (results: readonly Result[]): number =>
  (100 * results.filter(told).length) / results.length;

/** By file; the suite that told its last fault is the likeliest to tell the next one. */
const lastSuites = new Map<string, string>();

await runCommand({
  call: 'npm run test:mutation',
  about:
    'Plants one fault after the other in a copy of the project, and prints those that no test of their folder fails ' +
    'for, and the score of each folder.',
  options: {
    sample: wholeNumber('faults to plant', 60),
    seed: wholeNumber('of the sample', 1),
    only: list('PATH', 'files whose paths begin so'),
    least: wholeNumber('percent of the faults that must be told', 90, 0),
  },
  example: '--sample 100 --seed 7 --only src/reports',
  async run({ sample, seed, only, least }, cleanup) {
    const every = new Random(seed).shuffled(sources().flatMap(faultsOf));
    refuseStaleEntries(every);
    const all = every.filter(isMeasured(only)); // so that the sample stays when one is no fault any more
    const faults = all.slice(0, sample);
    const sandboxes = await Promise.all(
      Array.from({ length: 2 * availableParallelism() }, () => Sandbox.make(cleanup)), // most tests wait
    );
    const tests = [...new Set(faults.flatMap(({ path }) => testsOf(folderOf(path)!)))];
    progress('the tests without a fault');
    await Promise.all(
      sandboxes.map(async (sandbox, place) => {
        const own = tests.filter((_, index) => index % sandboxes.length === place);
        const failure = own.length === 0 ? [] : await sandbox.failure(own); // without a pattern Jest runs all
        if (failure.length > 0) throw new Error(`Without a fault this fails: ${failure.join(' ')}`);
      }),
    );
    const results: Result[] = [];
    cleanup.defer(() => print(`${tableOf(results)}\nSeed ${seed}; ${all.length} faults can be planted\n`));
    await Promise.all(
      sandboxes.map(async (sandbox) => {
        for (let fault = faults.pop(); fault !== undefined && !cleanup.begun; fault = faults.pop())
          results.push([folderOf(fault.path)!, await isTold(fault, sandbox)]);
      }),
    );
    return percentOf(results) >= least ? 0 : 1;
  },
});

function isMeasured(only: readonly string[]): (fault: Fault) => boolean {
  return (fault) =>
    folderOf(fault.path) !== undefined &&
    !fault.path.endsWith('.examples.ts') &&
    (only.length === 0 || only.some((start) => fault.path.startsWith(start))) &&
    !isEquivalent(fault);
}

async function isTold(fault: Fault, sandbox: Sandbox): Promise<boolean> {
  const { path, line, from, to } = fault;
  progress(path);
  const last = lastSuites.get(path) ?? [];
  const [suite] = await sandbox.failureWith(fault, [...new Set([last, testsOf(folderOf(path)!)].flat())]);
  const outcome = suite === '' ? 'broke the run' : 'missed';
  if (suite) lastSuites.set(path, `${suite}$`);
  else print(`${outcome} ${path}:${line} ${JSON.stringify(from)} → ${JSON.stringify(to)}\n`);
  return suite !== undefined;
}

function tableOf(results: readonly Result[]): string {
  const rows = [...FOLDERS, ''].flatMap((start) => {
    const those = results.filter(([folder]) => folder === start || start === '');
    const score = `${percentOf(those).toFixed(1)} %`;
    return those.length === 0 ? [] : [[start || 'all', those.filter(told).length, those.length, score]];
  });
  const lines = [['Folder', 'Told', 'Planted', 'Score'], ['---', '--:', '--:', '--:'], ...rows];
  return `\n${lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('')}`;
}
