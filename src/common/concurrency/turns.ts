import { setImmediate as nextIteration } from 'node:timers/promises';

/** Milliseconds after which a wait ends, quiet or not: a hundred short iterations, or one that is long. */
const LONGEST = 2;

/** A line: one after the other, each waits for the next iteration of the event loop in which none of those counted has come. */
export function lineOfTurns(countOthers = () => 0): () => Promise<void> {
  let [last, seen] = [Promise.resolve(), 0];
  const wait = async (): Promise<void> => {
    const end = performance.now() + LONGEST;
    do await nextIteration();
    while (seen !== (seen = countOthers()) && performance.now() < end);
  };
  return () => (last = last.then(wait));
}

/** Waits for an iteration of the event loop in which no other reader of a client's input runs. */
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
