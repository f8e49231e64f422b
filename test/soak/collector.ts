import { renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Loaded into the service's process before the service (`--import`, with `--expose-gc`): on a signal it collects all
 * garbage and writes what the process still holds to the file that its own URL names.
 */

/** One collection lets finalizers run, whose garbage only the next one finds. */
const COLLECTIONS = 4;
const PAUSE = 20;

export interface Holdings {
  readonly memory: NodeJS.MemoryUsage;
  /** What keeps the event loop alive, by Node's names: sockets, timers and the like. */
  readonly resources: readonly string[];
}

const file = new URL(import.meta.url).searchParams.get('file') ?? '';

async function collect(): Promise<void> {
  for (let left = COLLECTIONS; left > 0; left--) {
    globalThis.gc?.();
    await sleep(PAUSE);
  }
  const holdings: Holdings = { memory: process.memoryUsage(), resources: process.getActiveResourcesInfo() };
  writeFileSync(`${file}.new`, JSON.stringify(holdings));
  renameSync(`${file}.new`, file); // so that nobody reads half of it
}

process.on('SIGUSR2', () => void collect());
