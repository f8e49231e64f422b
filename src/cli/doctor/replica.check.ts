import type { DatabaseSettings } from '../../config/env.js';
import { connectionOptions, openClient } from '../../database/data-source.js';
import { type WalPosition, WAL_POSITION } from '../../database/replica.js';
import { databaseTrouble } from '../database-trouble.js';
import { type Finding, ok, warn } from './finding.js';

const REMEDY = 'correct DB_READ_URL, or mend what it leads to; until then the primary answers in its place';

/** Whether what DB_READ_URL leads to can answer what may lag. Without it the service works as well. */
export async function checkReplica(settings: DatabaseSettings): Promise<Finding[]> {
  const { readUrl: url } = settings;
  if (url === undefined) return [];
  const primary = await walPositionOf(settings).catch(() => undefined); // the other checks tell why
  try {
    const { standby, database, bytes } = await walPositionOf({ ...settings, url });
    if (!standby) return [warn('replica', 'DB_READ_URL leads to no standby', REMEDY)];
    if (primary === undefined) return [ok('replica', 'a standby')];
    if (database !== primary.database)
      return [warn('replica', 'DB_READ_URL leads to a standby of another database', REMEDY)];
    const behind = Math.max(0, Math.ceil((primary.bytes - bytes) / 1024));
    return [ok('replica', behind === 0 ? 'a standby, up to date' : `a standby, ${behind} kB behind`)];
  } catch (error) {
    return [warn('replica', databaseTrouble(error)?.said ?? (error as Error).message, REMEDY)];
  }
}

async function walPositionOf(settings: DatabaseSettings): Promise<WalPosition> {
  const application_name = 'property-finance doctor';
  const client = await openClient({ ...connectionOptions(settings), application_name });
  try {
    const [position] = (await client.query<WalPosition>(WAL_POSITION)).rows as [WalPosition];
    return position;
  } finally {
    await client.end().catch(() => undefined);
  }
}
