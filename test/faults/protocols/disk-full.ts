import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Program } from '../../support/program.js';
import type { Outcome } from '../outcome.js';
import type { Criterion, FaultOptions, Protocol } from '../protocol.js';
import { criterion, succeedAtLeast } from '../support/criteria.js';
import { count } from '../support/figures.js';
import { type Reply, succeeded } from '../support/http.js';
import type { Rig } from '../support/rig.js';
import { suffer } from './outage.js';

const NAME = 'disk-full';
const RUN = join(import.meta.dirname, '../run.js');
/** A cluster takes 60 MB, and half as much again by what is written here. */
const DISK_SIZE = '128m';
const MOUNT = `mount -t tmpfs -o size=${DISK_SIZE},mode=0755 none "$0" && exec "$@"`;
const IN_NAMESPACE = ['--mount', '--propagation', 'private', 'sh', '-c', MOUNT];
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
  const command = ['unshare', ...IN_NAMESPACE, disk, process.execPath, RUN, ...args];
  const run = new Program(rig, command, { stdio: ['ignore', 'ignore', 'inherit'], signals: ['SIGTERM'] });
  await run.exited;
  const { outcomes } = JSON.parse(readFileSync(json, 'utf8')) as { outcomes: Outcome[] };
  return outcomes.flatMap(({ tries }) => tries.flatMap(({ criteria }) => criteria));
}

async function onSmallDisk(rig: Rig, disk: string, options: FaultOptions): Promise<Criterion[]> {
  const scene = await rig.scene();
  const { cluster } = scene;
  let panicAt = NaN;
  let panicked = false;
  return suffer(scene, options, {
    lasting: [2000, 10_000],
    afterwards: [7000, 15_000],
    healedWithin: 5000,
    async begin() {
      fill(disk);
      await sleep(options.short ? 2000 : 10_000);
      panicAt = performance.now();
      await cluster.sql('SELECT pg_switch_wal()').catch(() => undefined); // the next segment has no room
      return async () => {
        rmSync(join(disk, 'filler'));
        panicked = cluster.postmaster === undefined;
        if (panicked) await cluster.start();
      };
    },
    judge({ load }, { from }) {
      const whileFull = ({ sentAt }: Reply): boolean => sentAt >= from && sentAt < panicAt;
      const refused = load.writes.filter(whileFull).filter((reply) => !succeeded(reply)).length;
      const then = panicked ? 'PostgreSQL ended itself and was started again' : 'PostgreSQL went on';
      return [
        criterion('the full disk was felt', refused > 0, `${count(refused)} writes refused; then ${then}`),
        succeedAtLeast('reads meanwhile', load.reads.filter(whileFull), READS_THROUGH),
      ];
    },
  });
}

/** Takes all the room there is. */
function fill(disk: string): void {
  try {
    for (;;) writeFileSync(join(disk, 'filler'), BLOCK, { flag: 'a' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
