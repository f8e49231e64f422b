import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Rig } from './rig.js';

/** Enough for a container, as the documentation promises, in MB. */
export const MEMORY = 512;

/** Both versions of control groups. */
const GROUPS = [
  ['/sys/fs/cgroup/memory', 'memory.limit_in_bytes', 'memory.max_usage_in_bytes'],
  ['/sys/fs/cgroup', 'memory.max', 'memory.peak'],
] as const;

/** A control group of Linux: beyond its memory the kernel kills one of its processes. */
export interface MemoryLimit {
  /** A command that runs its arguments within the limit. */
  readonly wrapper: readonly string[];
  /** In MB: resident memory, files, buffers of sockets. */
  readonly peak: () => number;
}

/** Undefined without root, or without a `/sys/fs/cgroup` to write to. */
export function limitMemory(rig: Rig): MemoryLimit | undefined {
  for (const [root, file, peak] of GROUPS) {
    const folder = join(root, basename(rig.folder));
    try {
      mkdirSync(folder);
      rig.defer(() => void spawnSync('rmdir', [folder]));
      writeFileSync(join(folder, file), `${MEMORY}M`, { flag: 'r+' });
      return {
        wrapper: ['/bin/sh', '-c', 'echo $$ > "$0" && exec "$@"', join(folder, 'cgroup.procs')],
        peak: () => Number(readFileSync(join(folder, peak), 'utf8')) / 1024 ** 2,
      };
    } catch {
      // the other version, or no right
    }
  }
  return undefined;
}
