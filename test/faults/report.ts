import type { Criterion, Protocol } from './protocol.js';
import { time } from './support/figures.js';

/** What became of one protocol. */
export interface Outcome {
  readonly name: string;
  readonly title: string;
  readonly seconds: number;
  /** The longest time, in milliseconds, for which the client itself did not get to run: it sees no shorter one. */
  readonly stall: number;
  readonly criteria: readonly Criterion[];
  /** Whether this is the second try, after one that missed a criterion. */
  readonly missedBefore?: boolean;
  /** Why it was not run. */
  readonly skipped?: string;
}

const NAME_WIDTH = 58;

export function titleLine({ name, title }: Protocol): string {
  return `\n${name}: ${title}\n`;
}

export function criterionLine({ name, passed, measured }: Criterion): string {
  return `  ${passed ? 'PASS' : 'MISS'}  ${name.padEnd(NAME_WIDTH)}  ${measured}\n`;
}

/** Of a run that has nothing but criteria, with how many are met. */
export function criterionLines(criteria: readonly Criterion[]): string {
  const met = criteria.filter(({ passed }) => passed).length;
  return `${criteria.map(criterionLine).join('')}\n${met} of ${criteria.length} criteria met\n`;
}

/** On a busy machine a criterion may be missed because nobody got to run. */
export function stallLine(stall: number, load = 0): string {
  return `  the client itself was held up for ${time(stall)} at most; load average ${load.toFixed(1)}\n`;
}

export function outcomeTable(outcomes: readonly Outcome[]): string {
  const lines = outcomes.map(({ name, seconds, criteria, skipped, missedBefore }) => {
    const met = criteria.filter(({ passed }) => passed).length;
    const verdict = met === criteria.length ? 'PASS' : 'MISS';
    const found =
      skipped ??
      `${verdict}  ${met} of ${criteria.length}`.padEnd(18) +
        `${seconds.toFixed(0)} s${missedBefore === true ? ', the second time' : ''}`;
    return `${name.padEnd(24)}${skipped === undefined ? found : `SKIP  ${found}`}\n`;
  });
  const all = outcomes.flatMap(({ criteria }) => criteria);
  const missed = all.filter(({ passed }) => !passed).length;
  return `\n${lines.join('')}${all.length - missed} of ${all.length} criteria met\n`;
}
