import { chownSync, existsSync, type Stats, statSync } from 'node:fs';

type Ids = Readonly<Pick<Stats, 'uid' | 'gid'>>;

/** The user of PostgreSQL's programs. */
export interface RunAs {
  /** The owner of their folders; not given for the user of this process. */
  readonly owner?: Ids;
  /** What goes before the program's name. */
  readonly prefix: readonly string[];
}

export const NOBODY_IDS: Ids = { uid: 65_534, gid: 65_534 };

/** Another user with root's access to files: the project may be in a folder that only root may enter. */
export function withAccess(owner: Ids): RunAs {
  const capability = '+dac_override';
  const identity = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'];
  const access = [`--inh-caps=${capability}`, `--ambient-caps=${capability}`];
  const forChecks = '--securebits=+no_setuid_fixup'; // access(2), by which initdb looks for its programs
  return { owner, prefix: ['setpriv', ...identity, ...access, forChecks, '--'] };
}

/** Program and arguments with the prefix, as `spawn` takes them. */
export function commandAs({ prefix }: RunAs, program: string, args: readonly string[]): [string, string[]] {
  const [file = program, ...rest] = [...prefix, program, ...args];
  return [file, rest];
}

export function handOver(folder: string, { owner }: RunAs): void {
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
}

/** PostgreSQL refuses to run as root: then as the owner of its data, or as nobody. */
export function chooseUser(dataDir: string): RunAs {
  if (process.getuid?.() !== 0) return { prefix: [] };
  return withAccess(existsSync(dataDir) ? statSync(dataDir) : NOBODY_IDS);
}
