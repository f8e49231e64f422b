import { randomBytes } from 'node:crypto';
import { chmod, chown, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Failure, UsageError } from './errors.js';

/** Who may read the file beside its owner. */
export interface FileAccess {
  readonly mode: number;
  /** The number of a group; undefined leaves the file to that of this process. */
  readonly group: number | undefined;
}

const OWNER_ALONE = 0o600;
const UNCHANGED = -1;

/** Reads --mode and --group. Throws a UsageError for what is neither, and a Failure for a group that is not there. */
export async function fileAccess(mode: string | undefined, group: string | undefined): Promise<FileAccess> {
  if (mode !== undefined && !/^0?[0-7]{3}$/.test(mode))
    throw new UsageError('--mode takes a mode such as 640');
  return {
    mode: mode === undefined ? OWNER_ALONE : parseInt(mode, 8),
    group: group === undefined ? undefined : await groupNumber(group),
  };
}

/** A group's own number, or that of its name in /etc/group: Node asks no other directory. */
async function groupNumber(group: string): Promise<number> {
  if (/^\d{1,9}$/.test(group)) return Number(group);
  const groups = await readFile('/etc/group', 'utf8').catch(() => '');
  for (const line of groups.split('\n')) {
    const [name, , number] = line.split(':');
    if (name === group && number !== undefined) return Number(number);
  }
  throw new Failure(`There is no group ${group} in /etc/group: give its number.`);
}

/** Readers see the old content or the new one, and never a part; and nobody reads who is not meant to. */
export async function replaceFile(file: string, content: string, { mode, group }: FileAccess): Promise<void> {
  const draft = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}`);
  try {
    await writeFile(draft, content, { mode: OWNER_ALONE, flag: 'wx' });
    if (group !== undefined) await chown(draft, UNCHANGED, group);
    await chmod(draft, mode);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw new Failure(`The token cannot be written: ${(error as Error).message}`);
  }
}
