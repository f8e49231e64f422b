import { WRONG_TOTALS } from '../../support/totals.js';
import type { Criterion } from '../protocol.js';
import { count } from './figures.js';
import { type Reply, succeeded } from './http.js';

/** The client's knowledge of a write. Unknown: 5xx, or no response. */
type Fate = 'attempted' | 'ok' | 'refused' | 'unknown';

interface Entry {
  created: Fate;
  deleted?: Fate;
}

/** A statement on the database, past the service. */
export type Sql = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** The client's own book of writes, by the markers of their rows. */
export class Ledger {
  private readonly entries = new Map<string, Entry>();

  /** Books the creation of a row that carries the marker. */
  async create(send: (marker: string) => Promise<Reply>): Promise<{ marker: string; reply: Reply }> {
    const marker = `marker-${this.entries.size + 1}`;
    const entry: Entry = { created: 'attempted' };
    this.entries.set(marker, entry);
    const reply = await send(marker);
    entry.created = fateOf(reply);
    return { marker, reply };
  }

  async delete(marker: string, send: () => Promise<Reply>): Promise<void> {
    const entry = this.entries.get(marker)!;
    entry.deleted = 'attempted';
    entry.deleted = fateOf(await send());
  }

  /** Compares the book with the tables. Imported rows carry no marker. */
  async check(sql: Sql): Promise<Criterion[]> {
    const rows = await sql<{ marker: string }>(
      'SELECT booking_reference AS marker FROM transactions WHERE booking_reference IS NOT NULL',
    );
    const stored = new Set(rows.map(({ marker }) => marker));
    const wrong = await sql(WRONG_TOTALS);
    const entries = [...this.entries];
    const having = (fate: Fate): typeof entries =>
      entries.filter(([, { created, deleted }]) => created === fate || deleted === fate);
    const kept = entries.filter(
      ([, { created, deleted = 'refused' }]) => created === 'ok' && deleted === 'refused',
    );
    const gone = entries.filter(([, { created, deleted }]) => created === 'refused' || deleted === 'ok');
    const zero = (name: string, found: number, what: string): Criterion => ({
      name: `ledger: ${name}`,
      passed: found === 0,
      measured: `${count(found)} ${what}`,
    });
    return [
      zero(
        'acknowledged writes are stored',
        kept.filter(([marker]) => !stored.has(marker)).length,
        `missing of ${count(kept.length)}`,
      ),
      zero(
        'every row was attempted',
        rows.filter(({ marker }) => !this.entries.has(marker)).length,
        `strange of ${count(rows.length)} rows`,
      ),
      zero(
        'no row twice',
        rows.length - stored.size,
        `repeated; ${count(having('unknown').length)} writes of unknown outcome`,
      ),
      zero(
        'nothing refused or deleted is stored',
        gone.filter(([marker]) => stored.has(marker)).length,
        `of ${count(gone.length)}`,
      ),
      zero('every write ended', having('attempted').length, `open of ${count(entries.length)}`),
      zero('totals are the real counts', wrong.length, 'wrong'),
    ];
  }
}

function fateOf(reply: Reply): Fate {
  if (succeeded(reply)) return 'ok';
  return reply.status >= 400 && reply.status < 500 ? 'refused' : 'unknown';
}
