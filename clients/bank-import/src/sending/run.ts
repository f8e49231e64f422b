import { join } from 'node:path';
import type { PropertyFinanceClient as Client } from '../../../typescript/src/public.js';
import { onEach } from '../faults.js';
import { decimalOf } from '../meaning/amounts.js';
import type { Line, Statement } from '../meaning/statement.js';
import { type Cut, judge } from './doubts.js';
import { folderOf, type Journal, pastRuns, writeJournal } from './journal.js';
import { propertyIds, type Row, store } from './ledger.js';
import { numbered, reportOf } from './report.js';

/** Reference → the transaction, and what the service has of it. */
type Rows = ReadonlyMap<string, Row>;

/** Records the lines that are new, all or none. Returns a report on all, and the journal's path. Throws a Refusal. */
export async function run(
  client: Client,
  statement: Statement,
  { file, rulesFile, dryRun, cut }: { file: string; rulesFile: string; dryRun: boolean; cut: Cut },
): Promise<[string, string]> {
  const idOf = await propertyIds(client);
  const ids = new Map(onEach(statement.lines, ({ property }) => [property, idOf(property)] as const));
  const stored = async (lines: readonly Line[], isDry: boolean): Promise<Rows> => {
    const rows = lines.flatMap((line) => rowsOf(line, ids.get(line.property) ?? ''));
    return new Map((await store(client, rows, isDry)).map((row) => [row.request.paymentReference, row]));
  };
  const found = await stored(statement.lines, true);
  const judged = judge(statement, pastRuns(rulesFile), cut, (line) => rowsIn(line, found).some(isThere));
  const present = await stored(judged, true);
  const stateOf = (line: Line): string => (rowsIn(line, present).some(isThere) ? 'there' : 'new');
  const lines = judged.map((line) => ({ ...line, state: stateOf(line) }));
  const there = lines.filter(({ state }) => state === 'there');
  const added = lines.filter(({ state }) => state === 'new');
  const [tally = '0 there already'] = numbered('there already:', there);
  const report = reportOf({ ...statement, lines }, `${added.length} new, ${tally}`);
  if (dryRun) return [report, ''];
  const at = new Date().toISOString();
  const path = join(folderOf(rulesFile), `${at.replaceAll(/[:.]/g, '-')}-${process.pid}.json`);
  const write = (state: Journal['state'], rows: Rows): void => {
    const entries = lines.map((line) => ({ ...line, rows: rowsIn(line, rows) }));
    writeJournal(path, { file, at, state, spans: statement.spans, lines: entries });
  };
  write('sending', present);
  write('done', new Map([...present, ...(await stored(added, false))]));
  return [report, path];
}

function rowsIn({ planned, reference }: Line, rows: Rows): Row[] {
  return planned.flatMap(({ suffix }) => rows.get(reference + suffix) ?? []);
}

const isThere = ({ created }: Row): boolean => created === false;

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
