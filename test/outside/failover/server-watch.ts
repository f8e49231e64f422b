import type { Criterion } from '../../faults/protocol.js';
import { criterion } from '../../faults/support/criteria.js';
import { count, highest } from '../../faults/support/figures.js';
import type { Sql } from '../../faults/support/ledger.js';
import { repeatedly } from '../../support/repeatedly.js';

const INTERVAL = 200;
/** Whoever looks for the server that takes writes does not stay for as long as DB_ACQUIRE_TIMEOUT. */
const FOUND = `SELECT pg_is_in_recovery() AS "onlyReads", count(*)::int AS connections FROM pg_stat_activity
                WHERE application_name LIKE 'property-finance%' AND backend_start < now() - interval '2 s'`;

/** A server as its superuser sees it. */
export interface Queried {
  readonly sql: Sql;
}

interface Found {
  readonly onlyReads: boolean;
  readonly connections: number;
}

/** All servers that answered at one moment, as `performance.now()` tells it. */
interface Look {
  readonly at: number;
  readonly found: readonly Found[];
}

/** As `performance.now()` tells both. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Looks again and again at what each server is, and at who stays there. */
export class ServerWatch {
  private readonly looks: Look[] = [];
  readonly stop = repeatedly(() => this.look(), INTERVAL);

  constructor(private readonly servers: readonly Queried[]) {}

  /** From the first to the last moment without a primary, in the longest time that there was none. */
  get withoutPrimary(): Span {
    const spans: Span[] = [];
    let from: number | undefined;
    for (const { at, found } of this.looks) {
      if (!found.every(({ onlyReads }) => onlyReads)) from = undefined;
      else spans.push({ from: (from ??= at), to: at });
    }
    return longest(spans);
  }

  noneStays(): Criterion {
    const all = this.looks.flatMap(({ found }) => found);
    const most = (onlyReads: boolean): number =>
      highest(all.filter((one) => one.onlyReads === onlyReads).map(({ connections }) => connections));
    return criterion(
      'no connection stays on a server that only reads',
      most(true) === 0 && most(false) > 0,
      `${count(most(true))} of ${count(most(false))} at most, looked ${count(this.looks.length)} times`,
    );
  }

  private async look(): Promise<void> {
    const at = performance.now();
    const answers = this.servers.map((server) => server.sql<Found>(FOUND).catch(() => [])); // it is down
    this.looks.push({ at, found: (await Promise.all(answers)).flat() });
  }
}

export function longest(spans: readonly Span[]): Span {
  const length = ({ from, to }: Span): number => to - from;
  return spans.reduce((best, span) => (length(span) > length(best) ? span : best), { from: 0, to: 0 });
}
