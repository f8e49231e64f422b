import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Missing } from '../../../bench/command.js';
import type { Rig } from './rig.js';

/** Milliseconds. */
const LISTENS_WITHIN = 20_000;

/** On the PATH of an ordinary user there is no /usr/sbin. */
const FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/usr/bin', '/usr/local/bin'];

interface Options {
  /** Is told all that the program writes. */
  readonly heard?: (text: string) => void;
  /** What ends it at once, one after the other. */
  readonly signals?: readonly NodeJS.Signals[];
  /** Where it listens. */
  readonly host?: string;
}

/** Throws {@link Missing} when it is not installed. */
export function programOf(name: string, debianPackage: string): string {
  const found = FOLDERS.map((folder) => join(folder, name)).find(isExecutable);
  if (found !== undefined) return found;
  throw new Missing(`${name} is not installed. On Debian and Ubuntu: apt-get install ${debianPackage}`);
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts a program that ends with the rig, and waits until it listens. Throws with the last of its output when it does not. */
export async function runProgram(
  rig: Rig,
  [program = '', ...args]: readonly string[],
  port: number,
  { heard, signals = ['SIGTERM'], host = '127.0.0.1' }: Options = {},
): Promise<ChildProcess> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-2000);
      heard?.(text);
    });
  }
  const ended = once(child, 'exit');
  rig.defer(async () => {
    for (const signal of signals) child.kill(signal);
    await ended;
  });
  const deadline = Date.now() + LISTENS_WITHIN;
  while (!(await listens(port, host))) {
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`${program} does not listen:\n${output}`);
    await sleep(20);
  }
  return child;
}

async function listens(port: number, host: string): Promise<boolean> {
  const socket = net.connect(port, host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
