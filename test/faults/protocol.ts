import type { Rig } from './support/rig.js';

/** A rule, and the finding. */
export interface Criterion {
  readonly name: string;
  readonly passed: boolean;
  readonly measured: string;
  /** Of a bound that a busy machine can miss: the measured time in bounds, or Infinity where it is no time. */
  readonly ofBound?: number;
}

/** One fault, and the criteria for the service under it. */
export interface Protocol {
  readonly name: string;
  readonly title: string;
  /** Not in the gate. */
  readonly nightly?: true;
  /** The reason why this machine cannot run it. */
  readonly obstacle?: () => string | undefined;
  /** `short` means shorter times, for the gate. */
  readonly run: (rig: Rig, short: boolean) => Promise<Criterion[]>;
}
