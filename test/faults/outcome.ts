import type { Criterion } from './protocol.js';

/** One run of a protocol. */
export interface Try {
  readonly seconds: number;
  readonly criteria: readonly Criterion[];
}

export interface Outcome {
  readonly name: string;
  /** The reason why it was not run. */
  readonly skipped?: string;
  readonly tries: readonly Try[];
}

type Verdict = 'PASS' | 'MISS' | 'SKIP';

const NAME_WIDTH = 58;

/** True when only times were missed: a busy machine may be the reason. */
export function isWorthAnotherTry({ criteria }: Try): boolean {
  const missed = criteria.filter(({ passed }) => !passed);
  return missed.length > 0 && missed.every(({ isTiming }) => isTiming === true);
}

/** Times count in the last try only, other criteria in every try. */
export function verdictOf({ skipped, tries }: Outcome): Verdict {
  if (skipped !== undefined || tries.length === 0) return 'SKIP';
  const isMissed = tries.some(({ criteria }, index) =>
    criteria.some(({ passed, isTiming }) => !passed && (isTiming !== true || index === tries.length - 1)),
  );
  return isMissed ? 'MISS' : 'PASS';
}

export function criterionLine({ name, passed, measured }: Criterion): string {
  return `  ${passed ? 'PASS' : 'MISS'}  ${name.padEnd(NAME_WIDTH)}  ${measured}\n`;
}

export function outcomeTable(outcomes: readonly Outcome[]): string {
  const lines = outcomes.map((outcome) => {
    const tries = outcome.tries.map(
      ({ criteria, seconds }) => `${countMet(criteria)} in ${seconds.toFixed(0)} s`,
    );
    return `${outcome.name.padEnd(24)}${verdictOf(outcome)}  ${outcome.skipped ?? tries.join(', then ')}\n`;
  });
  const count = (wanted: Verdict): number =>
    outcomes.filter((outcome) => verdictOf(outcome) === wanted).length;
  return (
    `\n${lines.join('')}` +
    `${count('PASS')} of ${outcomes.length} protocols met, ${count('MISS')} missed, ${count('SKIP')} skipped\n`
  );
}

export function countMet(criteria: readonly Criterion[]): string {
  return `${criteria.filter(({ passed }) => passed).length} of ${criteria.length}`;
}
