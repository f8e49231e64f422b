import type { Fault } from './faults.js';

/** Faults that change nothing that a caller could see: file, what is replaced, by what, and why nobody sees it. */
const EQUIVALENT: readonly (readonly [path: string, from: string, to: string, why: string])[] = [];

export function equivalenceOf({ path, from, to }: Fault): string | undefined {
  return EQUIVALENT.find(([file, ...texts]) => file === path && texts[0] === from && texts[1] === to)?.[3];
}
