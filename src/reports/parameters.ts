import type { ReportQuery } from './reports.dto.js';

/** The values of a report's statement, as it is put together; the first, `$1`, is the owner. */
export class Parameters {
  readonly values: unknown[];
  #zone: string | undefined;

  constructor(
    ownerId: string,
    private readonly query: ReportQuery,
  ) {
    this.values = [ownerId];
  }

  /** Takes a value, and returns its placeholder. */
  bind(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  /** SQL: the time zone. A value that no part of a statement uses would be an error. */
  get zone(): string {
    return (this.#zone ??= `${this.bind(this.query.timeZone)}::text`);
  }
}
