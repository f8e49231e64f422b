// One start at a time in a folder: two that install or make the database at once would take each other's files away.
import './node-version.mjs';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { say } from './project.mjs';

/** Holds the number of the process whose start is under way, in the working directory. */
const LOCK = '.start.lock';
/** Milliseconds: time for another start that is just removing the lock of a killed process. */
const PAUSE = 50;

/** Waits until no other start is under way here. Returns how to end the turn; the end of the process ends it too. */
export async function takeTurn() {
  for (let told = false; ;) {
    const taken = take();
    await sleep(PAUSE);
    if (taken && holder() === process.pid) break;
    if (!told && isAlive(holder())) {
      say('Another start is under way in this folder; waiting for it …');
      told = true;
    }
  }
  const leave = () => rmSync(LOCK, { force: true });
  process.once('exit', leave);
  return () => {
    process.off('exit', leave);
    leave();
  };
}

/** The lock gets its name by a link, once the number is in it. One of a process that was killed is removed. */
function take() {
  const own = `${LOCK}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, LOCK);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (!isAlive(holder())) rmSync(LOCK, { force: true });
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

function holder() {
  try {
    return Number(readFileSync(LOCK, 'utf8'));
  } catch {
    return 0; // it has ended meanwhile
  }
}

function isAlive(pid) {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch ({ code }) {
    return code === 'EPERM';
  }
}
