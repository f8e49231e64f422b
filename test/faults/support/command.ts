import type { Cleanup } from '../../../bench/cleanup.js';
import { type Command, print, runCommand } from '../../../bench/command.js';
import type { Options, ValuesOf } from '../../../bench/options.js';
import { countMet, criterionLine } from '../outcome.js';
import type { Criterion } from '../protocol.js';

/** Prints criteria, and keeps them for the exit code. */
export type Tell = (criteria: readonly Criterion[], title?: string) => void;

interface Judging<O extends Options> extends Omit<Command<O>, 'run' | 'success' | 'failure'> {
  readonly run: (values: ValuesOf<O>, cleanup: Cleanup, tell: Tell) => Promise<void>;
}

/** A command that fails when a criterion is missed, or without criteria. */
export async function runCriteria<O extends Options>({ run, ...command }: Judging<O>): Promise<void> {
  await runCommand({
    ...command,
    success: 'no criterion is missed',
    failure: 'one is, or a requirement is missing',
    async run(values, cleanup) {
      const all: Criterion[] = [];
      await run(values, cleanup, (found, title) => {
        print(`${title === undefined ? '' : `\n${title}\n`}${found.map(criterionLine).join('')}`);
        all.push(...found);
      });
      print(`\n${countMet(all)} criteria met\n`);
      return all.length > 0 && all.every(({ passed }) => passed) ? 0 : 1;
    },
  });
}
