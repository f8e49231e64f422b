import { print, runCommand } from '../../bench/command.js';
import { wholeNumber } from '../../bench/options.js';
import { Connection } from '../model/connection.js';
import { startOwnService } from '../support/own-service.js';
import { Random } from '../support/random.js';
import { comparisonLine, HEADER, isMissed, measure } from './measure.js';
import { ownershipPairs } from './ownership.js';
import { signInPairs } from './sign-in.js';

await runCommand({
  call: 'npm run test:timing',
  about:
    'Measures whether the time of an answer tells what its text does not: whether an account exists, or somebody ' +
    "else's resource does. Sends two requests in random turns, and fails when their medians are further apart than " +
    'they may be.',
  options: {
    samples: wholeNumber('of each request of a pair', 400),
    seed: wholeNumber('of the random turns', 1),
  },
  example: '--samples 1000',
  success: 'no pair can be told apart',
  failure: 'one can',
  async run({ samples, seed }, cleanup) {
    const service = await startOwnService(cleanup);
    const connection = new Connection(service.url);
    cleanup.defer(() => connection.close());
    print(HEADER);
    let missed = 0;
    for (const pair of [...(await ownershipPairs(service)), ...(await signInPairs(service))]) {
      const comparison = await measure(pair, connection, new Random(seed), samples);
      print(comparisonLine(comparison));
      if (isMissed(comparison)) missed++;
    }
    print(missed === 0 ? '\nNo pair can be told apart.\n' : `\n${missed} pairs can be told apart.\n`);
    return missed === 0 ? 0 : 1;
  },
});
