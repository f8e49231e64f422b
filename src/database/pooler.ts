import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { DatabaseSettings } from '../config/env.js';
import { connectionOptions, openClient } from './data-source.js';

/** How to mend it that a pooler refuses or forgets what a connection is opened with. */
export const STARTUP_PARAMETERS_REMEDY = 'DB_STARTUP_PARAMETERS=false';
export const PREPARED_STATEMENTS_REMEDY =
  'DB_PREPARED_STATEMENTS=false, or PgBouncer 1.21 or newer with max_prepared_statements = 200';

/** How often two connections are compared: under load each turn may be another session's by chance. */
const ROUNDS = 4;

/** What stands between here and PostgreSQL, and shares its connections out. */
export interface Pooler {
  /** A connection keeps its process to itself, or leaves it to the next after each transaction. */
  readonly mode: 'session' | 'transaction';
  /** Whether a statement that was prepared is there in the next transaction. */
  readonly keepsStatements: boolean;
}

/** Whether somebody between here and PostgreSQL shares out its connections: the number that it gave is then its own. */
export async function isPooled(client: pg.ClientBase): Promise<boolean> {
  return (client as unknown as { processID: number }).processID !== (await processOf(client));
}

/** What the pooler is like that the connection leads to. */
export async function lookAtPooler(first: pg.ClientBase, settings: DatabaseSettings): Promise<Pooler> {
  const second = await openClient(connectionOptions(settings));
  try {
    if (await keepProcesses(first, second)) return { mode: 'session', keepsStatements: true };
    return { mode: 'transaction', keepsStatements: await renamesStatements(second) };
  } finally {
    await second.end().catch(() => undefined);
  }
}

async function keepProcesses(first: pg.ClientBase, second: pg.ClientBase): Promise<boolean> {
  const seen = [new Set<number>(), new Set<number>()];
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, client] of [first, second].entries()) seen[index]?.add(await processOf(client));
  return seen.every(({ size }) => size === 1) && new Set(seen.flatMap((set) => [...set])).size === 2;
}

/** The number of the process of PostgreSQL that serves the connection just now. */
async function processOf(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}

/** A pooler that keeps account of prepared statements gives them names of its own. */
async function renamesStatements(client: pg.Client): Promise<boolean> {
  const name = `pooler ${randomUUID()}`;
  await client.query('BEGIN');
  try {
    await client.query({ name, text: 'SELECT 1' });
    const { rowCount } = await client.query('SELECT FROM pg_prepared_statements WHERE name = $1', [name]);
    if (rowCount === 0) return true;
    await client.query(`DEALLOCATE "${name}"`);
    return false;
  } finally {
    await client.query('COMMIT');
  }
}
