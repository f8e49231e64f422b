import type { StdioOptions } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { START_ARGS } from '../../../bench/launch.js';
import type { LogLine } from '../../support/log-lines.js';
import { Program } from '../../support/program.js';
import { TEST_SECRET } from '../../support/settings.js';
import { withCaller } from './http.js';
import type { MemoryLimit } from './memory-limit.js';
import type { Rig } from './rig.js';

const MAIN = join(import.meta.dirname, '../../../src/main.js');

export interface Launch {
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
export class Service extends Program {
  url = '';
  /** Milliseconds from the start of the process to its first good readiness probe. */
  startTime = NaN;
  /** Whether the log can be read. */
  readonly hasLog: boolean;
  private readonly logFile: string;

  /** A port of 0 is chosen by the system, and then known from the log. */
  constructor(
    rig: Rig,
    { databaseUrl, env = {}, nodeArgs = [], name = 'service', output, memory }: Launch,
    port = 0,
  ) {
    const logFile = join(rig.folder, `${name}-${Date.now()}.log`);
    const log = openSync(logFile, 'a');
    const stdio: StdioOptions = ['ignore', output ?? log, log];
    const command = [...(memory?.wrapper ?? []), process.execPath, ...START_ARGS, ...nodeArgs, MAIN];
    super(rig, command, {
      cwd: rig.folder, // where no .env is
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
    this.logFile = logFile;
    this.hasLog = output === undefined;
    if (port !== 0) this.url = `http://127.0.0.1:${port}`;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** Waits until its readiness probe is UP. */
  async ready(): Promise<this> {
    const begin = performance.now();
    await this.until(() => this.isReady());
    this.startTime = performance.now() - begin;
    return this;
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
    return this.output
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (line.startsWith('{"level"') ? (JSON.parse(line) as LogLine) : line));
  }

  override get output(): string {
    return readFileSync(this.logFile, 'utf8');
  }

  private async isReady(): Promise<boolean> {
    if (this.url === '') this.url = /Server listening at (http:[\w/.:]+)/.exec(this.output)?.[1] ?? '';
    if (this.url === '') return false;
    const { status } = await withCaller(this.url, (caller) => caller.get('/actuator/health/readiness'));
    return status === 200;
  }
}
