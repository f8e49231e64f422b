import pg from 'pg';
import type { DatabaseSettings } from '../../config/env.js';
import { connectionOptions } from '../../database/data-source.js';

/** A connection of the doctor, opened as the service opens its own. */
export interface ServerConnection {
  readonly client: pg.Client;
  /** What a pooler between here and PostgreSQL has said to the service's own way of connecting, if it refused it. */
  readonly refusal: string | undefined;
}

/** Of PgBouncer (src/client.c); PostgreSQL itself takes any. */
const REFUSED_PARAMETER = 'unsupported startup parameter';

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
  const options = { ...connectionOptions(settings), application_name: 'property-finance doctor' };
  try {
    return { client: await opened(options), refusal: undefined };
  } catch (error) {
    const { message } = error as Error;
    if (!message.includes(REFUSED_PARAMETER)) throw error;
    const { connectionString, connectionTimeoutMillis, query_timeout } = options;
    return {
      client: await opened({ connectionString, connectionTimeoutMillis, query_timeout }),
      refusal: message,
    };
  }
}

async function opened(options: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(options);
  client.on('error', () => undefined); // it shows at the query
  await client.connect();
  return client;
}

/** Whether somebody between here and PostgreSQL shares out its connections: the number that it gave is then its own. */
export async function isPooled(client: pg.Client): Promise<boolean> {
  return (client as unknown as { processID: number }).processID !== (await backendOf(client));
}

/** The number of the process of PostgreSQL that serves the connection just now. */
export async function backendOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}
