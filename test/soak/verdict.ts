import type { Criterion } from '../faults/protocol.js';
import { criterion } from '../faults/support/criteria.js';
import { count, percentile } from '../faults/support/figures.js';
import type { Sample } from './sample.js';

/** Samples whose median is a level. */
export const LEVEL = 3;
const POOL_SIZE = 10;
const MB = 1024 * 1024;

type Measure = (sample: Sample) => number;

export const megabytes = (bytes: number): string => `${(bytes / MB).toFixed(1)} MB`;

/** Compares early with late holdings. */
export function levelCriteria(
  samples: readonly Sample[],
  growth: number,
  mostConnections: number,
): Criterion[] {
  return [
    grows('heap', growth, samples, ({ heap }) => heap),
    grows('memory outside of the heap', growth, samples, ({ external }) => external),
    flat('descriptors, but for those to PostgreSQL', samples, ({ descriptors }) => descriptors),
    flat('handles of the event loop, but for those to PostgreSQL', samples, ({ handles }) => handles),
    criterion(
      `connections of the pool ≤ ${POOL_SIZE}`,
      mostConnections <= POOL_SIZE,
      `${mostConnections} at most`,
    ),
    series(samples),
  ];
}

/** Judges the responses. A load that is mostly refused, or never, would say little. */
export function loadCriteria(statuses: ReadonlyMap<number, number>, faults: readonly string[]): Criterion[] {
  const sum = (holds: (status: number) => boolean): number =>
    [...statuses].reduce((all, [status, times]) => all + (holds(status) ? times : 0), 0);
  const share = (100 * sum((status) => status < 400)) / sum(() => true);
  const shown = [...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, times]) => `${status}: ${count(times)}`);
  return [
    criterion('every response is right', faults.length === 0, faults.slice(0, 5).join('\n') || 'all'),
    criterion('5 to 60 % of the load succeeds', share >= 5 && share <= 60, shown.join(', ')),
  ];
}

function levels(samples: readonly Sample[], measure: Measure): { early: number; late: number } {
  const median = (some: readonly Sample[]): number => percentile(some.map(measure), 50);
  return { early: median(samples.slice(0, LEVEL)), late: median(samples.slice(-LEVEL)) };
}

function grows(name: string, growth: number, samples: readonly Sample[], measure: Measure): Criterion {
  const { early, late } = levels(samples, measure);
  return criterion(
    `${name} ≤ ${growth} × its early level`,
    late <= growth * early,
    `${megabytes(early)}, then ${megabytes(late)}: × ${(late / early).toFixed(3)}`,
  );
}

function flat(name: string, samples: readonly Sample[], measure: Measure): Criterion {
  const { early, late } = levels(samples, measure);
  const all = samples.map(measure);
  const range = `${Math.min(...all)} to ${Math.max(...all)} in all samples`;
  return criterion(`${name}: flat`, late <= early, `${early}, then ${late}; ${range}`);
}

/** No series comes after the early level. */
function series(samples: readonly Sample[]): Criterion {
  const early = samples[LEVEL - 1]?.series ?? new Set<string>();
  const late = samples.at(-1)?.series ?? new Set<string>();
  const further = [...late].filter((one) => !early.has(one));
  return criterion(
    'metric series: flat',
    further.length === 0,
    `${count(early.size)}, then ${count(late.size)}${further.length > 0 ? `; new: ${further.slice(0, 2).join(', ')} …` : ''}`,
  );
}
