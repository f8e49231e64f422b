import { print, progress, runCommand } from '../../bench/command.js';
import { wholeNumber, wholeNumberReader } from '../../bench/options.js';
import { startOwnService } from '../support/own-service.js';
import { type Checked, checkSequences } from './check.js';
import { checkConcurrently } from './concurrent.js';
import { Fixture } from './fixture.js';

await runCommand({
  call: 'npm run test:model',
  about:
    'Sends random calls to a service of its own and compares each answer with what the contract says. ' +
    'The same seed sends the same.',
  options: {
    calls: wholeNumber('at least so many calls', 20_000),
    seed: {
      argument: 'N',
      about: 'of the random numbers (by default another one each time)',
      read: wholeNumberReader(Date.now() % 2 ** 31),
    },
    clients: wholeNumber(
      'so many clients at once: what they see is checked for lost updates, and what is left behind for orphans ' +
        'and wrong totals; one calls one after the other, and every answer is foretold',
      1,
    ),
  },
  example: '--calls 90000 --clients 8 --seed 7',
  success: 'nothing was found',
  failure: 'something was',
  async run(options, cleanup) {
    const abort = new AbortController();
    const fixture = await Fixture.on(await startOwnService(cleanup));
    cleanup.defer(() => abort.abort());
    const start = performance.now();
    const check = options.clients === 1 ? checkSequences : checkConcurrently;
    const tell = (calls: number): void => progress(`${calls} calls`);
    const checked = await check(fixture, { ...options, signal: abort.signal }, tell);
    print(report(options, checked, (performance.now() - start) / 1000));
    return 0;
  },
});

function report(
  { seed, clients }: { readonly seed: number; readonly clients: number },
  { calls, sequences, statuses }: Checked,
  seconds: number,
): string {
  const who = clients === 1 ? 'one client' : `${clients} clients at once`;
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  return [
    `${calls} calls of ${who} in ${sequences} sequences, all as the contract has it.`,
    `${seconds.toFixed(1)} s, ${(calls / seconds).toFixed(0)} calls/s, seed ${seed}.`,
    `Answers: ${counts.join(', ')}\n`,
  ].join('\n');
}
