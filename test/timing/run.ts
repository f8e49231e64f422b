import { wholeNumber } from '../../bench/options.js';
import { runCriteria } from '../faults/support/command.js';
import { Connection } from '../model/connection.js';
import { startOwnService } from '../support/own-service.js';
import { Random } from '../support/random.js';
import { measure } from './measure.js';
import { ownershipPairs } from './ownership.js';
import { signInPairs } from './sign-in.js';

await runCriteria({
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
  async run({ samples, seed }, cleanup, tell) {
    const service = await startOwnService(cleanup);
    const connection = new Connection(service.url);
    cleanup.defer(() => connection.close());
    for (const pair of [...(await ownershipPairs(service)), ...(await signInPairs(service))])
      tell([await measure(pair, connection, new Random(seed), samples)]);
  },
});
