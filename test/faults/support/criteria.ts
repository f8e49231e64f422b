import { peakMemoryOf } from '../../../bench/processes.js';
import type { Criterion } from '../protocol.js';
import { count, highest, percentile, tally, time } from './figures.js';
import { type Reply, succeeded, wordOf } from './http.js';
import { MEMORY, type MemoryLimit } from './memory-limit.js';
import type { Probes } from './probes.js';
import type { Service } from './service.js';

const LIVENESS_P99 = 200;
/** In MB. */
const RESIDENT = 400;

export function criterion(name: string, passed: boolean, measured: string): Criterion {
  return { name, passed, measured };
}

export function timing(name: string, passed: boolean, measured: string): Criterion {
  return { name, passed, measured, isTiming: true };
}

/** The response to a request of a crowd: its status, or its fault. */
export interface Answer {
  readonly word: string;
  readonly took: number;
}

/** Keeps nothing of the text, which may be long. */
export function answerOf(reply: Reply, isWhole = true): Answer {
  const served = isWhole ? '200' : '200, not whole';
  return { word: reply.status === 200 ? served : (reply.faults[0] ?? wordOf(reply)), took: reply.took };
}

/** Each request is served, or refused with Retry-After for memory or for the share of its account. */
export function answersAreRight(answers: readonly Answer[]): Criterion[] {
  const words = answers.map(({ word }) => word);
  const slowest = time(highest(answers.map(({ took }) => took)));
  return [
    criterion(
      'every answer is 200, or 429 or 503 with Retry-After',
      words.every((word) => ['200', '429', '503'].includes(word)),
      `${tally(words)}; the slowest ${slowest}`,
    ),
    criterion('some are 200', words.includes('200'), `of ${count(words.length)}`),
  ];
}

/** A time and its bound, both in milliseconds. */
export function within(name: string, measured: number, bound: number): Criterion {
  return timing(`${name} ≤ ${time(bound)}`, measured <= bound, time(measured));
}

/** Each failure is a well-formed 503, or the 429 of an account beyond its share, and in time. */
export function failuresAreProblems(replies: readonly Reply[], bound: number): Criterion[] {
  const failed = replies.filter((reply) => !succeeded(reply));
  const faults = failed.flatMap((reply) =>
    reply.faults.map((fault) => `${reply.method} ${reply.path.replace(/\d+$/, '{id}')}: ${fault}`),
  );
  const measured = `${count(failed.length)} of ${count(replies.length)} failed; faults: ${tally(faults) || 'none'}`;
  return [
    criterion('every failure is a 503 or 429 problem', faults.length === 0, measured),
    within('every failure is told', highest(failed.map(({ took }) => took)), bound),
  ];
}

/** No request sent from that moment on failed. A slow machine can cause 503 and 429 only. */
export function allSucceedFrom(name: string, replies: readonly Reply[], moment: number): Criterion {
  const late = replies.filter(({ sentAt }) => sentAt >= moment);
  const failed = late.filter((reply) => !succeeded(reply));
  const words = tally(failed.map(wordOf));
  const tell = failed.every(({ faults }) => faults.length === 0) ? timing : criterion;
  const measured = [`${count(failed.length)} of ${count(late.length)} failed`, words].filter(Boolean);
  return tell(name, late.length > 0 && failed.length === 0, measured.join(': '));
}

export function succeedAtLeast(name: string, replies: readonly Reply[], percent: number): Criterion {
  const share = (100 * replies.filter(succeeded).length) / replies.length;
  const measured = `${share.toFixed(2)} % of ${count(replies.length)}`;
  return timing(`${name} succeed ≥ ${percent} %`, share >= percent, measured);
}

export function livenessStaysUp({ liveness }: Probes, bound = LIVENESS_P99): Criterion[] {
  const bad = liveness.filter(({ status }) => status !== 200).length;
  const measured = `${count(bad)} of ${count(liveness.length)} not`;
  const times = liveness.map(({ took }) => took);
  const p99 = percentile(times, 99);
  return [
    criterion('liveness always UP', times.length > 0 && bad === 0, measured),
    timing(
      `liveness: p99 < ${time(bound)}`,
      p99 < bound,
      `${time(p99)} of ${count(times.length)}, the slowest ${time(highest(times))}`,
    ),
  ];
}

/** UP or DOWN, before a prober gives up. */
export function readinessAnswersWithin(bound: number, { readiness }: Probes): Criterion {
  const silent = readiness.filter(({ status }) => status !== 200 && status !== 503).length;
  const slowest = highest(readiness.map(({ took }) => took));
  return timing(
    `readiness answers ≤ ${time(bound)}`,
    readiness.length > 0 && silent === 0 && slowest <= bound,
    `${time(slowest)}, ${count(silent)} of ${count(readiness.length)} without a status`,
  );
}

export function memoryIsBounded({ pid }: Service, limit: MemoryLimit | undefined): Criterion {
  const group =
    limit === undefined ? 'without a control group' : `${Math.round(limit.peak)} MB counted in it`;
  return residentIsAtMost(RESIDENT, pid, `, in a limit of ${MEMORY} MB`, `; ${group}`);
}

export function residentIsAtMost(most: number, pid: number, where = '', further = ''): Criterion {
  const peak = peakMemoryOf(pid) ?? NaN;
  return criterion(`resident memory ≤ ${most} MB${where}`, peak <= most, `${Math.round(peak)} MB${further}`);
}

/** The process is the same, without an ERROR line in its log, which some protocols take away. */
export function serviceIsWell({ isRunning, pid, strayLines, severeLines }: Service): Criterion[] {
  return [
    criterion('the same process all along', isRunning, isRunning ? `pid ${pid}` : 'it has ended'),
    none('unhandled rejection or other stray output', strayLines),
    none('ERROR line', severeLines),
  ];
}

export function none(what: string, found: readonly string[]): Criterion {
  return criterion(`no ${what}`, found.length === 0, tally(found) || 'none');
}
