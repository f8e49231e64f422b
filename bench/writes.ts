import { randomUUID } from 'node:crypto';
import { send, transaction } from './cases.js';
import { print, progress } from './command.js';
import { costOf, type Cost, type Machine } from './cost.js';
import { drive, failuresOf, type LoadRequest } from './load.js';
import { median } from './measure.js';
import { atLeast, atMost, type Column, digits, header, known, line, type Verdict } from './report.js';
import type { Scratch } from './scratch.js';
import { LIMITS, TARGET_CONNECTIONS } from './targets.js';
import type { Row, World } from './world.js';

const ROUNDS = 4;
/** Of each way in each round, and of a batch. */
const ROWS = 1600;
const BATCH = 100;

/** A way to write rows. */
interface Way {
  readonly name: string;
  readonly connections: number;
  readonly requests: (world: World) => LoadRequest[];
}

const SINGLE: Way = { name: 'one by one', connections: 1, requests: creates };
const CROWD: Way = {
  name: `one by one, ${TARGET_CONNECTIONS} connections`,
  connections: TARGET_CONNECTIONS,
  requests: creates,
};
const KEYED: Way = {
  name: '… with Idempotency-Key',
  connections: TARGET_CONNECTIONS,
  requests: (world) => creates(world).map(withKey),
};
const BATCHES: Way = { name: `batches of ${BATCH}`, connections: 1, requests: batches };
const WAYS = [SINGLE, BATCHES, CROWD, KEYED];

const COLUMNS: readonly Column[] = [
  ['way to create', -28],
  ['rows/s', 9],
  ['Node µs', 9],
  ['PG µs', 9],
];

/** Rows that come singly, with keys and in batches, all in turn; processor time is per row. */
export async function measureWrites(machine: Machine, world: World, scratch: Scratch): Promise<Verdict[]> {
  const results = new Map<Way, Cost[]>(WAYS.map((way) => [way, []]));
  for (let round = 0; round <= ROUNDS; round++)
    for (const way of WAYS) {
      progress(`writes, ${way.name}`);
      const { connections } = way;
      const requests = way.requests(world);
      const cost = await costOf(machine, () =>
        drive(machine.server.url, requests, connections, { amount: requests.length }),
      );
      if (failuresOf(cost) > 0) throw new Error(`${failuresOf(cost)} requests failed: ${way.name}`);
      if (round > 0) results.get(way)?.push(cost); // the first only warms up
    }
  await scratch.clear();
  print(`\n${header(COLUMNS)}`);
  for (const [{ name }, costs] of results) print(lineOf(name, costs));
  const compare = (one: Way, other: Way, pick: (cost: Cost) => number): number =>
    ratioOf(results.get(one) ?? [], results.get(other) ?? [], pick);
  return known([
    atLeast('rows/s of batches ÷ one by one', compare(BATCHES, SINGLE, rate), LIMITS.batchRate),
    atMost('CPU of a batched row ÷ a single', compare(BATCHES, SINGLE, cpu), LIMITS.batchCpu),
    atMost('CPU with Idempotency-Key ÷ without', compare(KEYED, CROWD, cpu), LIMITS.keyCpu),
  ]);
}

function creates(world: World): LoadRequest[] {
  return rowsOf(world, ROWS).map((row, index) =>
    send(world, row, 'POST', '/api/transactions', transaction(row, index)),
  );
}

function batches(world: World): LoadRequest[] {
  return rowsOf(world, ROWS / BATCH).map((row) => {
    const transactions = Array.from({ length: BATCH }, (_, index) => transaction(row, index));
    return send(world, row, 'POST', '/api/transactions/batch', { transactions });
  });
}

/** Properties of ordinary owners, each in its turn. */
function rowsOf({ properties }: World, count: number): Row[] {
  return Array.from({ length: count }, (_, index) => properties[index % properties.length]).filter(
    (row) => row !== undefined,
  );
}

function withKey(request: LoadRequest): LoadRequest {
  return { ...request, headers: { ...request.headers, 'idempotency-key': randomUUID() } };
}

/** The median of those of rounds that follow one another. */
function ratioOf(ones: readonly Cost[], others: readonly Cost[], pick: (cost: Cost) => number): number {
  return median(ones.map((one, round) => pick(one) / pick(others[round] ?? one)));
}

function rate({ seconds }: Cost): number {
  return ROWS / seconds;
}

function cpu({ nodeCpu = NaN, databaseCpu = NaN }: Cost): number {
  return nodeCpu + databaseCpu;
}

function lineOf(name: string, costs: readonly Cost[]): string {
  const perRow = (pick: (cost: Cost) => number | undefined): string =>
    digits((median(costs.map((cost) => pick(cost) ?? NaN)) / ROWS) * 1e6);
  const cells = [digits(median(costs.map(rate))), perRow((cost) => cost.nodeCpu)];
  return line(COLUMNS, [name, ...cells, perRow((cost) => cost.databaseCpu)]);
}
