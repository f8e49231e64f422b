import { decimalOf } from '../meaning/amounts.js';
import { hasId, referenceOf } from '../meaning/identity.js';
import type { Line, Statement } from '../meaning/statement.js';
import type { Journal, JournalLine } from './journal.js';

export interface Answers {
  readonly cut: 'days' | 'within' | undefined;
  readonly changed: 'same' | 'new' | undefined;
}

export interface Judged {
  readonly line: Line;
  /** With the number of equal lines that earlier files have of the day. */
  readonly reference: string;
  /** Why it is taken for one that is there, though its reference is new. */
  readonly isAlias: boolean;
}

/** What two files leave open about a line, as a question, or as it was answered. */
export class Doubts {
  readonly questions: string[] = [];
  readonly #known: ReadonlyMap<string, JournalLine>;

  constructor(
    private readonly statement: Statement,
    private readonly past: readonly Journal[],
    private readonly answers: Answers,
  ) {
    this.#known = new Map(past.flatMap(({ lines }) => lines.map((line) => [line.reference, line])));
  }

  /** `there` are the references that are in the ledger. */
  judge(there: ReadonlySet<string>): Judged[] {
    const gone = this.#goneLines();
    return this.statement.lines.map((line) => {
      const known = this.#known.get(line.reference);
      const isAlias = known?.isAlias === true && !there.has(line.reference);
      if (isAlias || (known !== undefined && this.#hasOtherAmount(line, known)))
        return { line, reference: line.reference, isAlias: true };
      if (there.has(line.reference)) return { line, reference: this.#cutReference(line), isAlias: false };
      return { line, reference: line.reference, isAlias: known === undefined && this.#isChanged(line, gone) };
    });
  }

  /** An id that comes again with another amount is no id. */
  #hasOtherAmount(line: Line, known: JournalLine): boolean {
    if (!hasId(line) || !isRecorded(known) || known.total === decimalOf(line.total)) return false;
    if (this.answers.changed !== 'same')
      this.questions.push(
        `line ${line.line}: "${line.id}" was recorded with ${known.total} on ${known.day}, and is ${decimalOf(line.total)} here: ` +
          '--changed same keeps what is recorded; if it is another line, name another column by columns.reference',
      );
    return true;
  }

  /** Two files meet on a day: then an equal line of it may be the same one or another, unless its balance tells. */
  #cutReference(line: Line): string {
    if (hasId(line) || !this.#known.has(line.reference) || !this.#isCutAt(line)) return line.reference;
    const equal: JournalLine[] = [];
    for (let known; (known = this.#known.get(referenceOf(line, equal.length))) !== undefined;)
      equal.push(known);
    const balance = line.balance === undefined ? undefined : decimalOf(line.balance);
    const same = equal.find((known) => known.balance !== undefined && known.balance === balance);
    if (same !== undefined) return same.reference;
    const isTold = balance !== undefined && equal.every((known) => known.balance !== undefined);
    const answer = isTold ? 'within' : (this.answers.cut ?? this.statement.rules.cut);
    if (answer === undefined)
      this.questions.push(
        `line ${line.line}: an earlier file ends or begins on ${line.day}, too, and has an equal line: --cut days if files are cut ` +
          'between days, so that it is the same; --cut within if this is another',
      );
    return answer === 'within' ? referenceOf(line, equal.length + line.before) : line.reference;
  }

  #isCutAt({ account, day }: Line): boolean {
    const [first, last] = this.statement.spans[account] ?? ['', ''];
    const spans = this.past.flatMap(({ spans: all }) => (all[account] === undefined ? [] : [all[account]]));
    if (spans.some(([from, to]) => from === first && to === last)) return false; // the same file again
    const atStart =
      day === first &&
      spans.some(([, to]) => to === day) &&
      !spans.some(([from, to]) => from <= day && day < to);
    const atEnd =
      day === last &&
      spans.some(([from]) => from === day) &&
      !spans.some(([from, to]) => from < day && day <= to);
    return atStart || atEnd;
  }

  /** Recorded lines of days that this file has, too, which are not in it. */
  #goneLines(): JournalLine[] {
    const present = new Set(this.statement.lines.map(({ reference }) => reference));
    return [...this.#known.values()].filter((known) => !present.has(known.reference) && isRecorded(known));
  }

  /** A bank may word a line anew, and rules may name other columns: it is not recorded twice unasked. */
  #isChanged(line: Line, gone: JournalLine[]): boolean {
    const size = (total: string): string => total.replace('-', '');
    const index = gone.findIndex(
      ({ account, day, total }) =>
        account === line.account && day === line.day && size(total) === size(decimalOf(line.total)),
    );
    if (index < 0) return false;
    const [before] = gone.splice(index, 1);
    if (this.answers.changed === undefined)
      this.questions.push(
        `line ${line.line} is new, but "${before?.text ?? ''}" of the same day and amount, which an earlier run has recorded, is not in this ` +
          'file: --changed same if it is the same line, worded anew; --changed new if it is another',
      );
    return this.answers.changed === 'same';
  }
}

/** Not of a run that broke off, which may have recorded nothing. */
function isRecorded({ rows, isAlias }: JournalLine): boolean {
  return isAlias !== true && rows.some(({ id }) => id !== undefined);
}
