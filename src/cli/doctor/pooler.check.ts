import type pg from 'pg';
import type { DatabaseSettings } from '../../config/env.js';
import { fail, type Finding, ok, warn } from './finding.js';
import type { ServerConnection } from './server-connection.js';

const MODE = 'DB_POOLER=session or DB_POOLER=transaction, as its pool_mode is';

/** Whether DB_POOLER says what stands before PostgreSQL. Nothing where nothing does. */
export async function checkPooler(
  { pooler }: DatabaseSettings,
  { client, refusal }: ServerConnection,
): Promise<Finding[]> {
  if (refusal !== undefined) return [fail('pooler', `it refuses the service: ${refusal}`, MODE)];
  const isPooled = await hasPooler(client);
  if (pooler === 'none')
    return isPooled
      ? [fail('pooler', 'one stands before PostgreSQL: a write answered with 503 may be stored later', MODE)]
      : [];
  if (!isPooled)
    return [warn('pooler', `DB_POOLER is ${pooler}, but no pooler was found`, 'take DB_POOLER out')];
  const room =
    pooler === 'session'
      ? 'its pool must hold DB_POOL_SIZE + 2 connections for each instance'
      : 'a request waits where its pool is smaller than DB_POOL_SIZE of all instances';
  return [ok('pooler', `in ${pooler} mode, says DB_POOLER: ${room}`)];
}

/** A pooler gives each connection a process number of its own, which is none of PostgreSQL's. */
async function hasPooler(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return (client as unknown as { processID: number }).processID !== rows[0]?.pid;
}
