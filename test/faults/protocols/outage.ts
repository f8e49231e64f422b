import { setTimeout as sleep } from 'node:timers/promises';
import type { Criterion, FaultOptions } from '../protocol.js';
import {
  allEndWithin,
  allSucceedFrom,
  failuresAreProblems,
  livenessStaysUp,
  probesAnswerWithin,
  serviceIsWell,
  succeedAtLeast,
  within,
} from '../support/criteria.js';
import { type Scene, settle } from '../support/rig.js';
import { STATEMENT_TIMEOUT } from './limits.js';

const FAILURE_BOUND = 3000;
const SILENT_BOUND = STATEMENT_TIMEOUT + 2000;
const DOWN_BOUND = 3000;
const UP_BOUND = 5000;
const PROBE_BOUND = 1000;

/** In milliseconds. */
type Time = readonly [short: number, long: number];

/** As `performance.now()` tells it. */
export interface Span {
  readonly from: number;
  /** When it began to end. */
  readonly ending: number;
  readonly to: number;
}

/** Something that is wrong for a while under the usual load, and what the service has to make of it. */
export interface Outage {
  /** Returns what ends it. */
  readonly begin: (scene: Scene) => Promise<() => unknown> | (() => unknown);
  readonly lasting?: Time;
  readonly afterwards?: Time;
  /** Nobody tells the service: what is under way waits for its timeout. */
  readonly isSilent?: boolean;
  /** Readiness has to be DOWN meanwhile. */
  readonly isDown?: boolean;
  /** So many percent of the reads succeed, from the beginning to the end. */
  readonly reads?: number;
  readonly upWithin?: number;
  /** So long afterwards every request succeeds; by default as soon as readiness is UP. */
  readonly healedWithin?: number;
  readonly judge?: (scene: Scene, span: Span) => Criterion[] | Promise<Criterion[]>;
}

/** Lets it happen, and judges. */
export async function suffer(
  scene: Scene,
  { short }: FaultOptions,
  { begin, lasting = [3000, 20_000], afterwards = [3000, 10_000], ...outage }: Outage,
): Promise<Criterion[]> {
  const timeOf = ([whenShort, whenLong]: Time): number => (short ? whenShort : whenLong);
  scene.probes.start();
  scene.load.start();
  await sleep(short ? 1500 : 5000);
  const from = performance.now();
  const end = await begin(scene);
  await sleep(timeOf(lasting));
  const ending = performance.now();
  await end();
  const to = performance.now();
  await sleep(timeOf(afterwards));
  const ledger = await settle(scene);
  const common = commonCriteria(scene, outage, { from, ending, to });
  return [...ledger, ...common, ...((await outage.judge?.(scene, { from, ending, to })) ?? [])];
}

function commonCriteria(scene: Scene, outage: Omit<Outage, 'begin'>, { from, to }: Span): Criterion[] {
  const { isSilent = false, isDown = false, reads, upWithin = UP_BOUND, healedWithin } = outage;
  const { load, probes, service } = scene;
  const { replies } = load;
  const settled = probes.readinessSettled(to);
  const when = healedWithin === undefined ? 'once readiness is UP' : `${healedWithin / 1000} s afterwards`;
  return [
    allEndWithin(replies, SILENT_BOUND),
    ...failuresAreProblems(replies, isSilent ? SILENT_BOUND : FAILURE_BOUND),
    ...(isDown ? [within('readiness DOWN', probes.readinessTurned(503, from), DOWN_BOUND)] : []),
    ...(reads === undefined ? [] : [succeedAtLeast('reads', load.reads, reads)]),
    probesAnswerWithin('readiness answers', probes.readiness, PROBE_BOUND),
    within('readiness UP for good afterwards', settled, upWithin),
    allSucceedFrom(`every request succeeds ${when}`, replies, to + (healedWithin ?? settled)),
    ...livenessStaysUp(probes),
    ...serviceIsWell(service),
  ];
}
