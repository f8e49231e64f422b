import { peakMemoryOf } from '../../../bench/processes.js';
import type { Criterion } from '../protocol.js';
import { count, highest, percentile, tally, time } from './figures.js';
import { type Reply, succeeded, wordOf } from './http.js';
import { MEMORY } from './memory-limit.js';
import type { Probes } from './probes.js';
import type { Service } from './service.js';

const LIVENESS_P99 = 200;
/** In MB. */
const RESIDENT = 400;

export function criterion(name: string, passed: boolean, measured: string): Criterion {
  return { name, passed, measured };
}

export function timing(name: string, passed: boolean, measured: string, ofBound = Infinity): Criterion {
  return { name, passed, measured, ofBound };
}

/** The service serves each request, or refuses it for memory or for the share of its account. */
export function responsesAreRight(replies: readonly Reply[]): Criterion[] {
  const words = replies.map((reply) => reply.faults[0] ?? wordOf(reply));
  const slowest = time(highest(replies.map(({ took }) => took)));
  return [
    criterion(
      'every response is 200, or 429 or 503 with Retry-After',
      words.every((word) => ['200', '429', '503'].includes(word)),
      `${tally(words)}; the slowest ${slowest}`,
    ),
    criterion('some are 200', words.includes('200'), `of ${count(words.length)}`),
  ];
}

/** A time and its bound, both in milliseconds. */
export function within(name: string, measured: number, bound: number): Criterion {
  return timing(`${name} ≤ ${time(bound)}`, measured <= bound, time(measured), measured / bound);
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

export function livenessStaysUp({ liveness }: Probes, bound = LIVENESS_P99): Criterion[] {
  const bad = liveness.filter(({ status }) => status !== 200).length;
  const times = liveness.map(({ took }) => took);
  const p99 = percentile(times, 99);
  const measured = `${count(bad)} of ${count(liveness.length)} not; the slowest ${time(highest(times))}`;
  return [
    criterion('liveness always UP', times.length > 0 && bad === 0, measured),
    within('liveness: p99', p99, bound),
  ];
}

/** Resident memory in MB. The control group counts files and buffers of sockets, too. */
export function memoryIsBounded({ pid, limit }: Service, most = RESIDENT): Criterion {
  const peak = peakMemoryOf(pid) ?? NaN;
  const group =
    limit === undefined ? '' : `; ${Math.round(limit.peak())} of ${MEMORY} MB in its control group`;
  return criterion(`resident memory ≤ ${most} MB`, peak <= most, `${Math.round(peak)} MB${group}`);
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
