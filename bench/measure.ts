import { type Case, CASES } from './cases.js';
import { print, progress } from './command.js';
import { drive, failuresOf, type LoadRequest, type Pass, percentile } from './load.js';
import { cpuOf, cpuOfFamily, meter } from './processes.js';
import { comparisonLine } from './report.js';
import type { Server } from './servers.js';
import { TARGET_CONNECTIONS } from './targets.js';
import { verifyCase } from './verify.js';
import type { World } from './world.js';

/** Of one contender. Latencies in ms, CPU in µs per request. */
export interface Figures {
  readonly throughput: number;
  readonly p50: number;
  readonly p99: number;
  readonly nodeCpu: number | undefined;
  readonly databaseCpu: number | undefined;
}

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

/** As many requests as it takes until V8 has compiled the hot paths, within so many seconds. */
const WARM_UP = { requests: 15_000, seconds: 6 } as const;
/** Requests that nearly all cases share, and none of them expensive. */
const COMMON = ['own-account', 'property-by-id', 'transaction-by-id', 'list-medium', 'search-medium'];

export interface Opponents {
  readonly service: Server;
  readonly reference: Server;
  readonly postmaster: number | undefined;
}

/** Runs the cases, each after a check that both servers answer alike, and prints each result as it comes. */
export async function compareCases(
  cases: readonly Case[],
  { service, reference, postmaster }: Opponents,
  world: World,
  effort: Effort,
): Promise<Comparison[]> {
  const servers = [service, reference] as const;
  progress('warming up');
  const common = CASES.filter(({ key }) => COMMON.includes(key)).flatMap((it) =>
    it.requests(world).slice(0, 64),
  );
  for (const { url } of servers)
    await drive(url, common, TARGET_CONNECTIONS, { seconds: 4 * effort.seconds });
  const comparisons: Comparison[] = [];
  for (const benchmark of cases) {
    const requests = benchmark.requests(world);
    await verifyCase(benchmark, world, requests, [service.url, reference.url]);
    for (const connections of effort.connections) {
      if (connections > (benchmark.maxConnections ?? Infinity)) continue;
      progress(`${benchmark.key}, ${connections} connections`);
      const comparison = await alternate(servers, requests, connections, effort, postmaster);
      comparisons.push({ key: benchmark.key, connections, ...comparison });
      print(comparisonLine({ key: benchmark.key, connections, ...comparison }));
    }
  }
  return comparisons;
}

/** Both in turn, in short rounds, so that anything else the machine does meets both. */
async function alternate(
  servers: readonly [service: Server, reference: Server],
  requests: readonly LoadRequest[],
  connections: number,
  { rounds, seconds }: Effort,
  postmaster: number | undefined,
): Promise<Omit<Comparison, 'key' | 'connections'>> {
  const amounts = new Map<Server, number>();
  for (const server of servers) {
    const rate = await warmUp(server.url, requests, connections);
    amounts.set(server, Math.max(connections, Math.round(rate * seconds)));
  }
  const round = async (server: Server): Promise<Round> => {
    const node = meter(server.pid, cpuOf);
    const database = meter(postmaster, cpuOfFamily);
    const pass = await drive(server.url, requests, connections, {
      amount: amounts.get(server) ?? connections,
    });
    return roundOf(pass, node(), database());
  };
  const results: (readonly [service: Round, reference: Round])[] = [];
  for (let count = 0; count < rounds; count++)
    results.push([await round(servers[0]), await round(servers[1])]);
  return {
    service: summaryOf(results.map(([service]) => service)),
    reference: summaryOf(results.map(([, reference]) => reference)),
    ratio: median(results.map(([service, reference]) => service.throughput / reference.throughput)),
    failures: results.flat().reduce((sum, { failures }) => sum + failures, 0),
  };
}

/** Returns responses per second. */
async function warmUp(url: string, requests: readonly LoadRequest[], connections: number): Promise<number> {
  const first = await drive(url, requests, connections, { amount: connections });
  const rate = connections / first.seconds;
  const amount = Math.min(WARM_UP.requests, Math.round(rate * WARM_UP.seconds));
  if (amount <= connections) return rate;
  return amount / (await drive(url, requests, connections, { amount })).seconds;
}

type Round = Figures & { readonly failures: number };

function roundOf(pass: Pass, node: number | undefined, database: number | undefined): Round {
  const { latencies, seconds } = pass;
  const each = (cpu: number | undefined) => cpu && (cpu * 1e6) / latencies.length;
  return {
    throughput: latencies.length / seconds,
    p50: percentile(latencies, 50),
    p99: percentile(latencies, 99),
    nodeCpu: each(node),
    databaseCpu: each(database),
    failures: failuresOf(pass),
  };
}

function summaryOf(rounds: readonly Round[]): Figures {
  const medianOf = (pick: (round: Round) => number | undefined) =>
    median(rounds.map(pick).filter((value) => value !== undefined));
  return {
    throughput: medianOf((round) => round.throughput),
    p50: medianOf((round) => round.p50),
    p99: medianOf((round) => round.p99),
    nodeCpu: definedOr(medianOf((round) => round.nodeCpu)),
    databaseCpu: definedOr(medianOf((round) => round.databaseCpu)),
  };
}

function definedOr(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}

/** NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? NaN)) / 2;
}
