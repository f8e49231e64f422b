import { readdirSync, readFileSync } from 'node:fs';

/** What Linux tells about processes. Undefined where there is no /proc. */

/** USER_HZ, which is 100 on every common architecture. */
const TICKS_PER_SECOND = 100;

interface Stat {
  readonly parent: number;
  /** CPU time in seconds: its own, and that of its children that have exited. */
  readonly own: number;
  readonly exited: number;
}

function statOf(pid: number | string): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number); // the name may hold blanks
    const [, parent = 0] = fields;
    const [user = 0, system = 0, exitedUser = 0, exitedSystem = 0] = fields.slice(11);
    return {
      parent,
      own: (user + system) / TICKS_PER_SECOND,
      exited: (exitedUser + exitedSystem) / TICKS_PER_SECOND,
    };
  } catch {
    return undefined;
  }
}

export function parentOf(pid: number): number | undefined {
  return statOf(pid)?.parent;
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
export function meter(
  pid: number | undefined,
  read: (pid: number) => number | undefined,
): () => number | undefined {
  const before = pid === undefined ? undefined : read(pid);
  return () => {
    const after = pid === undefined ? undefined : read(pid);
    return before === undefined || after === undefined ? undefined : after - before;
  };
}

/** The highest resident memory so far, in MB. */
export function peakMemoryOf(pid: number): number | undefined {
  return megabytesOf(pid, 'VmHWM');
}

function megabytesOf(pid: number, field: string): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) / 1024;
  } catch {
    return undefined;
  }
}
