/** Waits until it is so; fails after ten seconds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 10_000; !(await condition());) {
    if (Date.now() > deadline) throw new Error('it did not become so within ten seconds');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
