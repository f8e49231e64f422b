import type { PostgresServer } from '../test/support/postgres-server.js';
import type { Cleanup } from './cleanup.js';
import type { Machine } from './cost.js';
import { measureCursors } from './cursors.js';
import { measureExport } from './export.js';
import { measureFlood } from './flood.js';
import { measureImports } from './imports.js';
import { listsAndSearches, measurePaths } from './paths.js';
import type { Verdict } from './report.js';
import { reportsOf } from './reports.js';
import { Scratch } from './scratch.js';
import { startService } from './servers.js';
import type { World } from './world.js';
import { measureWrites } from './writes.js';

type Measure = (machine: Machine, world: World, scratch: Scratch) => Promise<Verdict[]>;

const MEASURES: Readonly<Record<string, Measure>> = {
  paths: ({ server }, world) => measurePaths(server, listsAndSearches(world)),
  cursors: ({ server }, world) => measureCursors(server, world),
  reports: ({ server }, world) => measurePaths(server, reportsOf(world)),
  flood: async ({ server }, world) => [await measureFlood(server, world)],
  export: ({ server }, world) => measureExport(server, world),
  writes: measureWrites,
  imports: measureImports,
};

/** All of which a run is made, in their order. */
export const PARTS = ['cases', ...Object.keys(MEASURES), 'growth'];

/** Those that only the service takes part in, each with one that has just begun to serve; what they write is deleted. */
export async function measureParts(
  parts: readonly string[],
  { postmaster }: PostgresServer,
  url: string,
  world: World,
  cleanup: Cleanup,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const [name, measure] of Object.entries(MEASURES)) {
    if (!parts.includes(name)) continue;
    const scratch = await Scratch.open(url, cleanup);
    const server = await startService(url, cleanup);
    verdicts.push(...(await measure({ server, postmaster }, world, scratch)));
    await server.stop();
    await scratch.close();
  }
  return verdicts;
}
