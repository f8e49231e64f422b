import { drive, type Extent, type LoadRequest, percentile } from './load.js';
import { median } from './measure.js';

export interface Load {
  readonly url: string;
  readonly requests: readonly LoadRequest[];
}

/** The median latency of one load ÷ that of another. Latencies in ms. */
export interface Slowdown {
  readonly ratio: number;
  readonly latency: number;
  readonly base: number;
}

/** Both in turn, on one connection, so that nothing waits in a queue. Latencies below the floor count as that. */
export async function slowdown(
  load: Load,
  base: Load,
  rounds: number,
  extent: Extent,
  floor = 0,
): Promise<Slowdown> {
  const p50 = async ({ url, requests }: Load): Promise<number> => {
    const { latencies } = await drive(url, requests, 1, extent);
    return percentile(latencies, 50);
  };
  const results: Slowdown[] = [];
  for (let round = 0; round <= rounds; round++) {
    const before = await p50(base);
    const after = await p50(load);
    const ratio = Math.max(after, floor) / Math.max(before, floor);
    if (round > 0) results.push({ ratio, latency: after, base: before }); // the first only warms up
  }
  const medianOf = (pick: (result: Slowdown) => number): number => median(results.map(pick));
  return {
    ratio: medianOf(({ ratio }) => ratio),
    latency: medianOf(({ latency }) => latency),
    base: medianOf((result) => result.base),
  };
}
