import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type pg from 'pg';
import type { Logger } from '../config/logger.js';
import { LOGGER, SETTINGS, type Settings } from '../config/settings.js';
import { poolOptions } from './data-source.js';
import { NO_STANDBY } from './errors.js';
import { LedgerPool, PoolEvents } from './pool.js';
import { reasonOf, UnwantedServerError } from './servers.js';

/** Milliseconds between two comparisons, and how long one may take. */
const INTERVAL = 1000;

/** How much a server has of what was written: bytes of the log (WAL), which a primary and its standbys count alike. */
export interface WalPosition {
  /** The same on all servers that hold the same database. */
  readonly database: string;
  readonly standby: boolean;
  readonly bytes: number;
}

/** {@link WalPosition}; needs no rights. */
export const WAL_POSITION = {
  text: `SELECT system_identifier || '/' || current_database() AS database, pg_is_in_recovery() AS standby,
                pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
                                     ELSE pg_current_wal_lsn() END, '0/0')::float8 AS bytes
           FROM pg_control_system()`,
};

/**
 * The standby of DB_READ_URL. It lags since when the primary had written the first of what is not replayed yet: where
 * nothing is written nothing lags, and nobody's clock but this process's matters.
 */
@Injectable()
export class Replica implements OnApplicationShutdown {
  /** Undefined without DB_READ_URL. */
  readonly pool: LedgerPool | undefined;
  readonly events = new PoolEvents();
  private readonly maxLag: number;
  private readonly stopping = new AbortController();
  /** How far the primary was at least, and when; the last ones, in their order. */
  private written: readonly { readonly at: number; readonly bytes: number }[] = [];
  /** When what it was seen to have will be too old. */
  private goodUntil = 0;
  private wasGood: boolean | undefined;

  constructor(
    @Inject(SETTINGS) { database }: Pick<Settings, 'database'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const { readUrl: url, readMaxLag, poolSize: max } = database;
    this.maxLag = readMaxLag;
    if (url === undefined) return;
    this.pool = new LedgerPool({ ...poolOptions({ ...database, url }, this.events), max });
    this.pool.on('error', () => undefined); // the next comparison shows it
  }

  /** Undefined while the primary has to answer. */
  get current(): LedgerPool | undefined {
    return performance.now() < this.goodUntil ? this.pool : undefined;
  }

  /** Compares it with the primary from now on. */
  async follow(primary: pg.Pool): Promise<void> {
    const { signal } = this.stopping;
    while (this.pool !== undefined && !signal.aborted) {
      await this.compare(this.pool, primary);
      await sleep(INTERVAL, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.pool?.end();
  }

  private async compare(pool: LedgerPool, primary: pg.Pool): Promise<void> {
    const at = performance.now();
    try {
      const [{ database, bytes }] = (await primary.query<WalPosition>(WAL_POSITION)).rows as [WalPosition];
      this.written = [...this.written.filter((one) => at - one.at < this.maxLag), { at, bytes }];
      if (this.written.length === 1) return; // a primary that writes all the time is ahead of it, by however little
      const replayed = await replayedOn(pool, database);
      const seen = this.written.findLast((one) => one.bytes <= replayed);
      this.goodUntil = seen === undefined ? 0 : seen.at + this.maxLag;
      this.tell('too-far-behind');
    } catch (error) {
      const reason = reasonOf(error);
      // One that has no connection to spare is as good as it was, and what is known of it runs out.
      if (reason !== 'pool-timeout') this.goodUntil = 0;
      this.tell(reason);
    }
  }

  private tell(reason: string): void {
    const isGood = this.current !== undefined;
    if (isGood === this.wasGood || this.stopping.signal.aborted) return;
    this.wasGood = isGood;
    if (isGood) this.logger.info('the replica answers what may lag');
    else this.logger.warn({ reason }, 'the primary answers in place of the replica');
  }
}

/** Its bytes. Throws when it is no standby with this database. */
async function replayedOn(pool: LedgerPool, database: string): Promise<number> {
  const client = await pool.connect();
  let isGood = false;
  try {
    const question = { ...WAL_POSITION, query_timeout: INTERVAL };
    const [own] = (await client.query<WalPosition>(question)).rows;
    if (own?.standby !== true) throw new UnwantedServerError('it is no standby', NO_STANDBY);
    if (own.database !== database) throw new UnwantedServerError('it has another database', 'other-database');
    isGood = true;
    return own.bytes;
  } finally {
    client.release(!isGood); // where it leads to a server that was promoted, the next one finds another
  }
}
