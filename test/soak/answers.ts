/** How a request ended: with a status, or 0 and, where it is known, the system's word for what went wrong. */
interface Told {
  readonly status: number;
  readonly error?: string;
}

/** Counts what was answered, and keeps what should not have been. */
export class Answers {
  readonly unexpected: string[] = [];
  private readonly counts = new Map<number, number>();

  note(name: string, expected: readonly number[], { status, error }: Told): void {
    this.counts.set(status, (this.counts.get(status) ?? 0) + 1);
    if (!expected.includes(status)) this.unexpected.push(`${name}: ${error ?? status}`);
  }

  get total(): number {
    return this.count(() => true);
  }

  /** How many statuses are so; 0 is the one of a request without an answer. */
  count(holds: (status: number) => boolean): number {
    return [...this.counts].reduce((sum, [status, times]) => sum + (holds(status) ? times : 0), 0);
  }

  /** "200: 12, 404: 3". */
  toString(): string {
    const sorted = [...this.counts].sort(([a], [b]) => a - b);
    return sorted.map(([status, times]) => `${status === 0 ? 'none' : status}: ${times}`).join(', ');
  }
}
