import fc from 'fast-check';
import { Client } from '../support/client.js';
import type { Service } from '../support/service.js';
import { type Real, sequences } from './commands.js';
import { type CallerRef, type ModelAccount, World } from './world.js';

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
  const statuses = new Map<number, number>();
  const sent = (): number => [...statuses.values()].reduce((sum, count) => sum + count, 0);
  const real: Real = {
    sql: service.sql,
    async send({ method, target, token, headers = {}, body }) {
      const answer = await new Client(service.url, token).send(method, target, { headers, body });
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      return answer;
    },
  };
  const property = fc.asyncProperty(sequences(replay), async (commands) => {
    const model = await newWorld(service);
    try {
      await fc.asyncModelRun(() => ({ model, real }), commands);
    } catch (error) {
      const lines = model.transcript.map((line, index) => `${index + 1}. ${line}`).join('\n');
      throw new Error(`${(error as Error).message}\n\n${lines}\n`, { cause: error });
    }
  });
  const replayed = path === undefined ? {} : { path };
  for (let run = 0; sent() < calls; run++) {
    const once = { seed: seed + run, numRuns: 1, interruptAfterTimeLimit: LONGEST_SEARCH };
    await fc.assert(property, { ...once, ...replayed });
    progress(sent());
  }
  return { calls: sent(), statuses };
}

const CALLERS: readonly CallerRef[] = ['user 0', 'user 1', 'user 2', 'admin'];

/** Empties the database, except for new accounts. */
async function newWorld(service: Service): Promise<World> {
  for (const table of ['transactions', 'properties', 'users']) await service.sql(`DELETE FROM ${table}`);
  const accounts: [CallerRef, ModelAccount][] = [];
  for (const ref of CALLERS) {
    const role = ref === 'admin' ? 'ADMIN' : 'USER';
    const { id, token } = await service.account(role);
    accounts.push([ref, { id: Number(id), token: token!, role }]);
  }
  return new World(Object.fromEntries(accounts));
}
