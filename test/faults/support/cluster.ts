import { readdirSync } from 'node:fs';
import { parentOf } from '../../../bench/processes.js';
import { PostgresServer, type ServerOptions } from '../../support/postgres-server.js';
import { until } from '../../support/until.js';

const ROLE = 'property_finance';
const RETURN_WITHIN = 60_000;

/** A PostgreSQL server as in production, to be hurt in every way. */
export class Cluster extends PostgresServer {
  static override async start(options: ServerOptions): Promise<Cluster> {
    return new Cluster({ durable: true, role: ROLE, ...options }).prepared();
  }

  /** The connections of the service's pool, as PostgreSQL counts them. */
  async poolConnections(): Promise<number[]> {
    const rows = await this.sql<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'property-finance'`,
    );
    return rows.map(({ pid }) => pid);
  }

  /** To the postmaster alone. */
  signal(signal: NodeJS.Signals): void {
    if (this.postmaster !== undefined) process.kill(this.postmaster, signal);
  }

  /** To every process of the server. */
  signalAll(signal: NodeJS.Signals): void {
    if (this.postmaster !== undefined) signalServer(this.postmaster, signal);
  }

  /** Waits until the server has ended. */
  async gone(): Promise<void> {
    await until(() => this.postmaster === undefined, RETURN_WITHIN);
  }

  /** Waits until it takes connections, when it restarts by itself. */
  async returned(): Promise<void> {
    await until(() => this.sql('SELECT').then(Boolean, () => false), RETURN_WITHIN);
  }
}

/** To every process of the server, the postmaster first: it must not see its children go. */
export function signalServer(postmaster: number, signal: NodeJS.Signals): void {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = processes.map(Number).filter((pid) => parentOf(pid) === postmaster);
  for (const pid of [postmaster, ...children]) send(pid, signal);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it has gone by itself
  }
}
