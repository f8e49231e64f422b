import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import pg from 'pg';
import type { Role } from '../../src/common/access/caller.js';
import { createApp } from '../../src/app.js';
import { Tokens } from '../../src/auth/tokens.js';
import type { Settings } from '../../src/config/env.js';
import { Connections } from '../../src/database/connections.js';
import { Database } from '../../src/database/database.js';
import { Client } from './client.js';
import { createDatabase } from './database.js';
import { opened } from './opened.js';
import { testSettings } from './settings.js';
import { until } from './until.js';

/** A well-formed hash of no password: most tests need an account, and no sign-in. */
const UNUSED_HASH = `$2b$10$${'.'.repeat(53)}`;

/** An account, and a client with its token. */
export interface Account extends Client {
  readonly id: string;
  readonly username: string;
}

let accounts = 0;

/** The real application on a port of its own, whether or not its database is there. */
export class Service {
  readonly anonymous: Client;
  private readonly pool: pg.Pool;
  #stopped: Promise<void> | undefined;

  private constructor(
    readonly app: NestFastifyApplication,
    readonly settings: Settings,
    readonly url: string,
  ) {
    this.anonymous = new Client(url);
    opened(() => this.stop());
    // A Citus coordinator with another style would pass times on to workers without it.
    const connectionString = settings.database.url;
    this.pool = new pg.Pool({ connectionString, max: 4, options: '-c datestyle=ISO' });
    const ignore = (): void => undefined; // a test may end every connection
    this.pool.on('error', ignore).on('connect', (client) => client.on('error', ignore));
  }

  static async at(databaseUrl: string, env: Record<string, string> = {}): Promise<Service> {
    const settings = testSettings(databaseUrl, env);
    const app = await createApp(settings);
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.getHttpServer().address() as { port: number };
    return new Service(app, settings, `http://127.0.0.1:${port}`);
  }

  get isReady(): boolean {
    return this.app.get(Database).ready;
  }

  async ready(): Promise<this> {
    await until(() => this.isReady);
    return this;
  }

  /** However short DB_ACQUIRE_TIMEOUT is: a busy machine may take long to open a connection. */
  patient(): this {
    const { pool, authentication } = this.app.get(Connections);
    for (const { options } of [pool, authentication]) options.connectionTimeoutMillis = 30_000;
    return this;
  }

  /** A client with a valid token of this id, whether or not the account exists. */
  caller(id = '1', role: Role = 'USER'): Client {
    return new Client(this.url, this.app.get(Tokens).issue({ id, role }));
  }

  /** A new account, inserted past the service. */
  async account(role: Role = 'USER'): Promise<Account> {
    const username = `user-${process.pid}-${++accounts}`;
    const [row] = await this.sql<{ id: string }>(
      'INSERT INTO users (email, username, password_hash, role) VALUES ($1, $2, $3, $4) RETURNING id',
      [`${username}@example.com`, username, UNUSED_HASH, role],
    );
    const { id } = row!;
    return Object.assign(this.caller(id, role), { id, username });
  }

  /** A statement past the service. The pool itself would end the connection of one that fails. */
  readonly sql = async <Row extends pg.QueryResultRow = pg.QueryResultRow>(
    text: string,
    values: unknown[] = [],
  ): Promise<Row[]> => {
    const client = await this.pool.connect();
    return (await client.query<Row>(text, values).finally(() => client.release())).rows;
  };

  /** Stops it, once. */
  stop(close = (): Promise<void> => this.app.close()): Promise<void> {
    return (this.#stopped ??= close().then(() => this.pool.end()));
  }
}

/** The service, ready, by default on a new database. */
export async function startService(env: Record<string, string> = {}, databaseUrl?: string): Promise<Service> {
  const service = await Service.at(databaseUrl ?? (await createDatabase()), env);
  return service.ready();
}
