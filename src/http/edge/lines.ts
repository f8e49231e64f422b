import { tooManyRequests } from '../problem/problem.js';
import { Semaphore } from './semaphore.js';

/** Must be called once. */
export type Release = () => void;

/** Requests of one account that wait in a line: each holds its body meanwhile. */
const LONGEST = 100;

/** A line for each account that has something under way. */
export class Lines {
  private readonly lines = new Map<string, Semaphore>();

  constructor(
    private readonly size: number,
    /** Milliseconds. */
    private readonly longestWait: number,
    private readonly refusal: string,
  ) {}

  has({ id }: { readonly id: string }): boolean {
    return this.lines.has(id);
  }

  /** Throws too-many-requests: after the longest wait, or at once where the line is full. */
  async take({ id }: { readonly id: string }): Promise<Release> {
    const line = this.lines.get(id) ?? new Semaphore(this.size, this.longestWait);
    this.lines.set(id, line);
    if (line.depth >= this.size + LONGEST || !(await line.take())) throw tooManyRequests(this.refusal);
    return () => {
      line.leave();
      if (line.depth === 0) this.lines.delete(id);
    };
  }
}
