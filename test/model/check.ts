import fc from 'fast-check';
import { sequence } from './arbitraries.js';
import type { Command } from './commands.js';
import { Connection } from './connection.js';
import { runSequence } from './sequence.js';
import type { Fixture } from './fixture.js';

/** At most so many calls in a sequence: enough for pages of the default size to fill. */
const LONGEST = 300;
/** Milliseconds, after which the shortest sequence that was found is told. */
const LONGEST_SEARCH = 30_000;
/** Sequences between two looks at how many calls there were. */
const BATCH = 2;

export interface Checked {
  readonly calls: number;
  readonly sequences: number;
  /** How often each status came. */
  readonly statuses: ReadonlyMap<number, number>;
}

export interface CheckOptions {
  readonly calls: number;
  readonly seed: number;
  /** Ends the check: nothing more is sent, and it throws the signal's reason. */
  readonly signal: AbortSignal;
}

/**
 * Sends random sequences until there were so many calls. Throws, for the shortest sequence that still shows it, what
 * the service did otherwise than the contract has it. The same seed sends the same.
 */
export async function checkSequences(
  fixture: Fixture,
  { calls, seed, signal }: CheckOptions,
  progress: (calls: number) => void = () => undefined,
): Promise<Checked> {
  const connection = new Connection(fixture.url);
  const counted = { calls: 0, sequences: 0 };
  try {
    for (let batch = 0; counted.calls < calls; batch++) {
      const property = fc.asyncProperty(sequence(LONGEST), async (commands: Command[]) => {
        const ran = await runSequence(fixture, connection, commands, signal);
        counted.calls += ran.calls;
        counted.sequences++;
      });
      await fc.assert(property, {
        seed: seed + batch,
        numRuns: BATCH,
        interruptAfterTimeLimit: LONGEST_SEARCH,
      });
      signal.throwIfAborted();
      progress(counted.calls);
    }
  } finally {
    connection.close();
  }
  return { ...counted, statuses: connection.statuses };
}
