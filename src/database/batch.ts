interface Waiting<Value> {
  readonly key: string;
  readonly resolve: (value: Value | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Look-ups of single rows by key that share one statement: all that are asked for within one turn of the event
 * loop. Nothing is remembered, so each gets what the database holds after it was asked for.
 */
export class Batch<Value> {
  private waiting: Waiting<Value>[] = [];

  /** `load` finds many at once; a key without a value is not there. */
  constructor(private readonly load: (keys: string[]) => Promise<ReadonlyMap<string, Value>>) {}

  /** Undefined when there is none. Fails as `load` fails. */
  async get(key: string): Promise<Value | undefined> {
    return new Promise((resolve, reject) => {
      // After the sockets that are readable now: their requests come along.
      if (this.waiting.length === 0) setImmediate(() => void this.flush());
      this.waiting.push({ key, resolve, reject });
    });
  }

  private async flush(): Promise<void> {
    const batch = this.waiting;
    this.waiting = [];
    try {
      const found = await this.load([...new Set(batch.map(({ key }) => key))]);
      for (const { key, resolve } of batch) resolve(found.get(key));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
