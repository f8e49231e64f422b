import { setTimeout as sleep } from 'node:timers/promises';
import type { Criterion, Protocol } from '../protocol.js';
import {
  allSucceedFrom,
  failuresAreProblems,
  livenessStaysUp,
  none,
  serviceIsWell,
  within,
} from '../support/criteria.js';
import { highest } from '../support/figures.js';
import { wordOf } from '../support/http.js';
import { type Rig, type Scene, type SceneOptions, settle } from '../support/rig.js';

/** The default of DB_STATEMENT_TIMEOUT, in milliseconds. */
const STATEMENT_TIMEOUT = 5000;
const FAILURE_BOUND = 3000;
const SILENT_BOUND = STATEMENT_TIMEOUT + 2000;
const DOWN_BOUND = 3000;
const UP_BOUND = 5000;
const PROBE_BOUND = 1000;

/** A fault for a while under the usual load, and its bounds. Times are in milliseconds. */
export interface Outage {
  readonly scene?: SceneOptions;
  /** Returns its end. */
  readonly begin: (scene: Scene, short: boolean) => Promise<() => unknown> | (() => unknown);
  readonly lasting?: readonly [short: number, long: number];
  readonly afterwards?: readonly [short: number, long: number];
  /** No error reaches the service: requests wait for their timeout. */
  readonly isSilent?: boolean;
  /** Readiness must be DOWN meanwhile. */
  readonly isDown?: boolean;
  /** Time after which every request succeeds; by default when readiness is UP. */
  readonly healedWithin?: number;
  /** Further criteria; `from` is the begin, by `performance.now()`. */
  readonly judge?: (scene: Scene, from: number) => Criterion[] | Promise<Criterion[]>;
}

export function outage(name: string, title: string, plan: (rig: Rig) => Outage | Promise<Outage>): Protocol {
  return { name, title, run: async (rig, short) => suffer(rig, short, await plan(rig)) };
}

async function suffer(rig: Rig, short: boolean, plan: Outage): Promise<Criterion[]> {
  const { lasting = [3000, 20_000], afterwards = [3000, 10_000] } = plan;
  const form = short ? 0 : 1;
  const scene = await rig.scene(plan.scene);
  scene.load.start();
  await sleep(short ? 1500 : 5000);
  const from = performance.now();
  const end = await plan.begin(scene, short);
  await sleep(lasting[form]);
  await end();
  const to = performance.now();
  await sleep(afterwards[form]);
  return [
    ...(await settle(scene)),
    ...judged(scene, plan, from, to),
    ...((await plan.judge?.(scene, from)) ?? []),
  ];
}

function judged({ load, probes, service }: Scene, plan: Outage, from: number, to: number): Criterion[] {
  const { isSilent = false, isDown = false, healedWithin } = plan;
  const { replies } = load;
  const { readiness } = probes;
  const silent = readiness.filter(({ status }) => status !== 200 && status !== 503);
  const settled = probes.readinessSettled(to);
  const when = healedWithin === undefined ? 'once readiness is UP' : `${healedWithin / 1000} s afterwards`;
  return [
    within('every request ends', highest(replies.map(({ took }) => took)), SILENT_BOUND),
    ...failuresAreProblems(replies, isSilent ? SILENT_BOUND : FAILURE_BOUND),
    ...(isDown ? [within('readiness DOWN', probes.readinessTurned(503, from), DOWN_BOUND)] : []),
    within('readiness answers', highest(readiness.map(({ took }) => took)), PROBE_BOUND),
    none('response of readiness but 200 and 503', silent.map(wordOf)),
    within('readiness UP for good afterwards', settled, UP_BOUND),
    allSucceedFrom(`every request succeeds ${when}`, replies, to + (healedWithin ?? settled)),
    ...livenessStaysUp(probes),
    ...serviceIsWell(service),
  ];
}
