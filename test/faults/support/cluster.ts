import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { parentOf } from '../../../bench/processes.js';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../src/quickstart/embedded-postgres/embedded-postgres.js';
import { readPostmaster } from '../../../src/quickstart/embedded-postgres/postmaster.js';

const DATABASE = 'ledger';
/** An ordinary role, as in production: what PostgreSQL reserves for superusers is not for the service. */
const ROLE = 'property_finance';
const RETURN_WITHIN = 60_000;
const PAUSE = 20;

/** A PostgreSQL server with everything about durability at its defaults, to be hurt in every way. */
export class Cluster {
  private server: EmbeddedPostgres | undefined;

  private constructor(
    private readonly folder: string,
    private readonly environment: NodeJS.ProcessEnv,
  ) {}

  /** `settings` go to ALTER SYSTEM. */
  static async start(
    folder: string,
    environment: NodeJS.ProcessEnv,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<Cluster> {
    const cluster = new Cluster(folder, environment);
    await cluster.launch();
    await cluster.sql(`CREATE ROLE ${ROLE} LOGIN`);
    await cluster.sql(`ALTER DATABASE ${DATABASE} OWNER TO ${ROLE}`);
    for (const [name, value] of Object.entries(settings))
      await cluster.sql(`ALTER SYSTEM SET ${name} = '${value}'`);
    if (Object.keys(settings).length > 0) {
      await cluster.stop();
      await cluster.launch(); // some are read at the start only
    }
    return cluster;
  }

  /** As the service connects. */
  get url(): string {
    const url = new URL(this.adminUrl);
    url.username = ROLE;
    return url.href;
  }

  get adminUrl(): string {
    return this.server?.url ?? '';
  }

  get version(): string {
    return this.server?.version ?? '';
  }

  /** Starts it again after it was stopped or killed, and waits until it takes connections. */
  async launch(): Promise<void> {
    const { folder, environment } = this;
    this.server = await startEmbeddedPostgres({ dataDir: folder, database: DATABASE, environment });
  }

  async stop(): Promise<void> {
    await this.server?.stop();
  }

  /** A statement of the superuser, on a connection of its own. */
  sql = async <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> => {
    const client = await this.connect();
    try {
      return (await client.query(text, [...values])).rows as Row[];
    } finally {
      await client.end();
    }
  };

  /** A connection of the superuser. */
  async connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.adminUrl, application_name: 'fault protocol' });
    client.on('error', () => undefined); // it also fails the statement
    await client.connect();
    return client;
  }

  /** The connections of the service's pool, as PostgreSQL counts them. */
  async poolConnections(): Promise<number[]> {
    const rows = await this.sql<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'property-finance'`,
    );
    return rows.map(({ pid }) => pid);
  }

  get postmaster(): number | undefined {
    return readPostmaster(this.data)?.pid;
  }

  /** From its next start on, until it is promoted. */
  becomeStandby(): void {
    writeFileSync(join(this.data, 'standby.signal'), '');
  }

  private get data(): string {
    const name = readdirSync(this.folder).find((entry) => /^pg\d+$/.test(entry)) ?? '';
    return join(this.folder, name);
  }

  /** To the postmaster alone. */
  signal(signal: NodeJS.Signals): void {
    if (this.postmaster !== undefined) process.kill(this.postmaster, signal);
  }

  /** To every process of the server, the postmaster first: it must not see its children go. */
  signalAll(signal: NodeJS.Signals): void {
    const { postmaster } = this;
    if (postmaster === undefined) return;
    const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    const children = processes.map(Number).filter((pid) => parentOf(pid) === postmaster);
    for (const pid of [postmaster, ...children]) send(pid, signal);
  }

  /** Waits until the server has ended. */
  async gone(): Promise<void> {
    for (const deadline = Date.now() + RETURN_WITHIN; this.postmaster !== undefined;) {
      if (Date.now() > deadline) throw new Error('PostgreSQL does not end');
      await sleep(PAUSE);
    }
  }

  /** Waits until it takes connections, when it restarts by itself. */
  async returned(): Promise<void> {
    for (const deadline = Date.now() + RETURN_WITHIN; ;) {
      const up = await this.sql('SELECT').then(
        () => true,
        () => false,
      );
      if (up) return;
      if (Date.now() > deadline) throw new Error('PostgreSQL does not come back');
      await sleep(PAUSE);
    }
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it has gone by itself
  }
}
