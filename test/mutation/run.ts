import { availableParallelism } from 'node:os';
import { print, progress, runCommand } from '../../bench/command.js';
import { list, wholeNumber } from '../../bench/options.js';
import { Random } from '../support/random.js';
import { sources } from '../support/sources.js';
import { type Fault, faultsOf } from './faults.js';
import { Sandbox } from './sandbox.js';
import { FOLDERS, folderOf, testsOf } from './tests-of.js';

/** Faults that change no response: the file, a part of the line, and the replaced text. */
const EQUIVALENT: readonly (readonly [path: string, part: string, from: RegExp])[] = [
  // how many rows one INSERT takes; all statements of a file are one transaction
  ['src/transfers/import.service.ts', 'const MOST_AT_ONCE = ', /./],
  // the order of locks; the loser of a deadlock is repeated
  ['src/transfers/owners.ts', 'Number(BigInt(one) - BigInt(other))', /^-/],
  // a string without an escape is the same when escapes are looked for
  ['src/http/json/json-parser.ts', 'return escaped ? this.unescaped(start, end)', /^escaped$/],
  // a faulty declaration of our own, which ends the start
  ['src/http/fields/fields.ts', 'if (source === undefined) throw new Error(', /./],
  // anything but a number has no text of a number
  ['src/http/fields/values.ts', 'input instanceof JsonNumber ? thousandthsOf', /^input/],
  // the text of null is null
  ['src/reports/reports.service.ts', 'propertyId === null ? null : new JsonText', /^propertyId/],
  // the look-up finds the caller's own property, too
  ['src/properties/properties.service.ts', "scope === 'every-owner' ? (await this.rows.locate(", /^scope/],
];

await runCommand({
  call: 'npm run test:mutation',
  about:
    'Plants one fault after the other in a copy of the project, and prints those that no test of their folder fails ' +
    'for, and the score of each folder.',
  options: {
    sample: wholeNumber('faults to plant', 60),
    seed: wholeNumber('of the sample', 1),
    only: list('PATH', 'files whose paths begin so'),
    least: wholeNumber('percent of the faults that must be told', 90),
  },
  example: '--sample 100 --seed 7 --only src/reports',
  success: 'enough faults are told',
  failure: 'too many are not',
  async run({ sample, seed, only, least }, cleanup) {
    const all = sources().flatMap(faultsOf).filter(isMeasured(only));
    const faults = new Random(seed).shuffled(all).slice(0, sample);
    const machines = Array.from({ length: availableParallelism() }, () => Sandbox.make(cleanup));
    const sandboxes = await Promise.all(machines);
    const folders = FOLDERS.filter((folder) => faults.some(({ path }) => folderOf(path) === folder));
    progress('the tests without a fault');
    const failure = await sandboxes[0]!.failure(folders.flatMap(testsOf));
    if (failure !== undefined) throw new Error(`Without a fault this fails: ${failure}`);
    const begin = performance.now();
    const scores = new Map(folders.map((folder): [string, boolean[]] => [folder, []]));
    const left = faults.toReversed();
    await Promise.all(
      sandboxes.map(async (sandbox) => {
        for (let fault = left.pop(); fault !== undefined && !cleanup.begun; fault = left.pop())
          scores.get(folderOf(fault.path)!)!.push(await isTold(fault, sandbox));
      }),
    );
    const told = [...scores.values()].flat();
    const seconds = (performance.now() - begin) / 1000 / told.length;
    const rows = [
      ['Folder', 'Told', 'Planted', 'Score'],
      ['---', '--:', '--:', '--:'],
    ];
    for (const [folder, found] of [...scores, ['all', told] as const]) rows.push([folder, ...scoreOf(found)]);
    print(`\n${rows.map((row) => `| ${row.join(' | ')} |\n`).join('')}`);
    print(`\nSeed ${seed}; ${all.length} faults can be planted; ${seconds.toFixed(1)} s each\n`);
    return told.filter(Boolean).length >= (least / 100) * told.length ? 0 : 1;
  },
});

function isMeasured(only: readonly string[]): (fault: Fault) => boolean {
  const wanted = only.length === 0 ? FOLDERS : only;
  return ({ path, text, from }) =>
    folderOf(path) !== undefined &&
    !path.endsWith('.examples.ts') &&
    wanted.some((start) => path.startsWith(start)) &&
    !EQUIVALENT.some(([file, part, replaced]) => file === path && text.includes(part) && replaced.test(from));
}

async function isTold(fault: Fault, sandbox: Sandbox): Promise<boolean> {
  const { path, line, from, to } = fault;
  progress(path);
  const failure = await sandbox.failureWith(fault, testsOf(folderOf(path)!));
  if (failure === undefined)
    print(`missed ${path}:${line} ${JSON.stringify(from)} → ${JSON.stringify(to)}\n`);
  return failure !== undefined;
}

function scoreOf(told: readonly boolean[]): string[] {
  const { length } = told.filter(Boolean);
  return [String(length), String(told.length), `${((100 * length) / told.length).toFixed(1)} %`];
}
