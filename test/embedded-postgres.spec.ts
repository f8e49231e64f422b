import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinaries } from '../src/quickstart/embedded-postgres/binaries.js';
import {
  deleteCluster,
  type EmbeddedPostgres,
  foreignClusters,
  startEmbeddedPostgres,
} from '../src/quickstart/embedded-postgres/embedded-postgres.js';
import { readPostmaster } from '../src/quickstart/embedded-postgres/postmaster.js';
import { rowsOf } from './support/connect.js';
import { until } from './support/until.js';

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
  const scratch = mkdtempSync(join(process.env['TEST_FOLDER']!, 'embedded test '));
  const programs = mkdtempSync(join(tmpdir(), 'programs ')); // which may not run from memory
  /** The tests may find a cluster here or none: whichever runs first creates it, because that takes seconds. */
  const usual = join(scratch, 'usual');

  afterAll(() => [scratch, programs].forEach((folder) => rmSync(folder, { recursive: true, force: true })));

  const start = (dataDir = usual): Promise<EmbeddedPostgres> =>
    startEmbeddedPostgres({
      dataDir,
      database: 'ledger',
      ephemeral: true,
      environment: { PATH: process.env['PATH'] }, // and no LANG
    });

  const clusterOf = (dataDir = usual): string => join(dataDir, `pg${findBinaries({}).major}`);

  async function ask(url: string, question: string): Promise<unknown> {
    return (await rowsOf<{ answer: unknown }>(url, `SELECT ${question} AS answer`))[0]?.answer;
  }

  it('serves UTF-8 through a socket that is closed to others, and nowhere else', async () => {
    const server = await start();
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
    expect(readPostmaster(clusterOf())).toBeUndefined();
    expect(existsSync(server.socketDir)).toBe(false);
  });

  it('is shared by all that start it on one folder, and stopped by the last to leave', async () => {
    const fresh = join(scratch, 'fresh');
    const [one, two] = await Promise.all([start(fresh), start(fresh)]);
    expect(one.socketDir).toBe(two.socketDir);
    const { pid } = readPostmaster(clusterOf(fresh))!;
    await one.stop();
    const three = await start(fresh);
    expect(readPostmaster(clusterOf(fresh))?.pid).toBe(pid);
    await two.stop();
    expect(await ask(three.url, '1')).toBe(1);
    await three.stop();
    expect(readPostmaster(clusterOf(fresh))).toBeUndefined();
  });

  it('starts for one who comes while the last one leaves', async () => {
    const leaving = await start();
    const [coming] = await Promise.all([start(), leaving.stop()]);
    expect(await ask(coming.url, '1')).toBe(1);
    await coming.stop();
  });

  it('comes up again after its process was killed, with what was committed', async () => {
    const server = await start();
    await ask(server.url, `pg_notify('x', '')`);
    const { pid } = readPostmaster(clusterOf())!;
    process.kill(pid, 'SIGKILL');
    await until(() => readPostmaster(clusterOf()) === undefined);
    const again = await start();
    expect(await ask(again.url, '1')).toBe(1);
    await again.stop();
    await server.stop(); // finds nothing to stop
  });

  it('refuses a link that somebody has put where its socket goes, and leaves alone what it leads to', async () => {
    const { socketDir, ...server } = await start();
    await server.stop();
    const target = mkdtempSync(join(scratch, 'target-'));
    const before = statSync(target);
    symlinkSync(target, socketDir);
    try {
      await expect(start()).rejects.toThrow(`${socketDir} is no folder that is closed to other users`);
      expect(statSync(target)).toEqual(before); // its owner, for example
    } finally {
      rmSync(socketDir);
    }
  });

  it('says what the server said when it does not start', async () => {
    await (await start()).stop();
    const file = join(clusterOf(), 'postgresql.conf');
    const settings = readFileSync(file);
    writeFileSync(file, 'no_such_setting = 1\n');
    await expect(start()).rejects.toThrow(/did not start:[^]*no_such_setting/);
    writeFileSync(file, settings);
  });

  it('keeps its data when it is deleted in use, and loses it otherwise, but never those of another version', async () => {
    const server = await start();
    const other = join(usual, 'pg14');
    writeFileSync(join(mkdirSync(other, { recursive: true }) ?? other, 'PG_VERSION'), '14\n');
    expect(await deleteCluster(usual, {})).toBe(false);
    expect(await ask(server.url, '1')).toBe(1);
    await server.stop();
    expect(foreignClusters(usual, {})).toEqual([]); // there is one of our own
    expect(await deleteCluster(usual, {})).toBe(true);
    expect(readdirSync(usual)).toEqual(['pg14']);
    expect(foreignClusters(usual, {})).toEqual([14]);
    rmSync(other, { recursive: true });
    expect(await deleteCluster(usual, {})).toBe(true); // there is nothing to delete
  });

  describe('looks for its programs', () => {
    it('in PG_BIN first', () => {
      const folder = fakePostgres(join(programs, 'new enough'), '17.2');
      expect(findBinaries({ PG_BIN: folder })).toEqual({ folder, major: 17 });
    });

    it('elsewhere when those are too old', () => {
      const folder = fakePostgres(join(programs, 'too old'), '14.9');
      const found = findBinaries({ PG_BIN: folder });
      expect(found.folder).not.toBe(folder);
      expect(found.major).toBeGreaterThanOrEqual(15);
    });
  });
});
