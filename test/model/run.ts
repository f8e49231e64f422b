import { print, progress, runCommand } from '../../bench/command.js';
import { wholeNumber } from '../../bench/options.js';
import { startOwnService } from '../support/own-service.js';
import { checkSequences } from './check.js';
import { checkConcurrently } from './concurrent.js';

await runCommand({
  call: 'npm run test:model',
  about:
    'Sends random calls to a service of its own and compares each response with the contract. ' +
    'A failure names its seed, which repeats it.',
  options: {
    calls: wholeNumber('at least so many calls', 20_000),
    seed: wholeNumber('of the random numbers', Date.now() % 2 ** 31),
    clients: wholeNumber('so many clients at once: no update may be lost, and the tables must be sound', 1),
  },
  example: '--calls 90000 --clients 8 --seed 7',
  async run(options, cleanup) {
    const service = await startOwnService(cleanup);
    const { clients, seed } = options;
    const start = performance.now();
    const check = clients === 1 ? checkSequences : checkConcurrently;
    const { calls, statuses } = await check(service, options, (sent) => progress(`${sent} calls`));
    const seconds = (performance.now() - start) / 1000;
    const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    print(`${calls} calls of ${clients} at once in ${seconds.toFixed(1)} s, all right, seed ${seed}\n`);
    print(`Responses: ${counts.join(', ')}\n`);
    return 0;
  },
});
