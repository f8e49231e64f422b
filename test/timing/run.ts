import { Agent } from 'node:http';
import { median } from '../../bench/measure.js';
import { wholeNumber } from '../../bench/options.js';
import type { Criterion } from '../faults/protocol.js';
import { runCriteria } from '../faults/support/command.js';
import { criterion } from '../faults/support/criteria.js';
import { headersOf, type HttpAnswer, send } from '../support/http.js';
import { startOwnService } from '../support/own-service.js';
import { Random } from '../support/random.js';
import { ownershipPairs, type Pair, signInPairs } from './pairs.js';

const MOST_MILLISECONDS = 5;
const MOST_PERCENT = 5;
const WARM_UP = 10;

await runCriteria({
  call: 'npm run test:timing',
  about:
    'Measures whether the time of a response shows what its text does not: whether an account exists, or another ' +
    "owner's resource does. Sends two requests in random turns, and fails when their medians are further apart than " +
    'they may be.',
  options: {
    samples: wholeNumber('of each request of a pair', 400),
    seed: wholeNumber('of the random turns', 1),
  },
  example: '--samples 1000',
  async run({ samples, seed }, cleanup, tell) {
    const service = await startOwnService(cleanup);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    cleanup.defer(() => agent.destroy());
    for (const pair of [...(await ownershipPairs(service)), ...(await signInPairs(service))])
      tell([await measure(service.url, agent, pair, new Random(seed), samples)]);
  },
});

/** Sends both in random turns, so that other work of the machine slows down both alike. */
async function measure(
  url: string,
  agent: Agent,
  pair: Pair,
  random: Random,
  samples: number,
): Promise<Criterion> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < samples + WARM_UP; round++) {
    const texts: string[] = [];
    for (const side of random.shuffled([0, 1] as const)) {
      const begin = performance.now();
      const answer = await send(url, pair.requests[side], { agent });
      if (round >= WARM_UP) times[side].push(performance.now() - begin);
      texts[side] = comparable(answer, pair.requests[side].path);
    }
    const [one, other] = texts;
    if (one !== other || !one!.startsWith(String(pair.status)))
      throw new Error(`${pair.name}: the answers differ, or are not ${pair.status}:\n${one}\n${other}`);
  }
  return judge(pair, median(times[0]), median(times[1]));
}

/** A response without the parts that differ from one request to the next. */
function comparable(answer: HttpAnswer, path: string): string {
  const headers = [...headersOf(answer)].filter(
    ([name]) => !['x-request-id', 'date', 'content-length'].includes(name),
  );
  const document = answer.text.replace(/"timestamp":"[^"]*"/, '').replace(`"instance":"${path}"`, '');
  return `${answer.status} ${JSON.stringify(headers)} ${document}`;
}

function judge({ name, isRelative }: Pair, one: number, other: number): Criterion {
  const apart = Math.abs(one - other);
  const percent = (apart / Math.max(one, other)) * 100;
  const isClose = apart <= MOST_MILLISECONDS && (!isRelative || percent <= MOST_PERCENT);
  const [first, second, between] = [one, other, apart].map((time) => `${time.toFixed(3)} ms`);
  return criterion(name, isClose, `${first} and ${second}, ${between} or ${percent.toFixed(1)} % apart`);
}
