import { setTimeout as sleep } from 'node:timers/promises';
import type { Protocol } from '../protocol.js';
import {
  allEndWithin,
  allSucceedFrom,
  failuresAreProblems,
  livenessStaysUp,
  probesAnswerWithin,
  serviceIsWell,
  within,
} from '../support/criteria.js';
import { settle } from '../support/rig.js';
import { STATEMENT_TIMEOUT } from './limits.js';

const PROBE_BOUND = 1000;
const DOWN_BOUND = 3000;
const HEALED_WITHIN = 3000;

export const STOPPED: Protocol = {
  name: 'stopped',
  title: 'every process of PostgreSQL stopped (SIGSTOP): connections stay open, and nothing answers',
  async run(rig, { short }) {
    const scene = await rig.scene();
    const { cluster, load, probes, service } = scene;
    probes.start();
    load.start();
    await sleep(short ? 1000 : 5000);
    cluster.signalAll('SIGSTOP');
    const stoppedAt = performance.now();
    await sleep(short ? 7500 : 20_000);
    cluster.signalAll('SIGCONT');
    const backAt = performance.now();
    await sleep(short ? 4000 : 15_000);
    const ledger = await settle(scene);
    const bound = STATEMENT_TIMEOUT + 2000;
    return [
      ...ledger,
      allEndWithin(load.replies, bound),
      ...failuresAreProblems(load.replies, bound),
      probesAnswerWithin('readiness answers', probes.readiness, PROBE_BOUND),
      within('readiness DOWN after the stop', probes.readinessTurned(503, stoppedAt), DOWN_BOUND),
      allSucceedFrom(
        `every request succeeds ${HEALED_WITHIN / 1000} s after it goes on`,
        load.replies,
        backAt + HEALED_WITHIN,
      ),
      ...livenessStaysUp(probes),
      ...serviceIsWell(service),
    ];
  },
};
