import { Injectable } from '@nestjs/common';
import { Settings } from '../config/env.js';
import { Database, EXPORT_NAME, type Statement } from './database.js';
import { CursorExpired, Unavailable } from './errors.js';
import { instantText, type JsonView } from './json-view.js';
import { type Account, NOBODY, Shares } from './shares.js';
import { byKey } from './statements.js';

export const MOST_CHANGES = 1000; // of a page
const MAX_OCTETS = 1024 * 1024; // of a page, unless a single change has more
const FORGOTTEN = 1000; // deletions, by one statement
const BLIND = 'The service may not see when all transactions began: the command doctor has the remedy.';

/**
 * Where a reader goes on: behind the change `at` this time and of this `id`, in this `history` of the tables. Rows
 * that were deleted before it began, `since`, it has never seen. Instants are ISO 8601 in UTC, to milliseconds.
 */
export type ChangesPlace = Readonly<Record<'history' | 'since' | 'at' | 'id', string>>;

/** All transactions from before the horizon, where it is known, are over. A standby has no history. Blind: see {@link BLIND}. */
type Now = Readonly<{ history: string | null; now: string; horizon: string | null; isBlind: boolean }>;
/** Most changes, and the place behind which they begin. */
type Wanted = Readonly<{ size: number; cursor: ChangesPlace | null }>;
/** The last change, if more may follow. */
type Part = Readonly<{ content: string; last: Pick<ChangesPlace, 'at' | 'id'> | null }>;

const SEES_ALL = `pg_has_role('pg_read_all_stats', 'USAGE')`;

/**
 * A row has the time at which its transaction began, however late it is committed: what is still under way shows up behind
 * the horizon. The second is for the clock's digits, and for sessions that have begun and do not show it yet. Of a prepared
 * transaction PostgreSQL tells when it was prepared, not when it began: while there is one, no horizon is known. It is asked
 * last, because a transaction that is being prepared leaves the sessions for it. Exports, which hold snapshots for up to an
 * hour, only read. Autovacuum has no role.
 *
 * The history is another one after a promotion or a restore of files (timeline), of a dump (server, or files of the tables),
 * and after a TRUNCATE, which no trigger notes. VACUUM FULL and CLUSTER look the same.
 */
const NOW: Statement = {
  text: `SELECT n.history, n.now, n."isBlind",
                CASE WHEN (SELECT count(*) FROM pg_prepared_xacts p WHERE p.database = n.database) = 0
                     THEN n.horizon END AS horizon
           FROM (SELECT current_database() AS database,
                        CASE WHEN NOT pg_is_in_recovery() THEN
                          concat_ws('-', (SELECT c.system_identifier FROM pg_control_system() c),
                            left(pg_walfile_name(pg_current_wal_lsn()), 8),
                            pg_relation_filenode('properties'), pg_relation_filenode('transactions')) END AS history,
                        ${instantText('now()')} AS now,
                        ${instantText(`(least(min(s.xact_start), now()) - interval '1 second')`)} AS horizon,
                        coalesce(bool_or(s.state = 'disabled' OR NOT (pg_has_role(s.usesysid, 'USAGE') OR ${SEES_ALL})),
                          false) AS "isBlind"
                   FROM pg_stat_activity s
                  WHERE s.datname = current_database() AND s.usesysid IS NOT NULL AND s.pid <> pg_backend_pid()
                    AND s.application_name <> '${EXPORT_NAME}') n`,
};

/**
 * The changes of one owner's rows in the order of their transactions. $1 owner, $2 and $3 the place behind which they begin,
 * $4 horizon, $5 since, $6 most changes. It is planned for its values: no index has updated_at, so all rows of the owner are
 * read. Sizes are guessed before any JSON is made, and then measured: an escaped character takes up to six octets.
 */
export function changesStatement(table: string, noun: string, { json, octets }: JsonView): Statement {
  const behind = '> ($2::timestamptz, $3::bigint)';
  const row = (sql: string, id: string): string => `(SELECT ${sql} FROM ${table} t WHERE ${byKey(id)})`;
  const written = `'{"change":"written","at":"' || ${instantText('t.updated_at')} || '","version":' || t.version || ',"${noun}":' || ${json} || '}'`;
  const deleted = `'{"change":"deleted","at":"' || ${instantText('s.at')} || '","id":' || s.id || '}'`;
  const guessed = `coalesce(${row(`1024 + ${octets}`, 'k.id')}, 64)`;
  const fits = (alias: string): string => `(${alias}.size <= ${MAX_OCTETS} OR ${alias}.number = 1)`;
  const text = `WITH k AS MATERIALIZED (
      SELECT c.at, c.id, c.written
        FROM (SELECT t.updated_at AS at, t.id, true AS written FROM ${table} t
               WHERE t.owner_id = $1 AND (t.updated_at, t.id) ${behind} AND t.updated_at < $4::timestamptz
              UNION ALL
              (SELECT d.at, d.id, false FROM deletions d
                WHERE d.owner_id = $1 AND d.kind = '${table}' AND (d.at, d.id) ${behind} AND d.at < $4::timestamptz
                  AND d.at >= $5::timestamptz AND ${row('t.id', 'd.id')} IS NULL
                ORDER BY d.at, d.id LIMIT $6)) c
       ORDER BY c.at, c.id LIMIT $6),
    s AS (SELECT k.*, row_number() OVER o AS number, sum(${guessed}) OVER o AS size FROM k WINDOW o AS (ORDER BY k.at, k.id)),
    j AS (SELECT s.at, s.id, s.number, CASE WHEN s.written THEN ${row(written, 's.id')} ELSE ${deleted} END AS json
            FROM s WHERE ${fits('s')}),
    m AS (SELECT j.*, sum(octet_length(j.json) + 1) OVER (ORDER BY j.number) AS size FROM j)
    SELECT coalesce(string_agg(m.json, ',' ORDER BY m.number), '') AS content,
           CASE WHEN count(*) < (SELECT count(*) FROM k) OR count(*) = $6
                THEN json_build_object('at', ${instantText('max(m.at)')}, 'id', (array_agg(m.id ORDER BY m.number DESC))[1]::text)
                END AS last
      FROM m WHERE ${fits('m')}`;
  return { text, isLong: true };
}

/** All SQL of the table `deletions`, which triggers fill. */
@Injectable()
export class Changes {
  constructor(
    private readonly database: Database,
    private readonly shares: Shares,
    private readonly settings: Settings,
  ) {}

  /** Where a reader of all rows goes on from; undefined where that cannot be said. */
  async start(account: Account): Promise<ChangesPlace | undefined> {
    const { history, horizon, isBlind } = await this.now(account);
    if (history === null || horizon === null || isBlind) return undefined;
    return { history, since: horizon, at: horizon, id: '0' };
  }

  /** JSON of changes, and where to go on. Throws {@link CursorExpired}, or {@link Unavailable} where commits may be missed. */
  async page(account: Account, statement: Statement, ownerId: string, { cursor, size }: Wanted) {
    const { history, now, horizon, isBlind } = await this.now(account); // before the rows are looked at
    if (history === null) throw new Unavailable('Changes are read from the primary alone.');
    if (isBlind) throw new Unavailable(BLIND);
    if (cursor !== null) this.requireValid(cursor, history, now);
    if (horizon === null) return { content: '', next: cursor };
    const { since = horizon, at = '-infinity', id = '0' } = cursor ?? {};
    const values = [ownerId, at, id, horizon, since, size];
    const release = await this.shares.changes.take(account);
    const [part] = await this.database.read<Part>(account, statement, values).finally(release);
    const end = horizon > at ? { at: horizon, id: '0' } : { at, id };
    return { content: part?.content ?? '', next: { history, since, ...(part?.last ?? end) } };
  }

  /** Forgets the oldest deletions. True when there may be more. */
  async forget(): Promise<boolean> {
    const isOld = (alias: string): string => `${alias}.at < now() - $1 * interval '1 ms'`;
    const text = `DELETE FROM deletions d WHERE ${isOld('d')} AND d.id = ANY (ARRAY(
      SELECT o.id FROM deletions o WHERE ${isOld('o')} ORDER BY o.at LIMIT ${FORGOTTEN})) RETURNING d.id`;
    return (await this.database.write(NOBODY, { text }, [this.settings.changesRetention])).length > 0;
  }

  private async now(account: Account): Promise<Now> {
    const [now] = (await this.database.read<Now>(account, NOW, [])) as [Now];
    return now;
  }

  private requireValid({ history, since, at }: ChangesPlace, current: string, now: string): void {
    const oldest = new Date(Date.parse(now) - this.settings.changesRetention).toISOString();
    if (history !== current || at > now || (since < oldest && at < oldest)) throw new CursorExpired();
  }
}
