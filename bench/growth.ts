import type { PostgresServer } from '../test/support/postgres-server.js';
import { CASES } from './cases.js';
import type { Cleanup } from './cleanup.js';
import { progress } from './command.js';
import { seededDatabase } from './database.js';
import { type Dataset, SMALL } from './dataset.js';
import { drive, type LoadRequest } from './load.js';
import { type Effort, median } from './measure.js';
import { peakMemoryOf } from './processes.js';
import { atMost, type Verdict } from './report.js';
import { type Server, startService } from './servers.js';
import { type Load, slowdown } from './slowdown.js';
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
): Promise<Verdict[]> {
  const few = await sideOf(database, SMALL, cleanup);
  const many = await sideOf(database, dataset, cleanup);
  const verdicts: Verdict[] = [];
  for (const key of GROWING) {
    progress(`growth of ${key}`);
    const loadOn = (side: Side): Load => ({ url: side.server.url, requests: side.requests.get(key) ?? [] });
    const { ratio } = await slowdown(loadOn(many), loadOn(few), effort.rounds, { seconds: effort.seconds });
    verdicts.push(atMost(`growth of ${key}`, ratio, LIMITS.growth));
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

async function sideOf(database: PostgresServer, dataset: Dataset, cleanup: Cleanup): Promise<Side> {
  const url = await seededDatabase(database, dataset);
  const world = await loadWorld(url, dataset);
  const chosen = CASES.filter(({ key }) => GROWING.includes(key));
  const requests = new Map(chosen.map((benchmark) => [benchmark.key, benchmark.requests(world)]));
  return { server: await startService(url, cleanup), requests };
}

async function startTime(database: PostgresServer, dataset: Dataset, cleanup: Cleanup): Promise<number> {
  const times: number[] = [];
  const url = await seededDatabase(database, dataset);
  for (let start = 0; start < STARTS; start++) {
    const server = await startService(url, cleanup);
    times.push(server.startTime);
    await server.stop();
  }
  return median(times);
}
