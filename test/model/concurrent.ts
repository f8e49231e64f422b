import fc from 'fast-check';
import { headerFaults, problemFaults } from '../support/problem-document.js';
import type { WireAnswer } from '../support/wire.js';
import { command } from './arbitraries.js';
import type { Command, Request } from './commands.js';
import type { Checked, CheckOptions } from './check.js';
import { Connection } from './connection.js';
import { finalStateFaults } from './final-state.js';
import { predict } from './oracle.js';
import { CURRENT } from './preconditions.js';
import { Contradiction } from './sequence.js';
import type { Fixture } from './fixture.js';
import { Observer } from './observer.js';
import type { World } from './world.js';

/** Calls of each client between two looks at what is left behind. */
const CALLS_PER_ROUND = 75;
/** So few resources are spoken of that most writes meet others. */
const CHOICE = 3;
/** No call at all, or one whose answer does not tell of what id it speaks, or of which only so many may run at once. */
const LEFT_OUT: readonly Command['op'][] = ['setRole', 'setColumns', 'import', 'export', 'exportProperties'];
/** Everything that an operation may answer, whatever others do meanwhile. */
const POSSIBLE = [200, 201, 304, 400, 401, 403, 404, 405, 409, 422];

/**
 * The same calls by several clients at once. No answer can be foretold, but all of them together must make sense: no
 * acknowledged update is lost, nothing is seen again after it was deleted, and what is left behind is sound. Throws
 * {@link Contradiction}.
 */
export async function checkConcurrently(
  fixture: Fixture,
  { calls, seed, clients, signal }: CheckOptions & { readonly clients: number },
  progress: (calls: number) => void = () => undefined,
): Promise<Checked> {
  const connections = Array.from({ length: clients }, () => new Connection(fixture.url));
  const counted = { calls: 0, sequences: 0 };
  try {
    for (; counted.calls < calls; counted.sequences++) {
      const commands = someCommands(seed + counted.sequences, clients * CALLS_PER_ROUND);
      await round(fixture, connections, commands, signal);
      counted.calls += commands.length;
      progress(counted.calls);
    }
  } finally {
    for (const connection of connections) connection.close();
  }
  const statuses = new Map<number, number>();
  for (const connection of connections)
    for (const [status, count] of connection.statuses)
      statuses.set(status, (statuses.get(status) ?? 0) + count);
  return { ...counted, statuses };
}

/** Half of the writes name the version that they mean, because only they can tell that another came between. */
function someCommands(seed: number, count: number): Request[] {
  const commands = fc.sample(fc.noBias(command), { seed, numRuns: count });
  return commands
    .filter((some): some is Request => !LEFT_OUT.includes(some.op))
    .map((some) => ('match' in some && some.match % 2 === 0 ? { ...some, match: CURRENT } : some));
}

async function round(
  fixture: Fixture,
  connections: readonly Connection[],
  commands: Request[],
  signal: AbortSignal,
): Promise<void> {
  const world = await fixture.newWorld(CHOICE);
  const observer = new Observer(world);
  const clock = { ticks: 0 };
  const faults: string[] = [];
  const waiting = [...commands];
  const clients = connections.map(async (connection) => {
    for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift())
      faults.push(...(await call(world, observer, connection, next, clock)));
  });
  await Promise.all(clients);
  signal.throwIfAborted();
  faults.push(...observer.faults(), ...(await finalStateFaults(fixture.sql, observer.history)));
  if (faults.length > 0) throw new Contradiction(faults.slice(0, 20).join('\n'));
}

/** Sends one call and tells what is wrong with its answer by itself. */
async function call(
  world: World,
  observer: Observer,
  connection: Connection,
  command: Request,
  clock: { ticks: number },
): Promise<string[]> {
  const { call: request } = predict(world, command);
  const start = ++clock.ticks;
  observer.begins({ command, call: request }, start);
  const answer = await connection.send(request);
  observer.sees({ command, call: request, answer, start, end: ++clock.ticks });
  return faultsOf(answer).map((fault) => `${fault} to ${request.method} ${request.target}`);
}

function faultsOf(answer: WireAnswer): string[] {
  if (!POSSIBLE.includes(answer.status)) return [`status ${answer.status}: ${answer.text.slice(0, 300)}`];
  return answer.status < 400 ? headerFaults(answer) : problemFaults(answer);
}
