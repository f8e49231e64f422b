import { setTimeout as sleep } from 'node:timers/promises';
import { transactionRequest } from '../../support/factories.js';
import type { Criterion, Protocol } from '../protocol.js';
import {
  allSucceedFrom,
  criterion,
  failuresAreProblems,
  livenessStaysUp,
  readinessStaysUp,
  serviceIsWell,
  timing,
} from '../support/criteria.js';
import { count, highest, time } from '../support/figures.js';
import { Caller, type Reply, succeeded } from '../support/http.js';
import type { Owner } from '../support/accounts.js';
import { settle } from '../support/rig.js';
import { ACQUIRE_TIMEOUT, SHARE, STATEMENT_TIMEOUT } from './limits.js';

const WAVE = 100;
/** A wave is over when its statements have timed out. */
const WAVE_TIME = 6500;
/** For the way over HTTP, and the look at the account before the statement. */
const MARGIN = 500;
const HEALED_WITHIN = 1000;
/** Only to see whether it works again. */
const LIGHT_RATE = { writes: 20, reads: 20 };

export const LOCKED_TABLE: Protocol = {
  name: 'locked-table',
  title: `transactions locked (ACCESS EXCLUSIVE), ${WAVE} requests at once: the whole pool waits`,
  async run(rig, { short }) {
    const scene = await rig.scene({ rate: LIGHT_RATE });
    const { cluster, service, owners, load, probes } = scene;
    const caller = new Caller(service.url);
    const locker = await cluster.connect();
    await locker.query('BEGIN; LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE');
    probes.start();
    const waves: Reply[][] = [];
    for (let left = short ? 1 : 4; left > 0; left--) {
      const wave = sendWave(caller, owners);
      await sleep(WAVE_TIME);
      waves.push(await wave);
    }
    load.start(); // it is refused at first, as the waves are
    await sleep(500);
    await locker.query('COMMIT');
    const freeAt = performance.now();
    await locker.end();
    caller.close();
    await sleep(short ? 3000 : 10_000);
    return [
      ...(await settle(scene)),
      ...refused(waves, owners.length * SHARE),
      readinessStaysUp(probes),
      ...livenessStaysUp(probes),
      allSucceedFrom(
        `every request succeeds ${HEALED_WITHIN / 1000} s after the lock`,
        load.replies,
        freeAt + HEALED_WITHIN,
      ),
      ...serviceIsWell(service),
    ];
  },
};

/** Half of it reads, half of it writes that are never stored. */
async function sendWave(caller: Caller, owners: readonly Owner[]): Promise<Reply[]> {
  const path = '/api/transactions';
  const requests = Array.from({ length: WAVE }, (_, index) => {
    const { token, propertyId } = owners[index % owners.length]!;
    return index % 2 === 0
      ? caller.get(path, token)
      : caller.post(path, transactionRequest(propertyId), token);
  });
  return Promise.all(requests);
}

function refused(waves: readonly Reply[][], shares: number): Criterion[] {
  const replies = waves.flat();
  const longest = waves.map((wave) => wave.filter(({ took }) => took > ACQUIRE_TIMEOUT + MARGIN).length);
  const slowest = highest(replies.map(({ took }) => took));
  return [
    criterion(
      'all are refused while the lock is there',
      !replies.some(succeeded),
      `${count(replies.filter(succeeded).length)} of ${count(replies.length)} succeeded`,
    ),
    ...failuresAreProblems(replies, STATEMENT_TIMEOUT + MARGIN),
    timing(
      `only requests within a share wait over ${time(ACQUIRE_TIMEOUT + MARGIN)}`,
      highest(longest) <= shares,
      `at most ${highest(longest)} of ${WAVE} at once, the slowest ${time(slowest)}`,
    ),
  ];
}
