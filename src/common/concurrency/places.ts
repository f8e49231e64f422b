/** Gives places back. Must be called once. */
export type Release = () => void;

/** Who takes places. */
export interface Taker {
  readonly id: string;
  /** Whether nobody waits any more for what the places are taken for. */
  readonly isGone?: () => boolean;
}

/** All callers without an account. What they hold together is never told to one of them as its own. */
export const ANYBODY: Taker = { id: '' };

/** The longest wait in milliseconds, and the error after it. */
export interface Refusal {
  readonly after: number;
  readonly error: () => Error;
}

const NEVER: Refusal = { after: 2 ** 31 - 1, error: () => new Error() };

interface Waiting {
  readonly count: number;
  readonly enter: () => void;
}

/** The places of an account, and its requests that wait, in their order. */
interface Line {
  taken: number;
  readonly waiting: Waiting[];
}

/**
 * Places, or bytes, that all accounts share. An account has at most its share of what others leave ("dynamic thresholds",
 * Choudhury and Hahne 1998), unless it asks for more at once while it has none and a share is free. Accounts take turns: no
 * crowd of one account is admitted before the first request of another.
 */
export class Places {
  private taken = 0;
  private waiting = 0;
  /** The account whose turn is next comes first. */
  private readonly lines = new Map<string, Line>();

  constructor(
    private readonly size: number,
    private readonly share: number,
    /** Of an account that has its share, and of one for which others have left no place. */
    private readonly refusals: Readonly<Record<'own' | 'others', Refusal>> = { own: NEVER, others: NEVER },
  ) {}

  /** Places taken, and places waited for. */
  get depth(): number {
    return this.taken + this.waiting;
  }

  has({ id }: Taker): boolean {
    return this.lines.has(id);
  }

  /** Throws one of the refusals when the wait was too long, and when the taker is gone now, or once its turn comes. */
  async take(taker: Taker, wanted = 1): Promise<Release> {
    if (taker.isGone?.()) throw this.refusals.own.error(); // a client's error, which no log has
    const [line, count] = [this.lineOf(taker), Math.min(wanted || 1, this.size)]; // an account with none has no line
    if (line.waiting.length > 0 || !this.fits(line, count)) return this.wait(taker, line, count);
    return this.enter(taker, line, count);
  }

  /** Throws a refusal at once in place of a wait. With `force`, takes places that there are not. */
  takeNow(taker: Taker, wanted: number, force = false): Release {
    const [line, count] = [this.lineOf(taker), Math.min(wanted || 1, force ? Infinity : this.size)];
    if (!force && !this.fits(line, count)) {
      const { error } = this.refusalOf(taker, line, count);
      this.forgetEmpty(taker, line);
      throw error();
    }
    return this.enter(taker, line, count);
  }

  private lineOf({ id }: Taker): Line {
    let line = this.lines.get(id);
    if (line === undefined) this.lines.set(id, (line = { taken: 0, waiting: [] }));
    return line;
  }

  private fits({ taken }: Line, count: number): boolean {
    if (taken === 0 && this.taken <= this.size - this.share && this.taken + count <= this.size) return true;
    return taken + count <= this.share - (this.share * (this.taken - taken)) / this.size;
  }

  private refusalOf({ id }: Taker, { taken }: Line, count: number): Refusal {
    const isOwn = id !== ANYBODY.id && taken > 0 && taken + count > this.share;
    return this.refusals[isOwn ? 'own' : 'others'];
  }

  private enter(taker: Taker, line: Line, count: number): Release {
    line.taken += count;
    this.taken += count;
    return () => {
      line.taken -= count;
      this.taken -= count;
      if (this.waiting > 0) this.admit();
      this.forgetEmpty(taker, line);
    };
  }

  private async wait(taker: Taker, line: Line, count: number): Promise<Release> {
    this.waiting += count;
    // Of the first in the line, which holds up those behind it.
    const refusal = (): Refusal => this.refusalOf(taker, line, line.waiting[0]?.count ?? count);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(refusal().error());
        line.waiting.splice(line.waiting.indexOf(waiting), 1);
        this.waiting -= count;
        this.admit(); // a smaller one behind it may fit
        this.forgetEmpty(taker, line);
      }, refusal().after);
      const enter = (): void => {
        clearTimeout(timer);
        this.waiting -= count;
        if (taker.isGone?.()) reject(this.refusals.own.error());
        else resolve(this.enter(taker, line, count));
      };
      const waiting = { count, enter };
      line.waiting.push(waiting);
    });
  }

  private forgetEmpty({ id }: Taker, { taken, waiting }: Line): void {
    if (taken === 0 && waiting.length === 0) this.lines.delete(id);
  }

  /** Those that fit, one of each account and then the next; an account that was served is last, and comes round again. */
  private admit(): void {
    for (const [id, line] of this.lines) {
      const [first] = line.waiting;
      if (first === undefined || !this.fits(line, first.count)) continue;
      line.waiting.shift();
      first.enter();
      this.lines.delete(id);
      this.lines.set(id, line);
      this.forgetEmpty({ id }, line);
    }
  }
}
