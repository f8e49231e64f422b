import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { START_ARGS } from '../../../bench/launch.js';
import type { LogLine } from '../../support/log-lines.js';
import { isAnswered, Program } from '../../support/program.js';
import { TEST_SECRET } from '../../support/settings.js';
import { limitMemory, type MemoryLimit } from './memory-limit.js';
import type { Rig } from './rig.js';

const MAIN = join(import.meta.dirname, '../../../src/main.js');
const LOG_LINE = '{"level"';
let services = 0;

export interface Launch {
  readonly databaseUrl: string;
  /** The built entry point, of another checkout for one. */
  readonly main?: string | undefined;
  readonly env?: Record<string, string>;
  readonly nodeArgs?: readonly string[];
  /** The descriptor for standard output instead of the log file. */
  readonly output?: number | undefined;
  readonly isLimited?: boolean;
}

/** The built service in a process of its own, as production starts it. */
export class Service extends Program {
  url = '';
  /** Milliseconds from the start of the process to its first good readiness probe. */
  startTime = NaN;
  readonly limit: MemoryLimit | undefined;
  private readonly logFile: string;

  /** The log names a port that the system has chosen for 0. */
  constructor(
    rig: Rig,
    { databaseUrl, main = MAIN, env = {}, nodeArgs = [], output, isLimited }: Launch,
    port = 0,
  ) {
    const logFile = join(rig.folder, `service-${++services}.log`);
    const log = openSync(logFile, 'a');
    const limit = isLimited === true ? limitMemory(rig) : undefined;
    const command = [...(limit?.wrapper ?? []), process.execPath, ...START_ARGS, ...nodeArgs, main];
    super(rig, command, {
      cwd: rig.folder, // without an .env
      stdio: ['ignore', output ?? log, log],
      env: {
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        PORT: String(port),
        SHUTDOWN_DELAY: '500ms',
        JWT_SECRET: TEST_SECRET,
        DB_URL: databaseUrl,
        DB_PASSWORD: 'unused', // the cluster trusts its socket
        ...env,
      },
    });
    closeSync(log);
    this.logFile = logFile;
    this.limit = limit;
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
    const lines = this.output.split('\n').filter((line) => line.startsWith(LOG_LINE));
    return lines.map((line) => JSON.parse(line) as LogLine);
  }

  /** The messages at ERROR and above. */
  get severeLines(): string[] {
    const severe = this.lines.filter(({ level }) => level === 'error' || level === 'fatal');
    return severe.map(({ msg }) => msg ?? '');
  }

  /** Output past the log: warnings of Node, stacks of uncaught errors. */
  get strayLines(): string[] {
    const stray = this.output.split('\n').filter((line) => line !== '' && !line.startsWith(LOG_LINE));
    return stray.map((line) => line.slice(0, 200));
  }

  override get output(): string {
    return readFileSync(this.logFile, 'utf8');
  }

  private async isReady(): Promise<boolean> {
    if (this.url === '') this.url = /Server listening at (http:[\w/.:]+)/.exec(this.output)?.[1] ?? '';
    return this.url !== '' && isAnswered(`${this.url}/actuator/health/readiness`);
  }
}
