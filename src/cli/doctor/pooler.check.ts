import type { DatabaseSettings } from '../../config/env.js';
import {
  isPooled,
  lookAtPooler,
  PREPARED_STATEMENTS_REMEDY,
  STARTUP_PARAMETERS_REMEDY,
} from '../../database/pooler.js';
import { fail, type Finding, ok, warn } from './finding.js';
import type { ServerConnection } from './server-connection.js';

/** Whether a pooler stands before PostgreSQL, and what of the service does not get through it. */
export async function checkPooler(
  settings: DatabaseSettings,
  { client, refusal }: ServerConnection,
): Promise<Finding[]> {
  if (refusal !== undefined)
    return [fail('pooler', `PgBouncer refuses the service: ${refusal}`, STARTUP_PARAMETERS_REMEDY)];
  if (!(await isPooled(client))) return [];
  if (settings.startupParameters)
    return [
      fail(
        'pooler',
        'one stands before PostgreSQL, and keeps the timeouts from it: what was answered 503 could be stored later',
        STARTUP_PARAMETERS_REMEDY,
      ),
    ];
  const { mode, keepsStatements } = await lookAtPooler(client, settings);
  if (settings.preparedStatements && !keepsStatements)
    return [
      warn(
        'pooler',
        `in ${mode} mode, and prepared statements are lost: the service goes on without`,
        PREPARED_STATEMENTS_REMEDY,
      ),
    ];
  const room =
    mode === 'session'
      ? 'its pool must hold DB_POOL_SIZE + 1 connections for each instance'
      : 'a request waits where its pool is smaller than DB_POOL_SIZE of all instances';
  return [ok('pooler', `in ${mode} mode: ${room}`)];
}
