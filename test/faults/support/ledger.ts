import { WRONG_TOTALS } from '../../support/totals.js';
import type { Criterion } from '../protocol.js';
import { count } from './figures.js';
import { type Reply, succeeded } from './http.js';

/** What the client knows of a write. Unknown: the answer was 5xx, or none came. */
export type Fate = 'attempted' | 'ok' | 'refused' | 'unknown';

interface Entry {
  created: Fate;
  deleted?: Fate;
}

export interface Stored {
  readonly marker: string;
}

/** A statement on the database, past the service. */
export type Sql = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

const STORED = 'SELECT booking_reference AS marker FROM transactions';

/** The client's own book: what it has tried to write, under which marker, and what it was told. */
export class Ledger {
  private readonly entries = new Map<string, Entry>();
  private markers = 0;

  /** Notes that a row is about to be written, and returns its marker. */
  attempt(): string {
    const marker = `marker-${++this.markers}`;
    this.entries.set(marker, { created: 'attempted' });
    return marker;
  }

  settle(marker: string, fate: Fate): void {
    this.entry(marker).created = fate;
  }

  /** Books the creation of a row that carries the marker. */
  async create(send: (marker: string) => Promise<Reply>): Promise<{ marker: string; reply: Reply }> {
    const marker = this.attempt();
    const reply = await send(marker);
    this.settle(marker, fateOf(reply));
    return { marker, reply };
  }

  async delete(marker: string, send: () => Promise<Reply>): Promise<void> {
    const entry = this.entry(marker);
    entry.deleted = 'attempted';
    entry.deleted = fateOf(await send());
  }

  /** Holds the book against what the database has stored. */
  async check(sql: Sql): Promise<Criterion[]> {
    const rows = (await sql<Stored>(STORED)).map(({ marker }) => marker);
    const stored = new Set(rows);
    const entries = [...this.entries];
    const of = (holds: (entry: Entry, isStored: boolean) => boolean): number =>
      entries.filter(([marker, entry]) => holds(entry, stored.has(marker))).length;
    const kept = ({ created, deleted }: Entry): boolean =>
      created === 'ok' && (deleted === undefined || deleted === 'refused');
    const banned = ({ created, deleted }: Entry): boolean => created === 'refused' || deleted === 'ok';
    const strange = rows.filter((marker) => !this.entries.has(marker)).length;
    const open = of(({ created, deleted }) => created === 'attempted' || deleted === 'attempted');
    const unknown = ({ created, deleted }: Entry): boolean => created === 'unknown' || deleted === 'unknown';
    const wrong = (await sql(WRONG_TOTALS)).length;
    return [
      zero(
        'acknowledged writes are stored',
        of((entry, is) => kept(entry) && !is),
        `missing of ${count(of(kept))}`,
      ),
      zero('every row was attempted', strange, `strange of ${count(rows.length)} rows`),
      zero(
        'no row twice',
        rows.length - stored.size,
        `repeated; ${count(of(unknown))} writes of unknown outcome`,
      ),
      zero(
        'nothing refused or deleted is stored',
        of((entry, is) => banned(entry) && is),
        `of ${count(of(banned))}`,
      ),
      zero('every write ended', open, `open of ${count(entries.length)}`),
      zero('totals are the real counts', wrong, 'wrong'),
    ];
  }

  private entry(marker: string): Entry {
    const entry = this.entries.get(marker);
    if (entry === undefined) throw new Error(`nobody has attempted ${marker}`);
    return entry;
  }
}

export function fateOf(reply: Reply): Fate {
  if (succeeded(reply)) return 'ok';
  return reply.status >= 400 && reply.status < 500 ? 'refused' : 'unknown';
}

function zero(name: string, found: number, what: string): Criterion {
  return { name: `ledger: ${name}`, passed: found === 0, measured: `${count(found)} ${what}` };
}
