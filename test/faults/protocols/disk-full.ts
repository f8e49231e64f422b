import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { criterion, succeedAtLeast } from '../support/criteria.js';
import { count } from '../support/figures.js';
import { type Reply, succeeded } from '../support/http.js';
import { outage } from './outage.js';

/** A cluster takes 60 MB, and the load half as much again. */
const MOUNT = ['-t', 'tmpfs', '-o', 'size=128m,mode=0755', 'none'];
const BLOCK = Buffer.alloc(8192);

export const DISK_FULL = outage(
  'disk-full',
  'the disk of the database is full; then the write-ahead log has no room either, which ends PostgreSQL',
  (rig) => {
    const disk = join(rig.folder, 'disk');
    mkdirSync(disk);
    execFileSync('mount', [...MOUNT, disk]);
    rig.defer(() => void execFileSync('umount', [disk]));
    let panicAt = NaN;
    let panicked = false;
    return {
      scene: { disk },
      lasting: [2000, 10_000],
      afterwards: [6000, 15_000],
      healedWithin: 5000,
      async begin({ cluster }, short) {
        fill(disk);
        await sleep(short ? 2000 : 10_000);
        panicAt = performance.now();
        await cluster.sql('SELECT pg_switch_wal()').catch(() => undefined); // the next segment has no room
        return async () => {
          rmSync(join(disk, 'filler'));
          panicked = cluster.postmaster === undefined;
          if (panicked) await cluster.start();
        };
      },
      judge({ load }, from) {
        const whileFull = ({ sentAt }: Reply): boolean => sentAt >= from && sentAt < panicAt;
        const refused = load.writes.filter(whileFull).filter((reply) => !succeeded(reply)).length;
        const then = panicked ? 'PostgreSQL ended itself and was started again' : 'PostgreSQL went on';
        return [
          criterion('the full disk refuses writes', refused > 0, `${count(refused)} refused; then ${then}`),
          succeedAtLeast('reads meanwhile', load.reads.filter(whileFull), 90),
        ];
      },
    };
  },
  {
    obstacle() {
      const folder = mkdtempSync(join(tmpdir(), 'property-finance-mount-'));
      const isMounted = spawnSync('mount', [...MOUNT, folder]).status === 0;
      if (isMounted) execFileSync('umount', [folder]);
      rmSync(folder, { recursive: true });
      return isMounted ? undefined : 'only root can mount a small disk';
    },
  },
);

function fill(disk: string): void {
  try {
    for (;;) writeFileSync(join(disk, 'filler'), BLOCK, { flag: 'a' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
