import { setImmediate as nextIteration } from 'node:timers/promises';

/** Iterations of the event loop that accept connections and begin nothing else. */
const MOST_ACCEPTED = 16;

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

/** Steps in the first requests of connections, so few in an iteration that a crowd of newcomers delays nobody else. */
export class Newcomers {
  /** The oldest first. */
  private readonly steps: (() => void)[] = [];

  step(step: () => void): void {
    if (this.steps.push(step) === 1) void this.run();
  }

  /**
   * In each iteration the latest step, of a probe perhaps, and the oldest. Node accepts one connection in an iteration:
   * while it has more, most iterations have no step, so that those who wait to be accepted wait for no crowd either.
   */
  private async run(): Promise<void> {
    const { steps } = this;
    for (let count = 1, known = 1; steps.length > 0; count++, known = steps.length) {
      await nextIteration();
      if (steps.length > known && count % MOST_ACCEPTED !== 0) continue;
      steps.pop()?.();
      steps.shift()?.();
    }
  }
}
