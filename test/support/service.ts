import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import pg from 'pg';
import type { Role } from '../../src/access/role.js';
import { Tokens } from '../../src/auth/tokens.js';
import type { Settings } from '../../src/config/env.js';
import { Client } from './client.js';
import { createDatabase } from './database.js';
import { Launched } from './launched.js';
import { opened } from './opened.js';

/** A hash in the right form of a password that nobody knows: most tests need an account, and no sign-in. */
const UNUSED_HASH = `$2b$10$${'.'.repeat(53)}`;

/** An account, and a client with its token. */
export interface Account extends Client {
  readonly id: string;
  readonly username: string;
}

export interface Service {
  readonly app: NestFastifyApplication;
  readonly settings: Settings;
  readonly url: string;
  readonly anonymous: Client;
  /** A new account, made in the database itself. */
  account(role?: Role): Promise<Account>;
  /** A statement past the service, on a connection of its own. */
  sql<Row extends pg.QueryResultRow = pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  stop(): Promise<void>;
}

/** The real application on a port and a database of its own. `env` holds further variables of its environment. */
export async function startService(env: Record<string, string> = {}, databaseUrl?: string): Promise<Service> {
  const url = databaseUrl ?? (await createDatabase());
  const launched = await Launched.at(url, env);
  const { app, settings, anonymous } = launched;
  // A server that has been told otherwise passes times on to others, which have not.
  const pool = new pg.Pool({ connectionString: url, max: 4, options: '-c datestyle=ISO' });
  const stop = opened(async () => {
    await launched.stop();
    await pool.end();
  });
  await launched.ready();
  pool.on('error', () => undefined); // a test may end every connection, this one's too
  const sql = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> =>
    (await pool.query<Row>(text, values)).rows;
  return {
    app,
    settings,
    url: anonymous.url,
    anonymous,
    sql,
    account: (role = 'USER') => createAccount(app, anonymous.url, sql, role),
    stop,
  };
}

let accounts = 0;

async function createAccount(
  app: NestFastifyApplication,
  url: string,
  sql: Service['sql'],
  role: Role,
): Promise<Account> {
  const username = `user-${process.pid}-${++accounts}`;
  const [row] = await sql<{ id: string }>(
    'INSERT INTO users (email, username, password_hash, role) VALUES ($1, $2, $3, $4) RETURNING id',
    [`${username}@example.com`, username, UNUSED_HASH, role],
  );
  const id = row!.id;
  return Object.assign(new Client(url, app.get(Tokens).issue({ id, role })), { id, username });
}
