import { setTimeout as sleep } from 'node:timers/promises';

/** Does it again and again, with so many milliseconds in between; returns what stops that. */
export function repeatedly(work: () => Promise<unknown>, pause: number): () => Promise<void> {
  const stop = new AbortController();
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await work();
      await sleep(pause);
    }
  };
  const running = run();
  return async () => {
    stop.abort();
    await running;
  };
}
