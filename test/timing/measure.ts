import { median } from '../../bench/measure.js';
import type { Criterion } from '../faults/protocol.js';
import { criterion } from '../faults/support/criteria.js';
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

const MOST_MILLISECONDS = 5;
const MOST_PERCENT = 5;
const WARM_UP = 10;

/** Sends both in random turns, so that what the machine does meanwhile slows down both alike. */
export async function measure(
  pair: Pair,
  connection: Connection,
  random: Random,
  samples: number,
): Promise<Criterion> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < samples + WARM_UP; round++) {
    const answers: WireAnswer[] = [];
    for (const side of random.shuffled([0, 1] as const)) {
      const begin = performance.now();
      answers[side] = await connection.send(side === 0 ? pair.one : pair.other);
      if (round >= WARM_UP) times[side].push(performance.now() - begin);
    }
    requireSame(pair, answers);
  }
  return judge(pair, median(times[0]), median(times[1]));
}

function requireSame({ name, status, one, other }: Pair, [first, second]: readonly WireAnswer[]): void {
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

function judge({ name, isRelative }: Pair, one: number, other: number): Criterion {
  const apart = Math.abs(one - other);
  const percent = (apart / Math.max(one, other)) * 100;
  const isClose = apart <= MOST_MILLISECONDS && (!isRelative || percent <= MOST_PERCENT);
  const [first, second, between] = [one, other, apart].map((time) => `${time.toFixed(3)} ms`);
  return criterion(name, isClose, `${first} and ${second}, ${between} or ${percent.toFixed(1)} % apart`);
}
