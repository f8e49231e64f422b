import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Rig } from './rig.js';

/** Milliseconds. */
const LISTENS_WITHIN = 5000;

interface Options {
  /** Is told all that the program writes. */
  readonly heard?: (text: string) => void;
  /** What ends it at once, one after the other. */
  readonly signals?: readonly NodeJS.Signals[];
}

/** Starts a program that ends with the rig, and waits until it listens. Throws with the last of its output when it does not. */
export async function runProgram(
  rig: Rig,
  [program = '', ...args]: readonly string[],
  port: number,
  { heard, signals = ['SIGTERM'] }: Options = {},
): Promise<void> {
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
  while (!(await listens(port))) {
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`${program} does not listen:\n${output}`);
    await sleep(20);
  }
}

async function listens(port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
