import { OWNED_TABLES } from '../../src/database/citus.js';
import { openConnection } from './connect.js';
import { planOf } from './plan.js';
import type { SentStatement } from './sent-statements.js';

/** Partitions of each table. */
export const PARTS = 4;

/** They do not decide where rows are looked for, and each makes planning slower; ON CONFLICT needs the unique ones. */
const WITHOUT_INDEXES = `
  DO $$ DECLARE name regclass; BEGIN
    FOR name IN SELECT indexrelid FROM pg_index JOIN pg_class c ON c.oid = indrelid
                 WHERE c.relnamespace = 'spread'::regnamespace AND c.relkind = 'p' AND NOT indisunique
    LOOP EXECUTE 'DROP INDEX ' || name; END LOOP;
  END $$`;

/**
 * The tables of owners' data once more, empty and partitioned by owner_id. Returns a function that names the partitions in
 * which PostgreSQL would look for the rows of a statement, by number.
 */
export async function spreadTables(url: string): Promise<(sent: SentStatement) => Promise<number[]>> {
  const client = await openConnection(url);
  await client.query('CREATE SCHEMA spread');
  for (const table of OWNED_TABLES) {
    await client.query(
      `CREATE TABLE spread.${table} (LIKE public.${table} INCLUDING ALL) PARTITION BY HASH (owner_id)`,
    );
    for (let part = 0; part < PARTS; part++)
      await client.query(
        `CREATE TABLE spread.${table}__${part} PARTITION OF spread.${table}
           FOR VALUES WITH (MODULUS ${PARTS}, REMAINDER ${part})`,
      );
  }
  await client.query(WITHOUT_INDEXES);
  await client.query('SET search_path = spread, public');
  return async (sent) => {
    const plan = await planOf(client, sent, sent.values, 'custom');
    const parts = plan.flatMap((node) => /__(\d+)$/.exec(node['Relation Name'] ?? '')?.[1] ?? []);
    return [...new Set(parts.map(Number))].sort();
  };
}
