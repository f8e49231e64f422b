import type pg from 'pg';
import type { DatabaseSettings } from '../../config/env.js';
import { connectionOptions, openClient } from '../../database/data-source.js';
import { unavailability } from '../../database/errors.js';

/** A connection of the doctor, opened as the service opens its own. */
export interface ServerConnection {
  readonly client: pg.Client;
  /** What a pooler between here and PostgreSQL has said to the service's own way of connecting, if it refused it. */
  readonly refusal: string | undefined;
}

/** Does the work on a connection, and closes that. Throws what kept it from being opened. */
export async function withConnection<T>(
  settings: DatabaseSettings,
  work: (connection: ServerConnection) => Promise<T>,
): Promise<T> {
  const connection = await connect(settings);
  try {
    return await work(connection);
  } finally {
    await connection.client.end().catch(() => undefined);
  }
}

async function connect(settings: DatabaseSettings): Promise<ServerConnection> {
  const application_name = 'property-finance doctor';
  try {
    const client = await openClient({ ...connectionOptions(settings), application_name });
    return { client, refusal: undefined };
  } catch (error) {
    if (unavailability(error) !== 'startup-parameters') throw error;
    const { url, acquireTimeout, statementTimeout } = settings;
    const options = connectionOptions({ url, acquireTimeout, statementTimeout, pooler: 'session' });
    const bare = { ...options, application_name };
    return { client: await openClient(bare), refusal: (error as Error).message };
  }
}
