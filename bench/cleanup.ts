/** What has to be undone at the end, the latest first: after success, failure and Ctrl-C alike. */
export class Cleanup {
  private readonly steps: (() => Promise<void> | void)[] = [];
  private running: Promise<void> | undefined;

  get begun(): boolean {
    return this.running !== undefined;
  }

  defer(step: () => Promise<void> | void): void {
    this.steps.push(step);
  }

  /** Once, however often it is called. */
  async run(): Promise<void> {
    this.running ??= this.undo();
    return this.running;
  }

  private async undo(): Promise<void> {
    for (let step = this.steps.pop(); step !== undefined; step = this.steps.pop()) await step();
  }
}
