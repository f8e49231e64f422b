import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';

/** What the documentation promises to be enough for a container, in MB. */
export const MEMORY = 512;

/** A control group of Linux whose processes together may hold so much memory; past it the kernel kills one. */
export class MemoryLimit {
  private constructor(private readonly folder: string) {}

  /** Undefined where none can be made: it takes root, and a `/sys/fs/cgroup` that may be written to. */
  static of(bytes: number, name: string): MemoryLimit | undefined {
    for (const [root, file] of [
      ['/sys/fs/cgroup/memory', 'memory.limit_in_bytes'],
      ['/sys/fs/cgroup', 'memory.max'],
    ] as const) {
      const folder = `${root}/${name}`;
      try {
        mkdirSync(folder);
        writeFileSync(`${folder}/${file}`, String(bytes), { flag: 'r+' });
        return new MemoryLimit(folder);
      } catch {
        remove(folder);
      }
    }
    return undefined;
  }

  /** A shell command line that runs its arguments within the limit, from their first page on. */
  get wrapper(): readonly [string, ...string[]] {
    return ['/bin/sh', '-c', 'echo $$ > "$0" && exec "$@"', `${this.folder}/cgroup.procs`];
  }

  /** What the kernel has counted at most, in MB: resident memory, files, sockets' buffers. */
  get peak(): number | undefined {
    for (const file of ['memory.max_usage_in_bytes', 'memory.peak']) {
      try {
        return Number(readFileSync(`${this.folder}/${file}`, 'utf8')) / 1024 ** 2;
      } catch {
        // the other version's
      }
    }
    return undefined;
  }

  /** Once no process is left in it. */
  remove(): void {
    remove(this.folder);
  }
}

function remove(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // it was never made, or its last process is only just ending
  }
}
