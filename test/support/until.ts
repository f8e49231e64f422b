type Condition = () => boolean | Promise<boolean>;

/** Waits for a condition; the default bound is too long for a machine that is only busy. */
export async function until(condition: Condition, within = 60_000): Promise<void> {
  if ((await timeUntil(condition, within)) === Infinity)
    throw new Error(`the condition does not hold within ${within / 1000} seconds`);
}

/** The milliseconds until a condition holds; Infinity beyond the bound. Who waits long looks less often. */
export async function timeUntil(condition: Condition, within: number, pause = 20): Promise<number> {
  for (const start = performance.now(); ;) {
    if (await condition()) return performance.now() - start;
    const time = performance.now() - start;
    if (time > within) return Infinity;
    await new Promise((resolve) => setTimeout(resolve, Math.max(pause, Math.min(time / 4, 100))));
  }
}
