import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client } from './client.js';
import type { LogLine } from './log-lines.js';
import { cleanup } from './opened.js';
import { Program } from './program.js';
import { PATIENT, TEST_SECRET } from './settings.js';
import { temporaryFolder } from './temporary-folder.js';

/** Starts the built service as production does, with this environment over the tests' own. */
export function startProcess(env: Record<string, string>, cwd?: string): ServiceProcess {
  const usual = { HOST: '127.0.0.1', PORT: '0', SHUTDOWN_DELAY: '0s', JWT_SECRET: TEST_SECRET };
  return runBuilt('main.js', { ...PATIENT, ...usual, DB_PASSWORD: 'unused', ...env }, cwd);
}

/** Runs a program of the build with exactly this environment, by default in a folder of its own. */
export function runBuilt(
  program: 'main.js' | 'quickstart/main.js' | '../../scripts/cli.mjs',
  env: Record<string, string>,
  cwd = temporaryFolder(cleanup, 'process'),
  ...args: readonly string[]
): ServiceProcess {
  return new ServiceProcess([join(builtOnce(), 'dist/src', program), ...args], { cwd, env });
}

/** The folder of the build, which the first test file of a run makes for all. */
function builtOnce(): string {
  const folder = join(process.env['TEST_FOLDER']!, 'build');
  if (existsSync(folder)) return folder;
  const scratch = mkdtempSync(`${folder}.`);
  symlinkSync(resolve('node_modules'), join(scratch, 'node_modules'));
  for (const file of ['package.json', 'openapi.json', 'scripts/cli.mjs']) cpSync(file, join(scratch, file));
  cpSync('src/docs/page', join(scratch, 'dist/src/docs/page'), { recursive: true });
  execFileSync('node_modules/.bin/swc', ['src', 'migrations', '-d', join(scratch, 'dist'), '--quiet']);
  try {
    renameSync(scratch, folder);
  } catch {
    rmSync(scratch, { recursive: true }); // another test file was faster
  }
  return folder;
}

/** A process of the service. It ends with the test. */
export class ServiceProcess extends Program {
  /** Its exit code or signal, once all of its output has arrived. */
  override readonly exited = once(this.child, 'close').then(
    ([code, signal]: unknown[]) => (code ?? signal) as number | NodeJS.Signals | null,
  );

  constructor(args: readonly string[], options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }) {
    super(cleanup, [process.execPath, '--no-opt', '--min-semi-space-size=16', ...args], options); // a short life
  }

  /** The whole lines of the log. */
  get lines(): LogLine[] {
    const texts = this.output.split('\n').slice(0, -1);
    return texts.map((line) => JSON.parse(line) as LogLine);
  }

  /** Waits until it listens. */
  async client(token?: string): Promise<Client> {
    const [, url] = await this.says(/Server listening at (http:\/\/[\d.:]+)/);
    return new Client(url!, token);
  }

  /** Waits for output of this form. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    await this.until(() => pattern.test(this.output));
    return pattern.exec(this.output)!;
  }

  /** Closes its output and sends SIGHUP, like a terminal whose window is closed. */
  closeTerminal(): void {
    this.child.stdout?.destroy();
    this.child.stderr?.destroy();
    this.signal('SIGHUP');
  }
}
