// Commands that a signal ends together with this process.
import './node-version.mjs';
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

const INTERRUPTED = 130;
/** npm ends in order at the second signal at the latest; what is left after these pauses is killed. Milliseconds. */
const PAUSES = [1000, 1000, 1000, 1000, 1000];
const STEP = 20;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a command in a process group of its own. The first signal stops the group and then ends this process; under npm
 * one Ctrl-C arrives twice. Returns the exit code and the output, unless it is shown.
 */
export async function runToEnd(command, args, { cwd, speaks }) {
  const output = speaks ? 2 : 'pipe';
  let child;
  let stopping;
  const stop = (signal) => (stopping ??= endGroup(child.pid, signal));
  for (const signal of SIGNALS) process.on(signal, stop); // before there is anything that could be left running
  child = spawn(command, args, { cwd, detached: true, stdio: ['ignore', output, output] });
  let words = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => (words += text));
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve({ status: 1, words: `${message}\n` }));
    child.once('close', (status) => {
      if (stopping !== undefined) return;
      for (const signal of SIGNALS) process.off(signal, stop);
      resolve({ status, words });
    });
  });
}

async function endGroup(pid, signal) {
  process.stderr.on('error', () => undefined); // a terminal that was closed takes no words
  for (const pause of PAUSES) {
    signalGroup(pid, signal);
    for (const deadline = Date.now() + pause; Date.now() < deadline && signalGroup(pid, 0);)
      await sleep(STEP);
  }
  signalGroup(pid, 'SIGKILL');
  process.stderr.write('\nInterrupted: nothing is left running.\n');
  process.exit(INTERRUPTED);
}

/** False when no process is left in the group. */
function signalGroup(pid, signal) {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}
