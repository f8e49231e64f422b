import { setTimeout as sleep } from 'node:timers/promises';
import type { Protocol } from '../protocol.js';
import { allSucceedFrom, criterion, none, within } from '../support/criteria.js';
import { highest, tally } from '../support/figures.js';
import { succeeded, wordOf } from '../support/http.js';
import { settle } from '../support/rig.js';

const READY_BOUND = 5000;
/** Failures that clients may see: broken connections, and 503 until the database has been reached. */
const ALLOWED = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', '503'];

export const KILLED: Protocol = {
  name: 'killed',
  title: 'the service killed under writes, again and again, and started again at once',
  async run(rig, short) {
    const scene = await rig.scene();
    const { cluster, load } = scene;
    const between = short ? 1500 : 4000;
    const starts: number[] = [];
    const severe: string[] = [];
    let { service } = scene;
    const { port } = service;
    load.start();
    while (starts.length < (short ? 2 : 10)) {
      await sleep(between);
      await service.stop();
      severe.push(...service.severeLines, ...service.strayLines);
      service = await rig.launch({ databaseUrl: cluster.url }, port).ready();
      starts.push(service.startTime);
    }
    const lastReadyAt = performance.now();
    await sleep(between);
    const ledger = await settle(scene);
    const failed = load.replies.filter((reply) => !succeeded(reply));
    const strange = failed.map(wordOf).filter((word) => !ALLOWED.includes(word));
    return [
      ...ledger,
      within(`ready again, the slowest of ${starts.length} times`, highest(starts), READY_BOUND),
      criterion('clients see broken connections and 503 only', strange.length === 0, tally(strange) || 'so'),
      allSucceedFrom('every request succeeds after the last start', load.replies, lastReadyAt),
      none('ERROR line, no stray output', severe),
    ];
  },
};
