import { expectFaults } from './support/responses.js';
import { transactionRequest } from './support/factories.js';
import { type Account, startService } from './support/service.js';

let owner: Account;
beforeAll(async () => {
  owner = await (await startService()).account();
});

it.each<[line: string, name: string, reason: string, body?: unknown]>([
  ['GET /api/reports/profit-and-loss?year=2026', 'year', 'is not a parameter here'],
  ['GET /api/reports/cash-flow?Months=3', 'Months', 'is not a parameter here'],
  ['GET /api/reports/tax-year?year=2026&Year=1', 'Year', 'are propertyId, timeZone, year, form, basis'],
  ['GET /api/properties/export?BOM=true', 'BOM', 'is not a parameter here'],
  [`GET /api/properties/export?${'x'.repeat(101)}`, 'x'.repeat(100), 'is not a parameter here'],
  ['POST /api/transactions/export?type=INCOME', 'type', 'is not a parameter here', {}],
  ['GET /api/transactions/export?Type=INCOME', 'Type', 'is not a parameter here'],
  ['GET /api/transactions/export?page=0', 'page', 'is not a parameter here'],
  ['GET /api/transactions/export?minAmount=0x1', 'minAmount', 'must be a number'],
  ['GET /api/transactions/export?type=INCOME&type=EXPENSE', 'type', 'must be given once'],
  ['GET /api/keys?size=5', 'size', 'is not a parameter here, where there are none'],
  ['POST /api/keys?access=READ', 'access', 'none', { name: 'Sync', access: 'READ' }],
  ['DELETE /api/keys/1?id=2', 'id', 'none'],
  ['POST /api/transactions/batch?dryRun=true', 'dryRun', 'none', { transactions: [transactionRequest(1)] }],
  ['POST /api/transactions/import?dryrun=true', 'dryrun', 'dryRun', ''],
  ['GET /api/transactions/changes?Cursor=x', 'Cursor', 'there are cursor, size, ownerId'],
  ['GET /api/properties?size=1&size=1', 'size', 'must be given once'],
  ['GET /api/reports/tax-year?year=2026&year=2026', 'year', '^must be given once$'],
])('%s answers 400 for its parameter %s', async (...[line, name, reason, body]) => {
  const [method = '', path = ''] = line.split(' ');
  const headers: Record<string, string> = body === '' ? { 'content-type': 'application/x-ndjson' } : {};
  expect(expectFaults(await owner.send(method, path, { headers, body }), name)[name]).toMatch(
    new RegExp(reason),
  );
});

it.each([
  ['reports/tax-year?Year=2026', 'Year', 'year'],
  ['transactions?cursor=&page=1&size=0', 'cursor', 'size'],
  ['transactions?cursor=abcd&sort=x', 'cursor', 'sort'],
  ['properties?cursor=&page=x', 'page'],
  ['reports/profit-and-loss?from=2026-02-01&to=2026-01-31&groupBy=day', 'to', 'groupBy'],
  ['reports/profit-and-loss?from=x&to=2026-01-31', 'from'],
  ['reports/cash-flow?from=9998-01-01&months=0', 'from', 'months'],
])('GET /api/%s answers 400 for all faults together: %s', async (path, ...names) => {
  expectFaults(await owner.get(`/api/${path}`), ...names);
});

it.each(['/api/transactions?type=INCOME', '/api/properties?active=true'])(
  'GET %s ignores its unknown parameter',
  async (path) => expect((await owner.get(path)).status).toBe(200),
);
