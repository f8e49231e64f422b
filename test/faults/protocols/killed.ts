import { setTimeout as sleep } from 'node:timers/promises';
import type { Protocol } from '../protocol.js';
import { allSucceedFrom, criterion, none, within } from '../support/criteria.js';
import { highest, tally } from '../support/figures.js';
import { type Reply, succeeded } from '../support/http.js';
import { settle } from '../support/rig.js';
import type { Service } from '../support/service.js';

const READY_BOUND = 5000;

/** What a client may see of a process that dies: nothing but a broken or refused connection. */
const BROKEN = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'];

export const KILLED: Protocol = {
  name: 'killed',
  title: 'the service killed under writes, over and over, and started again at once',
  async run(rig, { short }) {
    const scene = await rig.scene();
    const { cluster, load } = scene;
    const times = short ? 2 : 10;
    const between = short ? 1500 : 4000;
    const starts: number[] = [];
    const severe: string[] = [];
    let service: Service = scene.service;
    let lastReadyAt = 0;
    const { port } = service;
    load.start();
    for (let left = times; left > 0; left--) {
      await sleep(between);
      await service.stop();
      severe.push(...service.severeLines, ...service.strayLines);
      service = await rig.launch({ databaseUrl: cluster.url }, port).ready();
      lastReadyAt = performance.now();
      starts.push(service.startTime);
    }
    await sleep(between);
    const ledger = await settle(scene);
    const strange = load.replies.filter((reply) => !succeeded(reply)).flatMap(strangeFailure);
    return [
      ...ledger,
      within(`ready again, the slowest of ${times} times`, highest(starts), READY_BOUND),
      criterion(
        'clients saw broken connections and 503, nothing else',
        strange.length === 0,
        tally(strange) || 'so',
      ),
      allSucceedFrom('every request succeeds after the last start', load.replies, lastReadyAt),
      none('ERROR line, no stray output', severe),
    ];
  },
};

/** Until the database has been looked at, the answer is 503. */
function strangeFailure({ status, error = '' }: Reply): string[] {
  return status === 503 || BROKEN.includes(error) ? [] : [error === '' ? `status ${status}` : error];
}
