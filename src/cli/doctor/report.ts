import type { Style } from '../../quickstart/terminal.js';
import type { Io } from '../io.js';

/** `warn`: the service works, but something deserves a look. */
export type Mark = 'ok' | 'warn' | 'fail';

export interface Finding {
  readonly mark: Mark;
  readonly subject: string;
  readonly text: string;
  /** What to do about it, as a command where there is one. */
  readonly remedy?: string;
}

/** A row of a check's table: when it holds, what is said. */
export type Row = readonly [holds: boolean, mark: 'warn' | 'fail', text: string, remedy: string];

/** The rows that hold, or, where none does, that all is well. */
export function findingsOf(subject: string, fine: string, rows: readonly Row[]): Finding[] {
  const found = rows
    .filter(([holds]) => holds)
    .map(([, mark, text, remedy]) => ({ mark, subject, text, remedy }));
  return found.length > 0 ? found : [{ mark: 'ok', subject, text: fine }];
}

const MARKS: Readonly<Record<Mark, readonly [word: string, style: Style]>> = {
  ok: ['ok', 'green'],
  warn: ['warn', 'yellow'],
  fail: ['FAIL', 'red'],
};
const MARK_WIDTH = 6;
const SUBJECT_WIDTH = 13;

/** For people: a line for each finding, with its remedy below. */
export function report(findings: readonly Finding[], { out, paint }: Pick<Io, 'out' | 'paint'>): void {
  for (const { mark, subject, text, remedy } of findings) {
    const [word, style] = MARKS[mark];
    const margin = ' '.repeat(MARK_WIDTH - word.length);
    out(`${paint(style, word)}${margin}${subject.padEnd(SUBJECT_WIDTH)}${text}`);
    if (remedy !== undefined) out(`${' '.repeat(MARK_WIDTH + SUBJECT_WIDTH)}→ ${remedy}`);
  }
  out(`\n${summary(findings)}`);
}

function summary(findings: readonly Finding[]): string {
  const things = (wanted: Mark): string => {
    const count = findings.filter(({ mark }) => mark === wanted).length;
    return count === 0 ? '' : count === 1 ? '1 thing' : `${count} things`;
  };
  const [faults, doubts] = [things('fail'), things('warn')];
  if (faults !== '')
    return `${faults} to mend${doubts && `; ${doubts} to look at`}. Run this again afterwards.`;
  return doubts === '' ? 'Everything is in order.' : `The service can start; ${doubts} to look at.`;
}
