import type net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { timeUntil } from '../../support/until.js';
import { requestText } from '../../support/wire.js';
import type { Criterion, Protocol } from '../protocol.js';
import {
  allSucceedFrom,
  criterion,
  livenessStaysUp,
  p99IsBelow,
  readinessStaysUp,
  serviceIsWell,
  timing,
} from '../support/criteria.js';
import { openOf } from '../support/descriptors.js';
import { count, highest, tally, time } from '../support/figures.js';
import { settle } from '../support/rig.js';
import { dial, statusOn } from '../support/slow-sockets.js';
import { REQUEST_TIMEOUT } from './limits.js';

const SLOW = 500;
const IDLE = 2000;
const RATE = { writes: 100, reads: 100 };
/** Node looks once a second. */
const TIMEOUT_MARGIN = 2500;
const SHORT_TIMEOUT = 3000;
const DRIP_INTERVAL = 1000;
/** A flood of new connections would be another trouble. */
const OPEN_INTERVAL = 5;
const CHURN_INTERVAL = 10;
const CLOSED_WITHIN = 5000;
const GOOD_P99 = 500;

const HEAD = 'GET /api/transactions HTTP/1.1\r\nHost: localhost\r\n';

export const SLOW_SOCKETS: Protocol = {
  name: 'slow-sockets',
  title: `${SLOW} heads and ${SLOW} bodies that never end, ${count(IDLE)} idle connections, and others that come and go`,
  async run(rig, { short }) {
    const timeout = short ? SHORT_TIMEOUT : REQUEST_TIMEOUT;
    const scene = await rig.scene({ rate: RATE, env: { REQUEST_TIMEOUT: `${timeout}ms` } });
    const { cluster, service, owners, load, probes } = scene;
    const open = async (): Promise<number> => (await openOf(cluster, service.pid)).descriptors;
    load.start();
    probes.start();
    await sleep(1000);
    const before = await open();
    const churn = setInterval(() => comeAndGo(service.url), CHURN_INTERVAL);
    rig.defer(() => clearInterval(churn));
    const idle: net.Socket[] = [];
    const slow: Promise<Dripped>[] = [];
    const heads = [HEAD, headOfBody(owners[0]!.token)];
    for (let number = 0; number < SLOW; number++) {
      for (const head of heads) slow.push(drip(service.url, head));
      for (let left = IDLE / SLOW; left > 0; left--) idle.push(openIdle(service.url, left));
      await sleep(OPEN_INTERVAL);
    }
    const during = await open();
    const answers = await Promise.all(slow);
    clearInterval(churn);
    for (const socket of idle) socket.destroy();
    const ledger = await settle(scene); // the connections of the load go, too
    await timeUntil(async () => (await open()) <= before, CLOSED_WITHIN);
    const after = await open();
    return [
      ...ledger,
      ...timedOut(answers, timeout),
      allSucceedFrom('good traffic: every request succeeds', load.replies, 0),
      p99IsBelow(GOOD_P99, 'good traffic', load.replies),
      criterion(
        'descriptors, but for those to PostgreSQL, as few as before',
        during > before + SLOW && after <= before,
        `${count(before)}, then ${count(during)}, then ${count(after)}`,
      ),
      readinessStaysUp(probes),
      ...livenessStaysUp(probes),
      ...serviceIsWell(service),
    ];
  },
};

function headOfBody(token: string): string {
  const headers = [
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    'Content-Length: 1000',
  ];
  return requestText('POST /api/transactions HTTP/1.1', headers);
}

/** A connection that is broken as soon as it is there. */
function comeAndGo(url: string): void {
  const socket = dial(url);
  socket.once('connect', () => socket.resetAndDestroy());
}

/** Half of them have had an answer before. */
function openIdle(url: string, index: number): net.Socket {
  const socket = dial(url).resume();
  if (index % 2 === 0) socket.write('GET /actuator/health/liveness HTTP/1.1\r\nHost: localhost\r\n\r\n');
  return socket;
}

interface Dripped {
  readonly status: number;
  readonly took: number;
}

/** Sends the text, and then one byte after the other, until there is an answer. */
async function drip(url: string, text: string): Promise<Dripped> {
  const socket = dial(url);
  const begin = performance.now();
  socket.write(text);
  const timer = setInterval(() => socket.write('x'), DRIP_INTERVAL);
  const status = await statusOn(socket);
  clearInterval(timer);
  socket.destroy();
  return { status, took: performance.now() - begin };
}

function timedOut(answers: readonly Dripped[], timeout: number): Criterion[] {
  const statuses = answers.map(({ status }) => String(status));
  const times = answers.map(({ took }) => took);
  return [
    criterion(
      'every slow request is answered 408',
      statuses.every((status) => status === '408'),
      tally(statuses),
    ),
    timing(
      `from ${time(timeout)} to ${time(timeout + TIMEOUT_MARGIN)} after its begin`,
      times.every((took) => took >= timeout && took <= timeout + TIMEOUT_MARGIN),
      `${time(Math.min(...times))} to ${time(highest(times))}`,
    ),
  ];
}
