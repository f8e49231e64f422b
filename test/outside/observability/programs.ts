import { execFileSync } from 'node:child_process';
import type { Cleanup } from '../../../bench/cleanup.js';
import { Missing, progress } from '../../../bench/command.js';
import type { Commands } from '../../support/commands.js';
import { findProgram, Program } from '../../support/program.js';

const PACKAGES = [
  ...['prometheus', 'prometheus-alertmanager'],
  ...['prometheus-blackbox-exporter', 'prometheus-postgres-exporter'],
];
const PROGRAMS = [...PACKAGES, 'promtool', 'amtool', 'openssl', 'setpriv'];

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
  return PROGRAMS.filter((name) => findProgram(name) === undefined);
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
  readonly user: User;
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a program as a user of its own. */
export function startAs({ user, command, env = {} }: Launch, cleanup: Cleanup): Program {
  const { uid, gid, groups = [] } = user;
  const others = groups.length === 0 ? '--clear-groups' : `--groups=${groups.join(',')}`;
  const line = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, others, '--', ...command];
  return new Program(cleanup, line, { env: { PATH: process.env['PATH'] ?? '', ...env } });
}
