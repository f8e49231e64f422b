import { expectFaults } from './support/answers.js';
import { createProperty, transactionRequest } from './support/factories.js';
import { type Account, type Service, startService } from './support/service.js';

let service: Service;
let owner: Account;

beforeAll(async () => {
  service = await startService();
  owner = await service.account();
});

const CSV = { body: 'id\n', headers: { 'content-type': 'text/csv' } };

describe('an unknown query parameter', () => {
  it.each<[method: string, path: string, name: string, reason: RegExp, more: object]>([
    ['GET', '/api/reports/profit-and-loss?year=2026', 'year', /^is not a parameter here/, {}],
    ['GET', '/api/reports/cash-flow?Months=3', 'Months', /^is not a parameter here/, {}],
    [
      'GET',
      '/api/reports/tax-year?year=2026&Year=1',
      'Year',
      /are propertyId, timeZone, year, form, basis$/,
      {},
    ],
    ['GET', '/api/properties/export?BOM=true', 'BOM', /^is not a parameter here/, {}],
    ['POST', '/api/transactions/export?type=INCOME', 'type', /^is not a parameter here/, { body: {} }],
    ['POST', '/api/transactions/import?dryrun=true', 'dryrun', /dryRun/, CSV],
  ])(
    'of %s %s is refused by its name, and the known ones are named',
    async (method, path, name, reason, more) => {
      const answer = await owner.send(method, path, more);
      expect(answer.json).toMatchObject({
        status: 400,
        errors: { [name]: expect.stringMatching(reason) as string },
      });
    },
  );

  it('of a batch is refused by its name', async () => {
    const transactions = [transactionRequest((await createProperty(owner)).id)];
    const errors = expectFaults(
      await owner.post('/api/transactions/batch?dryRun=true', { transactions }),
      'dryRun',
    );
    expect(errors['dryRun']).toBe('is not a parameter here, where there are none');
  });

  it('is refused together with every other fault', async () => {
    expectFaults(await owner.get('/api/reports/tax-year?Year=2026'), 'Year', 'year');
  });

  it('keeps a misspelt dry run from writing', async () => {
    const body = `${JSON.stringify(transactionRequest((await createProperty(owner)).id))}\n`;
    const headers = { 'content-type': 'application/x-ndjson' };
    const answer = await owner.send('POST', '/api/transactions/import?dryrun=true', { body, headers });
    expectFaults(answer, 'dryrun');
    expect(await service.sql('SELECT 1 FROM transactions')).toEqual([]);
  });

  it.each(['/api/transactions?type=INCOME', '/api/properties?active=true'])(
    'of the list %s is ignored, as the contract has it',
    async (path) => expect((await owner.get(path)).status).toBe(200),
  );
});
