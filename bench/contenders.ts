import bcrypt from 'bcrypt';
import { PASSWORD } from './dataset.js';
import { drive, type Extent, type LoadRequest, type Pass } from './load.js';
import type { Server } from './servers.js';

/** What a load is given to. */
export interface Contender {
  /** Whose CPU time counts; undefined where it cannot be told apart from the benchmark's. */
  readonly pid: number | undefined;
  run(requests: readonly LoadRequest[], connections: number, extent: Extent): Promise<Pass>;
}

export function contenderOf({ url, pid }: Server): Contender {
  return { pid, run: (requests, connections, extent) => drive(url, requests, connections, extent) };
}

/** What a sign-in would cost if it were nothing but its password check: so many of them at a time, here. */
export function bareHashing(): Contender {
  const hash = bcrypt.hash(PASSWORD, 10);
  return {
    pid: undefined,
    async run(_requests, connections, extent) {
      const latencies: number[] = [];
      const known = await hash;
      const begin = performance.now();
      const enough = (): boolean =>
        'amount' in extent ? begun >= extent.amount : performance.now() > begin + extent.seconds * 1000;
      let begun = 0;
      const work = async (): Promise<void> => {
        while (!enough()) {
          begun++;
          const start = performance.now();
          await bcrypt.compare(PASSWORD, known);
          latencies.push(performance.now() - start);
        }
      };
      await Promise.all(Array.from({ length: connections }, work));
      const seconds = (performance.now() - begin) / 1000;
      return { seconds, latencies: Float64Array.from(latencies).sort(), statuses: new Map() };
    },
  };
}
