import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { START_ARGS } from '../../../bench/launch.js';
import type { LogLine } from '../../support/log-lines.js';
import { TEST_SECRET } from '../../support/settings.js';
import { Caller } from './http.js';
import type { MemoryLimit } from './memory-limit.js';

const MAIN = join(import.meta.dirname, '../../../src/main.js');
const READY_WITHIN = 60_000;
const POLL_INTERVAL = 10;

export interface Launch {
  /** Where it runs, and where its log is kept. */
  readonly folder: string;
  readonly databaseUrl: string;
  readonly env?: Record<string, string>;
  readonly nodeArgs?: readonly string[];
  /** Tells its log file from others in the folder. */
  readonly name?: string;
  /** Where standard output goes; by default to the log file, as what is written past the log. */
  readonly output?: number | undefined;
  /** What it may hold in memory. */
  readonly memory?: MemoryLimit | undefined;
}

/** The built service in a process of its own, as production starts it. */
export class Service {
  readonly exited: Promise<number | NodeJS.Signals | null>;
  url = '';
  /** Milliseconds from the start of the process to its first good readiness probe. */
  startTime = NaN;

  private constructor(
    private readonly child: ChildProcess,
    readonly logFile: string,
  ) {
    this.exited = once(child, 'exit').then(
      ([code, signal]) => (code ?? signal) as number | NodeJS.Signals | null,
    );
  }

  /** A port of 0 is chosen by the system, and then known from the log. */
  static launch(
    { folder, databaseUrl, env = {}, nodeArgs = [], name = 'service', output, memory }: Launch,
    port = 0,
  ): Service {
    const logFile = join(folder, `${name}-${Date.now()}.log`);
    const log = openSync(logFile, 'a');
    const stdio: StdioOptions = ['ignore', output ?? log, log];
    const command = [...(memory?.wrapper ?? []), process.execPath, ...START_ARGS, ...nodeArgs, MAIN];
    const child = spawn(command[0] ?? '', command.slice(1), {
      cwd: folder, // where no .env is
      stdio,
      env: {
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        PORT: String(port),
        SHUTDOWN_DELAY: '500ms',
        JWT_SECRET: TEST_SECRET,
        DB_URL: databaseUrl,
        DB_PASSWORD: 'unused', // the cluster trusts whoever reaches its socket
        ...env,
      },
    });
    closeSync(log);
    const service = new Service(child, logFile);
    if (port !== 0) service.url = `http://127.0.0.1:${port}`;
    return service;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Waits until its readiness probe is UP. */
  async ready(): Promise<this> {
    const begin = performance.now();
    while (!(await this.isReady())) {
      if (!this.isRunning || performance.now() > begin + READY_WITHIN)
        throw new Error(`the service did not become ready:\n${this.#output.slice(-2000)}`);
      await sleep(POLL_INTERVAL);
    }
    this.startTime = performance.now() - begin;
    return this;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async kill(): Promise<void> {
    if (this.isRunning) this.child.kill('SIGKILL');
    await this.exited;
  }

  get lines(): LogLine[] {
    return this.#parsed.flatMap((line) => (typeof line === 'string' ? [] : [line]));
  }

  /** The messages at ERROR and above. */
  get severeLines(): string[] {
    return this.lines
      .filter(({ level }) => level === 'error' || level === 'fatal')
      .map(({ msg }) => msg ?? '');
  }

  /** What was written past the log: warnings of Node, stacks of what nobody has caught. */
  get strayLines(): string[] {
    return this.#parsed.flatMap((line) => (typeof line === 'string' ? [line.slice(0, 200)] : []));
  }

  get #parsed(): (LogLine | string)[] {
    return this.#output
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (line.startsWith('{"level"') ? (JSON.parse(line) as LogLine) : line));
  }

  get #output(): string {
    return readFileSync(this.logFile, 'utf8');
  }

  private async isReady(): Promise<boolean> {
    if (this.url === '') this.url = /Server listening at (http:[\w/.:]+)/.exec(this.#output)?.[1] ?? '';
    if (this.url === '') return false;
    const caller = new Caller(this.url);
    const { status } = await caller.send({ method: 'GET', path: '/actuator/health/readiness' });
    caller.close();
    return status === 200;
  }
}
