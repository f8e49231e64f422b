import type { Cleanup } from '../../bench/cleanup.js';
import { print, progress, runCommand } from '../../bench/command.js';
import { flag, wholeNumber } from '../../bench/options.js';
import { startOwnService } from '../support/own-service.js';
import { PostgresServer } from '../support/postgres-server.js';
import { checkChanges, PREPARES } from './changes.js';
import { type Checked, checkSequences } from './check.js';
import { checkConcurrently } from './concurrent.js';

type Check = (
  options: Parameters<typeof checkConcurrently>[1],
  told: (calls: number) => void,
) => Promise<Checked>;

async function ofResponses(clients: number, cleanup: Cleanup): Promise<Check> {
  const service = await startOwnService(cleanup);
  return (...given) => (clients === 1 ? checkSequences : checkConcurrently)(service, ...given);
}

async function ofChanges(cleanup: Cleanup): Promise<Check> {
  const server = await PostgresServer.start({ settings: PREPARES });
  cleanup.defer(() => server.remove());
  return (...given) => checkChanges(server, ...given);
}

await runCommand({
  call: 'npm run test:model',
  about:
    'Sends random calls to a service of its own and compares each response with the contract. ' +
    'A failure names its seed, which repeats it.',
  options: {
    calls: wholeNumber('at least so many calls', 20_000),
    seed: wholeNumber('of the random numbers', Date.now() % 2 ** 31),
    clients: wholeNumber('so many clients at once: no update may be lost, and the tables must be sound', 1),
    changes: flag('writers, restarts and readers of changes at once: their copies must equal the ledger'),
  },
  example: '--calls 90000 --clients 8 --seed 7',
  async run(options, cleanup) {
    const { clients, seed } = options;
    const check = await (options.changes ? ofChanges(cleanup) : ofResponses(clients, cleanup));
    const start = performance.now();
    const { calls, statuses } = await check(options, (sent) => progress(`${sent} calls`));
    const seconds = (performance.now() - start) / 1000;
    const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    print(`${calls} calls of ${clients} at once in ${seconds.toFixed(1)} s, all right, seed ${seed}\n`);
    print(`Responses: ${counts.join(', ')}\n`);
    return 0;
  },
});
