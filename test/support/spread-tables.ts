import type pg from 'pg';
import { OWNED_TABLES } from '../../src/database/citus.js';
import { openConnection } from './connect.js';
import type { SentStatement } from './owner-predicates.js';
import { planOf } from './plan.js';

/** Of each table. */
export const PARTS = 4;

/** Where rows are looked for does not depend on them, and each makes planning dearer; ON CONFLICT asks for unique ones. */
const WITHOUT_INDEXES = `
  DO $$ DECLARE name regclass; BEGIN
    FOR name IN SELECT indexrelid FROM pg_index JOIN pg_class c ON c.oid = indrelid
                 WHERE c.relnamespace = 'spread'::regnamespace AND c.relkind = 'p' AND NOT indisunique
    LOOP EXECUTE 'DROP INDEX ' || name; END LOOP;
  END $$`;

/** The tables of owners' data once more, empty, and each in parts by owner_id. */
export class SpreadTables {
  private constructor(private readonly client: pg.Client) {}

  static async in(databaseUrl: string): Promise<SpreadTables> {
    const client = await openConnection(databaseUrl);
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
    return new SpreadTables(client);
  }

  /** The parts of all tables that PostgreSQL would look into for the statement with these values, by number. */
  async partsOf(statement: SentStatement): Promise<number[]> {
    const plan = await planOf(this.client, statement, statement.values, 'custom');
    const parts = plan.flatMap((node) => /__(\d+)$/.exec(node['Relation Name'] ?? '')?.[1] ?? []);
    return [...new Set(parts.map(Number))].sort();
  }
}
