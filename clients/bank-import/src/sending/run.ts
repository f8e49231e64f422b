import type { TransactionRequest } from '../../../typescript/src/public.js';
import { Refusal } from '../faults.js';
import { decimalOf } from '../meaning/amounts.js';
import type { Line, Statement } from '../meaning/statement.js';
import { type Answers, Doubts, type Judged } from './doubts.js';
import { type Journal, journalLine, journalPath, newJournal, pastRuns, writeJournal } from './journal.js';
import { type Ledger, Refused, type Row, type StoredRow } from './ledger.js';
import { named, type Outcome, reportOf } from './report.js';

export interface RunOptions extends Answers {
  readonly file: string;
  readonly rulesFile: string;
  readonly dryRun: boolean;
}

type RowsOf = (judged: Judged) => Row[];
type Stored = ReadonlyMap<string, StoredRow>;

/** Records the lines that are new, all or none, and reports on all of them. Throws Refused and Refusal. */
export async function run(
  ledger: Ledger,
  statement: Statement,
  options: RunOptions,
): Promise<[report: string, journal: string]> {
  const rowsOf = await planner(ledger, statement);
  const past = pastRuns(options.rulesFile);
  const judged = await judge(ledger, statement, rowsOf, new Doubts(statement, past, options));
  const present = await stored(ledger, judged.flatMap(rowsOf), true);
  const isNew = (one: Judged): boolean => !one.isAlias && !rowsOf(one).some((row) => isThere(row, present));
  const outcomes = judged.map((one): Outcome => ({ line: one.line, state: isNew(one) ? 'new' : 'there' }));
  const notes = [...statement.notes, ...partial(judged, rowsOf, present), ...unknown(outcomes, past)];
  const report = reportOf({ ...statement, notes }, outcomes, tally(outcomes));
  if (options.dryRun) return [report, ''];
  const entries = (found: Stored) =>
    judged.map((one) => {
      const rows = rowsOf(one).flatMap((row) => (isNew(one) ? found : present).get(referenceOf(row)) ?? []);
      return journalLine({ ...one.line, reference: one.reference }, rows, one.isAlias);
    });
  const journal = newJournal(options.file, statement, entries(present));
  const path = journalPath(options.rulesFile, journal);
  writeJournal(path, journal);
  const made = await stored(ledger, judged.filter(isNew).flatMap(rowsOf), false);
  writeJournal(path, { ...journal, state: 'done', lines: entries(made) });
  return [report, path];
}

async function judge(
  ledger: Ledger,
  { lines }: Statement,
  rowsOf: RowsOf,
  doubts: Doubts,
): Promise<Judged[]> {
  const asRead = lines.map((line) => ({ line, reference: line.reference, isAlias: false }));
  const found = await stored(ledger, asRead.flatMap(rowsOf), true);
  const there = asRead.filter((one) => rowsOf(one).some((row) => isThere(row, found)));
  const judged = doubts.judge(new Set(there.map(({ reference }) => reference)));
  if (doubts.questions.length > 0) throw new Refusal(doubts.questions.join('\n'));
  return judged;
}

async function stored(ledger: Ledger, rows: readonly Row[], dryRun: boolean): Promise<Stored> {
  return new Map((await ledger.store(rows, dryRun)).map((row) => [row.reference, row]));
}

function referenceOf({ request }: Row): string {
  return request.paymentReference ?? '';
}

function isThere(row: Row, found: Stored): boolean {
  return found.get(referenceOf(row))?.created === false;
}

/** Makes the requests of a line. Throws Refused where a property is missing or ambiguous. */
async function planner(ledger: Ledger, { lines }: Statement): Promise<RowsOf> {
  const propertyId = await ledger.propertyIds();
  const faults = lines.flatMap(({ line, property }) => {
    const found = propertyId(property);
    return typeof found === 'string' ? [] : [{ line, ...found }];
  });
  if (faults.length > 0) throw new Refused(faults);
  return ({ line, reference }) =>
    line.planned(reference).map((planned) => {
      const found = propertyId(line.property);
      return { line: line.line, request: requestOf(line, planned, typeof found === 'string' ? found : '') };
    });
}

type Planned = ReturnType<Line['planned']>[number];

function requestOf(line: Line, planned: Planned, propertyId: string): TransactionRequest {
  const { text, vendor, date, bookingReference } = line;
  const { reference, type, category, cents } = planned;
  return {
    ...{ propertyId, type, category, amount: decimalOf(cents), description: shortened(text || type) },
    ...{ date, paidAt: date, status: 'PAID', paymentMethod: 'BANK_TRANSFER', paymentReference: reference },
    ...{ vendor: shortened(vendor) || null, bookingReference: shortened(bookingReference) || null },
    notes: shortened(text) === text ? null : text,
  };
}

/** The service takes 255 characters, and counts them as code points. */
function shortened(text: string): string {
  const characters = Array.from(text);
  return characters.length <= 255 ? text : `${characters.slice(0, 254).join('')}…`;
}

function tally(outcomes: readonly Outcome[]): string {
  const there = outcomes.flatMap(({ line, state }) => (state === 'there' ? [line.line] : []));
  const told = there.length === 0 ? '0 there already' : `there already: ${named(there)}`;
  return `${outcomes.length - there.length} new, ${told}`;
}

/** Lines of which the ledger has some parts: the others were deleted, or the rules have changed. */
function partial(judged: readonly Judged[], rowsOf: RowsOf, present: Stored): string[] {
  const some = judged.filter((one) => new Set(rowsOf(one).map((row) => isThere(row, present))).size > 1);
  const lines = some.map(({ line }) => line.line);
  return lines.length === 0 ? [] : [`the ledger has a part only, and nothing is added, of ${named(lines)}`];
}

/** Without a journal of the run that has recorded them, a file that is cut within a day cannot be told. */
function unknown(outcomes: readonly Outcome[], past: readonly Journal[]): string[] {
  const known = new Set(past.flatMap(({ lines }) => lines.map(({ reference }) => reference)));
  const foreign = outcomes.filter(({ line, state }) => state === 'there' && !known.has(line.reference));
  const lines = foreign.map(({ line }) => line.line);
  return lines.length === 0 ? [] : [`recorded by a run without a journal here: ${named(lines)}`];
}
