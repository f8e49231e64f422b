import type { Cleanup } from '../../../bench/cleanup.js';
import { type Command, print, runCommand } from '../../../bench/command.js';
import type { Options, ValuesOf } from '../../../bench/options.js';
import type { Criterion } from '../protocol.js';

/** Prints criteria, and keeps them for the exit code. */
export type Tell = (criteria: readonly Criterion[], title?: string) => void;

interface Judging<O extends Options> extends Omit<Command<O>, 'run'> {
  readonly run: (values: ValuesOf<O>, cleanup: Cleanup, tell: Tell) => Promise<void>;
}

/** A command that fails when a criterion is missed, or without criteria. */
export async function runCriteria<O extends Options>({ run, ...command }: Judging<O>): Promise<void> {
  await runCommand({
    ...command,
    async run(values, cleanup) {
      const all: Criterion[] = [];
      await run(values, cleanup, (found, title) => {
        print(`${title === undefined ? '' : `\n${title}\n`}${found.map(criterionLine).join('')}`);
        all.push(...found);
      });
      const missed = all.filter(({ passed }) => !passed);
      print(
        `\n${missed.map(criterionLine).join('')}${all.length - missed.length} of ${all.length} criteria met\n`,
      );
      return all.length > 0 && missed.length === 0 ? 0 : 1;
    },
  });
}

export function criterionLine({ name, passed, measured }: Criterion): string {
  return `  ${passed ? 'PASS' : 'MISS'}  ${name.padEnd(58)}  ${measured}\n`;
}
