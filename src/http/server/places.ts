/** So many may be at work at once; whoever comes later waits, in order. */
export class Places {
  private taken = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly size: number,
    /** Milliseconds. */
    private readonly longestWait: number,
  ) {}

  get allTaken(): boolean {
    return this.taken >= this.size;
  }

  /** How many wait. */
  get queue(): number {
    return this.waiting.length;
  }

  /** How many are at work or wait. */
  get depth(): number {
    return this.taken + this.queue;
  }

  /** Resolves with whether there was a place in time; then it is to be left again. */
  async take(): Promise<boolean> {
    if (!this.allTaken) {
      this.taken++;
      return true;
    }
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(enter), 1);
        resolve(false);
      }, this.longestWait);
      const enter = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      this.waiting.push(enter);
    });
  }

  /** Hands the place on, so that nobody who comes meanwhile can take it. */
  leave(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.taken--;
    else next();
  }
}
