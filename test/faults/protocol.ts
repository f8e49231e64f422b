import type { Rig } from './support/rig.js';

/** What must hold, and what was found. */
export interface Criterion {
  readonly name: string;
  readonly passed: boolean;
  readonly measured: string;
  /** A bound on a time, which a machine that is busy with something else can make it miss. */
  readonly isTiming?: true;
}

export interface FaultOptions {
  /** Shorter times, so that all protocols together take about four minutes. */
  readonly short: boolean;
  /** A folder on a small file system of its own, which `disk-full` has made and started this process in. */
  readonly smallDisk?: string | undefined;
}

/** One fault, brought about on purpose, and what the service has to make of it. */
export interface Protocol {
  readonly name: string;
  readonly title: string;
  /** Why this cannot be run here; undefined when it can. */
  readonly obstacle?: () => string | undefined;
  readonly run: (rig: Rig, options: FaultOptions) => Promise<Criterion[]>;
}
