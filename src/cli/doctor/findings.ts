export interface Finding {
  /** `warn`: the service works, but something deserves a look. */
  readonly status: 'ok' | 'warn' | 'fail';
  readonly subject: string;
  readonly text: string;
  /** What to do about it, as a command where there is one. */
  readonly remedy?: string;
}

type Row = readonly [holds: boolean, status: 'warn' | 'fail', text: string, remedy: string];

/** The rows that hold, or, where none does, that all is well. */
export function findingsOf(subject: string, fine: string, rows: readonly Row[] = []): Finding[] {
  const found = rows.filter(([holds]) => holds);
  if (found.length === 0) return [{ status: 'ok', subject, text: fine }];
  return found.map(([, status, text, remedy]) => ({ status, subject, text, remedy }));
}
