import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';

/** Enough for a container, as the documentation promises, in MB. */
export const MEMORY = 512;

/** Both versions of control groups. */
const GROUPS = [
  ['/sys/fs/cgroup/memory', 'memory.limit_in_bytes', 'memory.max_usage_in_bytes'],
  ['/sys/fs/cgroup', 'memory.max', 'memory.peak'],
] as const;

/** A control group of Linux: beyond its memory the kernel kills one of its processes. */
export class MemoryLimit {
  private constructor(
    private readonly folder: string,
    private readonly peakFile: string,
  ) {}

  /** Undefined without root, or without a `/sys/fs/cgroup` to write to. */
  static of(bytes: number, name: string): MemoryLimit | undefined {
    for (const [root, file, peakFile] of GROUPS) {
      const folder = `${root}/${name}`;
      try {
        mkdirSync(folder);
        writeFileSync(`${folder}/${file}`, String(bytes), { flag: 'r+' });
        return new MemoryLimit(folder, peakFile);
      } catch {
        remove(folder);
      }
    }
    return undefined;
  }

  /** A shell command that runs its arguments within the limit. */
  get wrapper(): readonly [string, ...string[]] {
    return ['/bin/sh', '-c', 'echo $$ > "$0" && exec "$@"', `${this.folder}/cgroup.procs`];
  }

  /** In MB: resident memory, files, buffers of sockets. */
  get peak(): number {
    return Number(readFileSync(`${this.folder}/${this.peakFile}`, 'utf8')) / 1024 ** 2;
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
    // never made, or its last process is just ending
  }
}
