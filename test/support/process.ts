import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from './client.js';
import type { LogLine } from './log-lines.js';
import { cleanup } from './opened.js';
import { Program } from './program.js';
import { TEST_SECRET } from './settings.js';
import { temporaryFolder } from './temporary-folder.js';
import { until } from './until.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The service as it is built, with a folder of its own, which the processes of a test file run in. */
export class Build {
  private constructor(readonly folder: string) {}

  static make(): Build {
    const folder = temporaryFolder(cleanup, 'build');
    symlinkSync(join(builtOnce(), 'dist'), join(folder, 'dist'));
    return new Build(folder);
  }

  /** Starts the service as production does. `env` comes over what a test needs. */
  start(env: Record<string, string>): ServiceProcess {
    const usual = { HOST: '127.0.0.1', PORT: '0', SHUTDOWN_DELAY: '0s', JWT_SECRET: TEST_SECRET };
    return this.startBare({ ...usual, DB_PASSWORD: 'unused', ...env });
  }

  /** Starts the service with exactly this environment, and these arguments. */
  startBare(env: Record<string, string>, args: readonly string[] = []): ServiceProcess {
    return new ServiceProcess(['dist/src/main.js', ...args], { cwd: this.folder, env });
  }

  /** Starts a quickstart that keeps its data in this folder. */
  quickstart(folder: string, env: Record<string, string>): ServiceProcess {
    return new ServiceProcess([join(this.folder, 'dist/src/quickstart/main.js')], { cwd: folder, env });
  }
}

/** The folder of the build that all test files of a run share: the first one makes it. */
function builtOnce(): string {
  const folder = join(process.env['TEST_FOLDER']!, 'build');
  if (existsSync(folder)) return folder;
  const scratch = mkdtempSync(`${folder}.`);
  symlinkSync(join(ROOT, 'node_modules'), join(scratch, 'node_modules'));
  for (const file of ['package.json', 'openapi.json']) cpSync(join(ROOT, file), join(scratch, file));
  cpSync(join(ROOT, 'src/docs/page'), join(scratch, 'dist/src/docs/page'), { recursive: true });
  const swc = ['src', 'migrations', '--out-dir', join(scratch, 'dist'), '--quiet'];
  execFileSync('node_modules/.bin/swc', swc, { cwd: ROOT });
  try {
    renameSync(scratch, folder);
  } catch {
    rmSync(scratch, { recursive: true }); // another one was faster
  }
  return folder;
}

/** A process of the service. It ends with the test. */
export class ServiceProcess extends Program {
  #hasEnded = false;

  /** Its exit code or signal, once all of its output has arrived. */
  override readonly exited = new Promise<number | NodeJS.Signals | null>((resolve) => {
    this.child.once('close', (code, signal) => {
      this.#hasEnded = true;
      resolve(code ?? signal);
    });
  });

  constructor(args: readonly string[], options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }) {
    super(cleanup, [process.execPath, ...args], options);
  }

  /** The log, once the process has written it in whole lines. */
  get lines(): LogLine[] {
    const texts = this.output.split('\n').slice(0, -1);
    return texts.map((line) => JSON.parse(line) as LogLine);
  }

  /** Waits until it listens. */
  async client(token?: string): Promise<Client> {
    const [, url] = await this.says(/Server listening at (http:\/\/[\d.:]+)/);
    return new Client(url!, token);
  }

  /** Waits until it has written something of this form. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    await until(() => pattern.test(this.output) || this.#hasEnded);
    const match = pattern.exec(this.output);
    if (match === null) throw new Error(`never said ${String(pattern)}:\n${this.output}`);
    return match;
  }

  /** Closes its output and sends SIGHUP, as a terminal does when its window is closed. */
  closeTerminal(): void {
    this.child.stdout?.destroy();
    this.child.stderr?.destroy();
    this.signal('SIGHUP');
  }
}
