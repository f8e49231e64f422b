import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/quickstart/embedded-postgres/embedded-postgres.js';

import { opened } from './opened.js';

/** A PostgreSQL server for one test alone, which may be stopped, started again and set up as it likes. */
export class OwnServer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'property-finance-server-'));
  #running: EmbeddedPostgres | undefined;

  /** Its URL, the same after each start. */
  url = '';

  static async start(): Promise<OwnServer> {
    const server = new OwnServer();
    await server.start();
    return server;
  }

  /** A standby on a copy of the data of this one, which has to be stopped. It follows nobody. */
  async standby(): Promise<OwnServer> {
    const server = new OwnServer();
    execFileSync('cp', ['-a', `${this.#folder}/.`, server.#folder]); // with the user whom the files belong to
    const data = readdirSync(server.#folder).find((name) => /^pg\d+$/.test(name)) ?? '';
    writeFileSync(join(server.#folder, data, 'standby.signal'), '');
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    this.#running = await startEmbeddedPostgres({
      dataDir: this.#folder,
      database: 'ledger',
      ephemeral: true,
      environment: process.env,
    });
    this.url = this.#running.url;
  }

  async stop(): Promise<void> {
    await this.#running?.stop();
    this.#running = undefined;
  }

  /** Stops it and deletes what it has stored. */
  readonly remove = opened(async () => {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  });
}
