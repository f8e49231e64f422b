import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Criterion, Protocol } from '../protocol.js';
import { criterion, residentIsAtMost, within } from '../support/criteria.js';
import type { Rig } from '../support/rig.js';
import type { Service } from '../support/service.js';
import { suffer } from './outage.js';

const EXIT_BOUND = 3000;
const MEMORY = 512;

export const LOG_LOSSES: readonly Protocol[] = [
  protocolOf('log-blocked', 'nobody reads the pipe that the log goes to', () => undefined),
  protocolOf('log-closed', 'whoever reads the log goes away', (close) => close()),
];

function protocolOf(name: string, title: string, lose: (close: () => void) => void): Protocol {
  return {
    name,
    title: `${title}, while the service has much to say`,
    async run(rig, options) {
      const { writer, close } = openPipe(rig);
      const scene = await rig.scene({ output: writer });
      return suffer(scene, options, {
        begin({ cluster }) {
          lose(close);
          cluster.signalAll('SIGKILL'); // every refused request is a line of the log
          return () => cluster.start();
        },
        async judge({ load, service }, { from }) {
          const lines = load.replies.filter(({ sentAt, status }) => sentAt > from && status === 503).length;
          return [
            criterion('there was more to say than a pipe holds', lines > 500, `${lines} refused requests`),
            residentIsAtMost(MEMORY, service.pid),
            ...(await endsInOrder(service)),
          ];
        },
      });
    },
  };
}

async function endsInOrder(service: Service): Promise<Criterion[]> {
  const begin = performance.now();
  service.signal('SIGTERM');
  const code = await Promise.race([service.exited, sleep(2 * EXIT_BOUND, 'none')]);
  return [
    within('SIGTERM ends it', performance.now() - begin, EXIT_BOUND),
    criterion('exit code 0', code === 0, String(code)),
  ];
}

/** A pipe of which both ends are held here, and of which nothing is read. */
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
