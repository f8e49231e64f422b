import { type Release, Semaphore } from './semaphore.js';

/** Requests of one account that wait in a line: each holds its body meanwhile. */
const LONGEST = 100;

/** A line for each account that has something under way. */
export class Lines {
  private readonly lines = new Map<string, Semaphore>();

  constructor(
    private readonly size: number,
    /** Milliseconds. */
    private readonly longestWait: number,
    private readonly refusal: () => Error,
  ) {}

  has({ id }: { readonly id: string }): boolean {
    return this.lines.has(id);
  }

  /** Throws the refusal: after the longest wait, or at once where the line is full. */
  async take({ id }: { readonly id: string }): Promise<Release> {
    const line = this.lines.get(id) ?? new Semaphore(this.size, this.longestWait, this.refusal);
    if (line.depth >= this.size + LONGEST) throw this.refusal();
    this.lines.set(id, line);
    const leave = await line.take();
    return () => {
      leave();
      if (line.depth === 0) this.lines.delete(id);
    };
  }
}
