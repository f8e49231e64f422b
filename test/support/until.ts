type Condition = () => boolean | Promise<boolean>;

/** Waits until it is so; fails when it takes longer, for which a machine has to be stuck, and not only busy. */
export async function until(condition: Condition, within = 60_000): Promise<void> {
  if ((await timeUntil(condition, within)) === Infinity)
    throw new Error(`it did not become so within ${within / 1000} seconds`);
}

/** The milliseconds until it is so; Infinity when it takes longer. */
export async function timeUntil(condition: Condition, within: number, pause = 20): Promise<number> {
  for (const start = performance.now(); ;) {
    if (await condition()) return performance.now() - start;
    if (performance.now() - start > within) return Infinity;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
