/** The smallest number that so many percent of them do not exceed; NaN of none. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 50);

export function highest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

/** Milliseconds, in the unit that reads best. */
export function time(milliseconds: number): string {
  if (!Number.isFinite(milliseconds)) return 'never';
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

export function count(value: number): string {
  return value.toLocaleString('en');
}

/** "3 × a, 1 × b", the most frequent first. */
export function tally(values: readonly string[], most = 4): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  const told = sorted.slice(0, most).map(([value, times]) => `${count(times)} × ${value}`);
  return told.join(', ') + (sorted.length > most ? ', …' : '');
}
