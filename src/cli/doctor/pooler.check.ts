import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { DatabaseSettings } from '../../config/env.js';
import { fail, type Finding, ok, warn } from './finding.js';
import { backendOf, isPooled, type ServerConnection, withConnection } from './server-connection.js';

/** What PgBouncer has to let pass, and then drops. */
const IGNORED = 'extra_float_digits,options,statement_timeout,idle_in_transaction_session_timeout';

/** Whether a pooler stands before PostgreSQL, and what of the service does not get through it. */
export async function checkPooler(
  settings: DatabaseSettings,
  connection: ServerConnection,
): Promise<Finding[]> {
  const { client, refusal } = connection;
  if (refusal !== undefined)
    return [
      fail(
        'pooler',
        `PgBouncer refuses the service: ${refusal}`,
        `in pgbouncer.ini: ignore_startup_parameters = ${IGNORED}; and ${await timeoutsOfRole(client, settings)}`,
      ),
    ];
  if (!(await isPooled(client))) return [];
  return [await checkMode(settings, client), ...(await checkTimeouts(settings, client))];
}

async function checkMode(settings: DatabaseSettings, client: pg.Client): Promise<Finding> {
  const backend = await backendOf(client);
  return withConnection(settings, async ({ client: second }) => {
    // A connection keeps its process to itself for the session, or leaves it to the next after each transaction.
    if ((await backendOf(second)) !== backend)
      return ok(
        'pooler',
        'in session mode: its pool must hold DB_POOL_SIZE + 1 connections for each instance',
      );
    const text = 'in transaction mode';
    if (settings.preparedStatements && !(await keepsStatements([client, second])))
      return fail(
        'pooler',
        `${text}, and prepared statements are lost`,
        'DB_PREPARED_STATEMENTS=false, or PgBouncer 1.21 or newer with max_prepared_statements = 200',
      );
    if (settings.migrate)
      return warn(
        'pooler',
        `${text}, where instances that migrate at once may wait for each other for ever`,
        'DB_MIGRATE=false, and past the pooler: DB_HOST=… DB_PORT=5432 npm run cli -- db migrate',
      );
    return ok('pooler', text);
  });
}

/** Whether two connections that share a process may each prepare a statement of the same name. */
async function keepsStatements(clients: readonly pg.Client[]): Promise<boolean> {
  const name = `doctor ${randomUUID()}`;
  try {
    for (const client of clients) await client.query({ name, text: 'SELECT 1' });
    return true;
  } catch {
    await clients[0]?.query(`DEALLOCATE "${name}"`).catch(() => undefined);
    return false;
  }
}

/** A statement that nobody waits for any more must end, or a request that was answered 503 is carried out later. */
async function checkTimeouts(settings: DatabaseSettings, client: pg.Client): Promise<Finding[]> {
  const { rows } = await client.query<{ timeout: number }>(
    `SELECT setting::int AS timeout FROM pg_settings WHERE name = 'statement_timeout'`,
  );
  const timeout = rows[0]?.timeout ?? 0;
  if (timeout > 0 && timeout <= settings.statementTimeout) return [];
  return [
    fail(
      'pooler',
      `it drops DB_STATEMENT_TIMEOUT: what was answered 503 may be stored later (statement_timeout is ${timeout})`,
      await timeoutsOfRole(client, settings),
    ),
  ];
}

async function timeoutsOfRole(client: pg.Client, { statementTimeout }: DatabaseSettings): Promise<string> {
  const { rows } = await client.query<{ role: string }>('SELECT quote_ident(current_user) AS role');
  const set = (name: string): string =>
    `ALTER ROLE ${rows[0]?.role ?? '…'} SET ${name} = ${statementTimeout};`;
  return `in psql: ${set('statement_timeout')} ${set('idle_in_transaction_session_timeout')} then restart the pooler`;
}
