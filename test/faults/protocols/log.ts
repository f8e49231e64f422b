import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Protocol } from '../protocol.js';
import { criterion, memoryIsBounded, within } from '../support/criteria.js';
import type { Rig } from '../support/rig.js';
import { outage, type Outage } from './outage.js';

const EXIT_BOUND = 3000;
const RESIDENT = 512;
/** A pipe holds fewer lines. */
const LINES = 500;
const NOT_WAITING = constants.O_RDONLY | constants.O_NONBLOCK;

/** Nothing is read from the pipe, both ends of which are held here. */
function losing(rig: Rig, lose: (end: number) => void): Outage {
  const pipe = join(rig.folder, 'log.pipe');
  spawnSync('mkfifo', [pipe]);
  const reader = openSync(pipe, NOT_WAITING);
  const output = openSync(pipe, 'w');
  return {
    scene: { output },
    begin({ cluster }) {
      [reader, output].forEach(lose);
      cluster.signalAll('SIGKILL'); // each refused request is a line of the log
      return () => cluster.start();
    },
    async judge({ load, service }, from) {
      const lines = load.replies.filter(({ sentAt, status }) => sentAt > from && status === 503).length;
      const memory = memoryIsBounded(service, RESIDENT);
      const begin = performance.now();
      service.signal('SIGTERM');
      const code = await Promise.race([service.exited, sleep(2 * EXIT_BOUND, 'none')]);
      return [
        criterion('more lines than a pipe holds', lines > LINES, `${lines} refused requests`),
        memory,
        within('SIGTERM ends it', performance.now() - begin, EXIT_BOUND),
        criterion('exit code 0', code === 0, String(code)),
      ];
    },
  };
}

export const LOG_LOSSES: readonly Protocol[] = [
  outage('log-blocked', 'no process reads the pipe of the log, while every request is refused', (rig) =>
    losing(rig, () => undefined),
  ),
  {
    ...outage('log-closed', 'the reader of the log goes away, while every request is refused', (rig) =>
      losing(rig, (end) => closeSync(end)),
    ),
    nightly: true,
  },
];
