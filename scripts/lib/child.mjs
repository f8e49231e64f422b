// Commands that outlive no Ctrl-C: whoever stops this process gets the prompt back when they are gone.
import './node-version.mjs';
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** The exit code of what a signal has ended. */
const INTERRUPTED = 130;
/** Under npm one Ctrl-C arrives twice: from the terminal, and from npm, which passes it on. Milliseconds. */
const ECHO_TIME = 500;
/** How often the command is told before it is killed. npm looks at the first only between its steps; a second ends it. */
const TIMES = 5;
/** What it may take after each time, on a busy machine. Milliseconds. */
const PATIENCE = 1000;
const PAUSE = 20;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a command in a process group of its own, so that its children can be told to stop as well. On a signal it is
 * stopped, and then this process ends. Returns the exit code and what was said, unless it speaks for itself.
 */
export async function runToEnd(command, args, { cwd, speaks }) {
  const output = speaks ? 2 : 'pipe';
  const interrupt = interruptionOf(() => child);
  for (const signal of SIGNALS) process.on(signal, interrupt); // before there is anything that could be left running
  const child = spawn(command, args, { cwd, detached: true, stdio: ['ignore', output, output] });
  let words = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => (words += text));
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve({ status: 1, words: `${message}\n` }));
    child.once('close', (status) => {
      if (interrupt.isUnderWay) return;
      for (const signal of SIGNALS) process.off(signal, interrupt);
      resolve({ status, words });
    });
  });
}

/** What to do on a signal: the first ends the command in order, a later one at once; then this process ends. */
function interruptionOf(child) {
  let since;
  const interrupt = (signal) => {
    const { pid } = child();
    if (since !== undefined) {
      if (Date.now() - since > ECHO_TIME && signal !== 'SIGHUP') tellGroup(pid, 'SIGKILL');
      return;
    }
    since = Date.now();
    interrupt.isUnderWay = true;
    void endGroup(pid, signal).then(() => {
      process.stderr.write('\nInterrupted: nothing is left running.\n');
      process.exit(INTERRUPTED);
    });
  };
  process.stderr.on('error', () => undefined); // a terminal that was closed takes no words
  return interrupt;
}

async function endGroup(pid, signal) {
  for (const each of [...Array(TIMES).fill(signal), 'SIGKILL']) {
    tellGroup(pid, each);
    for (const deadline = Date.now() + PATIENCE; Date.now() < deadline && tellGroup(pid, 0);)
      await sleep(PAUSE);
  }
}

/** False when nobody is left in it. */
function tellGroup(pid, signal) {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}
