import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Cleanup } from '../../bench/cleanup.js';
import { PostgresServer } from '../support/postgres-server.js';
import { Program } from '../support/program.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import type { Fault } from './faults.js';

const LEFT_OUT = ['node_modules', 'dist', '.git', '.data', 'coverage'];
/** Milliseconds; a fault that has the tests run for longer, in a loop without an end, is told. */
const LONGEST = 300_000;
const JEST = 'node_modules/jest/bin/jest.js --reporters ./test/mutation/first-failure.cjs --ci --runInBand';
const DATABASES = `SELECT datname FROM pg_database WHERE datname LIKE 'test\\_%' OR datname = 'migrated_template'`;

/** A copy of the project, in which one fault at a time is planted, and a PostgreSQL for all of them. */
export class Sandbox {
  private constructor(
    private readonly cleanup: Cleanup,
    private readonly folder: string,
    private readonly server: PostgresServer,
  ) {}

  static async make(cleanup: Cleanup): Promise<Sandbox> {
    const folder = temporaryFolder(cleanup, 'mutation');
    cpSync('.', folder, { recursive: true, filter: (path) => !LEFT_OUT.includes(path) });
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    const server = await PostgresServer.start({ settings: { autovacuum: 'off' } });
    cleanup.defer(() => server.remove());
    return new Sandbox(cleanup, folder, server);
  }

  /** The first of the tests that fails for the fault. */
  async failureWith(
    { path, offset, from, to }: Fault,
    tests: readonly string[],
  ): Promise<string | undefined> {
    const file = join(this.folder, path);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.slice(0, offset) + to + text.slice(offset + from.length));
    try {
      return await this.failure(tests, LONGEST);
    } finally {
      writeFileSync(file, text);
    }
  }

  /** The first test that fails. */
  async failure(tests: readonly string[], timeout?: number): Promise<string | undefined> {
    const scratch = mkdtempSync(join(this.server.folder, 'run-'));
    const program = new Program(this.cleanup, [process.execPath, ...JEST.split(' '), ...tests], {
      cwd: this.folder,
      env: { ...process.env, TEST_SERVER_URL: this.server.url, TEST_FOLDER: scratch },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout,
      killSignal: 'SIGKILL',
    });
    const isPassed = (await program.exited) === 0;
    rmSync(scratch, { recursive: true });
    for (const { datname } of await this.server.sql<{ datname: string }>(DATABASES))
      await this.server.sql(`DROP DATABASE ${datname} WITH (FORCE)`);
    return isPassed ? undefined : program.output || 'no end';
  }
}
