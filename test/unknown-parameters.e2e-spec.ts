import { expectFaults } from './support/answers.js';
import { createProperty, transactionRequest } from './support/factories.js';
import { type Account, type Service, startService } from './support/service.js';

let service: Service;
let owner: Account;
let valid: object;

beforeAll(async () => {
  service = await startService();
  owner = await service.account();
  valid = transactionRequest((await createProperty(owner)).id);
});

const json = (body: unknown): object => ({ body });
const rows = (type: string, body: string): object => ({ body, headers: { 'content-type': type } });

it.each<[method: string, path: string, name: string, reason: RegExp, more?: () => object]>([
  ['GET', '/api/reports/profit-and-loss?year=2026', 'year', /^is not a parameter here/],
  ['GET', '/api/reports/cash-flow?Months=3', 'Months', /^is not a parameter here/],
  ['GET', '/api/reports/tax-year?year=2026&Year=1', 'Year', /are propertyId, timeZone, year, form, basis$/],
  ['GET', '/api/properties/export?BOM=true', 'BOM', /^is not a parameter here/],
  ['POST', '/api/transactions/export?type=INCOME', 'type', /^is not a parameter here/, () => json({})],
  [
    'POST',
    '/api/transactions/batch?dryRun=true',
    'dryRun',
    /^is not a parameter here, where there are none$/,
    () => json({ transactions: [valid] }),
  ],
  [
    'POST',
    '/api/transactions/import?dryrun=true',
    'dryrun',
    /dryRun/,
    () => rows('application/x-ndjson', `${JSON.stringify(valid)}\n`),
  ],
])(
  '%s %s answers 400 for its parameter %s, and stores nothing',
  async (method, path, name, reason, more = () => ({})) => {
    const errors = expectFaults(await owner.send(method, path, more()), name);
    expect(errors[name]).toMatch(reason);
    expect(await service.sql('SELECT 1 FROM transactions')).toEqual([]);
  },
);

it('an unknown parameter is refused together with every other fault', async () => {
  expectFaults(await owner.get('/api/reports/tax-year?Year=2026'), 'Year', 'year');
});

it.each(['/api/transactions?type=INCOME', '/api/properties?active=true'])(
  'GET %s ignores its unknown parameter',
  async (path) => expect((await owner.get(path)).status).toBe(200),
);
