import { unwrap } from '../../../typescript/src/public.js';
import { readJournal, writeJournal } from './journal.js';
import type { Ledger, Row, StoredRow } from './ledger.js';

/** Deletes what the run has recorded and nobody has changed since. Returns what to tell, and whether all is gone. */
export async function undo(ledger: Ledger, path: string): Promise<[told: string, isWhole: boolean]> {
  const journal = readJournal(path);
  const found =
    journal.state === 'sending'
      ? await lookUp(
          ledger,
          journal.lines.flatMap(({ rows }) => rows),
        )
      : undefined;
  const rows = journal.lines.flatMap((line) =>
    line.rows.map((row) => ({ line, row: (row.created ? found?.get(row.reference) : undefined) ?? row })),
  );
  const own = rows.filter(({ row }) => row.created && row.id !== undefined);
  const kept: typeof own = [];
  for (const one of own) if (!(await ledger.remove(one.row.id ?? ''))) kept.push(one);
  writeJournal(path, {
    ...journal,
    state: 'undone',
    lines: journal.lines.filter((line) => kept.some((one) => one.line === line)),
  });
  const told = kept.map(
    ({ line, row }) =>
      `kept, because it was changed since: transaction ${row.id ?? ''}, line ${line.line}, ${line.text}`,
  );
  return [
    [...told, `${own.length - kept.length} deleted, ${kept.length} kept`, ''].join('\n'),
    kept.length === 0,
  ];
}

/** The ids of rows of a run that broke off. Nothing but the reference counts, so that the rest is made up. */
async function lookUp(ledger: Ledger, rows: readonly StoredRow[]): Promise<Map<string, StoredRow>> {
  const { content } = await unwrap(ledger.client.GET('/api/properties'));
  const probes = rows.map(({ reference }): Row => ({
    line: 0,
    request: {
      ...{ propertyId: content[0]?.id ?? '0', type: 'INCOME', category: 'OTHER_INCOME', description: '' },
      ...{ amount: '1', date: '2000-01-01T00:00Z', paymentReference: reference },
    },
  }));
  const found = await ledger.store(probes, true);
  return new Map(found.map((row) => [row.reference, { ...row, created: row.id !== undefined }]));
}
