import { spawnSync } from 'node:child_process';
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
  const command = 'kill -s "$0" "$1" $(pgrep -P "$1")';
  spawnSync('/bin/sh', ['-c', command, signal.replace('SIG', ''), String(postmaster)]);
}
