import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ALLOW_TRIGGERS, COUNTED_AT_ONCE } from './1795000000003-totals.js';

/**
 * Many rows in one transaction. While a transaction lasts, no version of a row that it has replaced can be pruned, so
 * that updating one row of totals for each row written takes quadratic time. Now the first change of an owner's numbers
 * in a transaction is made at once, as before: that is all that a request of the service does, and it takes the
 * owner's lock within the statement, where the statement timeout still holds. Further ones are noted, and a deferred
 * trigger adds them up at the end of the transaction, when the owner's row is locked already and nothing is left to
 * wait for.
 *
 * The notes are kept in a setting of the transaction, which a savepoint that is undone takes back, and of which a row
 * of a table is made whenever it has become long: a setting is copied at each change, and a row for each note would
 * take a statement, which on a distributed table costs 200 µs. Row triggers have no other memory: temporary tables are
 * closed to the service's role, and statement triggers with transition tables fail in a distributed table's
 * INSERT … SELECT. The table needs no log: nobody but the transaction itself ever sees its rows.
 */
export class BulkTotals1795000000007 implements MigrationInterface {
  name = 'BulkTotals1795000000007';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(ALLOW_TRIGGERS);
    await runner.query(`
      ALTER TABLE owner_totals ADD last_writer xid8 NOT NULL DEFAULT '0', ADD has_deltas boolean NOT NULL DEFAULT false`);
    await runner.query(`
      CREATE UNLOGGED TABLE totals_deltas (
        owner_id bigint NOT NULL,
        notes    text   NOT NULL
      )`);
    await runner.query('CREATE INDEX totals_deltas_owner_id_idx ON totals_deltas (owner_id)');
    for (const statement of [...COUNTED_IN_BULK, ...FOLDED, ...TRUNCATED]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(ALLOW_TRIGGERS);
    await runner.query('DROP TRIGGER owner_totals_folded ON owner_totals');
    await runner.query('DROP TRIGGER transactions_totals_truncated ON transactions');
    await runner.query('DROP TRIGGER properties_totals_truncated ON properties');
    await runner.query('DROP FUNCTION fold_totals(), count_no_transactions(), count_no_properties()');
    for (const statement of COUNTED_AT_ONCE) await runner.query(statement);
    await runner.query('DROP TABLE totals_deltas');
    await runner.query('ALTER TABLE owner_totals DROP last_writer, DROP has_deltas');
  }
}

/** Characters: some fifty notes. */
const LONG = 500;

interface Count {
  /** Declarations of what the rest speaks of, besides `owner` and `me`, this transaction. */
  readonly variables?: string;
  /** The first change of the owner's numbers: it has to set last_writer, and touches owner_totals first. */
  readonly first: string;
  /** Further ones, as text: the property, by how much the number of properties changes and that of transactions. */
  readonly note: string;
}

function counting(name: string, count: Count): string {
  return `CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
   DECLARE
     owner bigint := coalesce(NEW.owner_id, OLD.owner_id);
     ${OF_COUNTING}
     ${count.variables ?? ''}
   BEGIN
     ${counted(count, 'RETURN NULL')}
     RETURN NULL;
   END $$`;
}

/** The declarations that {@link counted} needs. */
export const OF_COUNTING = `
     me xid8;
     marked boolean;
     notes text;`;

/**
 * Counts one change of the numbers of `owner`, and is `done` with it early in most cases. The notes come before the mark:
 * where constraints are immediate, the mark has them added up at once.
 */
export function counted(
  { first, note }: Pick<Count, 'first' | 'note'>,
  done: 'RETURN NULL' | 'CONTINUE',
): string {
  return `
     IF current_setting('totals.owner', true) = owner::text THEN
       notes := current_setting('totals.notes') || ${note};
       IF length(notes) > ${LONG} THEN
         INSERT INTO totals_deltas VALUES (owner, notes);
         notes := '';
       END IF;
       PERFORM set_config('totals.notes', notes, true);
       ${done};
     END IF;
     me := pg_current_xact_id();
     SELECT o.has_deltas INTO marked FROM owner_totals o WHERE o.owner_id = owner AND o.last_writer = me;
     IF NOT FOUND THEN
       ${first}
       ${done};
     END IF;
     IF current_setting('totals.notes', true) <> '' THEN -- of another owner
       INSERT INTO totals_deltas VALUES (current_setting('totals.owner')::bigint, current_setting('totals.notes'));
     END IF;
     PERFORM set_config('totals.owner', owner::text, true), set_config('totals.notes', ${note}, true);
     IF NOT marked THEN
       UPDATE owner_totals o SET has_deltas = true WHERE o.owner_id = owner;
     END IF;`;
}

const CHANGE = `change integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;`;

/** By `change`, of `property`. */
export const OF_TRANSACTIONS = {
  first: `UPDATE owner_totals SET transactions = transactions + change, last_writer = me WHERE owner_id = owner;
       UPDATE property_totals SET transactions = transactions + change
        WHERE owner_id = owner AND property_id = property;`,
  note: `property || ',0,' || change || ';'`,
};

const COUNTED_IN_BULK = [
  counting('count_property', {
    variables: `property bigint := coalesce(NEW.id, OLD.id);
     ${CHANGE}`,
    first: `IF TG_OP = 'INSERT' THEN
         INSERT INTO owner_totals AS o (owner_id, properties, last_writer) VALUES (owner, 1, me)
           ON CONFLICT (owner_id) DO UPDATE SET properties = o.properties + 1, last_writer = me;
         INSERT INTO property_totals (owner_id, property_id) VALUES (owner, property);
       ELSE
         UPDATE owner_totals SET properties = properties - 1, last_writer = me WHERE owner_id = owner;
         DELETE FROM property_totals WHERE owner_id = owner AND property_id = property;
       END IF;`,
    note: `property || ',' || change || ',0;'`,
  }),
  counting('count_transaction', {
    variables: `property bigint := coalesce(NEW.property_id, OLD.property_id);
     ${CHANGE}`,
    ...OF_TRANSACTIONS,
  }),
  // The owner's own numbers do not change, but the row is what two such moves wait for.
  counting('count_moved_transaction', {
    first: `UPDATE owner_totals SET last_writer = me WHERE owner_id = owner;
       UPDATE property_totals SET transactions = transactions - 1
        WHERE owner_id = owner AND property_id = OLD.property_id;
       UPDATE property_totals SET transactions = transactions + 1
        WHERE owner_id = owner AND property_id = NEW.property_id;`,
    note: `OLD.property_id || ',0,-1;' || NEW.property_id || ',0,1;'`,
  }),
];

/** Of an owner, by property. Every row that the transaction sees is its own. */
const SUMS = `
  SELECT d.owner_id, split_part(n, ',', 1)::bigint AS property_id, sum(split_part(n, ',', 2)::integer) AS properties,
         sum(split_part(n, ',', 3)::integer) AS transactions
    FROM totals_deltas d, string_to_table(rtrim(d.notes, ';'), ';') n
   WHERE d.owner_id = NEW.owner_id GROUP BY 1, 2`;

/**
 * A property's row that was missing before stays missing, because a part of its number would be worse than none. Without
 * enable_seqscan PostgreSQL would keep the plan for an empty table, and read all rows again for each of many owners.
 */
const FOLDED = [
  `CREATE FUNCTION fold_totals() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
   BEGIN
     IF current_setting('totals.owner', true) = NEW.owner_id::text THEN
       INSERT INTO totals_deltas VALUES (NEW.owner_id, current_setting('totals.notes'));
       PERFORM set_config('totals.owner', '', true), set_config('totals.notes', '', true);
     END IF;
     UPDATE owner_totals o
        SET has_deltas = false, properties = o.properties + s.properties, transactions = o.transactions + s.transactions
       FROM (SELECT coalesce(sum(p.properties), 0) AS properties, coalesce(sum(p.transactions), 0) AS transactions
               FROM (${SUMS}) p) s
      WHERE o.owner_id = NEW.owner_id;
     MERGE INTO property_totals k
     USING (${SUMS}) s ON k.owner_id = NEW.owner_id AND k.owner_id = s.owner_id AND k.property_id = s.property_id
      WHEN MATCHED AND s.properties < 0 THEN DELETE
      WHEN MATCHED AND s.transactions <> 0 THEN UPDATE SET transactions = k.transactions + s.transactions
      WHEN NOT MATCHED AND s.properties > 0 THEN
        INSERT (owner_id, property_id, transactions) VALUES (s.owner_id, s.property_id, s.transactions);
     DELETE FROM totals_deltas d WHERE d.owner_id = NEW.owner_id;
     RETURN NULL;
   END $$`,
  `CREATE CONSTRAINT TRIGGER owner_totals_folded AFTER UPDATE OF has_deltas ON owner_totals
     DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.has_deltas) EXECUTE FUNCTION fold_totals()`,
];

/** TRUNCATE fires no row triggers. It has waited for every writer, and none goes on before it ends. */
function emptying(name: string, statements: string): string {
  return `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     SET CONSTRAINTS owner_totals_folded IMMEDIATE; -- what this transaction has noted before
     SET CONSTRAINTS owner_totals_folded DEFERRED;
     ${statements}
     RETURN NULL;
   END $$`;
}

/** Not on a distributed table, every part of which would fire them: `db distribute` leaves these two out. */
const TRUNCATED = [
  emptying(
    'count_no_transactions',
    `UPDATE owner_totals SET transactions = 0 WHERE transactions <> 0;
     UPDATE property_totals SET transactions = 0 WHERE transactions <> 0;`,
  ),
  // The transactions cannot but be truncated along.
  emptying(
    'count_no_properties',
    `UPDATE owner_totals SET properties = 0 WHERE properties <> 0;
     DELETE FROM property_totals;`,
  ),
  `CREATE TRIGGER transactions_totals_truncated AFTER TRUNCATE ON transactions
     FOR EACH STATEMENT EXECUTE FUNCTION count_no_transactions()`,
  `CREATE TRIGGER properties_totals_truncated AFTER TRUNCATE ON properties
     FOR EACH STATEMENT EXECUTE FUNCTION count_no_properties()`,
];
