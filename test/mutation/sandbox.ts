import { spawn } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cleanup } from '../../bench/cleanup.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import type { Fault } from './faults.js';

const LEFT_OUT = ['node_modules', 'dist', '.git', '.data', 'coverage'];

/** Milliseconds; a fault that has the tests run for longer, in a loop without an end, is told. */
const LONGEST = 300_000;

/** A copy of the project, in which one fault at a time is planted. */
export class Sandbox {
  readonly #folder: string;
  #kill = (): void => undefined;

  constructor(cleanup: Cleanup) {
    this.#folder = temporaryFolder(cleanup, 'mutation');
    cleanup.defer(() => this.#kill());
    cpSync('.', this.#folder, { recursive: true, filter: (path) => !LEFT_OUT.includes(path) });
    symlinkSync(join(process.cwd(), 'node_modules'), join(this.#folder, 'node_modules'));
  }

  /** The first test that fails for the fault. */
  async failureWith(
    { path, offset, from, to }: Fault,
    tests: readonly string[],
  ): Promise<string | undefined> {
    const file = join(this.#folder, path);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.slice(0, offset) + to + text.slice(offset + from.length));
    try {
      return await this.failureOf(tests, ['--runInBand'], LONGEST);
    } finally {
      writeFileSync(file, text);
    }
  }

  /** The first test that fails, without a fault. */
  async failure(tests: readonly string[]): Promise<string | undefined> {
    return this.failureOf(tests, []);
  }

  /** The first test that fails; no pattern stands for all tests. */
  private async failureOf(
    tests: readonly string[],
    options: readonly string[],
    longest?: number,
  ): Promise<string | undefined> {
    const reporter = join(this.#folder, 'test/mutation/first-failure.cjs');
    const jest = join('node_modules', 'jest', 'bin', 'jest.js');
    const child = spawn(process.execPath, [jest, '--reporters', reporter, '--ci', ...options, ...tests], {
      cwd: this.#folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    this.#kill = () => void child.kill('SIGKILL');
    const timer = longest === undefined ? undefined : setTimeout(this.#kill, longest);
    const code = await new Promise((resolve) => child.once('close', resolve));
    clearTimeout(timer);
    return code === 0 ? undefined : output || 'no end';
  }
}
