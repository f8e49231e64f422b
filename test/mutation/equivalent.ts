import type { Fault } from './faults.js';

/** Faults that change no response: the file, a part of the line, what is replaced there, and why. */
const EQUIVALENT: readonly (readonly [path: string, part: string, from: RegExp, why: string])[] = [
  [
    'src/transfers/import.service.ts',
    'CHUNK.rows && length < CHUNK.length',
    /./,
    'how many rows one INSERT takes; all statements of a file are one transaction',
  ],
  [
    'src/transfers/owners.ts',
    'Number(BigInt(one) - BigInt(other))',
    /^-/,
    'the order of locks; the loser of a deadlock is repeated',
  ],
];

export function isEquivalent({ path, text, from }: Fault): boolean {
  return EQUIVALENT.some(
    ([file, part, replaced]) => file === path && text.includes(part) && replaced.test(from),
  );
}
