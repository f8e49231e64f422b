import { checkSequences, type Checked } from './model/check.js';
import { checkCrowd } from './model/crowd.js';
import { Stage } from './model/stage.js';
import { type Service, startService } from './support/service.js';

const CALLS = 20_000;
/** Two services, each with a database of its own: while one waits for its database the other can be asked. */
const SEEDS = [20260115, 20270115];

const CROWDED_CALLS = 4000;
const CLIENTS = 8;

describe('random calls', () => {
  let services: Service[];
  let checked: Checked[];

  beforeAll(async () => {
    services = await Promise.all(SEEDS.map(() => startService()));
  });
  afterAll(async () => {
    await Promise.all(services.map((service) => service.stop()));
  });

  it('one after the other are each answered as the contract has it', async () => {
    const checks = SEEDS.map(async (seed, index) =>
      checkSequences(await Stage.on(services[index]!), { calls: CALLS / SEEDS.length, seed }),
    );
    await Promise.allSettled(checks); // what fails in one is shrunk in peace
    checked = await Promise.all(checks);
    expect(checked.reduce((sum, { calls }) => sum + calls, 0)).toBeGreaterThanOrEqual(CALLS);
  }, 240_000);

  it('come upon every kind of answer', () => {
    const expected = [200, 201, 304, 400, 401, 403, 404, 405, 409];
    const found = new Set(checked.flatMap(({ statuses }) => [...statuses.keys()]));
    expect([...found].sort((a, b) => a - b)).toEqual(expected);
  });

  it('of eight clients at once lose no update, break no total and are never answered with a 5xx', async () => {
    const stage = await Stage.on(services[0]!);
    const crowd = { calls: CROWDED_CALLS, seed: SEEDS[0]!, clients: CLIENTS };
    expect((await checkCrowd(stage, crowd)).calls).toBeGreaterThanOrEqual(CROWDED_CALLS);
  }, 120_000);
});
