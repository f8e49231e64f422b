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
    /** Taken after the account's own line, such as a place that all accounts share. */
    private readonly next?: { take(account: { readonly id: string }): Promise<Release> },
  ) {}

  has({ id }: { readonly id: string }): boolean {
    return this.lines.has(id);
  }

  /** Throws the refusal: after the longest wait, or at once where the line is full. Throws that of the next, too. */
  async take(account: { readonly id: string }): Promise<Release> {
    const { id } = account;
    const line = this.lines.get(id) ?? new Semaphore(this.size, this.longestWait, this.refusal);
    if (line.depth >= this.size + LONGEST) throw this.refusal();
    this.lines.set(id, line);
    const leaveLine = await line.take();
    const leave = (): void => {
      leaveLine();
      if (line.depth === 0) this.lines.delete(id);
    };
    if (this.next === undefined) return leave;
    try {
      const leaveNext = await this.next.take(account);
      return () => {
        leaveNext();
        leave();
      };
    } catch (error) {
      leave();
      throw error;
    }
  }
}
