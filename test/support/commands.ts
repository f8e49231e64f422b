import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Cleanup } from '../../bench/cleanup.js';
import { Missing } from '../../bench/command.js';

const LONGEST = 15 * 60_000;
const MAX_TOLD = 3000;
const MAVEN_COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy';

/** A program, and how it is asked for its version. */
export type Need = readonly [program: string, ...args: string[]];

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

  /** Asks each for its version, and throws {@link Missing} when one is not there. */
  async require(needs: readonly Need[], hint: string): Promise<void> {
    for (const [program, ...args] of needs)
      await this.run(program, args, { cwd: '.' }).catch((cause: unknown) => {
        throw new Missing(`${program} is not installed. ${hint}`, { cause });
      });
  }

  /** An artifact of Maven Central, as `group:name:version:type`, in this folder. */
  async fromMaven(artifact: string, folder: string): Promise<void> {
    const options = [`-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`];
    await this.run('mvn', ['-q', '-B', MAVEN_COPY, ...options], { cwd: folder });
  }
}
