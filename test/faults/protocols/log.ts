import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { peakMemoryOf } from '../../../bench/processes.js';
import type { Criterion, Protocol } from '../protocol.js';
import {
  allSucceedFrom,
  criterion,
  failuresAreProblems,
  livenessStaysUp,
  processIsWell,
  within,
} from '../support/criteria.js';
import { type Rig, type Scene, settle } from '../support/rig.js';

const FAILURE_BOUND = 3000;
const UP_BOUND = 5000;
const EXIT_BOUND = 3000;
const MEMORY = 512;

/** A way of losing whoever reads the log. */
interface Loss {
  readonly name: string;
  readonly title: string;
  /** Whether there is no reader any more, or one that does not read. */
  readonly closed: boolean;
}

const LOSSES: readonly Loss[] = [
  {
    name: 'log-blocked',
    title: 'nobody reads the pipe that the log goes to, while the service has much to say',
    closed: false,
  },
  {
    name: 'log-closed',
    title: 'whoever reads the log goes away, while the service has much to say',
    closed: true,
  },
];

export const LOG_LOSSES: readonly Protocol[] = LOSSES.map(({ name, title, closed }) => ({
  name,
  title,
  async run(rig, { short }) {
    const pipe = openPipe(rig);
    const scene = await rig.scene({ output: pipe.writer });
    const { cluster, load, probes } = scene;
    probes.start();
    load.start();
    await sleep(1000);
    if (closed) pipe.close();
    cluster.signalAll('SIGKILL'); // every refused request is a line of the log
    const lostAt = performance.now();
    await sleep(short ? 3000 : 20_000);
    await cluster.start();
    const backAt = performance.now();
    await sleep(short ? 3000 : 10_000);
    const ledger = await settle(scene);
    const lines = load.replies.filter(({ sentAt, status }) => sentAt > lostAt && status === 503).length;
    return [
      ...ledger,
      criterion('there was more to say than a pipe holds', lines > 500, `${lines} refused requests`),
      ...judge(scene, backAt),
      ...(await endsInOrder(scene)),
    ];
  },
}));

function judge({ load, probes, service }: Scene, backAt: number): Criterion[] {
  const settled = probes.readinessSettled(backAt);
  const peak = peakMemoryOf(service.pid) ?? NaN;
  return [
    ...failuresAreProblems(load.replies, FAILURE_BOUND),
    within('readiness UP for good after the return', settled, UP_BOUND),
    allSucceedFrom('every request succeeds once readiness is UP', load.replies, backAt + settled),
    ...livenessStaysUp(probes),
    criterion(`resident memory < ${MEMORY} MB`, peak < MEMORY, `${Math.round(peak)} MB`),
    ...processIsWell(service),
  ];
}

async function endsInOrder({ service }: Scene): Promise<Criterion[]> {
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
