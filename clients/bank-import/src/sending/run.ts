import { join } from 'node:path';
import type { PropertyFinanceClient as Client } from '../../../typescript/src/public.js';
import { onEach } from '../faults.js';
import { decimalOf } from '../meaning/amounts.js';
import type { Line, Statement } from '../meaning/statement.js';
import { type Answers, judge, type Judged } from './doubts.js';
import { folderOf, type Journal, pastRuns, writeJournal } from './journal.js';
import { propertyIds, type Row, store } from './ledger.js';
import { numbered, reportOf } from './report.js';

type RunOptions = Answers & Readonly<{ file: string; rulesFile: string; dryRun: boolean }>;
/** Reference → the transaction, and what the service has of it. */
type Rows = ReadonlyMap<string, Row>;

/** Records the lines that are new, all or none. Returns a report on all, and the journal's path. Throws a Refusal. */
export async function run(
  client: Client,
  statement: Statement,
  options: RunOptions,
): Promise<[string, string]> {
  const { file, rulesFile, dryRun, ...answers } = options;
  const idOf = await propertyIds(client);
  const ids = new Map(onEach(statement.lines, ({ property }) => [property, idOf(property)] as const));
  const stored = async (lines: readonly Line[], isDry: boolean): Promise<Rows> => {
    const rows = lines.flatMap((line) => rowsOf(line, ids.get(line.property) ?? ''));
    return new Map((await store(client, rows, isDry)).map((row) => [row.request.paymentReference, row]));
  };
  const past = pastRuns(rulesFile);
  const found = await stored(statement.lines, true);
  const judged = judge(statement, past, answers, (line) => rowsIn(line, found).some(isThere));
  const present = await stored(judged, true);
  const lines = judged.map((line) => {
    const isNew = !line.isAlias && !rowsIn(line, present).some(isThere);
    return { ...line, state: isNew ? ('new' as const) : ('there' as const) };
  });
  const there = lines.filter(({ state }) => state === 'there');
  const notes = [...statement.notes, ...doubtful(there, present, past)];
  const [tally = '0 there already'] = numbered('there already:', there);
  const report = reportOf({ ...statement, lines, notes }, `${lines.length - there.length} new, ${tally}`);
  if (dryRun) return [report, ''];
  const at = new Date().toISOString();
  const path = join(folderOf(rulesFile), `${at.replaceAll(/[:.]/g, '-')}-${process.pid}.json`);
  const write = (state: Journal['state'], rows: Rows): void => {
    const entries = lines.map((line) => ({ ...line, rows: rowsIn(line, rows) }));
    writeJournal(path, { file, at, state, spans: statement.spans, lines: entries });
  };
  write('sending', present);
  const added = lines.filter(({ state }) => state === 'new');
  write('done', new Map([...present, ...(await stored(added, false))]));
  return [report, path];
}

/** Lines of which a part is there, and those that only a journal could tell from equal ones of a file that is cut. */
function doubtful(there: readonly Judged[], present: Rows, past: readonly Journal[]): string[] {
  const known = new Set(past.flatMap(({ lines }) => lines.map(({ reference }) => reference)));
  const lines = there.filter(({ isAlias }) => !isAlias);
  const partial = lines.filter((line) => !rowsIn(line, present).every(isThere));
  const foreign = lines.filter(({ reference }) => !known.has(reference));
  return [
    ...numbered('the ledger has a part only, and nothing is added, of', partial),
    ...numbered('recorded by a run without a journal here:', foreign),
  ];
}

function rowsIn({ planned, reference }: Line, rows: Rows): Row[] {
  return planned.flatMap(({ suffix }) => rows.get(reference + suffix) ?? []);
}

function isThere({ created }: Row): boolean {
  return created === false;
}

function rowsOf(line: Line, propertyId: string): Row[] {
  const { text, vendor, date, bookingReference } = line;
  return line.planned.map(({ suffix, type, category, cents }) => {
    const request = {
      ...{ propertyId, type, category, amount: decimalOf(cents), description: shortened(text || type) },
      ...({ date, paidAt: date, status: 'PAID', paymentMethod: 'BANK_TRANSFER' } as const),
      ...{ vendor: shortened(vendor) || null, bookingReference: shortened(bookingReference) || null },
      ...{ paymentReference: line.reference + suffix, notes: shortened(text) === text ? null : text },
    };
    return { line: line.line, request };
  });
}

/** The service takes 255 characters, and counts them as code points. */
function shortened(text: string): string {
  const characters = Array.from(text);
  return characters.length <= 255 ? text : `${characters.slice(0, 254).join('')}…`;
}
