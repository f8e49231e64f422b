import { setImmediate as nextIteration } from 'node:timers/promises';

/** Milliseconds after which a wait ends, quiet or not: a hundred short iterations, or one that is long. */
const LONGEST = 2;

let newcomers = 0;

/** Counts a connection that has come, or a first request that has begun. */
export function countNewcomer(): void {
  newcomers++;
}

/**
 * Waits for an iteration of the event loop in which no newcomer has come. Node accepts one connection in an iteration: a crowd
 * would keep others waiting for as many turns.
 */
export async function quietIteration(): Promise<void> {
  const end = performance.now() + LONGEST;
  let seen: number;
  do {
    seen = newcomers;
    await nextIteration();
  } while (seen !== newcomers && performance.now() < end);
}

/** A line: one after the other, each waits for a quiet iteration. */
export function lineOfTurns(): () => Promise<void> {
  let last = Promise.resolve();
  return () => (last = last.then(quietIteration));
}

/** Waits for an iteration in which no other reader of a client's input runs. */
export const nextTurn = lineOfTurns();

/** The part of a client's input that is read before others have their turn. */
export class Turn {
  static readonly CHARACTERS = 64 * 1024;
  static readonly VALUES = 1000;
  private characters = 0;
  private values = 0;

  /** Adds to the turn. True when that fills it: then it begins anew. */
  fills(values: number, characters: number): boolean {
    this.values += values;
    this.characters += characters;
    const isFull = this.values >= Turn.VALUES || this.characters >= Turn.CHARACTERS;
    if (isFull) this.values = this.characters = 0;
    return isFull;
  }
}
