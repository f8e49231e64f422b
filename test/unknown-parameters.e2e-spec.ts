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
const SEARCH = { body: {} };

describe('an unknown query parameter', () => {
  it.each<[method: string, path: string, name: string, more: object]>([
    ['GET', '/api/reports/profit-and-loss?year=2026', 'year', {}],
    ['GET', '/api/reports/tax-year?year=2026&from=2026-01-01', 'from', {}],
    ['GET', '/api/reports/cash-flow?Months=3', 'Months', {}],
    ['GET', '/api/properties/export?BOM=true', 'BOM', {}],
    ['POST', '/api/transactions/export?type=INCOME', 'type', SEARCH],
    ['POST', '/api/transactions/import?dryrun=true', 'dryrun', CSV],
  ])('of %s %s is refused by its name', async (method, path, name, more) => {
    const errors = expectFaults(await owner.send(method, path, more), name);
    expect(errors[name]).toMatch(/^is not a parameter here/);
  });

  it('of a batch is refused by its name', async () => {
    const transactions = [transactionRequest((await createProperty(owner)).id)];
    const answer = await owner.post('/api/transactions/batch?dryRun=true', { transactions });
    expect(expectFaults(answer, 'dryRun')).toEqual({
      dryRun: 'is not a parameter here, where there are none',
    });
  });

  it('is refused together with every other fault, and the known ones are named', async () => {
    const errors = expectFaults(await owner.get('/api/reports/tax-year?Year=2026'), 'Year', 'year');
    expect(errors['Year']).toBe(
      'is not a parameter here, where there are propertyId, timeZone, year, form, basis',
    );
  });

  it('keeps a misspelt dry run from writing', async () => {
    const { id } = await createProperty(owner);
    const row = `${JSON.stringify(transactionRequest(id))}\n`;
    const headers = { 'content-type': 'application/x-ndjson' };
    const answer = await owner.send('POST', '/api/transactions/import?dryrun=true', { body: row, headers });
    expect(expectFaults(answer, 'dryrun')['dryrun']).toContain('dryRun');
    expect(await service.sql('SELECT 1 FROM transactions')).toEqual([]);
  });

  it.each(['/api/transactions?type=INCOME', '/api/properties?active=true'])(
    'of the list %s is ignored, as the contract has it',
    async (path) => {
      expect((await owner.get(path)).status).toBe(200);
    },
  );
});
