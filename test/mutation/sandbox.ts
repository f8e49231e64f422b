import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Cleanup } from '../../bench/cleanup.js';
import { PostgresServer } from '../support/postgres-server.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import type { Fault } from './faults.js';

const LEFT_OUT = ['node_modules', 'dist', '.git', '.data', 'coverage'];
const JEST =
  'node_modules/jest/bin/jest.js --ci --runInBand --forceExit --no-watchman --passWithNoTests ' +
  '--reporters ./test/mutation/jest.cjs --testSequencer ./test/mutation/jest.cjs ' +
  '--testTimeout 20000'; // so that a test which a fault holds up fails by name, before the silence of it and its hooks
/** Milliseconds; a fault after which no test begins or ends for longer is told: it has the service run in a loop. */
const LONGEST_SILENCE = 60_000;

/** Ends Jest, what the tests have started, and the servers of PostgreSQL, which are no part of the group. */
const END = `kill -KILL -$0
  for file in "$1"/*/pg*/postmaster.pid; do kill -QUIT "$(head -n 1 "$file")"; done
  until rm -rf "$1"; do sleep 0.1; done`;

/** A copy of the project, in which one fault at a time is planted, and a PostgreSQL for all of them. */
export class Sandbox {
  /** The group of processes of Jest, and their folder. */
  private running: string[] = [];

  private constructor(
    private readonly folder: string,
    private readonly server: PostgresServer,
  ) {}

  static async make(cleanup: Cleanup): Promise<Sandbox> {
    const folder = temporaryFolder(cleanup, 'mutation');
    cpSync('.', folder, { recursive: true, filter: (path) => !LEFT_OUT.includes(path) });
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    const server = await PostgresServer.start({ settings: { autovacuum: 'off' } });
    cleanup.defer(() => server.remove());
    const sandbox = new Sandbox(folder, server);
    cleanup.defer(() => sandbox.end());
    return sandbox;
  }

  /** The file and the name of the first test that fails for the fault. */
  async failureWith({ path, offset, from, to }: Fault, tests: readonly string[]): Promise<string[]> {
    const file = join(this.folder, path);
    const source = readFileSync(file, 'utf8');
    await this.dropDatabases(path);
    writeFileSync(file, source.slice(0, offset) + to + source.slice(offset + from.length));
    const failure = await this.failure(tests);
    writeFileSync(file, source);
    await this.dropDatabases(path);
    return failure;
  }

  /** The file and the name of the first test that fails. */
  async failure(tests: readonly string[]): Promise<string[]> {
    const scratch = mkdtempSync(join(this.folder, '..', 'property-finance-run-'));
    chmodSync(scratch, 0o755); // for PostgreSQL, as another user
    const jest = spawn(process.execPath, [...JEST.split(' '), ...tests], {
      cwd: this.folder,
      env: { ...process.env, TEST_SERVER_URL: this.server.url, TEST_FOLDER: scratch },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true, // a group of its own
    });
    this.running = [String(jest.pid), scratch];
    let output = '';
    const timer = setTimeout(() => this.end(), LONGEST_SILENCE);
    jest.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      timer.refresh();
    });
    const closed = once(jest, 'close');
    await once(jest, 'exit');
    clearTimeout(timer);
    this.end();
    await closed;
    const [, path = '', name = ''] = output.replace(this.folder, '').split('\n');
    return jest.exitCode === 0 ? [] : [path, name];
  }

  private end(): void {
    if (this.running.length > 0) spawnSync('/bin/sh', ['-c', END, ...this.running]);
    this.running = [];
  }

  /** Those of tests; and the one that they copy where the fault may change it. */
  private async dropDatabases(path: string): Promise<void> {
    const pattern = /^(?:migrations|src\/database)\//.test(path) ? '^(test|migrated)_' : '^test_';
    const query = 'SELECT datname FROM pg_database WHERE datname ~ $1';
    for (const { datname } of await this.server.sql<{ datname: string }>(query, [pattern]))
      await this.server.sql(`DROP DATABASE ${datname} WITH (FORCE)`);
  }
}
