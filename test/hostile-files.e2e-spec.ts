import type { Client } from './support/client.js';
import { createDatabase } from './support/database.js';
import { type ServiceProcess, startProcess } from './support/process.js';
import { signedIn, signUp, signUpRequest } from './support/sign-up.js';
import { until } from './support/until.js';

const MIB = 1024 * 1024;

/** The heap of production. */
const ENV = { NODE_OPTIONS: '--max-old-space-size=256' };

describe('a service with 256 MiB of heap', () => {
  let running: ServiceProcess;
  let owner: Client;

  beforeAll(async () => {
    running = startProcess({ DB_URL: await createDatabase(), ...ENV });
    const anonymous = await running.client();
    await until(async () => (await anonymous.get('/actuator/health/readiness')).status === 200);
    const request = signUpRequest();
    await signUp(anonymous, request);
    owner = await signedIn(anonymous, request);
  }, 60_000);

  const header = 'propertyId,type,category,description,amount,date\n';
  it.each<[string, () => string, status: number]>([
    ['commas alone', () => ','.repeat(10 * MIB), 400],
    ['names of columns', () => Array.from({ length: 500_000 }, (_, index) => `column-${index}`).join(), 400],
    ['a header of commas, and short rows', () => `${','.repeat(300_000)}\n${'id,\n'.repeat(300_000)}`, 400],
    ['commas behind a header', () => header + ','.repeat(9 * MIB), 422],
    ['empty cells in quotes', () => header + '"",'.repeat(3 * MIB), 422],
    ['one cell of quotes', () => `${header}"${'""'.repeat(4 * MIB)}"`, 422],
    ['one open quote', () => `${header}"${'x'.repeat(9 * MIB)}`, 422],
    ['empty lines', () => header + '\n'.repeat(9 * MIB), 200],
  ])('outlives a file of %s', async (_, file, status) => {
    const body = file();
    const headers = { 'content-type': 'text/csv' };
    const response = owner.send('POST', '/api/transactions/import', { body, headers });
    let [open, slowest] = [true, 0];
    void response.finally(() => (open = false));
    await until(async () => {
      const since = performance.now();
      expect((await owner.get('/actuator/health/liveness')).status).toBe(200);
      slowest = Math.max(slowest, performance.now() - since);
      return !open;
    });
    expect(slowest).toBeLessThan(20_000); // it was up to a minute
    expect((await response).status).toBe(status);
    expect(running.isRunning).toBe(true);
  });
});
