import { availableParallelism } from 'node:os';
import { print, progress, runCommand } from '../../bench/command.js';
import { flag, list, wholeNumber } from '../../bench/options.js';
import { Random } from '../support/random.js';
import { sources } from '../support/sources.js';
import { isEquivalent } from './equivalent.js';
import { type Fault, faultsOf } from './faults.js';
import { Sandbox } from './sandbox.js';
import { FOLDERS, folderOf, testsOf } from './tests-of.js';

await runCommand({
  call: 'npm run test:mutation',
  about:
    'Plants one fault after the other in a copy of the project, and counts those that no test fails for. A sample ' +
    'is held to the tests of the folder of each fault; the whole asks all tests about those that remain.',
  options: {
    sample: wholeNumber('faults to plant', 60),
    seed: wholeNumber('of the sample', 1),
    only: list('PATH', 'files whose paths begin so'),
    whole: flag('every fault; takes hours'),
    least: wholeNumber('percent of the faults that must be told', 90),
  },
  example: '--sample 100 --seed 7 --only src/reports',
  success: 'enough faults are told',
  failure: 'too many are not',
  async run({ sample, seed, only, whole, least }, cleanup) {
    const all = sources().flatMap(faultsOf).filter(isMeasured(only));
    const faults = whole ? all : new Random(seed).shuffled(all).slice(0, sample);
    const sandboxes = Array.from({ length: availableParallelism() }, () => new Sandbox(cleanup));
    const folders = [...new Set(faults.map(({ path }) => folderOf(path)!))].sort();
    progress('the tests without a fault');
    const failure = await sandboxes[0]!.failure(folders.flatMap(testsOf));
    if (failure !== undefined) throw new Error(`Without a fault this fails: ${failure}`);
    const scores = new Map(folders.map((folder): [string, boolean[]] => [folder, []]));
    const left = faults.toReversed();
    await Promise.all(
      sandboxes.map(async (sandbox) => {
        for (let fault = left.pop(); fault !== undefined && !cleanup.begun; fault = left.pop())
          scores.get(folderOf(fault.path)!)!.push(await isTold(fault, sandbox, whole));
      }),
    );
    for (const [folder, told] of scores) print(`${folder.padEnd(20)} ${scoreOf(told)}\n`);
    const told = [...scores.values()].flat();
    print(`${scoreOf(told)} faults told; ${all.length} can be planted\n`);
    return told.filter(Boolean).length >= (least / 100) * told.length ? 0 : 1;
  },
});

function isMeasured(only: readonly string[]): (fault: Fault) => boolean {
  const wanted = only.length === 0 ? FOLDERS : only;
  return (fault) =>
    folderOf(fault.path) !== undefined &&
    !fault.path.endsWith('.examples.ts') &&
    wanted.some((start) => fault.path.startsWith(start)) &&
    !isEquivalent(fault);
}

async function isTold(fault: Fault, sandbox: Sandbox, whole: boolean): Promise<boolean> {
  const { path, line, from, to } = fault;
  progress(path);
  let failure = await sandbox.failureWith(fault, testsOf(folderOf(path)!));
  if (failure === undefined && whole) failure = await sandbox.failureWith(fault, []);
  if (failure === undefined)
    print(`missed ${path}:${line} ${JSON.stringify(from)} → ${JSON.stringify(to)}\n`);
  return failure !== undefined;
}

function scoreOf(told: readonly boolean[]): string {
  const { length } = told.filter(Boolean);
  return `${length} of ${told.length} (${((100 * length) / told.length).toFixed(1)} %)`;
}
