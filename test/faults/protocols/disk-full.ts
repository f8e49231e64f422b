import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from '../outcome.js';
import type { Criterion, FaultOptions, Protocol } from '../protocol.js';
import {
  allSucceedFrom,
  criterion,
  failuresAreProblems,
  livenessStaysUp,
  serviceIsWell,
  succeedAtLeast,
} from '../support/criteria.js';
import { count } from '../support/figures.js';
import { type Reply, succeeded } from '../support/http.js';
import { type Rig, type Scene, settle } from '../support/rig.js';

const NAME = 'disk-full';
const RUN = join(import.meta.dirname, '../run.js');
/** A cluster takes 60 MB, and half as much again by what is written here. */
const DISK_SIZE = '128m';
const MOUNT = `mount -t tmpfs -o size=${DISK_SIZE},mode=0755 none "$0" && exec "$@"`;
const IN_NAMESPACE = ['--mount', '--propagation', 'private', 'sh', '-c', MOUNT];
const FAILURE_BOUND = 3000;
const HEALED_WITHIN = 5000;
const READS_THROUGH = 90;
const BLOCK = Buffer.alloc(8192);

export const DISK_FULL: Protocol = {
  name: NAME,
  title:
    'the disk of the database is full; then it is full for the write-ahead log, too, which ends PostgreSQL',
  obstacle() {
    const folder = mkdtempSync(join(tmpdir(), 'property-finance-mount-'));
    const { status } = spawnSync('unshare', [...IN_NAMESPACE, folder, 'true']);
    rmSync(folder, { recursive: true });
    return status === 0
      ? undefined
      : 'it takes root, and unshare(1), to mount a small disk where nobody else sees it';
  },
  async run(rig, options) {
    return options.smallDisk === undefined
      ? inNamespace(rig, options)
      : onSmallDisk(rig, options.smallDisk, options);
  },
};

/** Runs this protocol once more, in a process that sees a small disk. */
async function inNamespace(rig: Rig, { short }: FaultOptions): Promise<Criterion[]> {
  const disk = mkdtempSync(join(rig.folder, 'disk-'));
  const json = join(rig.folder, 'results.json');
  const args = ['--only', NAME, '--small-disk', disk, '--json', json, ...(short ? ['--short'] : [])];
  const child = spawn('unshare', [...IN_NAMESPACE, disk, process.execPath, RUN, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  rig.defer(() => void child.kill());
  await once(child, 'exit');
  const { outcomes } = JSON.parse(readFileSync(json, 'utf8')) as { outcomes: Outcome[] };
  return outcomes.flatMap(({ tries }) => tries.flatMap(({ criteria }) => criteria));
}

async function onSmallDisk(rig: Rig, disk: string, { short }: FaultOptions): Promise<Criterion[]> {
  const scene = await rig.scene();
  const { cluster, load, probes } = scene;
  const lasting = short ? 2000 : 10_000;
  probes.start();
  load.start();
  await sleep(short ? 1000 : 5000);
  const fullAt = performance.now();
  fill(disk);
  await sleep(lasting);
  const panicAt = performance.now();
  await cluster.sql('SELECT pg_switch_wal()').catch(() => undefined); // the next segment has no room
  await sleep(lasting);
  rmSync(join(disk, 'filler'));
  const panicked = cluster.postmaster === undefined;
  if (panicked) await cluster.start();
  const freeAt = performance.now();
  await sleep(HEALED_WITHIN + lasting);
  const ledger = await settle(scene);
  const then = panicked ? 'PostgreSQL ended itself and was started again' : 'PostgreSQL went on';
  return [...ledger, ...judge(scene, { fullAt, panicAt, freeAt }, then)];
}

interface Moments {
  readonly fullAt: number;
  /** When there was no room for the write-ahead log either. */
  readonly panicAt: number;
  readonly freeAt: number;
}

/** Takes all the room there is. */
function fill(disk: string): void {
  try {
    for (;;) writeFileSync(join(disk, 'filler'), BLOCK, { flag: 'a' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

function judge(
  { load, probes, service }: Scene,
  { fullAt, panicAt, freeAt }: Moments,
  then: string,
): Criterion[] {
  const whileFull = ({ sentAt }: Reply): boolean => sentAt >= fullAt && sentAt < panicAt;
  const refused = load.writes.filter(whileFull).filter((reply) => !succeeded(reply)).length;
  return [
    criterion('the full disk was felt', refused > 0, `${count(refused)} writes refused; then ${then}`),
    succeedAtLeast('reads meanwhile', load.reads.filter(whileFull), READS_THROUGH),
    ...failuresAreProblems(load.replies, FAILURE_BOUND),
    allSucceedFrom('every request succeeds 5 s after there is room', load.replies, freeAt + HEALED_WITHIN),
    ...livenessStaysUp(probes),
    ...serviceIsWell(service),
  ];
}
