import { type ProblemError, serviceUnavailable } from '../problem/problem.js';

/** How long an answer in parts waits for its turn to begin, in milliseconds. */
const MAX_WAIT = 5000;
/** Parts that are read at once: each takes a connection of the pool, and a core of the database to write its JSON. */
const READ_AT_ONCE = 2;
/** Of the memory; the rest is for answers that are whole. */
const SHARE_OF_PARTS = 0.75;

/** An answer in parts that has been let in. */
export interface Place {
  /** Runs the work that reads the next part, of which there may be few at once. Those under way go first. */
  turn<T>(work: () => Promise<T>): Promise<T>;
  /** Once the client has taken the last part, or has gone. */
  leave(): void;
}

interface QueuedAnswer {
  readonly bytes: number;
  readonly letIn: (place: Place) => void;
}

/**
 * What the answers under way may hold in memory, all together, until their clients have taken them. An answer that is
 * whole is held or refused; one in parts, of which there is one in memory at any time, may wait.
 */
export class AnswerMemory {
  private held = 0;
  private reading = 0;
  private readonly queue: QueuedAnswer[] = [];
  private readonly continuing: (() => void)[] = [];

  /** `limit` is in bytes. */
  constructor(private readonly limit: number) {}

  /** Holds an answer that is whole. Throws service-unavailable when it does not fit. */
  hold(bytes: number): void {
    if (this.held + bytes > this.limit) throw tooMany();
    this.held += bytes;
  }

  release(bytes: number): void {
    this.held -= bytes;
    this.next();
  }

  /** Lets in an answer whose parts have at most so many bytes. Throws service-unavailable when that takes too long. */
  async begin(bytes: number): Promise<Place> {
    return new Promise((resolve, reject) => {
      const queued: QueuedAnswer = {
        bytes,
        letIn: (place) => {
          clearTimeout(timer);
          resolve(place);
        },
      };
      const timer = setTimeout(() => {
        this.queue.splice(this.queue.indexOf(queued), 1);
        reject(tooMany());
      }, MAX_WAIT);
      this.queue.push(queued);
      this.next();
    });
  }

  private next(): void {
    while (this.reading < READ_AT_ONCE) {
      const go = this.continuing.shift() ?? this.admission();
      if (go === undefined) return;
      this.reading++;
      go();
    }
  }

  /** Of the answer that has waited longest, when there is room for it. One that never fits comes alone. */
  private admission(): (() => void) | undefined {
    const [queued] = this.queue;
    if (queued === undefined) return undefined;
    const { bytes, letIn } = queued;
    if (this.held > 0 && this.held + bytes > this.limit * SHARE_OF_PARTS) return undefined;
    this.queue.shift();
    this.held += bytes;
    return () => letIn(this.place(bytes));
  }

  /** It comes with a turn, which its first part takes. */
  private place(bytes: number): Place {
    let isFirst = true;
    let hasLeft = false;
    return {
      turn: async (work) => {
        if (!isFirst) await this.anotherTurn();
        isFirst = false;
        try {
          return await work();
        } finally {
          this.reading--;
          this.next();
        }
      },
      leave: () => {
        if (hasLeft) return;
        hasLeft = true;
        this.release(bytes);
      },
    };
  }

  private async anotherTurn(): Promise<void> {
    return new Promise((resolve) => {
      this.continuing.push(resolve);
      this.next();
    });
  }
}

function tooMany(): ProblemError {
  return serviceUnavailable('Too many large answers are under way.');
}
