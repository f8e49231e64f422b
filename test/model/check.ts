import fc from 'fast-check';
import http from 'node:http';
import { send } from '../support/http.js';
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
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const real: Real = {
    sql: (text, values) => service.sql(text, values),
    async send({ method, target, token, headers: further, body }) {
      const headers = {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...further,
      };
      const answer = await send(service.url, { method, path: target, headers, body }, { agent });
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
    agent.destroy();
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
