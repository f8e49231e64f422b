import type { Criterion } from '../faults/protocol.js';
import { criterion } from '../faults/support/criteria.js';
import { count, median } from '../faults/support/figures.js';
import type { Tally } from '../fuzz/scene.js';
import type { Sample } from './sample.js';

/** Samples whose median is a level. */
const LEVEL = 3;
const POOL_SIZE = 10;
const MB = 1024 * 1024;

export const megabytes = (bytes: number): string => `${(bytes / MB).toFixed(1)} MB`;

/** Compares early with late holdings; growth is the most times its early level that the memory may reach. */
export function levelCriteria(samples: readonly Sample[], growth: number): Criterion[] {
  const flat = (name: 'descriptors' | 'handles'): Criterion => {
    const [early, late] = levels(samples, name);
    const all = samples.map((sample) => sample[name]);
    const range = `${Math.min(...all)} to ${Math.max(...all)} in all samples`;
    return criterion(
      `${name}, but for those to PostgreSQL: flat`,
      late <= early,
      `${early}, then ${late}; ${range}`,
    );
  };
  const grows = (name: 'heap' | 'external'): Criterion => {
    const [early, late] = levels(samples, name);
    const shown = `${megabytes(early)}, then ${megabytes(late)}: × ${(late / early).toFixed(3)}`;
    return criterion(`${name} memory ≤ ${growth} × its early level`, late <= growth * early, shown);
  };
  const pooled = Math.max(...samples.map((sample) => sample.pooled));
  return [
    grows('heap'),
    grows('external'),
    flat('descriptors'),
    flat('handles'),
    criterion(`connections of the pool ≤ ${POOL_SIZE}`, pooled <= POOL_SIZE, `${pooled} at most`),
    series(samples),
  ];
}

/** Judges the responses. A load that is mostly refused, or never, would say little. */
export function loadCriteria({ statuses, faults, responses }: Tally): Criterion[] {
  const shown = [...statuses].sort(([a], [b]) => a - b);
  const good = shown.filter(([status]) => status < 400).reduce((sum, [, times]) => sum + times, 0);
  const share = (100 * good) / responses;
  return [
    criterion('every response is right', faults.length === 0, faults.slice(0, 5).join('\n') || 'all'),
    criterion(
      '5 to 60 % of the load succeeds',
      share >= 5 && share <= 60,
      shown.map(([status, times]) => `${status}: ${count(times)}`).join(', '),
    ),
  ];
}

function levels(
  samples: readonly Sample[],
  name: 'heap' | 'external' | 'descriptors' | 'handles',
): [early: number, late: number] {
  const all = samples.map((sample) => sample[name]);
  return [median(all.slice(0, LEVEL)), median(all.slice(-LEVEL))];
}

/** No series comes after the early level. */
function series(samples: readonly Sample[]): Criterion {
  const [early, late] = [samples[LEVEL - 1]!.series, samples.at(-1)!.series];
  const further = [...late].filter((one) => !early.has(one));
  const measured = [`${count(early.size)}, then ${count(late.size)}`, ...further.slice(0, 2)].join('; new: ');
  return criterion('metric series: flat', further.length === 0, measured);
}
