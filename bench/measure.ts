import type { Case } from './cases.js';
import { progress } from './command.js';
import type { Contender } from './contenders.js';
import { failuresOf, type LoadRequest, type Pass, percentile } from './load.js';
import { cpuOf, cpuOfFamily, meter } from './processes.js';
import { TARGET_CONNECTIONS } from './targets.js';

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

export interface Effort {
  readonly rounds: number;
  readonly seconds: number;
}

/** Before all cases, before each, and before each further number of connections, in rounds. */
const WARM_UP = { all: 4, first: 6, further: 0.3 } as const;
/** As many as it takes until V8 has compiled what is hot. */
const ENOUGH_REQUESTS = 15_000;
/** In seconds: a round that takes longer than this needs no warm-up, because it is not Node that takes the time. */
const SLOW_ROUND = 3;
/** In seconds: past the connections of the targets nothing new is learned from a round that takes longer. */
const LONGEST_ROUND = 8;
/** In seconds, of all rounds of one contender, so far as two of them go into it. */
const LONGEST_CASE = 15;

/** Answers per second of the service and of the reference. */
type Rates = readonly [service: number, reference: number];

/** Both in turn, in short rounds, so that whatever else the machine does meets both. */
export class Measurement {
  constructor(
    private readonly service: Contender,
    private readonly reference: Contender,
    private readonly effort: Effort,
    private readonly postmaster: number | undefined,
  ) {}

  /** A mixture of requests first: no case is to pay for what all of them need compiled. */
  async warmUp(requests: readonly LoadRequest[]): Promise<void> {
    for (const contender of [this.service, this.reference])
      await contender.run(requests, TARGET_CONNECTIONS, { seconds: WARM_UP.all * this.effort.seconds });
  }

  /** At each number of connections, but for those that would take too long. */
  async compare(
    { key, maxConnections = Infinity }: Case,
    requests: readonly LoadRequest[],
    connections: readonly number[],
  ): Promise<Comparison[]> {
    const comparisons: Comparison[] = [];
    let known: Rates | undefined;
    for (const count of connections.filter((number) => number <= maxConnections)) {
      const longest = known === undefined ? 0 : count / Math.min(...known);
      if (count > TARGET_CONNECTIONS && longest > LONGEST_ROUND) continue;
      progress(`${key}, ${count} connections`);
      const rates = await this.ratesOf(requests, count, known);
      const comparison = await this.alternate(requests, count, rates);
      known = [comparison.service.throughput, comparison.reference.throughput];
      comparisons.push({ key, connections: count, ...comparison });
    }
    return comparisons;
  }

  /** Warms both up, and tells how fast they are. */
  private async ratesOf(
    requests: readonly LoadRequest[],
    connections: number,
    known: Rates | undefined,
  ): Promise<Rates> {
    const rateOf = async (contender: Contender, before: number | undefined): Promise<number> => {
      if (before !== undefined && connections / before > SLOW_ROUND) return before;
      const rounds = before === undefined ? WARM_UP.first : WARM_UP.further;
      return warmUp(contender, requests, connections, rounds * this.effort.seconds);
    };
    return [await rateOf(this.service, known?.[0]), await rateOf(this.reference, known?.[1])];
  }

  private async alternate(
    requests: readonly LoadRequest[],
    connections: number,
    rates: Rates,
  ): Promise<Omit<Comparison, 'key' | 'connections'>> {
    const amountAt = (rate: number) => Math.max(connections, Math.round(rate * this.effort.seconds));
    const [ours, theirs] = [amountAt(rates[0]), amountAt(rates[1])];
    const longest = Math.max(ours / rates[0], theirs / rates[1]);
    const rounds = Math.min(this.effort.rounds, Math.max(2, Math.floor(LONGEST_CASE / longest)));
    const results: { service: Round; reference: Round }[] = [];
    for (let round = 0; round < rounds; round++) {
      const service = await this.round(this.service, requests, connections, ours);
      const reference = await this.round(this.reference, requests, connections, theirs);
      results.push({ service, reference });
    }
    return {
      service: summaryOf(results.map((result) => result.service)),
      reference: summaryOf(results.map((result) => result.reference)),
      ratio: median(results.map(({ service, reference }) => service.throughput / reference.throughput)),
      failures: results.reduce(
        (sum, { service, reference }) => sum + service.failures + reference.failures,
        0,
      ),
    };
  }

  private async round(
    contender: Contender,
    requests: readonly LoadRequest[],
    connections: number,
    amount: number,
  ): Promise<Round> {
    const node = meter(contender.pid, cpuOf);
    const database = meter(contender.pid && this.postmaster, cpuOfFamily);
    const pass = await contender.run(requests, connections, { amount });
    return roundOf(pass, node(), database());
  }
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

/** Returns answers per second: of a first look, or of the warm-up itself where there is time for one. */
async function warmUp(
  contender: Contender,
  requests: readonly LoadRequest[],
  connections: number,
  seconds: number,
): Promise<number> {
  const first = await contender.run(requests, connections, { amount: connections });
  const rate = connections / first.seconds;
  const amount = Math.min(ENOUGH_REQUESTS, Math.round(rate * seconds));
  if (amount <= connections) return rate;
  return amount / (await contender.run(requests, connections, { amount })).seconds;
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
