import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Binaries, EmbeddedPostgresError } from './binaries.js';

interface Ids {
  readonly uid: number;
  readonly gid: number;
}

/** As whom PostgreSQL's programs run. */
export interface RunAs {
  /** To whom their folders must belong; not said where that is so anyway. */
  readonly owner?: Ids;
  /** What the process takes on when it is made. */
  readonly ids?: Ids;
  /** What goes before the program's name. */
  readonly prefix: readonly string[];
}

const THIS_USER: RunAs = { prefix: [] };
const ROOT: Ids = { uid: 0, gid: 0 };
export const NOBODY: Ids = { uid: 65_534, gid: 65_534 };

/** Root with all its access, but under another id: for folders that only root may enter. */
const IN_USER_NAMESPACE: RunAs = {
  owner: ROOT,
  prefix: ['unshare', '--user', `--map-user=${NOBODY.uid}`, `--map-group=${NOBODY.gid}`, '--'],
};

function as(ids: Ids): RunAs {
  return { owner: ids, ids, prefix: [] };
}

/** The other way into such folders: containers allow it where they forbid user namespaces. */
export function withAccess(ids: Ids): RunAs {
  const capability = '+dac_override';
  const identity = [`--reuid=${ids.uid}`, `--regid=${ids.gid}`, '--clear-groups'];
  const access = [`--inh-caps=${capability}`, `--ambient-caps=${capability}`];
  const forChecks = '--securebits=+no_setuid_fixup'; // access(2), by which initdb looks for its programs
  return { owner: ids, prefix: ['setpriv', ...identity, ...access, forChecks, '--'] };
}

/** Program and arguments with the prefix, and the ids, as `spawn` takes them. */
export function commandAs(
  runAs: RunAs,
  program: string,
  args: readonly string[],
): { file: string; args: string[]; ids: Partial<Ids> } {
  const [file = program, ...rest] = [...runAs.prefix, program, ...args];
  return { file, args: rest, ids: runAs.ids ?? {} };
}

export function handOver(folder: string, { owner }: RunAs): void {
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
}

/** PostgreSQL refuses to run as root: then as the owner of its data, or as one who can use the folders. */
export function chooseUser(binaries: Binaries, dataDir: string): RunAs {
  if (process.getuid?.() !== 0) return THIS_USER;
  const chosen = existsSync(dataDir) ? ownerOf(binaries, dataDir) : firstAble(binaries, dataDir);
  if (chosen !== undefined) return chosen;
  throw new EmbeddedPostgresError(
    `PostgreSQL does not run as root, and no other user can use both ${binaries.folder} and ${dataDir}: ` +
      'start this as an ordinary user.',
  );
}

function ownerOf(binaries: Binaries, dataDir: string): RunAs | undefined {
  const { uid, gid } = statSync(dataDir);
  const candidates = uid === ROOT.uid ? [IN_USER_NAMESPACE] : [as({ uid, gid }), withAccess({ uid, gid })];
  return candidates.find((candidate) => isAble(candidate, binaries, dataDir));
}

function firstAble(binaries: Binaries, dataDir: string): RunAs | undefined {
  const users = systemUsers();
  const probe = mkdtempSync(`${dataDir}.probe-`);
  try {
    return [...users.map(as), IN_USER_NAMESPACE, ...users.map(withAccess)].find((candidate) => {
      handOver(probe, candidate);
      return isAble(candidate, binaries, probe);
    });
  } finally {
    rmSync(probe, { recursive: true, force: true });
  }
}

function systemUsers(): Ids[] {
  const lines = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  return ['postgres', 'nobody'].flatMap((name) => {
    const [, , uid, gid] = lines.find(([user]) => user === name) ?? [];
    return uid === undefined ? [] : [{ uid: Number(uid), gid: Number(gid) }];
  });
}

function isAble(candidate: RunAs, binaries: Binaries, folder: string): boolean {
  const test = '"$0" --version && test -x "$0" && test -x "$1" && test -w "$1"';
  const program = join(binaries.folder, 'postgres');
  const { file, args, ids } = commandAs(candidate, '/bin/sh', ['-c', test, program, folder]);
  return spawnSync(file, args, { ...ids, stdio: 'ignore' }).status === 0;
}
