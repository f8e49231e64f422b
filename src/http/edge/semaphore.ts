/** Lets a fixed number work at once. The next ones wait in line, each for a limited time. */
export class Semaphore {
  private taken = 0;
  private readonly line: (() => void)[] = [];

  constructor(
    private readonly size: number,
    /** Milliseconds. */
    private readonly longestWait: number,
  ) {}

  /** Those at work and those in line. */
  get depth(): number {
    return this.taken + this.line.length;
  }

  /** False when the wait was too long; otherwise {@link leave} must follow. */
  async take(): Promise<boolean> {
    if (this.taken < this.size) {
      this.taken++;
      return true;
    }
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.line.splice(this.line.indexOf(enter), 1);
        resolve(false);
      }, this.longestWait);
      const enter = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      this.line.push(enter);
    });
  }

  /** The next in line takes over, before anybody who comes meanwhile. */
  leave(): void {
    const next = this.line.shift();
    if (next === undefined) this.taken--;
    else next();
  }
}
