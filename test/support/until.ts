/** Waits until it is so; fails when it takes longer. */
export async function until(condition: () => boolean | Promise<boolean>, within = 10_000): Promise<void> {
  for (const deadline = Date.now() + within; !(await condition());) {
    if (Date.now() > deadline) throw new Error(`it did not become so within ${within / 1000} seconds`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
