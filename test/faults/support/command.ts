import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Cleanup } from '../../../bench/cleanup.js';
import { type Command, print, runCommand } from '../../../bench/command.js';
import type { Option, Options, ValuesOf } from '../../../bench/options.js';
import type { Criterion } from '../protocol.js';
import { countMet, criterionLine } from '../report.js';

/** Prints what was found, and keeps it for the exit code. */
export type Tell = (criteria: readonly Criterion[], title?: string) => void;

interface Judging<O extends Options> extends Omit<Command<O>, 'run' | 'success' | 'failure'> {
  readonly run: (values: ValuesOf<O>, cleanup: Cleanup, tell: Tell) => Promise<void>;
}

/** A command that holds real programs to criteria. It fails when one is missed, or when there was none. */
export async function runCriteria<O extends Options>({ run, ...command }: Judging<O>): Promise<void> {
  await runCommand({
    ...command,
    success: 'no criterion is missed',
    failure: 'one is, or what it needs is missing',
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

/** The option for the folder in which a command keeps what it has fetched; the folder is made. */
export function cache(name: string, what: string): Option<string> {
  const byDefault = join(homedir(), '.cache', `property-finance-${name}`);
  const read = (value = byDefault): string => {
    mkdirSync(resolve(value), { recursive: true });
    return resolve(value);
  };
  return { argument: 'DIR', about: `where ${what} go (${byDefault})`, read };
}
