import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { transactionRequest } from '../../support/factories.js';
import type { Criterion, Protocol } from '../protocol.js';
import { criterion, within } from '../support/criteria.js';
import { count, highest, tally, time } from '../support/figures.js';
import { Caller, type Reply, succeeded } from '../support/http.js';
import type { Owner } from '../support/accounts.js';
import { type Rig, type Scene, settle } from '../support/rig.js';
import { sendSlowly } from '../support/slow-sockets.js';

const SLOW_REQUESTS = 6;
const SLOW_TIME = 2000;
/** From the signal to the first answer that tells of it; probes ask every 50 ms. */
const TURN_BOUND = 250;
const EXIT_MARGIN = 1000;
const SECOND_SIGNAL_BOUND = 500;

export const TERMINATED: Protocol = {
  name: 'terminated',
  title: 'SIGTERM with keep-alive clients, slow requests and the usual load; then a second SIGTERM',
  async run(rig, { short }) {
    const criteria: Criterion[] = [];
    for (let round = short ? 1 : 5; round > 0; round--) criteria.push(...(await drained(rig)));
    return [...worstOf(criteria), ...(await endedAtOnce(rig))];
  },
};

/** Each criterion once: as the round had it that met it least. */
function worstOf(criteria: readonly Criterion[]): Criterion[] {
  const names = [...new Set(criteria.map(({ name }) => name))];
  return names.flatMap((wanted) => {
    const found = criteria.filter(({ name }) => name === wanted);
    return found.find(({ passed }) => !passed) ?? found.slice(0, 1);
  });
}

async function drained(rig: Rig): Promise<Criterion[]> {
  const scene = await rig.scene();
  const { service, load, probes } = scene;
  probes.start();
  load.start();
  await sleep(1000);
  const slow = await SlowRequests.begin(scene, await rig.owners(service.url, 1));
  const signalledAt = performance.now();
  service.signal('SIGTERM');
  await sleep(SLOW_TIME);
  await slow.release();
  const slowReplies = await slow.replies;
  const longest = performance.now() - signalledAt;
  const code = await service.exited;
  const exitedAfter = performance.now() - signalledAt;
  const ledger = await settle(scene);
  const turned = probes.readiness
    .filter(({ status }) => status === 'OUT_OF_SERVICE')
    .map(({ sentAt, took }) => sentAt + took);
  return [
    ...ledger,
    nothingLost(load.replies),
    criterion(
      'the slow requests are answered',
      slowReplies.every((status) => status === 200),
      tally(slowReplies.map(String)),
    ),
    within('readiness OUT_OF_SERVICE', Math.min(Infinity, ...turned) - signalledAt, TURN_BOUND),
    within('exit after the longest request', exitedAfter - longest, EXIT_MARGIN),
    criterion('exit code 0', code === 0, String(code)),
  ];
}

/** Whoever could connect and was not told that the connection is over got an answer. */
function nothingLost(replies: readonly Reply[]): Criterion {
  const lost = replies.filter(({ status, error }) => status === 0 && error !== 'ECONNREFUSED');
  const failed = replies.filter((reply) => reply.status !== 0 && !succeeded(reply));
  const refused = replies.filter(({ error }) => error === 'ECONNREFUSED').length;
  const words = [
    ...lost.map(({ error, reused }) => `${error ?? ''} on a ${reused ? 'used' : 'new'} connection`),
    ...failed.map(({ status }) => `status ${status}`),
  ];
  return criterion(
    'every request that was accepted is answered, and well',
    lost.length + failed.length === 0,
    `${count(words.length)} of ${count(replies.length - refused)} not${words.length > 0 ? `: ${tally(words)}` : ''}; ` +
      `${count(refused)} more were refused`,
  );
}

/** Half of them wait for a lock in the database, half take their time with the body. */
class SlowRequests {
  private constructor(
    readonly replies: Promise<number[]>,
    private readonly locker: pg.Client,
  ) {}

  static async begin({ cluster, service, ledger }: Scene, owners: readonly Owner[]): Promise<SlowRequests> {
    const { token, propertyId } = owners[0]!;
    const locker = await cluster.connect();
    await locker.query('BEGIN');
    await locker.query('SELECT FROM properties WHERE id = $1 FOR UPDATE', [propertyId]);
    const caller = new Caller(service.url);
    const waiting = Array.from({ length: SLOW_REQUESTS / 2 }, async () => {
      const { reply } = await ledger.create((bookingReference) =>
        caller.post('/api/transactions', transactionRequest(propertyId, { bookingReference }), token),
      );
      return reply.status;
    });
    const dripping = Array.from({ length: SLOW_REQUESTS / 2 }, () =>
      sendSlowly(service.url, token, SLOW_TIME),
    );
    await sleep(200); // until they have arrived
    return new SlowRequests(Promise.all([...waiting, ...dripping]), locker);
  }

  async release(): Promise<void> {
    await this.locker.query('COMMIT');
    await this.locker.end();
  }
}

async function endedAtOnce(rig: Rig): Promise<Criterion[]> {
  const scene = await rig.scene();
  const { service } = scene;
  const slow = await SlowRequests.begin(scene, scene.owners);
  service.signal('SIGTERM');
  await sleep(700);
  const before = service.isRunning;
  const again = performance.now();
  service.signal('SIGTERM');
  const code = await service.exited;
  const took = performance.now() - again;
  await slow.release();
  await slow.replies;
  return [
    criterion(
      'it waits for slow requests until a second SIGTERM',
      before,
      before ? 'it did' : 'it had ended',
    ),
    within('a second SIGTERM ends it', took, SECOND_SIGNAL_BOUND),
    criterion('exit code 1 after the second', code === 1, `${String(code)}, ${time(highest([took]))}`),
  ];
}
