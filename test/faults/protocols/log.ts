import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Criterion, Protocol } from '../protocol.js';
import { criterion, residentIsAtMost, within } from '../support/criteria.js';
import type { Rig } from '../support/rig.js';
import type { Service } from '../support/service.js';
import { outage } from './outage.js';

const EXIT_BOUND = 3000;
const RESIDENT = 512;
/** A pipe holds fewer lines. */
const LINES = 500;

const losing =
  (lose: (close: () => void) => void): Parameters<typeof outage>[2] =>
  (rig) => {
    const { writer, close } = openPipe(rig);
    return {
      scene: { output: writer },
      begin({ cluster }) {
        lose(close);
        cluster.signalAll('SIGKILL'); // each refused request is a line of the log
        return () => cluster.start();
      },
      async judge({ load, service }, from) {
        const lines = load.replies.filter(({ sentAt, status }) => sentAt > from && status === 503).length;
        return [
          criterion('more lines than a pipe holds', lines > LINES, `${lines} refused requests`),
          residentIsAtMost(RESIDENT, service.pid),
          ...(await endsInOrder(service)),
        ];
      },
    };
  };

export const LOG_LOSSES: readonly Protocol[] = [
  outage(
    'log-blocked',
    'no process reads the pipe of the log, while every request is refused',
    losing(() => undefined),
  ),
  outage(
    'log-closed',
    'the reader of the log goes away, while every request is refused',
    losing((close) => close()),
    { nightly: true },
  ),
];

async function endsInOrder(service: Service): Promise<Criterion[]> {
  const begin = performance.now();
  service.signal('SIGTERM');
  const code = await Promise.race([service.exited, sleep(2 * EXIT_BOUND, 'none')]);
  return [
    within('SIGTERM ends it', performance.now() - begin, EXIT_BOUND),
    criterion('exit code 0', code === 0, String(code)),
  ];
}

/** A pipe with both ends held here, and never read. */
function openPipe(rig: Rig): { writer: number; close: () => void } {
  const path = join(rig.folder, 'log.pipe');
  spawnSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, constants.O_WRONLY);
  let open = true;
  const close = (): void => {
    if (open) for (const end of [reader, writer]) closeSync(end);
    open = false;
  };
  rig.defer(close);
  return { writer, close };
}
