import type { Criterion } from './protocol.js';

/** One run of a protocol. */
export interface Try {
  readonly seconds: number;
  /** The longest time, in milliseconds, for which the client itself did not get to run: it sees no shorter one. */
  readonly stall: number;
  readonly criteria: readonly Criterion[];
}

/** What became of one protocol. */
export interface Outcome {
  readonly name: string;
  readonly title: string;
  /** Why it was not run. */
  readonly skipped?: string;
  /** In their order; none of a protocol that was skipped. */
  readonly tries: readonly Try[];
}

export type Verdict = 'met' | 'missed' | 'skipped';

/** Whether a busy machine may be the reason: nothing was missed but times. */
export function isWorthAnotherTry({ criteria }: Try): boolean {
  const missed = criteria.filter(({ passed }) => !passed);
  return missed.length > 0 && missed.every(({ isTiming }) => isTiming === true);
}

/** Times count as they were in the last try, and everything else in every try. */
export function missedCriteria({ tries }: Pick<Outcome, 'tries'>): Criterion[] {
  return tries.flatMap(({ criteria }, index) =>
    criteria.filter(({ passed, isTiming }) => !passed && (isTiming !== true || index === tries.length - 1)),
  );
}

export function verdictOf(outcome: Outcome): Verdict {
  if (outcome.skipped !== undefined || outcome.tries.length === 0) return 'skipped';
  return missedCriteria(outcome).length === 0 ? 'met' : 'missed';
}
