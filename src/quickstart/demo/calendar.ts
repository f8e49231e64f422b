const DAY = 86_400_000;

/** Dates told from today, so that a demo made at any time is up to date. All in UTC, as the contract writes them. */
export class Calendar {
  constructor(private readonly now: Date) {}

  /** So many days from today, or ago where negative. */
  day(offset: number, hour = 10): string {
    const midnight = Math.floor(this.now.getTime() / DAY) * DAY;
    return new Date(midnight + offset * DAY + hour * 3_600_000).toISOString();
  }

  /** A day of the month that was so many months ago. */
  dayOfMonth(monthsAgo: number, day: number): string {
    return new Date(
      Date.UTC(this.now.getUTCFullYear(), this.now.getUTCMonth() - monthsAgo, day, 8),
    ).toISOString();
  }

  isPast(instant: string): boolean {
    return instant <= this.now.toISOString();
  }
}
