import fc from 'fast-check';
import type { Service } from '../support/service.js';
import { type Real, sequences } from './commands.js';
import { Connection } from './connection.js';
import { Fixture } from './fixture.js';

/** Milliseconds of shrinking. */
const LONGEST_SEARCH = 30_000;

export interface CheckOptions {
  readonly calls: number;
  readonly seed: number;
  /** Of a failure, to repeat it. */
  readonly path?: string | undefined;
  readonly replay?: string | undefined;
}

export interface Checked {
  readonly calls: number;
  /** Status → responses. */
  readonly statuses: ReadonlyMap<number, number>;
}

/**
 * Sends random sequences until there were so many calls. Throws for the shortest sequence that shows another response
 * than the contract's. The same seed sends the same.
 */
export async function checkSequences(
  service: Service,
  { calls, seed, path, replay }: CheckOptions,
  progress: (calls: number) => void = () => undefined,
): Promise<Checked> {
  const fixture = await Fixture.on(service);
  const connection = new Connection(service.url);
  const real: Real = { connection, sql: (text, values) => service.sql(text, values) };
  const sent = (): number => [...connection.statuses.values()].reduce((sum, count) => sum + count, 0);
  const property = fc.asyncProperty(sequences(replay), async (commands) => {
    const model = await fixture.newWorld();
    try {
      await fc.asyncModelRun(() => ({ model, real }), commands);
    } catch (error) {
      connection.close();
      const lines = model.transcript.map((line, index) => `${index + 1}. ${line}`).join('\n');
      throw new Error(`${(error as Error).message}\n\n${lines}\n`, { cause: error });
    }
  });
  try {
    for (let run = 0; sent() < calls; run++) {
      const replayed = path === undefined ? {} : { path };
      await fc.assert(property, {
        seed: seed + run,
        numRuns: 1,
        interruptAfterTimeLimit: LONGEST_SEARCH,
        ...replayed,
      });
      progress(sent());
    }
  } finally {
    connection.close();
  }
  return { calls: sent(), statuses: connection.statuses };
}
