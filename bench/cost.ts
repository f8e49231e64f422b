import { cpuOf, cpuOfFamily, meter } from './processes.js';
import type { Server } from './servers.js';

/** In seconds; of the processors undefined where it cannot be told. */
export interface Cost {
  readonly seconds: number;
  readonly nodeCpu: number | undefined;
  readonly databaseCpu: number | undefined;
}

/** Whose processor time counts. */
export interface Machine {
  readonly server: Server;
  readonly postmaster: number | undefined;
}

/** What comes of the work, which says itself how long it has taken, and the processor time that goes into it. */
export async function costOf<T extends Pick<Cost, 'seconds'>>(
  { server, postmaster }: Machine,
  work: () => Promise<T>,
): Promise<T & Cost> {
  const node = meter(server.pid, cpuOf);
  const database = meter(postmaster, cpuOfFamily);
  const result = await work();
  return { ...result, nodeCpu: node(), databaseCpu: database() };
}
