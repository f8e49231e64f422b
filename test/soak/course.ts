/** How much load, and when samples are taken. In turns, so that a busy machine takes longer and sees no less. */
export interface Course {
  /** Turns per second. */
  readonly rate: number;
  /** Before the first sample: until all code has been compiled, and every route and status was seen. */
  readonly warmUp: number;
  /** Between two samples. */
  readonly interval: number;
  readonly samples: number;
  /** How many times its early level the heap may reach. */
  readonly growth: number;
}

const SECONDS_PER_MINUTE = 60;
const LONGEST_WARM_UP = 3;
const GROWTH = 1.1;

/** About a minute in all. It sees few requests, so that less growth than in half an hour tells of a leak. */
export const SHORT: Course = { rate: 250, warmUp: 4000, interval: 600, samples: 9, growth: 1.04 };

/** So many minutes of load: a tenth of them, and three at most, before the first sample. */
export function lasting(minutes: number, rate: number): Course {
  const warmUp = Math.min(LONGEST_WARM_UP, minutes / 10);
  const interval = Math.min(1, minutes / 30);
  const turns = (time: number): number => Math.round(time * SECONDS_PER_MINUTE * rate);
  const samples = 1 + Math.round((minutes - warmUp) / interval);
  return { rate, warmUp: turns(warmUp), interval: turns(interval), samples, growth: GROWTH };
}
