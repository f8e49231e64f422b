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
  static make(name: string): MemoryLimit | undefined {
    for (const [root, file, peakFile] of GROUPS) {
      const limit = new MemoryLimit(`${root}/${name}`, peakFile);
      try {
        mkdirSync(limit.folder);
        writeFileSync(`${limit.folder}/${file}`, String(MEMORY * 1024 ** 2), { flag: 'r+' });
        return limit;
      } catch {
        limit.remove();
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
    try {
      rmdirSync(this.folder);
    } catch {
      // never made, or its last process is just ending
    }
  }
}
