import { availableParallelism } from 'node:os';
import type { Case } from './cases.js';
import { print, progress } from './command.js';
import { median, percentile } from '../test/faults/support/figures.js';
import { drive, failuresOf, type LoadRequest, type Pass } from './load.js';
import { cpuOf, cpuOfFamily, meter } from './processes.js';
import { comparisonLine } from './report.js';
import type { Server } from './servers.js';
import { verifyCase } from './verify.js';
import type { PostgresServer } from '../test/support/postgres-server.js';
import type { World } from './world.js';

/**
 * Of one contender. Latencies in ms; per request CPU in µs, NaN where it cannot be read, and write-ahead log in kB; the share
 * of the machine's processors that the server and PostgreSQL used: where it is low, they waited.
 */
const FIGURES = ['throughput', 'p50', 'p99', 'nodeCpu', 'databaseCpu', 'log', 'share'] as const;
type Figures = Readonly<Record<(typeof FIGURES)[number], number>>;

/** One case at one number of connections. */
export interface Comparison {
  readonly key: string;
  readonly connections: number;
  readonly service: Figures;
  readonly reference: Figures;
  /** The median of service ÷ reference, each of two rounds that follow one another. */
  readonly ratio: number;
  readonly failures: number;
}

interface Effort {
  readonly connections: readonly number[];
  readonly rounds: number;
  readonly seconds: number;
}

/** Milliseconds until V8 has compiled the hot paths, which takes the shortest requests some 100,000 of them. */
const WARM_UP_TIME = 8000;

export interface Opponents {
  readonly service: Server;
  readonly reference: Server;
  readonly postmaster: number;
  readonly sql: PostgresServer['sql'];
}

/** Runs the cases, each after a check that both servers answer alike, and prints each result as it comes. */
export async function compareCases(
  cases: readonly Case[],
  opponents: Opponents,
  world: World,
  effort: Effort,
): Promise<Comparison[]> {
  const { service, reference } = opponents;
  const comparisons: Comparison[] = [];
  for (const benchmark of cases) {
    const { key, maxConnections = Infinity } = benchmark;
    const requests = benchmark.requests(world);
    await verifyCase(benchmark, world, requests, [service.url, reference.url]);
    for (const connections of effort.connections.filter((number) => number <= maxConnections)) {
      progress(`${key}, ${connections} connections`);
      const found = { key, connections, ...(await alternate(opponents, requests, connections, effort)) };
      comparisons.push(found);
      print(comparisonLine(found));
    }
  }
  return comparisons;
}

/**
 * Both in turn, in short rounds, so that anything else the machine does meets both. A checkpoint before each round leaves
 * none of the pages of the round before to be written in it.
 */
async function alternate(
  { service, reference, postmaster, sql }: Opponents,
  requests: readonly LoadRequest[],
  connections: number,
  { rounds, seconds }: Effort,
): Promise<Omit<Comparison, 'key' | 'connections'>> {
  const contenders = [];
  for (const [index, { url, pid }] of [service, reference].entries()) {
    const next = turns(requests, (index * requests.length) / 2);
    const rate = await warmUp(url, next, connections);
    const amount = Math.max(connections, Math.round(rate * seconds));
    contenders.push({ url, pid, next, amount, rounds: [] as Round[] });
  }
  for (let count = 0; count < rounds; count++)
    for (const { url, pid, next, amount, rounds: results } of contenders) {
      await sql('CHECKPOINT');
      const [node, database] = [meter(pid, cpuOf), meter(postmaster, cpuOfFamily)];
      const log = await logEnd(sql);
      const pass = await drive(url, next(amount), connections, amount);
      results.push(roundOf(pass, node(), database(), (await logEnd(sql)) - log));
    }
  const [ours = [], theirs = []] = contenders.map((contender) => contender.rounds);
  return {
    service: summaryOf(ours),
    reference: summaryOf(theirs),
    ratio: median(ours.map(({ throughput }, index) => throughput / (theirs[index]?.throughput ?? NaN))),
    failures: [...ours, ...theirs].reduce((sum, { failures }) => sum + failures, 0),
  };
}

type NextRequests = (amount: number) => LoadRequest[];

/** The next requests from this one on, the first behind the last: a PUT that was sent before would change no more. */
function turns(requests: readonly LoadRequest[], start: number): NextRequests {
  let sent = Math.floor(start);
  return (amount) => {
    const first = sent % requests.length;
    sent += amount;
    return [...requests.slice(first), ...requests.slice(0, first)].slice(0, amount);
  };
}

/** Returns responses per second. */
async function warmUp(url: string, next: NextRequests, connections: number): Promise<number> {
  const end = performance.now() + WARM_UP_TIME;
  let [amount, rate] = [connections, 0];
  while (performance.now() < end) {
    rate = amount / (await drive(url, next(amount), connections, amount)).seconds;
    amount = Math.max(connections, Math.round(rate));
  }
  return rate;
}

/** Octets of log so far. */
async function logEnd(sql: Opponents['sql']): Promise<number> {
  const [row] = await sql<{ octets: string }>(`SELECT pg_current_wal_insert_lsn() - '0/0' AS octets`);
  return Number(row?.octets);
}

type Round = Figures & { readonly failures: number };

function roundOf(pass: Pass, node = NaN, database = NaN, log: number): Round {
  const { latencies, seconds } = pass;
  return {
    throughput: latencies.length / seconds,
    p50: percentile(latencies, 50),
    p99: percentile(latencies, 99),
    nodeCpu: (node * 1e6) / latencies.length,
    databaseCpu: (database * 1e6) / latencies.length,
    log: log / 1000 / latencies.length,
    share: (node + database) / seconds / availableParallelism(),
    failures: failuresOf(pass),
  };
}

function summaryOf(rounds: readonly Round[]): Figures {
  const medians = FIGURES.map((name) => [name, median(rounds.map((round) => round[name]))]);
  return Object.fromEntries(medians) as Figures;
}
