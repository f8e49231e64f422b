import { isLosslessNumber, LosslessNumber } from 'lossless-json';
import { Unknown } from './difference.js';
import type { Answered, Sql } from './outcomes.js';

/** The clocks of the two sides are the same; what is stored is rounded to milliseconds. */
const LEEWAY = 2;

/** When a row was made and last written, as the database has it. */
export interface Times {
  readonly created: string;
  readonly updated: string;
}

/** A time within the call: only the answer tells it. */
export const NOW = new Unknown('the time of the call', (actual) => typeof actual === 'string');

/** A new id: higher than every one before. */
export function newId(seen: readonly number[]): Unknown {
  const highest = newestId(seen);
  return new Unknown(`an id above ${highest}`, (actual) => numberIn(actual) > highest);
}

export function newestId(seen: readonly number[]): number {
  return Math.max(0, ...seen);
}

/** As the service writes a whole number. */
export function whole(value: number): LosslessNumber {
  return new LosslessNumber(String(value));
}

export function numberIn(value: unknown): number {
  return isLosslessNumber(value) ? Number(value.value) : NaN;
}

/** No response of a property tells its times, but lists sort by them. */
export async function propertyTimes(sql: Sql, id: number): Promise<Times> {
  const [row] = await sql<{ created_at: Date; updated_at: Date }>(
    'SELECT created_at, updated_at FROM properties WHERE id = $1',
    [id],
  );
  return { created: row!.created_at.toISOString(), updated: row!.updated_at.toISOString() };
}

/** Throws unless this lies within the call. */
export function requireNow(what: string, time: string, { sent, received }: Answered): void {
  const at = Date.parse(time);
  if (at < sent - LEEWAY || at > received + LEEWAY)
    throw new Error(`${what} is ${time}, which is ${at - sent} ms after the call`);
}

export function requireEqual(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what} is ${String(actual)} instead of ${String(expected)}`);
}
