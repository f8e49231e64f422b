import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cleanup } from '../../bench/cleanup.js';
import { Missing, progress } from '../../bench/command.js';
import type { Commands } from '../support/commands.js';

const PACKAGES = [
  ...['prometheus', 'prometheus-alertmanager'],
  ...['prometheus-blackbox-exporter', 'prometheus-postgres-exporter'],
];
const PROGRAMS = [...PACKAGES, 'promtool', 'amtool', 'openssl', 'setpriv'];
const UP_WITHIN = 20_000;

/** Installs what is missing. Throws Missing where that cannot be done. */
export async function installPrograms(commands: Commands): Promise<void> {
  if (process.getuid?.() !== 0)
    throw new Missing('Run this as root: every program is started as a user of its own.');
  if (missingPrograms().length === 0) return;
  progress('installing Debian packages');
  const where = { cwd: '/', env: { DEBIAN_FRONTEND: 'noninteractive' } };
  const install = ['install', '-y', '--no-install-recommends', ...PACKAGES, 'openssl', 'util-linux'];
  await commands
    .run('apt-get', ['update'], where)
    .then(() => commands.run('apt-get', install, where))
    .catch((error: unknown) => {
      throw new Missing(`${missingPrograms().join(', ')} not here, and apt-get failed: ${String(error)}`);
    });
}

function missingPrograms(): string[] {
  const folders = (process.env['PATH'] ?? '').split(':');
  return PROGRAMS.filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
}

export interface User {
  readonly uid: number;
  readonly gid: number;
  readonly groups?: readonly number[];
}

/** The user whom Debian's package has made. */
export function prometheusUser(): User {
  const id = (option: string): number =>
    Number(execFileSync('id', [option, 'prometheus'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Users without a name, whom nothing on this machine belongs to. */
let lastUser = 64_100;
export function ownUser(...groups: number[]): User {
  lastUser++;
  return { uid: lastUser, gid: lastUser, groups };
}

export interface Launch {
  readonly name: string;
  readonly user: User;
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** Where its output goes. */
  readonly folder: string;
}

/** A program that runs as a user of its own, until the end. */
export class Program {
  private constructor(
    private readonly child: ChildProcess,
    private readonly logFile: string,
  ) {}

  static start({ name, user, command, env = {}, folder }: Launch, cleanup: Cleanup): Program {
    const { uid, gid, groups = [] } = user;
    const others = groups.length === 0 ? '--clear-groups' : `--groups=${groups.join(',')}`;
    const logFile = join(folder, `${name}.log`);
    const log = openSync(logFile, 'a');
    const child = spawn('setpriv', [`--reuid=${uid}`, `--regid=${gid}`, others, '--', ...command], {
      stdio: ['ignore', log, log],
      env: { PATH: process.env['PATH'] ?? '', ...env },
    });
    closeSync(log);
    const program = new Program(child, logFile);
    cleanup.defer(() => program.stop());
    return program;
  }

  get output(): string {
    return readFileSync(this.logFile, 'utf8');
  }

  /** Waits until it answers 200 at this URL. */
  async answers(url: string): Promise<this> {
    for (const deadline = Date.now() + UP_WITHIN; ;) {
      const answer = await fetch(url).catch(() => undefined);
      if (answer?.ok) return this;
      if (Date.now() > deadline || this.hasEnded)
        throw new Error(`nobody answers at ${url}:\n${this.output.slice(-2000)}`);
      await sleep(100);
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async stop(): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.child, 'exit');
    this.signal('SIGCONT');
    this.signal('SIGKILL');
    await ended;
  }

  private get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
}
