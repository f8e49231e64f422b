import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinaries } from '../src/quickstart/embedded-postgres/binaries.js';
import {
  deleteCluster,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../src/quickstart/embedded-postgres/embedded-postgres.js';
import { readPostmaster } from '../src/quickstart/embedded-postgres/postmaster.js';
import { rowsOf } from './support/connect.js';
import { until } from './support/until.js';

describe('the embedded PostgreSQL', () => {
  const scratch = fs.mkdtempSync(join(process.env['TEST_FOLDER']!, 'embedded test '));
  const programs = fs.mkdtempSync(join(tmpdir(), 'programs ')); // which may not run from memory
  /** Made by the first test that starts it, because that takes seconds. */
  const usual = join(scratch, 'usual');
  const cluster = join(usual, `pg${findBinaries({}).major}`);

  afterAll(() => [scratch, programs].forEach((folder) => fs.rmSync(folder, { recursive: true })));

  const start = (): Promise<EmbeddedPostgres> =>
    startEmbeddedPostgres({
      dataDir: usual,
      database: 'ledger',
      ephemeral: true,
      environment: { PATH: process.env['PATH'] }, // and no LANG
    });
  const ask = async (url: string, question: string): Promise<unknown> =>
    (await rowsOf<{ result: unknown }>(url, `SELECT ${question} AS result`))[0]?.result;

  it('is made once by two processes that start it at once, and stopped by the last to leave', async () => {
    const [one, two] = await Promise.all([start(), start()]);
    expect(one.socketDir).toBe(two.socketDir);
    const { pid } = readPostmaster(cluster)!;
    await one.stop();
    const three = await start();
    expect(readPostmaster(cluster)?.pid).toBe(pid);
    await two.stop();
    expect(await ask(three.url, '1')).toBe(1);
    await three.stop();
    expect(readPostmaster(cluster)).toBeUndefined();
    expect(fs.existsSync(one.socketDir)).toBe(false);
  });

  it('serves UTF-8 on a socket that is closed to other users, and nowhere else', async () => {
    const server = await start();
    const { socketDir, url } = server;
    const { username, pathname, searchParams } = new URL(url);
    expect([username, pathname, searchParams.get('host')]).toEqual(['postgres', '/ledger', socketDir]);
    const modes = [socketDir, join(socketDir, '.s.PGSQL.5432'), cluster].map(
      (path) => fs.statSync(path).mode,
    );
    expect(modes.map((mode) => mode & 0o777)).toEqual([0o700, 0o700, 0o700]);
    expect(await ask(url, `current_setting('listen_addresses')`)).toBe('');
    expect(await ask(url, `current_setting('server_encoding')`)).toBe('UTF8');
    expect(await ask(url, `lower('ÄÉ')`)).toBe('äé');
    expect(await ask(url, `current_setting('server_version')`)).toBe(server.version);
    await server.stop();
  });

  it('lets in who knows the password in a file of its owner, and nobody else', async () => {
    const { url, ...server } = await start();
    const file = `${cluster}.password`;
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(new URL(url).password).toBe(fs.readFileSync(file, 'utf8'));
    await expect(ask(Object.assign(new URL(url), { password: 'another' }).href, '1')).rejects.toMatchObject({
      code: '28P01',
    });
    await server.stop();
  });

  it('starts for a process that comes while the last one leaves', async () => {
    const leaving = await start();
    const [coming] = await Promise.all([start(), leaving.stop()]);
    expect(await ask(coming.url, '1')).toBe(1);
    await coming.stop();
  });

  it('starts again after its process was killed', async () => {
    const server = await start();
    process.kill(readPostmaster(cluster)!.pid, 'SIGKILL');
    await until(() => readPostmaster(cluster) === undefined);
    const again = await start();
    expect(await ask(again.url, '1')).toBe(1);
    await again.stop();
    await server.stop(); // finds nothing to stop
  });

  it('refuses a link in the place of its socket, and leaves the target alone, and an open folder', async () => {
    const { socketDir, ...server } = await start();
    await server.stop();
    const refusal = `${socketDir} must be a folder that is closed to other users`;
    const target = fs.mkdtempSync(join(scratch, 'target-'));
    const before = fs.statSync(target);
    fs.symlinkSync(target, socketDir);
    await expect(start()).rejects.toThrow(refusal);
    expect(fs.statSync(target)).toEqual(before);
    fs.rmSync(socketDir);
    for (const mode of [0o701, 0o710]) {
      fs.mkdirSync(socketDir);
      fs.chmodSync(socketDir, mode);
      await expect(start()).rejects.toThrow(refusal);
      fs.rmdirSync(socketDir);
    }
  });

  it.each([
    ['is missing', join(scratch, 'missing')],
    ['is too long for a socket', join(scratch, 'x'.repeat(130))],
  ])('has its socket in /tmp where TMPDIR %s', async (_, folder) => {
    const before = process.env['TMPDIR'];
    if (folder.includes('xxx')) fs.mkdirSync(folder);
    process.env['TMPDIR'] = folder;
    const { socketDir, ...server } = await start();
    await server.stop();
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    expect(socketDir).toMatch(/^\/tmp\/pg-\w{12}$/);
    expect(fs.existsSync(join(scratch, 'missing'))).toBe(false);
  });

  it('reports the words of a server that does not start', async () => {
    await (await start()).stop();
    const file = join(cluster, 'postgresql.conf');
    const settings = fs.readFileSync(file);
    fs.writeFileSync(file, 'no_such_setting = 1\n');
    await expect(start()).rejects.toThrow(/did not start:[^]*no_such_setting/);
    fs.writeFileSync(file, settings);
  });

  it("keeps the terminal's Ctrl-C from initdb: no other PostgreSQL takes its place, and none is left half made", async () => {
    const groups = join(programs, 'groups');
    const script = `#!/bin/sh\nps -o pgid= -p $$ >> '${groups}'\n[ $# -gt 1 ] || echo "initdb (PostgreSQL) 17.2"\n`;
    fs.writeFileSync(join(programs, 'initdb'), script, { mode: 0o755 });
    const environment = { PATH: process.env['PATH'], PG_BIN: programs };
    const options = { dataDir: join(scratch, 'interrupted'), database: 'ledger', environment };
    await expect(startEmbeddedPostgres(options)).rejects.toThrow();
    const own = execFileSync('ps', ['-o', 'pgid=', '-p', `${process.pid}`], { encoding: 'utf8' });
    const lines = fs.readFileSync(groups, 'utf8').trim().split('\n');
    expect(lines).toHaveLength(2); // asked for its version, then to make the cluster
    expect(lines.map(Number)).not.toContain(Number(own));
  });

  it('is deleted unless it is in use, and the data of another version never are', async () => {
    const server = await start();
    fs.mkdirSync(join(usual, 'pg14'));
    expect(await deleteCluster(usual, {})).toBe(false);
    await server.stop();
    expect(await deleteCluster(usual, {})).toBe(true);
    expect(fs.readdirSync(usual)).toEqual(['pg14']);
  });

  it.each([
    ['17.2', 'takes'],
    ['14.9', 'passes over'],
  ])('of version %s: findBinaries %s the programs of PG_BIN, and mends their links', (version, verb) => {
    const [folder, lib] = [join(programs, version, 'bin'), join(programs, version, 'lib')];
    for (const each of [folder, lib]) fs.mkdirSync(each, { recursive: true });
    const links = ['z.so', 'z.so.1'].map((name) => ({
      source: 'native/lib/z.so.1.3',
      target: `${version}/lib/${name}`,
    }));
    fs.writeFileSync(join(programs, version, 'pg-symlinks.json'), JSON.stringify(links));
    fs.writeFileSync(join(lib, 'z.so.1.3'), '');
    fs.symlinkSync('z.so.1.3', join(lib, 'z.so.1')); // is there already
    const script = `#!/bin/sh\ntest -e '${lib}/z.so' && echo "initdb (PostgreSQL) ${version}"\n`;
    fs.writeFileSync(join(folder, 'initdb'), script, { mode: 0o755 });
    expect(findBinaries({ PG_BIN: folder }).folder === folder).toBe(verb === 'takes');
    expect(findBinaries({ PATH: `:${folder}` }).folder).not.toBe(folder); // the package is found first
  });
});
