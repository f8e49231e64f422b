import { type ChildProcess, spawn, type SpawnOptions, spawnSync } from 'node:child_process';
import net from 'node:net';
import { delimiter } from 'node:path';
import type { Cleanup } from '../../bench/cleanup.js';
import { Missing } from '../../bench/command.js';
import { timeUntil } from './until.js';

/** Debian's folders beyond the PATH of an ordinary user. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];

/** Throws {@link Missing} when it is not installed. */
export function programOf(name: string, debianPackage = name): string {
  const found = findProgram(name);
  if (found !== undefined) return found;
  throw new Missing(`${name} is not installed. On Debian and Ubuntu: apt-get install ${debianPackage}`);
}

export function findProgram(name: string): string | undefined {
  const PATH = [process.env['PATH'], ...SYSTEM_FOLDERS].join(delimiter);
  const { stdout } = spawnSync('/bin/sh', ['-c', 'command -v "$0"', name], {
    encoding: 'utf8',
    env: { PATH },
  });
  return stdout.trim() || undefined;
}

export interface ProgramOptions extends SpawnOptions {
  /** End it at once, in their order. */
  readonly signals?: readonly NodeJS.Signals[];
}

/** A process that ends with a test or a command, at the latest. */
export class Program {
  readonly exited: Promise<number | NodeJS.Signals | null>;
  protected readonly child: ChildProcess;
  private readonly signals: readonly NodeJS.Signals[];
  #said = '';

  constructor(
    cleanup: Pick<Cleanup, 'defer'>,
    [program = '', ...args]: readonly string[],
    { signals = ['SIGKILL'], ...options }: ProgramOptions = {},
  ) {
    this.signals = signals;
    this.child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => void (this.#said += text));
    this.exited = new Promise((resolve) => {
      this.child.once('exit', (code, signal) => resolve(code ?? signal));
      this.child.once('error', ({ message }) => {
        this.#said += message;
        resolve(null);
      });
    });
    cleanup.defer(() => this.stop());
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.pid > 0 && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Both standard streams in the order of their arrival. */
  get output(): string {
    return this.#said;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async stop(): Promise<void> {
    if (this.isRunning) for (const signal of this.signals) this.signal(signal);
    await this.exited;
  }

  /** Waits for the condition. Throws the last of its output when it ends before, or takes longer. */
  async until(condition: () => Promise<boolean> | boolean, within = 60_000): Promise<this> {
    const time = await timeUntil(async () => !this.isRunning || (await condition()), within);
    if (time < Infinity && this.isRunning) return this;
    throw new Error(`${this.child.spawnfile} does not get ready:\n${this.output.slice(-2000)}`);
  }

  async listens(port: number, host = '127.0.0.1'): Promise<this> {
    const connects = (done: (connected: boolean) => void): void => {
      const socket = net.connect(port, host, () => done(true)).on('error', () => done(false));
      socket.on('connect', () => socket.destroy());
    };
    return this.until(() => new Promise(connects));
  }

  /** Waits until a GET succeeds. */
  async serves(url: string): Promise<this> {
    return this.until(() => isAnswered(url));
  }
}

/** Whether the URL is answered with 200, soon. */
export function isAnswered(url: string): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(2000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}
