import { readdirSync, readFileSync } from 'node:fs';

// Figures of processes, from Linux. Undefined where there is no /proc.

/** USER_HZ, which is 100 on every common architecture. */
const TICKS_PER_SECOND = 100;

interface Stat {
  readonly parent: number;
  /** CPU time in seconds: its own, and that of its children that have exited. */
  readonly own: number;
  readonly exited: number;
}

function statOf(pid: number | string): Stat | undefined {
  const text = read(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The name may hold blanks.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [parent, user, system, exitedUser, exitedSystem] = [1, 11, 12, 13, 14].map((at) =>
    Number(fields[at]),
  );
  const seconds = (one = 0, other = 0): number => (one + other) / TICKS_PER_SECOND;
  return { parent: parent ?? 0, own: seconds(user, system), exited: seconds(exitedUser, exitedSystem) };
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** CPU seconds of one process, all its threads together. */
export function cpuOf(pid: number): number | undefined {
  return statOf(pid)?.own;
}

/** CPU seconds of a process and of all its children, the gone ones included. */
export function cpuOfFamily(pid: number): number | undefined {
  const head = statOf(pid);
  if (head === undefined) return undefined;
  const others = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = others.map(statOf).filter((stat) => stat?.parent === pid);
  return children.reduce((sum, stat) => sum + (stat?.own ?? 0), head.own + head.exited);
}

/** Reads now; the function it returns tells by how much the value has grown. */
export function meter(pid: number, value: (pid: number) => number | undefined): () => number | undefined {
  const before = value(pid) ?? NaN;
  return () => (value(pid) ?? NaN) - before;
}

/** The highest resident memory so far, in MB. */
export function peakMemoryOf(pid: number): number | undefined {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? '') ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}
