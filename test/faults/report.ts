import { type Outcome, verdictOf } from './outcome.js';
import type { Criterion, Protocol } from './protocol.js';
import { time } from './support/figures.js';

const NAME_WIDTH = 58;
const WORDS = { met: 'PASS', missed: 'MISS', skipped: 'SKIP' } as const;

export function titleLine({ name, title }: Protocol): string {
  return `\n${name}: ${title}\n`;
}

export function criterionLine({ name, passed, measured }: Criterion): string {
  return `  ${passed ? 'PASS' : 'MISS'}  ${name.padEnd(NAME_WIDTH)}  ${measured}\n`;
}

/** On a busy machine a criterion may be missed because nobody got to run. */
export function stallLine(stall: number, load = 0): string {
  return `  the client itself was held up for ${time(stall)} at most; load average ${load.toFixed(1)}\n`;
}

/** Every try of every protocol. */
export function outcomeTable(outcomes: readonly Outcome[]): string {
  const lines = outcomes.map((outcome) => {
    const tries = outcome.tries.map(({ criteria, seconds }) =>
      `${countMet(criteria)} in ${seconds.toFixed(0)} s`.padEnd(20),
    );
    const found = outcome.skipped ?? tries.join('and then ').trimEnd();
    return `${outcome.name.padEnd(24)}${WORDS[verdictOf(outcome)]}  ${found}\n`;
  });
  const verdicts = outcomes.map(verdictOf);
  const count = (wanted: string): number => verdicts.filter((verdict) => verdict === wanted).length;
  return (
    `\n${lines.join('')}` +
    `${count('met')} of ${outcomes.length} protocols met, ${count('missed')} missed, ${count('skipped')} skipped\n`
  );
}

export function countMet(criteria: readonly Criterion[]): string {
  return `${criteria.filter(({ passed }) => passed).length} of ${criteria.length}`;
}
