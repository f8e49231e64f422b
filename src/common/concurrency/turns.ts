import { setImmediate as nextIteration } from 'node:timers/promises';

let last = Promise.resolve();

/** Waits for an iteration of the event loop in which no other reader of a client's input runs. */
export async function nextTurn(): Promise<void> {
  await (last = last.then(() => nextIteration()));
}

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
