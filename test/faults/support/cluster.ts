import { readdirSync } from 'node:fs';
import { parentOf } from '../../../bench/processes.js';
import { PostgresServer, type ServerOptions } from '../../support/postgres-server.js';
import { until } from '../../support/until.js';

export const ROLE = 'property_finance';

/** A PostgreSQL server as in production, to be broken. */
export class Cluster extends PostgresServer {
  static override async start(options: ServerOptions): Promise<Cluster> {
    return new Cluster({ durable: true, role: ROLE, ...options }).prepared();
  }

  /** To every process of the server. */
  signalAll(signal: NodeJS.Signals): void {
    if (this.postmaster !== undefined) signalServer(this.postmaster, signal);
  }

  /** Waits until the server has ended. */
  async gone(): Promise<void> {
    await until(() => this.postmaster === undefined);
  }
}

/** The postmaster comes first: it must not see its children go. */
export function signalServer(postmaster: number, signal: NodeJS.Signals): void {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = processes.map(Number).filter((pid) => parentOf(pid) === postmaster);
  for (const pid of [postmaster, ...children]) {
    try {
      process.kill(pid, signal);
    } catch {
      // it has ended by itself
    }
  }
}
