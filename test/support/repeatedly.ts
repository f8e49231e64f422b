import { setTimeout as sleep } from 'node:timers/promises';

/** Does it again and again, with so many milliseconds in between; returns what stops that. */
export function repeatedly(work: () => Promise<unknown>, pause: number): () => Promise<void> {
  let goesOn = true;
  const running = (async () => {
    for (; goesOn; await sleep(pause)) await work();
  })();
  return async () => {
    goesOn = false;
    await running;
  };
}
