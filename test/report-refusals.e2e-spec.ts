import { expectFaults } from './support/responses.js';
import { type Account, type Service, startService } from './support/service.js';

let service: Service;
let payer: Account;
beforeAll(async () => (service = await startService()));
beforeAll(async () => (payer = await service.account()));

it.each([
  [
    'profit-and-loss?from',
    ['', '2026-1-01', '2026-02-30', '2026-01-01T00:00:00Z', '0000-01-01', '10000-01-01'],
  ],
  ['profit-and-loss?to', ['2026']],
  ['profit-and-loss?groupBy', ['', 'day', 'property,', 'property,property', 'property,category,month']],
  ['profit-and-loss?groupBy', ['property, month']],
  [
    'profit-and-loss?timeZone',
    ['', 'EST', 'CET', 'GMT+2', '+02:00', 'utc', '<+02>-2', 'Europe/Lisbon ', 'Europe'],
  ],
  ['profit-and-loss?basis', ['', 'Cash', 'both']],
  ['profit-and-loss?propertyId', ['', 'x', '1.0', '9223372036854775808']],
  ['cash-flow?from', ['today', '9998-01-01']],
  ['cash-flow?months', ['', '0', '25']],
  ['tax-year?year', ['', '0', '10000', '2026.0', '26a']],
  ['tax-year?year=1&form', ['x']],
  ['tax-year?year=1&basis', ['x']],
])('GET /api/reports/%s= answers 400 for %j, and for two values', async (parameter, values) => {
  const owner = await service.account();
  const [, name = ''] = /(\w+)$/.exec(parameter) ?? [];
  for (const value of values)
    expectFaults(await owner.get(`/api/reports/${parameter}=${encodeURIComponent(value)}`), name);
  expectFaults(await owner.get(`/api/reports/${parameter}=1&${name}=1`), name);
});

/** Adds properties up to this number, each with a transaction in a month, of a vendor and in a series of its own. */
const addRows = (owner: string, rows: number, paidAt: string | null): Promise<unknown> =>
  service.sql(
    `WITH p AS (INSERT INTO properties (owner_id, name, address, base_price, max_guests, bedrooms, bathrooms, active)
       SELECT $1, n, '', 1, 1, 1, 1, true
         FROM generate_series((SELECT count(*) + 1 FROM properties WHERE owner_id = $1), $2) n RETURNING owner_id, id, name)
     INSERT INTO transactions (owner_id, property_id, property_name, type, category, description, amount, date,
                               paid_at, due_date, status, recurring, frequency, vendor)
     SELECT owner_id, id, '', 'INCOME', 'OTHER_INCOME', '', 99999999999999999.99,
            timestamptz '1600-01-15Z' + name::integer * interval '1 month', $3::timestamptz, '2026-01-01', 'PENDING', true,
            'ANNUALLY', name FROM p`,
    [owner, rows, paidAt],
  );

const COARSER = 'a shorter period, one property, or coarser groups';
const FEWER = 'fewer months, or one property';

// The fewest rows first: a test of paid ones adds to those of the test before.
it.each<[report: string, field: string, most: number, sum: string, remedy: string, paidAt?: null]>([
  ['tax-year?year=2026', 'propertyId', 500, '"net":49999999999999999995.00', 'one property'],
  ['cash-flow?from=2026-01-01&months=12', 'months', 2000, '"receivable":199999999999999999980.00', FEWER],
  ['profit-and-loss?groupBy=category,month', 'groupBy', 4999, '"income":499899999999999999950.01', COARSER],
  ['profit-and-loss?groupBy=month', 'groupBy', 5000, '"income":499999999999999999950.00', COARSER],
  ['cash-flow', 'propertyId', 1000, '"receivable":99999999999999999990.00', 'one property', null],
])(
  'GET /api/reports/%s answers 400 for %s beyond so many rows: %i',
  async (report, field, most, sum, remedy, paidAt: string | null = '2026-01-02') => {
    const owner = paidAt === null ? await service.account() : payer;
    await addRows(owner.id, most, paidAt);
    expect((await owner.get(`/api/reports/${report}`)).text).toContain(sum);
    await addRows(owner.id, most + 1, paidAt);
    const refusal = await owner.get(`/api/reports/${report}`);
    expectFaults(refusal, field);
    expect(refusal.text).toContain(`: ask for ${remedy}"`);
  },
);
