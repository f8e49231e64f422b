import fc from 'fast-check';
import type { Service } from '../support/service.js';
import { CALL } from './commands.js';
import { type Caller, World } from './world.js';

/** Milliseconds of shrinking. */
const LONGEST_SEARCH = 30_000;
/** Enough calls for pages of the default size to fill. */
const LONGEST = 300;

export interface CheckOptions {
  readonly calls: number;
  readonly seed: number;
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
  { calls, seed }: CheckOptions,
  progress: (calls: number) => void = () => undefined,
): Promise<Checked> {
  const statuses = new Map<number, number>();
  const sent = (): number => [...statuses.values()].reduce((sum, count) => sum + count, 0);
  const sequences = fc.noBias(fc.commands([CALL], { maxCommands: LONGEST, size: 'max' }));
  const property = fc.asyncProperty(sequences, async (commands) => {
    const world = await newWorld(service, statuses);
    try {
      await fc.asyncModelRun(() => ({ model: world, real: service }), commands);
    } catch (error) {
      const lines = world.transcript.map((line, index) => `${index + 1}. ${line}`).join('\n');
      throw new Error(`${(error as Error).message}\n\n${lines}\n`, { cause: error });
    }
  });
  for (let run = 0; sent() < calls; run++) {
    await fc.assert(property, { seed: seed + run, numRuns: 1, interruptAfterTimeLimit: LONGEST_SEARCH });
    progress(sent());
  }
  return { calls: sent(), statuses };
}

/** Empties the database, except for new accounts: three users and an ADMIN. */
async function newWorld(service: Service, statuses: Map<number, number>): Promise<World> {
  for (const table of ['transactions', 'properties', 'users']) await service.sql(`DELETE FROM ${table}`);
  const callers: Caller[] = [];
  for (const role of ['USER', 'USER', 'USER', 'ADMIN'] as const)
    callers.push(Object.assign(await service.account(role), { isAdmin: role === 'ADMIN' }));
  return new World(service, callers, statuses);
}
