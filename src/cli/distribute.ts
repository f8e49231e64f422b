import type pg from 'pg';
import type { DatabaseSettings } from '../config/database-settings.js';
import { citusOf, OWNED_TABLES, REFERENCE_TABLES, TABLES } from '../database/citus.js';
import { requireSchema, withConnection } from './session.js';
import { checkTables, DISTRIBUTE } from './doctor/citus.js';
import { Failure } from './failures.js';
import type { Io } from './io.js';

/** Distributes all tables by owner, or prints the statements. False when it is done already. Throws a {@link Failure}. */
export async function distribute(settings: DatabaseSettings, shards: number, print?: Io['out']) {
  await requireSchema(settings);
  return withConnection(settings, 'distribution', async (client) => {
    const citus = await citusOf(client);
    if (citus === undefined)
      throw new Failure(
        'This database is not on Citus: as a superuser, CREATE EXTENSION citus on every server of the cluster.',
      );
    for (const { status, text, remedy } of checkTables(citus)) {
      if (status === 'ok') return false;
      if (remedy !== DISTRIBUTE) throw new Failure(`Citus ${text}: ${remedy}.`);
    }
    for (const statement of await statementsFor(client, shards))
      if (print === undefined) await client.query(statement);
      else print(`${statement};`);
    return true;
  });
}

async function statementsFor(client: pg.Client, shards: number): Promise<string[]> {
  const triggers = (await client.query<Trigger>(TRIGGERS, [OWNED_TABLES])).rows;
  const functions = [...new Set(triggers.map((trigger) => trigger.function))];
  const [first, ...others] = OWNED_TABLES;
  return [
    // Functions are created anew first, which copies them to the workers: only a superuser could distribute functions older
    // than the extension.
    ...functions,
    'BEGIN',
    // All at once: no write may be half done when the first table is moved.
    `LOCK TABLE ${TABLES.join(', ')} IN ACCESS EXCLUSIVE MODE`,
    'SET LOCAL citus.enable_unsafe_triggers TO on',
    'SET LOCAL citus.enable_local_reference_table_foreign_keys TO off',
    ...triggers.map(({ name, table }) => `DROP TRIGGER ${name} ON ${table}`),
    ...REFERENCE_TABLES.map((table) => `SELECT create_reference_table('${table}')`),
    `SELECT create_distributed_table('${first}', 'owner_id', shard_count => ${shards}, colocate_with => 'none')`,
    ...others.map(
      (table) => `SELECT create_distributed_table('${table}', 'owner_id', colocate_with => '${first}')`,
    ),
    ...triggers.map(({ definition }) => definition),
    'COMMIT',
    // The coordinator still has the copied rows. Truncating the accounts truncates all tables that refer to them.
    ...['users', 'property_totals'].map(
      (table) => `SELECT truncate_local_data_after_distributing_table('${table}')`,
    ),
  ];
}

type Trigger = Readonly<Record<'name' | 'table' | 'definition' | 'function', string>>;

const TRIGGERS = `
  SELECT quote_ident(t.tgname) AS name, quote_ident(c.relname) AS "table", pg_get_triggerdef(t.oid) AS definition,
         rtrim(pg_get_functiondef(t.tgfoid), E'\\n') AS "function"
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
   WHERE NOT t.tgisinternal AND c.relname = ANY ($1) AND c.relnamespace = to_regnamespace(current_schema())
   ORDER BY c.relname, t.tgname`;
