// Tells of changes in the files that the service is made of, some at a time.
import { existsSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { clearTimeout, setTimeout } from 'node:timers';
import { SOURCE_FOLDERS } from './project.mjs';

/** An editor that saves writes more than once: milliseconds without an event before it is looked at what is there. */
const QUIET_TIME = 30;

/**
 * Calls `work` with when the first change was seen, and whether .env is among them. Never twice at once: what changes
 * meanwhile comes after.
 */
export function onChanges(root, work) {
  let since;
  let isEnvironment = false;
  let isBusy = false;
  let timer;
  const run = async () => {
    const batch = [since, isEnvironment];
    [since, isEnvironment, isBusy] = [undefined, false, true];
    await work(...batch);
    isBusy = false;
    if (since !== undefined) timer = setTimeout(run, QUIET_TIME);
  };
  const notice = (ofEnvironment) => {
    since ??= Date.now();
    isEnvironment ||= ofEnvironment;
    clearTimeout(timer);
    if (!isBusy) timer = setTimeout(run, QUIET_TIME);
  };
  for (const folder of SOURCE_FOLDERS) watchAll(join(root, folder), () => notice(false));
  watch(root, (_, name) => {
    if (name === '.env') notice(true);
  });
}

/** Folder by folder: Node 20's own recursive watch loses a file on Linux once another one has taken its place. */
function watchAll(top, notice) {
  const watched = new Map();
  const look = () => {
    for (const folder of [top, ...foldersIn(top)]) {
      if (!watched.has(folder))
        watched.set(
          folder,
          watch(folder, noticeAndLook).on('error', () => undefined),
        );
    }
    for (const [folder, watcher] of watched) {
      if (existsSync(folder)) continue;
      watcher.close();
      watched.delete(folder);
    }
  };
  const noticeAndLook = () => {
    look();
    notice();
  };
  look();
}

function foldersIn(top) {
  try {
    return readdirSync(top, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return []; // one of them has just gone, which is an event of its own
  }
}
