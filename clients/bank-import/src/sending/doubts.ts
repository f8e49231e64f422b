import { Refusal } from '../faults.js';
import { hasId, referenceOf } from '../meaning/identity.js';
import type { Line, Statement } from '../meaning/statement.js';
import type { Journal } from './journal.js';

/** `days` where files are cut between days, so that equal lines of the day on which two meet are the same. */
export type Cut = 'days' | 'within' | undefined;

/** The lines, with the number of equal ones that earlier files have of the day. Throws a Refusal of what has to be answered. */
export function judge(
  { lines, spans, rules }: Statement,
  past: readonly Journal[],
  cut: Cut = rules.cut,
  isStored: (line: Line) => boolean,
): Line[] {
  const known = new Set(past.flatMap((run) => run.lines.map(({ reference }) => reference)));
  const questions: string[] = [];
  const judged = lines.map((line): Line => {
    const isDoubtful = known.has(line.reference) && !hasId(line) && isCutAt(line, spans, past);
    if (!isDoubtful || cut === 'days' || !isStored(line)) return line;
    if (cut === undefined) questions.push(`line ${line.line}: ${QUESTION}`.replace('DAY', line.day));
    let count = 0;
    while (known.has(referenceOf(line, count))) count += 1;
    return { ...line, reference: referenceOf(line, count + line.before) };
  });
  if (questions.length > 0) throw new Refusal(questions.join('\n'));
  return judged;
}

const QUESTION =
  'an earlier file also ends or begins on DAY, and has an equal line: --cut days if files are cut between days, so that ' +
  'it is the same; --cut within if this is another';

/** Whether an earlier file ends on the day on which this one begins, or begins on its last day. */
function isCutAt({ account, day }: Line, spans: Statement['spans'], past: readonly Journal[]): boolean {
  const [first, last] = spans[account] ?? [];
  const others = past.flatMap((run) => (run.spans[account] === undefined ? [] : [run.spans[account]]));
  if (others.some(([from, to]) => from === first && to === last)) return false; // the same file again
  const goesOn = others.some(([from, to]) => from <= day && day < to);
  const hasBegun = others.some(([from, to]) => from < day && day <= to);
  const isStart = day === first && others.some(([, to]) => to === day) && !goesOn;
  return isStart || (day === last && others.some(([from]) => from === day) && !hasBegun);
}
