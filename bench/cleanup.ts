type Step = () => Promise<void>;

/** Steps to take at the end, the latest first: after success, failure and Ctrl-C alike. */
export class Cleanup {
  begun = false;
  readonly #steps = new Set<Step>();

  /** Returns the step, which may be taken earlier, and is taken once. */
  defer(step: () => Promise<void> | void): Step {
    let taken: Promise<void> | undefined;
    const take = async (): Promise<void> => step();
    const once: Step = () => (taken ??= take().finally(() => this.#steps.delete(once)));
    this.#steps.add(once);
    return once;
  }

  /** The steps that are deferred now. */
  get deferred(): ReadonlySet<Step> {
    return new Set(this.#steps);
  }

  /** Takes all steps but those to keep: a lock goes before the service that waits for it. */
  async run(kept: ReadonlySet<Step> = new Set()): Promise<void> {
    this.begun = true;
    const errors: unknown[] = [];
    for (const step of [...this.#steps].reverse())
      if (!kept.has(step)) await step().catch((error: unknown) => errors.push(error));
    if (errors.length > 0)
      throw new AggregateError(errors, `Not everything could be undone: ${errors.join()}`);
  }
}
