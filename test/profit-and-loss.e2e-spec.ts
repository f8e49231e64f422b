import { bodyOf, expectFaults, expectProblem } from './support/responses.js';
import type { HttpResponse } from './support/client.js';
import { createProperty, createTransaction } from './support/factories.js';
import { type Account, type Service, startService } from './support/service.js';

const PATH = '/api/reports/profit-and-loss';
const CSV = { accept: 'text/csv' };
const NAMES = { propertyId: null, propertyName: null, category: null, period: null };
const ZEROS = {
  ...{ income: 0, expenses: 0, net: 0, refundedIncome: 0, refundedExpenses: 0 },
  ...{ depositsReceived: 0, depositsReturned: 0, depositsHeld: 0 },
};

let service: Service;
let caller: Account;
beforeAll(async () => (service = await startService()));
beforeEach(async () => (caller = await service.account()));

const get = (query: Record<string, string | number> = {}): Promise<HttpResponse> => {
  const given = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return caller.get(`${PATH}?${given.join('&')}`);
};

describe('GET /api/reports/profit-and-loss', () => {
  it('answers zeros and its parameters for an account without transactions', async () => {
    const none = { basis: 'accrual', timeZone: 'UTC', from: null, to: null, propertyId: null, groupBy: [] };
    expect((await get()).json).toEqual({ ...none, total: ZEROS, groups: [], paidWithoutDate: null });
    const query = { groupBy: 'year,property', basis: 'cash', from: '2026-01-01', to: '2026-12-31' };
    const paidWithoutDate = { count: 0, income: 0, expenses: 0 };
    const shown = { ...query, groupBy: ['year', 'property'], total: ZEROS, groups: [], paidWithoutDate };
    expect((await get(query)).json).toMatchObject(shown);
  });

  it('names each group by its property, category or period', async () => {
    const { id } = await createProperty(caller, { name: 'Loft "rear"' });
    await createTransaction(caller, id, { amount: 10.5, date: '2026-03-31T23:30:00Z' });
    await service.sql('UPDATE properties SET name = $2 WHERE id = $1', [id, 'Loft, now']);
    const response = await get({ groupBy: 'property,quarter', timeZone: 'Europe/Madrid' });
    const figures = { ...NAMES, ...ZEROS, income: 10.5, net: 10.5 };
    const parts = [{ ...figures, period: '2026-Q2' }];
    expect(bodyOf(response)['groups']).toEqual([
      { ...figures, propertyId: id, propertyName: 'Loft, now', groups: parts },
    ]);
  });

  it.each([
    ['2026-01-01', '2026-01-31', '2025-12-31T15:00:00Z 2026-01-31T14:59:59.999Z', 'Asia/Tokyo'],
    ['2026-10-25', '2026-10-25', '2026-10-24T22:00:00Z 2026-10-25T22:59:59.999Z', 'Europe/Berlin'],
    // The clocks go from 1:00 back to 0:00, so that the month begins an hour before the second 0:00.
    ['2026-11-01', '2026-11-30', '2026-11-01T04:00:00Z 2026-12-01T04:59:59.999Z', 'America/Havana'],
    // Samoa had no 30 December.
    ['2011-12-30', '2011-12-31', '2011-12-30T10:00:00Z 2011-12-31T09:59:59.999Z', 'Pacific/Apia'],
    ['0001-01-01', '0001-12-31', '0001-01-01T00:00:00Z 0001-12-31T23:59:59.999Z', 'UTC'],
    ['9999-01-01', '9999-12-31', '9999-01-01T00:00:00Z 9999-12-31T23:59:59.999Z', 'UTC'],
  ])(
    'from=%s&to=%s has both days to their last millisecond, %s (timeZone=%s)',
    async (from, to, ends, timeZone) => {
      const { id } = await createProperty(caller);
      const [first, last] = ends.split(' ').map((text) => new Date(text).getTime()) as [number, number];
      const within = [first, last];
      for (const time of [...within, first - 1, last + 1]) {
        const date = new Date(time).toISOString();
        if (/^\d{4}-/.test(date) && !date.startsWith('0000'))
          await createTransaction(caller, id, { amount: within.includes(time) ? 1 : 100, date });
      }
      expect((await get({ from, to, timeZone })).json).toMatchObject({ total: { income: 2 } });
    },
  );

  it('answers 400 for a zone that Node knows and PostgreSQL does not', async () => {
    expectFaults(await get({ timeZone: 'US/Pacific-New', from: '2026-01-01' }), 'timeZone');
  });

  it('answers 200 for the names of all zones, which PostgreSQL knows', async () => {
    const zones = [...Intl.supportedValuesOf('timeZone'), 'Asia/Kolkata', 'US/Eastern', 'Etc/GMT+12'];
    await service.sql('SELECT now() AT TIME ZONE name FROM unnest($1::text[]) name', [zones]);
    for (const timeZone of zones.filter((_, index) => index % 20 === 0)) {
      const { status } = await get({ timeZone, groupBy: 'year', from: '2026-01-01' });
      expect([timeZone, status]).toEqual([timeZone, 200]);
    }
  });

  it('answers an ADMIN for the own account or the named property', async () => {
    const { id } = await createProperty(caller, { name: 'Of the owner' });
    await createTransaction(caller, id, { amount: 7 });
    caller = await service.account('ADMIN');
    expect((await get()).json).toMatchObject({ total: { income: 0 } });
    expect((await get({ propertyId: id, groupBy: 'property' })).json).toMatchObject({
      ...{ propertyId: id, total: { income: 7 }, groups: [{ propertyName: 'Of the owner' }] },
    });
    expectProblem(await get({ propertyId: 987_654_321 }), 'not-found');
  });
});

describe('GET /api/reports/profit-and-loss with Accept: text/csv', () => {
  const FIGURES =
    'income,expenses,net,refundedIncome,refundedExpenses,depositsReceived,depositsReturned,depositsHeld';
  let host: Account;
  let id: number;

  beforeAll(async () => {
    host = await service.account();
    ({ id } = await createProperty(host, { name: '=1+1 "élise"' }));
    const entries = [
      ['INCOME', 'BOOKING_PAYMENT', 436.5, '2026-03-14'],
      ['EXPENSE', 'CLEANING', 58, '2026-03-15'],
      ['INCOME', 'SECURITY_DEPOSIT', 200, '2026-03-14'],
      ['INCOME', 'BOOKING_PAYMENT', 883, '2026-04-02'],
    ] as const;
    for (const [type, category, amount, day] of entries)
      await createTransaction(host, id, { type, category, amount, date: `${day}T10:00:00Z`, status: 'PAID' });
  });
  beforeEach(() => void (caller = host));

  const NONE = '0.00,0.00,0.00,0.00,0.00';
  const TOTAL = '1319.50,58.00,1261.50,0.00,0.00,200.00,0.00,200.00';

  it.each([
    ['', ['line', `"total",${TOTAL}`]],
    [
      'groupBy=property,category',
      [
        'line,propertyId,propertyName,category',
        `"group",ID,NAME,"BOOKING_PAYMENT",1319.50,0.00,1319.50,${NONE}`,
        `"group",ID,NAME,"CLEANING",0.00,58.00,-58.00,${NONE}`,
        '"group",ID,NAME,"SECURITY_DEPOSIT",0.00,0.00,0.00,0.00,0.00,200.00,0.00,200.00',
        `"subtotal",ID,NAME,,${TOTAL}`,
        `"total",,,,${TOTAL}`,
      ],
    ],
    [
      'groupBy=month,year&from=2026-04-01',
      [
        'line,month,year',
        `"group","2026-04","2026",883.00,0.00,883.00,${NONE}`,
        `"subtotal","2026-04",,883.00,0.00,883.00,${NONE}`,
        `"total",,,883.00,0.00,883.00,${NONE}`,
      ],
    ],
    [
      'groupBy=category,month&basis=cash&to=2026-03-31',
      [
        'line,category,month',
        `"total",,,0.00,0.00,0.00,${NONE}`,
        '"paidWithoutDate",,,436.50,58.00,378.50,0.00,0.00,200.00,0.00,200.00',
      ],
    ],
  ])('answers a header, a line for each group and the total for %j', async (query, [head, ...lines]) => {
    const { status, headers, text } = await caller.get(`${PATH}?${query}`, CSV);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(headers.get('vary')).toContain('Accept');
    const expected = [`${head},${FIGURES}`, ...lines].map((line) => `${line}\r\n`).join('');
    expect(text).toBe(expected.replaceAll('ID', String(id)).replaceAll('NAME', `"'=1+1 ""élise"""`));
  });

  it('writes the separator, the decimal sign and the byte order mark that the query names', async () => {
    const query = 'groupBy=month&from=2026-04-01&separator=;&decimal=,&bom=true';
    const { text } = await caller.get(`${PATH}?${query}`, CSV);
    expect(text).toMatch(/^\ufeffline;month;income;/);
    expect(text).toContain('\r\n"group";"2026-04";883,00;0,00;');
    expectFaults(await caller.get(`${PATH}?separator=,&decimal=,&from=x`, CSV), 'decimal', 'from');
  });

  it('answers JSON where Accept prefers it, 406 for another type, and refusals as for JSON', async () => {
    const { headers } = await caller.get(PATH, { accept: 'text/csv;q=0.5, */*' });
    expect(headers.get('content-type')).toContain('application/json');
    expectProblem(await caller.get(PATH, { accept: 'text/html' }), 'not-acceptable');
    for (const path of ['tax-year?year=2026', 'cash-flow?'])
      expectProblem(await caller.get(`/api/reports/${path}`, CSV), 'not-acceptable');
    expectFaults(await caller.get(`${PATH}?from=2026-02-01&to=2026-01-01`, CSV), 'to');
    expectProblem(await caller.get(`${PATH}?propertyId=987654321`, CSV), 'not-found');
  });
});
