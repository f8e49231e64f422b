import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findBinaries } from '../src/quickstart/embedded-postgres/binaries.js';
import {
  deleteData,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../src/quickstart/embedded-postgres/embedded-postgres.js';
import { readPostmaster } from '../src/quickstart/embedded-postgres/postmaster.js';
import { until } from './support/service.js';

/** A program that says which version it is, and can do nothing else. */
function fakePostgres(folder: string, version: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'postgres'), `#!/bin/sh\necho "postgres (PostgreSQL) ${version}"\n`, {
    mode: 0o755,
  });
  writeFileSync(join(folder, 'initdb'), '');
  return folder;
}

describe('the embedded PostgreSQL', () => {
  let scratch: string;

  beforeEach(() => {
    scratch = mkdtempSync(join(tmpdir(), 'embedded test '));
  });
  afterEach(() => rmSync(scratch, { recursive: true, force: true }));

  const start = (dataDir: string): Promise<EmbeddedPostgres> =>
    startEmbeddedPostgres({
      dataDir,
      database: 'ledger',
      ephemeral: true,
      environment: { PATH: process.env['PATH'] }, // and no LANG
    });

  const clusterOf = (dataDir: string): string => join(dataDir, `pg${findBinaries({}).major}`);

  async function ask(url: string, question: string): Promise<unknown> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query<{ answer: unknown }>(`SELECT ${question} AS answer`);
    await client.end();
    return rows[0]?.answer;
  }

  it('serves UTF-8 through a socket that is closed to others, and nowhere else', async () => {
    const server = await start(scratch);
    try {
      expect(server.url).toBe(
        `postgres://postgres@localhost/ledger?host=${encodeURIComponent(server.socketDir)}&port=5432`,
      );
      expect(statSync(server.socketDir).mode & 0o777).toBe(0o700);
      expect(await ask(server.url, `current_setting('listen_addresses')`)).toBe('');
      expect(await ask(server.url, `current_setting('server_encoding')`)).toBe('UTF8');
      expect(await ask(server.url, `lower('ÄÉ')`)).toBe('äé');
      expect(await ask(server.url, `current_setting('server_version')`)).toBe(server.version);
    } finally {
      await server.stop();
    }
    expect(readPostmaster(clusterOf(scratch))).toBeUndefined();
    expect(existsSync(server.socketDir)).toBe(false);
  });

  it('is shared by all that start it on one folder, and stopped by the last to leave', async () => {
    const [one, two] = await Promise.all([start(scratch), start(scratch)]);
    expect(one.socketDir).toBe(two.socketDir);
    const { pid } = readPostmaster(clusterOf(scratch))!;
    await one.stop();
    const three = await start(scratch);
    expect(readPostmaster(clusterOf(scratch))?.pid).toBe(pid);
    await two.stop();
    expect(await ask(three.url, '1')).toBe(1);
    await three.stop();
    expect(readPostmaster(clusterOf(scratch))).toBeUndefined();
  });

  it('starts for one who comes while the last one leaves', async () => {
    const leaving = await start(scratch);
    const [coming] = await Promise.all([start(scratch), leaving.stop()]);
    expect(await ask(coming.url, '1')).toBe(1);
    await coming.stop();
  });

  it('comes up again after its process was killed, with what was committed', async () => {
    const server = await start(scratch);
    await ask(server.url, `pg_notify('x', '')`);
    const { pid } = readPostmaster(clusterOf(scratch))!;
    process.kill(pid, 'SIGKILL');
    await until(() => readPostmaster(clusterOf(scratch)) === undefined);
    const again = await start(scratch);
    expect(await ask(again.url, '1')).toBe(1);
    await again.stop();
    await server.stop(); // finds nothing to stop
  });

  it('keeps its data when it is deleted in use, and loses it otherwise', async () => {
    const dataDir = join(scratch, 'data');
    const server = await start(dataDir);
    expect(await deleteData(dataDir)).toBe(false);
    expect(await ask(server.url, '1')).toBe(1);
    await server.stop();
    expect(await deleteData(dataDir)).toBe(true);
    expect(existsSync(dataDir)).toBe(false);
    expect(await deleteData(dataDir)).toBe(true); // there is nothing to delete
  });

  it('says what the server said when it does not start', async () => {
    await (await start(scratch)).stop();
    writeFileSync(join(clusterOf(scratch), 'postgresql.conf'), 'no_such_setting = 1\n');
    await expect(start(scratch)).rejects.toThrow(/did not start:[^]*no_such_setting/);
  });

  describe('looks for its programs', () => {
    it('in PG_BIN first', () => {
      const folder = fakePostgres(join(scratch, 'bin'), '17.2');
      expect(findBinaries({ PG_BIN: folder })).toEqual({ folder, major: 17 });
    });

    it('elsewhere when those are too old', () => {
      const folder = fakePostgres(join(scratch, 'bin'), '14.9');
      const found = findBinaries({ PG_BIN: folder });
      expect(found.folder).not.toBe(folder);
      expect(found.major).toBeGreaterThanOrEqual(15);
    });
  });
});
