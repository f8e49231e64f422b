/** Must be called once. */
export type Release = () => void;

/** Lets a fixed number work at once. The next ones wait in line, each for a limited time. */
export class Semaphore {
  private taken = 0;
  private readonly line: (() => void)[] = [];

  constructor(
    private readonly size: number,
    /** Milliseconds. */
    private readonly longestWait: number,
    /** The error after the longest wait. */
    private readonly refusal: () => Error,
  ) {}

  /** Those at work and those in line. */
  get depth(): number {
    return this.taken + this.line.length;
  }

  /** Throws the refusal when the wait was too long. */
  async take(): Promise<Release> {
    if (this.taken < this.size) this.taken++;
    else await this.wait();
    return () => this.leave();
  }

  private async wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.line.splice(this.line.indexOf(enter), 1);
        reject(this.refusal());
      }, this.longestWait);
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.line.push(enter);
    });
  }

  /** The next in line takes over, before anybody who comes meanwhile. */
  private leave(): void {
    const next = this.line.shift();
    if (next === undefined) this.taken--;
    else next();
  }
}
