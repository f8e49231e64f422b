import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Binaries, EmbeddedPostgresError } from './binaries.js';

/** As whom PostgreSQL's programs run: this process's user, another one, or root without its id. */
export interface RunAs {
  readonly uid?: number;
  readonly gid?: number;
  /** What goes before the program's name. */
  readonly prefix: readonly string[];
}

const THIS_USER: RunAs = { prefix: [] };
/** For folders that only root may enter: root's access to them, but not its id. */
const USER_NAMESPACE: RunAs = {
  prefix: ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--'],
};

/** Program and arguments with the prefix, and the ids, as `spawn` takes them. */
export function commandAs(
  runAs: RunAs,
  program: string,
  args: readonly string[],
): { file: string; args: string[]; ids: Pick<RunAs, 'uid' | 'gid'> } {
  const [file = program, ...rest] = [...runAs.prefix, program, ...args];
  return { file, args: rest, ids: { uid: runAs.uid, gid: runAs.gid } };
}

/** Makes the folder belong to whoever PostgreSQL runs as. */
export function handOver(folder: string, { uid, gid }: RunAs): void {
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
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
  const owner = uid === 0 ? USER_NAMESPACE : { uid, gid, prefix: [] };
  return isAble(owner, binaries, dataDir) ? owner : undefined;
}

function firstAble(binaries: Binaries, dataDir: string): RunAs | undefined {
  const probe = mkdtempSync(`${dataDir}.probe-`);
  try {
    return [...systemUsers(), USER_NAMESPACE].find((user) => {
      chownSync(probe, user.uid ?? 0, user.gid ?? 0);
      return isAble(user, binaries, probe);
    });
  } finally {
    rmSync(probe, { recursive: true, force: true });
  }
}

function systemUsers(): RunAs[] {
  const lines = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  return ['postgres', 'nobody'].flatMap((name) => {
    const [, , uid, gid] = lines.find(([user]) => user === name) ?? [];
    return uid === undefined ? [] : [{ uid: Number(uid), gid: Number(gid), prefix: [] }];
  });
}

function isAble(user: RunAs, binaries: Binaries, folder: string): boolean {
  const test = '"$0" --version && test -x "$1" && test -w "$1"';
  const { file, args, ids } = commandAs(user, '/bin/sh', [
    '-c',
    test,
    join(binaries.folder, 'postgres'),
    folder,
  ]);
  return spawnSync(file, args, { ...ids, stdio: 'ignore' }).status === 0;
}
