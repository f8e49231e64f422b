import { WRONG_TOTALS } from '../../support/totals.js';
import type { Criterion } from '../protocol.js';
import { criterion } from './criteria.js';
import { count } from './figures.js';
import { type Reply, succeeded } from './http.js';

/** The client's knowledge of a write. Unknown: 5xx, or no response. */
type Fate = 'ok' | 'refused' | 'unknown';

/** A statement on the database, past the service. */
export type Sql = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** The client's own book of writes, by the markers of their rows. */
export class Ledger {
  private readonly created = new Map<string, Fate>();
  private readonly deleted = new Map<string, Fate>();

  /** Books the creation of a row that carries the marker, or its deletion. */
  book(marker: string, reply: Reply): void {
    const fates = reply.method === 'DELETE' ? this.deleted : this.created;
    fates.set(marker, fateOf(reply));
  }

  /** Compares the book with the tables. Imported rows carry no marker. */
  async check(sql: Sql): Promise<Criterion[]> {
    const rows = await sql<{ marker: string }>(
      'SELECT booking_reference AS marker FROM transactions WHERE booking_reference IS NOT NULL',
    );
    const markers = rows.map(({ marker }) => marker);
    const stored = new Set(markers);
    const wrong = await sql(WRONG_TOTALS);
    const fates = [...this.created.values(), ...this.deleted.values()];
    const unknown = fates.filter((fate) => fate === 'unknown').length;
    const having = (is: (created: Fate, deleted: Fate) => boolean): string[] =>
      [...this.created.keys()].filter((marker) =>
        is(this.created.get(marker)!, this.deleted.get(marker) ?? 'refused'),
      );
    const kept = having((created, deleted) => created === 'ok' && deleted === 'refused');
    const gone = having((created, deleted) => created === 'refused' || deleted === 'ok');
    const lost = kept.filter((marker) => !stored.has(marker)).length;
    const strange = markers.filter((marker) => !this.created.has(marker)).length;
    const left = gone.filter((marker) => stored.has(marker)).length;
    const found: [name: string, faults: number, what: string][] = [
      ['acknowledged writes are stored', lost, `missing of ${count(kept.length)}`],
      ['every row was attempted', strange, `strange of ${count(rows.length)} rows`],
      ['no row twice', rows.length - stored.size, `repeated; ${count(unknown)} outcomes unknown`],
      ['nothing refused or deleted is stored', left, `of ${count(gone.length)}`],
      ['totals are the real counts', wrong.length, 'wrong'],
    ];
    return found.map(([name, faults, what]) =>
      criterion(`ledger: ${name}`, faults === 0, `${count(faults)} ${what}`),
    );
  }
}

function fateOf(reply: Reply): Fate {
  if (succeeded(reply)) return 'ok';
  return reply.status >= 400 && reply.status < 500 ? 'refused' : 'unknown';
}
