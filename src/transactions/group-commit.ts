import { setTimeout as sleep } from 'node:timers/promises';
import DataLoader from 'dataloader';
import type { Database, Statement } from '../database/database.js';
import { isRefused } from '../database/errors.js';
import { MOST_AT_ONCE, type OwnedValues } from '../database/owned.repository.js';
import { type Account, NOBODY } from '../database/shares.js';
import { type Column, named, typedFields } from '../database/statements.js';

/** Characters of JSON. A longer row would keep the others waiting. */
const LONGEST = 4096;
/** Milliseconds. The write before may wait for a lock until its timeout, which the next one would add to its own. */
const LONGEST_TURN = 500;

/**
 * Writes of single rows. Those that begin together share one statement and its commit, in half of PostgreSQL's time. It waits
 * for no lock, and leaves out the row that would. Such a row, a row that comes alone, and each of those that PostgreSQL
 * refuses together is written by the statement of one, which waits, and fails as its request should.
 */
export class GroupCommit<Row extends object> {
  private readonly together = new DataLoader((rows: readonly string[]) => this.writeMany(rows), {
    cache: false,
    maxBatchSize: MOST_AT_ONCE,
  });
  /** Of each owner the write that the next one waits for. */
  private readonly latest = new Map<string, Promise<void>>();

  /**
   * `rows` of `many` is a JSON array of values. It returns of each row what `one` does, and its place among them. Where every
   * write needs the owner's totals, those of one owner would wait for each other in the database, with a connection in hand.
   * In turn they wait without one, and then go on together.
   */
  constructor(
    private readonly database: Database,
    readonly one: Statement,
    readonly many: Statement,
    private readonly order: 'at-once' | 'in-turn',
  ) {}

  /** As the statement of one returns it: no row when there is none to write. */
  async write(account: Account, values: OwnedValues): Promise<Row[]> {
    return this.database.inShareOf(account, async () => {
      const json = JSON.stringify(values);
      const isShared = json.length <= LONGEST && this.database.topology.takesOwnersTogether;
      if (!isShared) return this.writeOne(values);
      const write = async () => {
        const row = await this.together.load(json);
        return row === undefined ? this.writeOne(values) : [row];
      };
      return this.order === 'in-turn' ? this.inTurn(values, write) : write();
    });
  }

  private async inTurn<T>({ ownerId }: OwnedValues, write: () => Promise<T>): Promise<T> {
    const before = this.latest.get(ownerId);
    if (before !== undefined) await Promise.race([before, sleep(LONGEST_TURN, undefined, { ref: false })]);
    const written = write();
    const end = (): void => {
      if (this.latest.get(ownerId) === ended) this.latest.delete(ownerId);
    };
    const ended = written.then(end, end);
    this.latest.set(ownerId, ended);
    return written;
  }

  private writeOne(values: OwnedValues): Promise<Row[]> {
    return this.database.write(NOBODY, this.one, values);
  }

  private async writeMany(rows: readonly string[]): Promise<(Row | undefined)[]> {
    const all = rows.map((): Row | undefined => undefined);
    if (rows.length === 1) return all;
    try {
      const values = { rows: `[${rows.join()}]` };
      const written = await this.database.write<Row & { place: number }>(NOBODY, this.many, values);
      for (const row of written) all[row.place] = row;
    } catch (error) {
      if (!isRefused(error)) throw error;
    }
    return all;
  }
}

/**
 * SQL: what a row needs, held before the first write, so that no trigger waits. Whatever of it another transaction holds,
 * SKIP LOCKED leaves the row out. LIMIT 1 keeps estimates from making a join that reads a table.
 */
const held = (row: string, strength: string): string => `(${row} LIMIT 1 FOR ${strength} SKIP LOCKED)`;
const TOTAL = 'SELECT o.owner_id FROM owner_totals o WHERE o.owner_id = r."ownerId"';
const PROPERTY = 'SELECT p.name FROM properties p WHERE p.owner_id = r."ownerId" AND p.id = r."propertyId"';
const PLACED = `json_array_elements(:rows::json) WITH ORDINALITY AS e(row, place)`;

/** SQL: the values of a row, each under the name of its field. */
const recordOf = (columns: readonly Column[], further: string): string =>
  `json_to_record(e.row) AS r("ownerId" bigint, ${further}${typedFields(columns)})`;

/** Inserts the rows whose owner has their property. */
export function insertEach(columns: readonly Column[], returned: string): Statement {
  const names = columns.map(({ databaseName }) => databaseName).join(', ');
  const fields = columns.map(({ propertyName }) => `r."${propertyName}"`).join(', ');
  return named(
    'transactions.insert_each',
    `WITH r AS MATERIALIZED (
       SELECT e.place, nextval('transactions_id_seq') AS drawn, p.name, r.*
         FROM ${PLACED} CROSS JOIN LATERAL ${recordOf(columns, '')}
        CROSS JOIN LATERAL ${held(TOTAL, 'NO KEY UPDATE')} o
        CROSS JOIN LATERAL ${held(PROPERTY, 'KEY SHARE')} p),
     written AS (
       INSERT INTO transactions AS t (owner_id, id, property_name, ${names})
       SELECT r."ownerId", r.drawn, r.name, ${fields} FROM r RETURNING t.*)
     SELECT k.place::integer - 1 AS place, ${returned}
       FROM written JOIN (SELECT r.place, r.drawn FROM r) k ON k.drawn = written.id`,
  );
}

/** Updates the rows that are in one of their versions; one that goes to another property needs the owner's total. */
export function updateEach(columns: readonly Column[], returned: string): Statement {
  const set = columns.map(({ databaseName, propertyName }) => `${databaseName} = r."${propertyName}"`);
  const row = `SELECT t.ctid, t.property_id FROM transactions t
    WHERE t.owner_id = r."ownerId" AND t.id = r.id AND t.version = ANY (r.versions)`;
  return named(
    'transactions.update_each',
    `WITH r AS MATERIALIZED (
       SELECT e.place, old.ctid AS tid, p.name, r.*
         FROM ${PLACED} CROSS JOIN LATERAL ${recordOf(columns, 'id bigint, versions integer[], ')}
        CROSS JOIN LATERAL ${held(row, 'NO KEY UPDATE')} old
         LEFT JOIN LATERAL ${held(`${TOTAL} AND old.property_id <> r."propertyId"`, 'NO KEY UPDATE')} o ON true
        CROSS JOIN LATERAL ${held(PROPERTY, 'KEY SHARE')} p
        WHERE old.property_id = r."propertyId" OR o.owner_id IS NOT NULL),
     written AS (
       UPDATE transactions t SET ${set.join(', ')}, version = t.version + 1, updated_at = CURRENT_TIMESTAMP,
              property_name = r.name
         FROM r WHERE t.ctid = ANY (ARRAY(SELECT r.tid FROM r)) AND t.ctid = r.tid
          AND t.owner_id = r."ownerId" AND t.version = ANY (r.versions)
       RETURNING r.place, t.*)
     SELECT place::integer - 1 AS place, ${returned} FROM written`,
  );
}
