import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Cleanup } from '../../bench/cleanup.js';

const LONGEST = 15 * 60_000;
const MAX_TOLD = 3000;

export interface Where {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs one program after the other, and ends the one that is running when all is to end. */
export class Commands {
  private readonly running = new Map<number, () => void>();

  constructor(cleanup: Cleanup) {
    cleanup.defer(() => {
      for (const end of this.running.values()) end();
    });
  }

  /** What it has written, to both streams. Throws with the end of that when it fails. */
  async run(program: string, args: readonly string[], { cwd, env = {} }: Where): Promise<string> {
    // A group of its own, because Maven and Go start programs themselves.
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const pid = child.pid ?? 0;
    const end = (): void => {
      if (pid > 0) process.kill(-pid, constants.signals.SIGKILL);
    };
    if (pid > 0) this.running.set(pid, end);
    const timer = setTimeout(end, LONGEST);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    try {
      const status = await new Promise<number | null>((resolve, reject) => {
        child.once('error', reject).once('close', resolve);
      });
      if (status === 0) return output;
    } finally {
      clearTimeout(timer);
      this.running.delete(pid);
    }
    throw new Error(`${program} ${args.join(' ')} failed:\n${output.slice(-MAX_TOLD)}`);
  }
}
