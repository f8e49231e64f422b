import { checkChanges, PREPARES } from './model/changes.js';
import { checkSequences } from './model/check.js';
import { checkConcurrently } from './model/concurrent.js';
import { PostgresServer } from './support/postgres-server.js';
import { type Service, startService } from './support/service.js';

/** `npm run test:model` sends more. */
const OPTIONS = { calls: 600, seed: 20_260_115 };

describe('random calls', () => {
  let service: Service;
  beforeEach(async () => {
    service = await startService();
  });

  it('answer as the contract says, one after the other, with every status', async () => {
    const { statuses } = await checkSequences(service, OPTIONS);
    expect([...statuses.keys()].sort()).toEqual([200, 304, 404, 409]);
  });

  it('of eight clients at once lose no update, break no total and answer no 5xx', async () => {
    const { statuses } = await checkConcurrently(service, { ...OPTIONS, clients: 8 });
    expect([...statuses.keys()].sort()).toEqual([200, 404, 409]);
  });
});

it('readers of changes have a copy of the ledger in the end, whatever happens in between', async () => {
  const server = await PostgresServer.start({ settings: PREPARES });
  const { statuses } = await checkChanges(server, { ...OPTIONS, calls: 300 });
  expect(statuses.get(200)).toBeGreaterThan(50);
});
