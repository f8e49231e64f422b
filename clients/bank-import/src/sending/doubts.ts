import { Refusal } from '../faults.js';
import { decimalOf } from '../meaning/amounts.js';
import { hasId, referenceOf } from '../meaning/identity.js';
import type { Line, Statement } from '../meaning/statement.js';
import type { Entry, Journal } from './journal.js';

export interface Answers {
  readonly cut?: 'days' | 'within' | undefined;
  readonly changed?: 'same' | 'new' | undefined;
}

/** A line whose reference has the number of equal lines that earlier files have of the day. */
export interface Judged extends Line {
  /** Whether it is taken for one that is there, though its reference is new. */
  readonly isAlias: boolean;
}

/** The lines as earlier runs leave them. Throws a Refusal of what has to be answered. */
export function judge(
  { lines, spans, rules }: Statement,
  past: readonly Journal[],
  { cut = rules.cut, changed }: Answers,
  isStored: (line: Line) => boolean,
): Judged[] {
  const known = new Map(past.flatMap((run) => run.lines.map((entry) => [entry.reference, entry])));
  const present = new Set(lines.map(({ reference }) => reference));
  const gone = [...known.values()].filter((entry) => !present.has(entry.reference) && isRecorded(entry));
  const questions: string[] = [];
  const ask = (line: Line, answer: string | undefined, question: string): void => {
    if (answer === undefined) questions.push(`line ${line.line}${question}`);
  };
  const judged = lines.map((line): Judged => {
    const [before, isThere] = [known.get(line.reference), isStored(line)];
    if (before !== undefined && hasId(line) && isRecorded(before) && before.total !== decimalOf(line.total)) {
      const question = `: "${line.id}" was recorded with ${before.total} on ${before.day}, and is ${decimalOf(line.total)} here: `;
      ask(line, changed === 'same' ? changed : undefined, question + OTHER_AMOUNT);
      return { ...line, isAlias: true };
    }
    if (isThere && before !== undefined && !hasId(line) && isCutAt(line, spans, past)) {
      const reference = cutReference(line, known, cut);
      ask(line, reference, `: an earlier file ends or begins on ${line.day}, too, and has an equal ${CUT}`);
      return { ...line, reference: reference ?? '', isAlias: false };
    }
    if (isThere || before !== undefined) return { ...line, isAlias: !isThere && before?.isAlias === true };
    const other = gone.find((entry) => isReworded(line, entry));
    if (other === undefined) return { ...line, isAlias: false };
    gone.splice(gone.indexOf(other), 1);
    ask(line, changed, ` is new, but "${other.text}" of the same day and amount, which ${REWORDED}`);
    return { ...line, isAlias: changed === 'same' };
  });
  if (questions.length > 0) throw new Refusal(questions.join('\n'));
  return judged;
}

const OTHER_AMOUNT =
  '--changed same keeps what is recorded; if it is another line, name another column by columns.reference';
const CUT =
  'line: --cut days if files are cut between days, so that it is the same; --cut within if this is another';
const REWORDED =
  'an earlier run has recorded, is not in this file: --changed same if it is the same line, worded anew; --changed new if ' +
  'it is another';

/** Not of a run that broke off, which may have recorded nothing. */
function isRecorded({ rows, isAlias }: Entry): boolean {
  return !isAlias && rows.some(({ id }) => id);
}

/** A bank may word a line anew, and rules may name other columns: it is not recorded twice unasked. */
function isReworded({ account, day, total }: Line, entry: Entry): boolean {
  const size = (text: string): string => text.replace('-', '');
  return entry.account === account && entry.day === day && size(entry.total) === size(decimalOf(total));
}

/** Whether an earlier file ends on the day on which this one begins, or begins on its last day. */
function isCutAt({ account, day }: Line, spans: Statement['spans'], past: readonly Journal[]): boolean {
  const [first, last] = spans[account] ?? [];
  const others = past.flatMap((run) => (run.spans[account] === undefined ? [] : [run.spans[account]]));
  if (others.some(([from, to]) => from === first && to === last)) return false; // the same file again
  const isStart =
    others.some(([, to]) => to === day) && !others.some(([from, to]) => from <= day && day < to);
  const isEnd =
    others.some(([from]) => from === day) && !others.some(([from, to]) => from < day && day <= to);
  return (day === first && isStart) || (day === last && isEnd);
}

/** An equal line of the day on which two files meet may be the same one or another, unless its balance tells. */
function cutReference(line: Line, known: Map<string, Entry>, answer: Answers['cut']): string | undefined {
  const equal: Entry[] = [];
  for (let entry; (entry = known.get(referenceOf(line, equal.length)));) equal.push(entry);
  const balance = line.balance === undefined ? undefined : decimalOf(line.balance);
  const same = equal.find((entry) => balance !== undefined && entry.balance === balance);
  if (same !== undefined) return same.reference;
  const isTold = balance !== undefined && equal.every((entry) => entry.balance !== undefined);
  if (isTold || answer === 'within') return referenceOf(line, equal.length + line.before);
  return answer === 'days' ? line.reference : undefined;
}
