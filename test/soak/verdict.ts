import type { Criterion } from '../faults/protocol.js';
import { criterion } from '../faults/support/criteria.js';
import { count, percentile, tally } from '../faults/support/figures.js';
import type { Answers } from './answers.js';
import type { Sample } from './sample.js';

/** So many samples make a level: what they have in the middle. */
export const LEVEL = 3;
const POOL_SIZE = 10;
const ERRORS = { percent: 10, within: 1 };
const MB = 1024 * 1024;

type Measure = (sample: Sample) => number;

export const megabytes = (bytes: number): string => `${(bytes / MB).toFixed(1)} MB`;

/** What the service held early and late. */
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

/** What the clients were told. */
export function answerCriteria(answers: Answers): Criterion[] {
  const failures = answers.count((status) => status >= 500);
  const errors = answers.count((status) => status === 0 || status >= 400);
  const share = (100 * errors) / answers.total;
  return [
    criterion('no 5xx', failures === 0, `${count(failures)} of ${count(answers.total)} requests`),
    criterion(
      'every answer is the expected one',
      answers.unexpected.length === 0,
      tally(answers.unexpected) || 'all',
    ),
    criterion(
      `the load has ${ERRORS.percent} ± ${ERRORS.within} % errors`,
      Math.abs(share - ERRORS.percent) <= ERRORS.within,
      `${share.toFixed(2)} %`,
    ),
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

/** No series comes after the early level, and none goes. */
function series(samples: readonly Sample[]): Criterion {
  const early = samples[LEVEL - 1]?.series ?? new Set<string>();
  const late = samples.at(-1)?.series ?? new Set<string>();
  const further = [...late].filter((one) => !early.has(one));
  return criterion(
    'metric series: flat',
    late.size === early.size && further.length === 0,
    `${count(early.size)}, then ${count(late.size)}${further.length > 0 ? `; new: ${further.slice(0, 2).join(', ')} …` : ''}`,
  );
}
