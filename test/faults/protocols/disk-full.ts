import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Protocol } from '../protocol.js';
import { criterion, timing } from '../support/criteria.js';
import { count } from '../support/figures.js';
import { type Reply, succeeded } from '../support/http.js';
import { outage } from './outage.js';

/** A cluster takes 60 MB, and the load half as much again. */
const MOUNT = ['-t', 'tmpfs', '-o', 'size=128m,mode=0755', 'none'];
const TITLE =
  'the disk of the database is full; then the write-ahead log has no room either, which ends PostgreSQL';

export const DISK_FULL: Protocol = {
  ...outage('disk-full', TITLE, (rig) => {
    const disk = join(rig.folder, 'disk');
    mkdirSync(disk);
    execFileSync('mount', [...MOUNT, disk]);
    rig.defer(() => void execFileSync('umount', [disk]));
    let panicAt = NaN;
    let then = 'PostgreSQL went on';
    return {
      scene: { disk },
      lasting: [2000, 10_000],
      afterwards: [6000, 15_000],
      healedWithin: 5000,
      async begin({ cluster }, short) {
        fill(join(disk, 'filler'));
        await sleep(short ? 2000 : 10_000);
        panicAt = performance.now();
        await cluster.sql('SELECT pg_switch_wal()').catch(() => undefined); // the next segment has no room
        return async () => {
          rmSync(join(disk, 'filler'));
          if (cluster.postmaster !== undefined) return;
          then = 'PostgreSQL ended itself and was started again';
          await cluster.start();
        };
      },
      judge({ load }, from) {
        const whileFull = ({ sentAt }: Reply): boolean => sentAt >= from && sentAt < panicAt;
        const refused = load.writes.filter((reply) => whileFull(reply) && !succeeded(reply)).length;
        const reads = load.reads.filter(whileFull);
        const served = reads.filter(succeeded).length;
        return [
          criterion('the full disk refuses writes', refused > 0, `${count(refused)} refused; then ${then}`),
          timing('reads meanwhile: ≥ 90 %', served >= 0.9 * reads.length, `${served} of ${reads.length}`),
        ];
      },
    };
  }),
  obstacle() {
    const { status } = spawnSync('unshare', ['--mount', 'mount', ...MOUNT, tmpdir()]);
    return status === 0 ? undefined : 'only root can mount a small disk';
  },
};

function fill(file: string): void {
  try {
    for (;;) writeFileSync(file, Buffer.alloc(8192), { flag: 'a' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
