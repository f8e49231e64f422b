// One start at a time in a folder: two that install or make the database at once would take each other's files away.
import './node-version.mjs';
import { linkSync, rmSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { say } from './project.mjs';

/** A socket, because the system closes it whatever its process dies of. Relative: its path has room for 100 bytes. */
const SOCKET = '.start.socket';
/** For another who has found remains, and is just removing what it takes for them. Milliseconds. */
const SETTLING_TIME = 50;

/**
 * Waits until no other start is under way in the working directory. Returns how to end the turn, which the end of the
 * process does as well.
 */
export async function takeTurn() {
  for (let told = false; ;) {
    const { server, inode, code } = await listen();
    if (server !== undefined && (await isStill(inode))) return endOf(server);
    server?.close();
    if (code !== undefined && code !== 'EEXIST') return () => undefined; // a disk that has no sockets
    const isRemnant = !(await waitForOther(() => {
      if (!told) say('Another start is under way in this folder; waiting for it …');
      told = true;
    }));
    if (isRemnant) rmSync(SOCKET, { force: true });
  }
}

/** The socket gets its name once it is listened to: before that, it would be taken for the remains of one. */
function listen() {
  const unnamed = `${SOCKET}.${process.pid}`;
  rmSync(unnamed, { force: true });
  const guests = new Set();
  const server = createServer((guest) => {
    guests.add(guest.unref().on('error', () => undefined));
  });
  server.guests = guests;
  return new Promise((resolve) => {
    server.once('error', ({ code }) => resolve({ code }));
    server.listen(unnamed, () => {
      try {
        linkSync(unnamed, SOCKET);
        resolve({ server: server.unref(), inode: statSync(unnamed).ino });
      } catch ({ code }) {
        server.close();
        resolve({ code });
      }
      rmSync(unnamed, { force: true });
    });
  });
}

async function isStill(inode) {
  await sleep(SETTLING_TIME);
  return statSync(SOCKET, { throwIfNoEntry: false })?.ino === inode;
}

function endOf(server) {
  const leave = () => rmSync(SOCKET, { force: true });
  process.once('exit', leave);
  return () => {
    process.off('exit', leave);
    leave();
    for (const guest of server.guests) guest.destroy();
    server.close();
  };
}

/** False when nobody is behind the socket: a process that was killed has left it. */
function waitForOther(tell) {
  return new Promise((resolve) => {
    const other = connect(SOCKET, tell);
    other.once('error', ({ code }) => resolve(code !== 'ECONNREFUSED'));
    other.once('close', (failed) => failed || resolve(true));
    other.resume();
  });
}
