import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Checkout } from './checkout.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PATIENCE = 15_000;

/** What takes the service's place: it says what it was started with, and that it is still there. */
const STAND_INS = {
  'openapi.json': '{}',
  'package-lock.json': '{"packages": {}}',
  '.swcrc': '{"jsc": {"parser": {"syntax": "typescript"}, "target": "es2023"}, "module": {"type": "es6"}}',
  'src/config/env.ts': `
    import { existsSync } from 'node:fs';
    export const loadEnvironmentFile = (): void => void (existsSync('.env') && process.loadEnvFile('.env'));`,
  'src/quickstart/data.ts': `
    export const DATA_FOLDER = '.data';
    export const startQuickstartDatabase = () => ({ stop: () => console.error('database stopped') });`,
  'src/answer.ts': `export const answer: string = 'one';`,
  'src/quickstart/quickstart.ts': `
    import { answer } from '../answer.js';
    export async function quickstart({ quiet = false }: { quiet?: boolean }): Promise<void> {
      console.log(\`process \${process.pid}\\nserving \${process.env.ANSWER ?? answer}, quiet: \${quiet}\`);
      setInterval(() => undefined, 1000);
    }`,
};

/** `npm run dev` in a checkout of its own, on a service that does nothing. */
export class DevRun {
  readonly #checkout = new Checkout();
  readonly #child: ChildProcess;
  #output = '';
  /** What has been waited for lies before this place. */
  #seen = 0;

  constructor() {
    for (const [name, content] of Object.entries(STAND_INS)) this.write(name, content);
    mkdirSync(this.#path('node_modules'));
    symlinkSync(join(ROOT, 'node_modules/@swc'), this.#path('node_modules/@swc'));
    const script = this.#path('scripts/dev.mjs');
    this.#child = spawn(process.execPath, [script], { env: { PATH: process.env['PATH'] } });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
  }

  get output(): string {
    return this.#output;
  }

  write(name: string, content: string): void {
    this.#checkout.write(name, content);
  }

  /** As many editors save: the new content takes the place of the old as another file. */
  replace(name: string, content: string): void {
    this.write('draft', content);
    mkdirSync(dirname(this.#path(name)), { recursive: true });
    renameSync(this.#path('draft'), this.#path(name));
  }

  count(text: string): number {
    return this.#output.split(text).length - 1;
  }

  /** Waits until it has written this, after what was waited for before. */
  async says(wanted: RegExp): Promise<void> {
    for (const deadline = performance.now() + PATIENCE; ;) {
      const match = wanted.exec(this.#output.slice(this.#seen));
      if (match !== null) {
        this.#seen += match.index + match[0].length;
        return;
      }
      if (performance.now() > deadline) throw new Error(`never said ${String(wanted)}:\n${this.#output}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Whether one of the processes that have served is there. */
  isServing(): boolean {
    return [...this.#output.matchAll(/^process (\d+)$/gm)].some(([, pid]) => {
      try {
        return process.kill(Number(pid), 0);
      } catch {
        return false;
      }
    });
  }

  /** Returns the exit code. */
  async stop(): Promise<number | null> {
    if (this.#child.exitCode === null) {
      this.#child.kill('SIGINT');
      await once(this.#child, 'close');
    }
    return this.#child.exitCode;
  }

  delete(name: string): void {
    rmSync(this.#path(name));
  }

  async remove(): Promise<void> {
    await this.stop();
    this.#checkout.remove();
  }

  #path(name: string): string {
    return join(this.#checkout.folder, name);
  }
}
