import type { Style } from '../../quickstart/terminal.js';
import type { Io } from '../io.js';
import type { Finding, Mark } from './finding.js';

const MARKS: Readonly<Record<Mark, { readonly word: string; readonly style: Style }>> = {
  ok: { word: 'ok', style: 'green' },
  warn: { word: 'warn', style: 'yellow' },
  fail: { word: 'FAIL', style: 'red' },
};
const MARK_WIDTH = 6;
const SUBJECT_WIDTH = 13;

/** For people: a line for each finding, and under it the remedy where there is something to mend. */
export function report(findings: readonly Finding[], { out, paint }: Pick<Io, 'out' | 'paint'>): void {
  for (const { mark, subject, text, remedy } of findings) {
    const { word, style } = MARKS[mark];
    out(
      `${paint(style, word)}${' '.repeat(MARK_WIDTH - word.length)}${subject.padEnd(SUBJECT_WIDTH)}${text}`,
    );
    if (remedy !== undefined) out(`${' '.repeat(MARK_WIDTH + SUBJECT_WIDTH)}→ ${remedy}`);
  }
  out('');
  out(summary(findings));
}

/** For programs. */
export function reportAsJson(findings: readonly Finding[], { out }: Pick<Io, 'out'>): void {
  out(JSON.stringify({ ok: !hasFailed(findings), findings }, null, 2));
}

export function hasFailed(findings: readonly Finding[]): boolean {
  return findings.some(({ mark }) => mark === 'fail');
}

function summary(findings: readonly Finding[]): string {
  const count = (wanted: Mark): number => findings.filter(({ mark }) => mark === wanted).length;
  const [faults, doubts] = [count('fail'), count('warn')];
  const look = `${doubts === 1 ? '1 thing' : `${doubts} things`} to look at`;
  if (faults === 0) return doubts === 0 ? 'Everything is in order.' : `The service can start; ${look}.`;
  const mend = `${faults === 1 ? '1 thing' : `${faults} things`} to mend`;
  return `${mend}${doubts === 0 ? '' : `; ${look}`}. Run this again afterwards.`;
}
