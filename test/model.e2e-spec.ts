import { checkSequences, type Checked, type CheckOptions } from './model/check.js';
import { checkConcurrently } from './model/concurrent.js';
import { Fixture } from './model/fixture.js';
import { type Service, startService } from './support/service.js';

/** `npm run test:model` sends more. */
const CALLS = 2000;
const SEED = 20260115;
const CLIENTS = 8;

describe('random calls', () => {
  let service: Service;
  let abort: AbortController;
  let running: Promise<Checked> | undefined;

  beforeEach(async () => {
    service = await startService();
    abort = new AbortController();
  });

  /** A check that has not ended in time must not go on, least of all in what another test uses. */
  afterEach(async () => {
    abort.abort(new Error('the test has ended'));
    await running?.catch(() => undefined);
  });

  async function run(check: (fixture: Fixture, options: CheckOptions) => Promise<Checked>): Promise<Checked> {
    running = Fixture.on(service).then((fixture) =>
      check(fixture, { calls: CALLS, seed: SEED, signal: abort.signal }),
    );
    return running;
  }

  it('one after the other are each answered as the contract has it, and come upon every kind of answer', async () => {
    const { calls, statuses } = await run(checkSequences);
    expect(calls).toBeGreaterThanOrEqual(CALLS);
    expect([...statuses.keys()].sort((a, b) => a - b)).toEqual([
      ...[200, 201, 304, 400, 401, 403, 404, 405, 409, 422],
    ]);
  });

  it('of eight clients at once lose no update, break no total and are never answered with a 5xx', async () => {
    const { calls } = await run((fixture, options) =>
      checkConcurrently(fixture, { ...options, clients: CLIENTS }),
    );
    expect(calls).toBeGreaterThanOrEqual(CALLS);
  });
});
