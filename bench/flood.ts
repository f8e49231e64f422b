import { CASES, signIn } from './cases.js';
import { print, progress } from './command.js';
import { PASSWORD } from './dataset.js';
import { drive, type LoadRequest, type Pass, percentile } from './load.js';
import { atMost, digits, type Verdict } from './report.js';
import type { Server } from './servers.js';
import { LIMITS } from './targets.js';
import type { World } from './world.js';

const CONNECTIONS = 50;
const QUIET_SECONDS = 2;
const FLOOD_SECONDS = 8;

const PROBE: LoadRequest = { method: 'GET', path: '/actuator/health/readiness', headers: {} };

/** Reads and readiness probes, one connection each, while as many sign-ins as the service takes come in. */
export async function measureFlood({ url }: Server, world: World): Promise<Verdict> {
  const reads = CASES.find(({ key }) => key === 'transaction-by-id')?.requests(world) ?? [];
  // Every other password is wrong.
  const signIns = world.properties.map(({ ownerId }, index) =>
    signIn(ownerId, index % 2 === 0 ? PASSWORD : 'a wrong password'),
  );
  const watch = async (seconds: number): Promise<[reads: Pass, probes: Pass]> =>
    Promise.all([drive(url, reads, 1, { seconds }), drive(url, [PROBE], 1, { seconds })]);
  progress('without a flood');
  const quiet = await watch(QUIET_SECONDS);
  progress('in a flood');
  const [flood, [read, probe]] = await Promise.all([
    drive(url, signIns, CONNECTIONS, { seconds: FLOOD_SECONDS }),
    watch(FLOOD_SECONDS),
  ]);
  const counts = [...flood.statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status}: ${count}`);
  print(`sign-ins on ${CONNECTIONS} connections: ${counts.join(', ')}\n`);
  print(`p99 of reads by id: ${p99(read)} ms, without the flood ${p99(quiet[0])} ms\n`);
  print(`p99 of readiness probes: ${p99(probe)} ms, without the flood ${p99(quiet[1])} ms\n`);
  return atMost('p99 of reads in a flood', percentile(read.latencies, 99), LIMITS.readsInFlood, ' ms');
}

function p99({ latencies }: Pass): string {
  return digits(percentile(latencies, 99));
}
