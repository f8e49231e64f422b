import { join } from 'node:path';
import type { PropertyFinanceClient as Client } from '../../../typescript/src/public.js';
import { onEach } from '../faults.js';
import { decimalOf } from '../meaning/amounts.js';
import { hasId } from '../meaning/identity.js';
import type { Line, Statement } from '../meaning/statement.js';
import { type Cut, judge } from './doubts.js';
import { folderOf, type Journal, pastRuns, writeJournal } from './journal.js';
import { propertyIds, type Row, store } from './ledger.js';
import { numbered, reportOf } from './report.js';

type RunOptions = Readonly<{ file: string; rulesFile: string; dryRun: boolean; cut: Cut }>;
/** Reference → the transaction, and what the service has of it. */
type Rows = ReadonlyMap<string, Row>;

/** Records the lines that are new, all or none. Returns a report on all, and the journal's path. Throws a Refusal. */
export async function run(
  client: Client,
  statement: Statement,
  { file, rulesFile, dryRun, cut }: RunOptions,
): Promise<[string, string]> {
  const idOf = await propertyIds(client);
  const ids = new Map(onEach(statement.lines, ({ property }) => [property, idOf(property)] as const));
  const stored = async (lines: readonly Line[], isDry: boolean): Promise<Rows> => {
    const rows = lines.flatMap((line) => rowsOf(line, ids.get(line.property) ?? ''));
    return new Map((await store(client, rows, isDry)).map((row) => [row.request.paymentReference, row]));
  };
  const past = pastRuns(rulesFile);
  const found = await stored(statement.lines, true);
  const judged = judge(statement, past, cut, (line) => rowsIn(line, found).some(isThere));
  const present = await stored(judged, true);
  const lines = judged.map((line) => {
    return { ...line, state: rowsIn(line, present).some(isThere) ? 'there' : 'new' };
  });
  const [there, added] = ['there', 'new'].map((wanted) => lines.filter(({ state }) => state === wanted));
  const notes = [...statement.notes, ...doubtful(there ?? [], present, past)];
  const [tally = '0 there already'] = numbered('there already:', there ?? []);
  const report = reportOf({ ...statement, lines, notes }, `${added?.length ?? 0} new, ${tally}`);
  if (dryRun) return [report, ''];
  const at = new Date().toISOString();
  const path = join(folderOf(rulesFile), `${at.replaceAll(/[:.]/g, '-')}-${process.pid}.json`);
  const write = (state: Journal['state'], rows: Rows): void => {
    const entries = lines.map((line) => ({ ...line, rows: rowsIn(line, rows) }));
    writeJournal(path, { file, at, state, spans: statement.spans, lines: entries });
  };
  write('sending', present);
  write('done', new Map([...present, ...(await stored(added ?? [], false))]));
  return [report, path];
}

/** Lines of which the ledger has not what the file says. */
function doubtful(there: readonly Line[], present: Rows, past: readonly Journal[]): string[] {
  const totals = new Map(past.flatMap(({ lines }) => lines.map((line) => [line.reference, line.total])));
  const partial = there.filter((line) => !rowsIn(line, present).every(isThere));
  const changed = there.filter((line) => {
    const total = decimalOf(line.total);
    return hasId(line) && (totals.get(line.reference) ?? total) !== total;
  });
  return [
    ...numbered('the ledger has a part only, and nothing is added, of', partial),
    ...numbered('recorded earlier with another amount under the same id:', changed),
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
