import type { Connection } from '../model/connection.js';
import type { Call } from '../model/outcomes.js';
import type { Random } from '../support/random.js';
import type { WireAnswer } from '../support/wire.js';

/** Two requests whose answers must tell the same, in the same time. */
export interface Pair {
  readonly name: string;
  readonly one: Call;
  readonly other: Call;
  /** What both are answered. */
  readonly status: number;
  /** Whether the difference must also be small beside the answer's time: where that is no fraction of a millisecond. */
  readonly isRelative: boolean;
}

export interface Comparison {
  readonly pair: Pair;
  /** Milliseconds. */
  readonly medians: readonly [one: number, other: number];
}

const MOST_MILLISECONDS = 5;
const MOST_PERCENT = 5;
const WARM_UP = 10;

/** Sends both in random turns, so that what the machine does meanwhile slows down both alike. */
export async function measure(
  { one, other, ...pair }: Pair,
  connection: Connection,
  random: Random,
  samples: number,
): Promise<Comparison> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < samples + WARM_UP; round++) {
    const answers: WireAnswer[] = [];
    for (const side of random.shuffled([0, 1] as const)) {
      const begin = performance.now();
      answers[side] = await connection.send(side === 0 ? one : other);
      if (round >= WARM_UP) times[side].push(performance.now() - begin);
    }
    requireSame(pair, one, other, answers);
  }
  return { pair: { one, other, ...pair }, medians: [median(times[0]), median(times[1])] };
}

function requireSame(
  { name, status }: Pick<Pair, 'name' | 'status'>,
  one: Call,
  other: Call,
  [first, second]: readonly WireAnswer[],
): void {
  const [left, right] = [told(first!, one), told(second!, other)];
  if (left !== right || first!.status !== status)
    throw new Error(`${name}: the answers differ, or are not ${status}:\n${left}\n${right}`);
}

/** An answer without what differs from one request to the next. */
function told({ status, headers, text }: WireAnswer, { target }: Call): string {
  const kept = [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
  const length = kept.map(([name, value]) => (name === 'content-length' ? [name] : [name, value]));
  const document = text.replace(/"timestamp":"[^"]*"/, '').replace(`"instance":"${target}"`, '');
  return `${status} ${JSON.stringify(length)} ${document}`;
}

function median(values: readonly number[]): number {
  const inOrder = [...values].sort((a, b) => a - b);
  const middle = Math.floor(inOrder.length / 2);
  const [upper = NaN, lower = NaN] = [inOrder[middle], inOrder[middle - 1]];
  return inOrder.length % 2 === 1 ? upper : (lower + upper) / 2;
}

function differenceOf({ medians: [one, other] }: Comparison): { milliseconds: number; percent: number } {
  const milliseconds = Math.abs(one - other);
  return { milliseconds, percent: (milliseconds / Math.max(one, other)) * 100 };
}

export function isMissed(comparison: Comparison): boolean {
  const { milliseconds, percent } = differenceOf(comparison);
  return milliseconds > MOST_MILLISECONDS || (comparison.pair.isRelative && percent > MOST_PERCENT);
}

const WIDTH = 78;

export const HEADER = `${'medians'.padEnd(WIDTH)}${'ms'.padStart(9)}${'ms'.padStart(9)}${'apart ms'.padStart(10)}${'%'.padStart(7)}\n`;

export function comparisonLine(comparison: Comparison): string {
  const { milliseconds, percent } = differenceOf(comparison);
  const medians = comparison.medians.map((value) => value.toFixed(3).padStart(9)).join('');
  const apart = `${milliseconds.toFixed(3).padStart(10)}${percent.toFixed(1).padStart(7)}`;
  return `${comparison.pair.name.padEnd(WIDTH)}${medians}${apart}${isMissed(comparison) ? '  MISSED' : ''}\n`;
}
