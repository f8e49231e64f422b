import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/quickstart/embedded-postgres/embedded-postgres.js';
import { SUPERUSER } from '../../src/quickstart/embedded-postgres/cluster.js';
import { PORT, readPostmaster } from '../../src/quickstart/embedded-postgres/postmaster.js';
import { rowsOf } from './connect.js';
import { opened } from './opened.js';

const DATABASE = 'ledger';

export interface ServerOptions {
  /** The parent of its folder. */
  readonly within?: string;
  /** A folder that stays, in place of one that goes with the server. */
  readonly keep?: string | undefined;
  /** An ordinary role that owns the database, as in production. */
  readonly role?: string;
  /** PostgreSQL's defaults, in place of settings that could lose data in a power cut. */
  readonly durable?: boolean;
  /** For ALTER SYSTEM. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A PostgreSQL server of a test run, of one test, of a fault protocol or of the benchmark. */
export class PostgresServer {
  readonly folder: string;
  /** Once it has been started. */
  server!: EmbeddedPostgres;

  protected constructor(private readonly options: ServerOptions) {
    const { keep, within = process.env['TEST_FOLDER'] ?? tmpdir() } = options;
    this.folder = keep ?? mkdtempSync(join(within, 'property-finance-server-'));
    if (keep !== undefined) return;
    chmodSync(this.folder, 0o755); // PostgreSQL may run as another user
    const made = process.env['TEST_PGDATA'];
    if (made !== undefined) execFileSync('cp', ['-a', made, this.folder]); // initdb takes a second
  }

  static async start(options: ServerOptions = {}): Promise<PostgresServer> {
    return new PostgresServer(options).prepared();
  }

  /** The first start. */
  protected async prepared(): Promise<this> {
    const { role, settings = {} } = this.options;
    await this.start();
    if (role !== undefined) {
      await this.sql(`CREATE ROLE ${role} LOGIN`);
      await this.sql(`ALTER DATABASE ${DATABASE} OWNER TO ${role}`);
    }
    for (const [name, value] of Object.entries(settings))
      await this.sql(`ALTER SYSTEM SET ${name} = '${value}'`);
    if (Object.keys(settings).length > 0) {
      await this.stop();
      await this.start(); // some settings are read at the start only
    }
    return this;
  }

  /** For the service; the same after each start. */
  get url(): string {
    const url = new URL(this.adminUrl);
    url.username = this.options.role ?? url.username;
    return url.href;
  }

  get adminUrl(): string {
    return this.server.url;
  }

  get postmaster(): number | undefined {
    return readPostmaster(this.data)?.pid;
  }

  /** The folder of the cluster. */
  get data(): string {
    const name = readdirSync(this.folder).find((entry) => /^pg\d+$/.test(entry)) ?? '';
    return join(this.folder, name);
  }

  /** Starts it, also after a stop or a crash, and waits until it takes connections. */
  async start(): Promise<void> {
    const ephemeral = this.options.durable !== true;
    const options = { dataDir: this.folder, database: DATABASE, ephemeral, trusting: true };
    this.server = await startEmbeddedPostgres({ ...options, environment: process.env });
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }

  /** Stops it, and deletes its folder unless that is kept. */
  readonly remove = opened(async () => {
    await this.stop();
    if (this.options.keep === undefined) rmSync(this.folder, { recursive: true, force: true });
  });

  /** A statement of the superuser. */
  readonly sql = async <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    (await rowsOf(this.adminUrl, text, values)) as Row[];

  /** A standby of this server, which is stopped while its files are copied. */
  async follower(name: string): Promise<PostgresServer> {
    await this.sql(`ALTER SYSTEM SET wal_keep_size = '256MB'`);
    await this.stop();
    const server = new PostgresServer(this.options);
    execFileSync('cp', ['-a', this.data, server.folder]); // with the owner of the files
    await this.start();
    const source = `host=${this.server.socketDir} port=${PORT} user=${SUPERUSER} application_name=${name}`;
    appendFileSync(join(server.data, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
    writeFileSync(join(server.data, 'standby.signal'), '');
    await server.start();
    return server;
  }
}
