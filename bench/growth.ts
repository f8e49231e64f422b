import type { PostgresServer } from '../test/support/postgres-server.js';
import { CASES } from './cases.js';
import type { Cleanup } from './cleanup.js';
import { seededDatabase } from './database.js';
import { type Dataset, SMALL } from './dataset.js';
import { drive, type LoadRequest, percentile } from './load.js';
import { type Effort, median } from './measure.js';
import { peakMemoryOf } from './processes.js';
import { atMost, type Verdict } from './report.js';
import type { Progress } from './seed.js';
import { type Server, startService } from './servers.js';
import { LIMITS } from './targets.js';
import { loadWorld } from './world.js';

const GROWING = ['list-medium', 'list-large', 'transaction-by-id', 'create'];
const STARTS = 5;
const CROWD = 64;
const CROWD_SECONDS = 5;

interface Side {
  readonly server: Server;
  readonly requests: ReadonlyMap<string, LoadRequest[]>;
}

/** How the service does with all rows against 20,000, how fast it starts, and what memory it takes. */
export async function measureGrowth(
  database: PostgresServer,
  dataset: Dataset,
  effort: Effort,
  cleanup: Cleanup,
  progress: Progress,
): Promise<Verdict[]> {
  const few = await sideOf(database, SMALL, cleanup, progress);
  const many = await sideOf(database, dataset, cleanup, progress);
  const verdicts: Verdict[] = [];
  for (const key of GROWING) {
    progress(`growth of ${key}`);
    verdicts.push(atMost(`growth of ${key}`, await growthOf(key, few, many, effort), LIMITS.growth));
  }
  progress('memory');
  const everything = [...many.requests.values()].flatMap((requests) => requests.slice(0, CROWD));
  await drive(many.server.url, everything, CROWD, { seconds: CROWD_SECONDS });
  const memory = peakMemoryOf(many.server.pid);
  if (memory !== undefined) verdicts.push(atMost('memory under load', memory, LIMITS.memory, ' MB'));
  await few.server.stop();
  await many.server.stop();
  progress('starts');
  verdicts.push(
    atMost('start to ready', await startTime(database, dataset, cleanup), LIMITS.startTime, ' s'),
  );
  return verdicts;
}

async function sideOf(
  database: PostgresServer,
  dataset: Dataset,
  cleanup: Cleanup,
  progress: Progress,
): Promise<Side> {
  const url = await seededDatabase(database, dataset, progress);
  const world = await loadWorld(url, dataset);
  const chosen = CASES.filter(({ key }) => GROWING.includes(key));
  const requests = new Map(chosen.map((benchmark) => [benchmark.key, benchmark.requests(world)]));
  return { server: await startService(url, cleanup), requests };
}

/** The median latency with many rows ÷ the one with few, on one connection, so that nothing waits in a queue. */
async function growthOf(key: string, few: Side, many: Side, { rounds, seconds }: Effort): Promise<number> {
  const p50 = async (side: Side): Promise<number> => {
    const { latencies } = await drive(side.server.url, side.requests.get(key) ?? [], 1, { seconds });
    return percentile(latencies, 50);
  };
  const ratios: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const before = await p50(few);
    const ratio = (await p50(many)) / before;
    if (round > 0) ratios.push(ratio); // the first only warms up
  }
  return median(ratios);
}

async function startTime(database: PostgresServer, dataset: Dataset, cleanup: Cleanup): Promise<number> {
  const times: number[] = [];
  const url = await seededDatabase(database, dataset, () => undefined);
  for (let start = 0; start < STARTS; start++) {
    const server = await startService(url, cleanup);
    times.push(server.startTime);
    await server.stop();
  }
  return median(times);
}
