import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Cleanup } from '../../bench/cleanup.js';
import { Program } from '../support/program.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import type { Fault } from './faults.js';

const LEFT_OUT = ['node_modules', 'dist', '.git', '.data', 'coverage'];

/** Milliseconds; a fault that has the tests run for longer, in a loop without an end, is told. */
const LONGEST = 300_000;

/** A copy of the project, in which one fault at a time is planted. */
export class Sandbox {
  private readonly folder: string;

  constructor(private readonly cleanup: Cleanup) {
    this.folder = temporaryFolder(cleanup, 'mutation');
    cpSync('.', this.folder, { recursive: true, filter: (path) => !LEFT_OUT.includes(path) });
    symlinkSync(resolve('node_modules'), join(this.folder, 'node_modules'));
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
      return await this.failure(['--runInBand', ...tests], LONGEST);
    } finally {
      writeFileSync(file, text);
    }
  }

  /** The first test that fails; no pattern stands for all tests. */
  async failure(tests: readonly string[], timeout?: number): Promise<string | undefined> {
    const jest = [
      'node_modules/jest/bin/jest.js',
      '--reporters',
      './test/mutation/first-failure.cjs',
      '--ci',
    ];
    const program = new Program(this.cleanup, [process.execPath, ...jest, ...tests], {
      cwd: this.folder,
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout,
      killSignal: 'SIGKILL',
    });
    return (await program.exited) === 0 ? undefined : program.output || 'no end';
  }
}
