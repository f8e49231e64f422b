import pg from 'pg';
import { opened } from './opened.js';

/** A connection beside the service's own, ended after the test. */
export async function openConnection(connectionString: string): Promise<pg.Client> {
  const client = await connect(connectionString);
  opened(() => client.end());
  return client;
}

/** Works on a connection, and ends it. */
export async function withConnection<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connect(url);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The rows of one statement. */
export async function rowsOf<Row extends pg.QueryResultRow = pg.QueryResultRow>(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  return withConnection(url, async (client) => (await client.query<Row>(text, [...values])).rows);
}

/** A lost connection fails its statement, and also emits an error that without a listener ends the process. */
async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString }).on('error', () => undefined);
  await client.connect();
  return client;
}
