import fc from 'fast-check';
import { parse } from 'lossless-json';
import { bodyOf, expectFaults, expectProblem } from './support/answers.js';
import { storeEntries } from './support/book-entries.js';
import { type Asked, type Entry, type Group, profitAndLossOf } from './support/books-oracle.js';
import type { Answer } from './support/client.js';
import { expectDocument } from './support/problem-document.js';
import { CATEGORIES, STATUSES, TYPES } from './support/contract.js';
import { createProperty, createTransaction } from './support/factories.js';
import { type Account, type Service, startService } from './support/service.js';

const PATH = '/api/reports/profit-and-loss';
const LEVELS = ['property', 'category', 'month', 'quarter', 'year'];
/** Half an hour of daylight saving, a quarter of an hour's offset, clocks that are set back at the midnight a month begins. */
const ZONES = [
  'UTC',
  'Europe/Lisbon',
  'America/Los_Angeles',
  'America/Havana',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Pacific/Apia',
  'Pacific/Kiritimati',
  'Atlantic/Azores',
];

let service: Service;
let owner: Account;
beforeAll(async () => {
  service = await startService();
  owner = await service.account();
});

interface Read {
  readonly total: Record<string, string>;
  readonly groups: readonly (Record<string, string> & { groups: readonly Record<string, string>[] })[];
}

/** Every number as its digits. */
function reportOf(answer: Answer): Read {
  if (answer.status !== 200) throw new Error(`no report: ${answer.status} ${answer.text}`);
  return parse(answer.text, undefined, (digits) => digits) as Read;
}

const get = (caller: Account, query: Record<string, string | number> = {}): Promise<Answer> => {
  const pairs = Object.entries(query).map(([name, value]) => [name, String(value)]);
  const search = new URLSearchParams(Object.fromEntries(pairs) as Record<string, string>);
  return caller.get(`${PATH}?${search.toString()}`);
};

describe('GET /api/reports/profit-and-loss of random transactions', () => {
  /** About the first hours of months, where zones and daylight saving decide. */
  const instant = fc
    .tuple(
      fc.integer({ min: 0, max: 35 }),
      fc.oneof(fc.integer({ min: -16 * 60, max: 16 * 60 }), fc.integer({ min: 0, max: 28 * 24 * 60 })),
      fc.constantFrom(0, 1, 59_999),
    )
    .map(([month, minutes, ms]) => new Date(Date.UTC(2024, month) + minutes * 60_000 + ms).toISOString());
  const entry: fc.Arbitrary<Entry> = fc.record({
    property: fc.nat(2),
    type: fc.constantFrom(...TYPES),
    category: fc.constantFrom('SECURITY_DEPOSIT', ...CATEGORIES),
    status: fc.constantFrom(...STATUSES),
    cents: fc.oneof(fc.bigInt(1n, 1_000_000n), fc.bigInt(1n, 9_999_999_999_999_999_999n)),
    date: instant,
    paidAt: fc.option(instant),
  });
  const day = fc.date({
    min: new Date('2023-12-30'),
    max: new Date('2027-01-02'),
    noInvalidDate: true,
  });
  const asked: fc.Arbitrary<Asked> = fc.record({
    from: fc.option(
      day.map((date) => date.toISOString().slice(0, 10)),
      { nil: undefined },
    ),
    to: fc.option(
      day.map((date) => date.toISOString().slice(0, 10)),
      { nil: undefined },
    ),
    property: fc.option(fc.nat(2), { nil: undefined, freq: 3 }),
    groupBy: fc
      .subarray(LEVELS, { maxLength: 2 })
      .chain((some) => fc.shuffledSubarray(some, { minLength: some.length })),
    basis: fc.constantFrom('accrual', 'cash'),
    timeZone: fc.constantFrom(...ZONES),
  });

  it('answers the sums of adding them up one by one, by any two levels, in any zone, to the cent', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 80, size: 'max' }),
        fc.array(asked, { minLength: 6, maxLength: 6 }),
        async (entries, requests) => {
          const caller = await service.account();
          const ids = await storeEntries(service, caller, entries);
          for (const request of requests) {
            const { from, to, property, groupBy, basis, timeZone } = request;
            const query = {
              basis,
              timeZone,
              ...(from === undefined ? {} : { from }),
              ...(to === undefined ? {} : { to }),
              ...(property === undefined ? {} : { propertyId: ids[property]! }),
              ...(groupBy.length === 0 ? {} : { groupBy: groupBy.join(',') }),
            };
            const answer = await get(caller, query);
            if (from !== undefined && to !== undefined && from > to) expectFaults(answer, 'to');
            else expect(shapeOf(reportOf(answer), ids, groupBy)).toEqual(profitAndLossOf(entries, request));
          }
        },
      ),
      { numRuns: 12, seed: 20_260_115 },
    );
  }, 120_000);

  /** As the oracle has it: the groups by their keys. */
  function shapeOf({ total, groups }: Read, ids: number[], groupBy: readonly string[]): Omit<Group, 'key'> {
    const keyOf = (group: Record<string, unknown>, level: string): string => {
      if (level === 'property') return String(ids.indexOf(Number(group['propertyId'])));
      return String(group[level === 'category' ? 'category' : 'period']);
    };
    const names = ['propertyId', 'propertyName', 'category', 'period', 'groups'];
    const figuresOf = (group: object): Record<string, string> =>
      Object.fromEntries(Object.entries(group).filter(([name]) => !names.includes(name)));
    return {
      figures: total,
      groups: groups.map((group) => ({
        key: keyOf(group, groupBy[0]!),
        figures: figuresOf(group),
        groups: group.groups.map((part) => ({
          key: keyOf(part, groupBy[1]!),
          figures: figuresOf(part),
          groups: [],
        })),
      })),
    };
  }
});

describe('GET /api/reports/profit-and-loss', () => {
  const ZEROS = {
    income: 0,
    expenses: 0,
    net: 0,
    refundedIncome: 0,
    refundedExpenses: 0,
    depositsReceived: 0,
    depositsReturned: 0,
    depositsHeld: 0,
  };

  it('answers zeros and its parameters for an account without transactions', async () => {
    expect((await get(await service.account())).json).toEqual({
      basis: 'accrual',
      timeZone: 'UTC',
      from: null,
      to: null,
      propertyId: null,
      groupBy: [],
      total: ZEROS,
      groups: [],
    });
    const groupBy = { groupBy: 'year,property', basis: 'cash', from: '2026-01-01', to: '2026-12-31' };
    expect((await get(await service.account(), groupBy)).json).toMatchObject({
      ...groupBy,
      groupBy: ['year', 'property'],
      total: ZEROS,
      groups: [],
    });
  });

  it('names each group by its property, category or period', async () => {
    const caller = await service.account();
    const { id } = await createProperty(caller, { name: 'Loft "rear"' });
    await createTransaction(caller, id, { amount: 10.5, date: '2026-03-31T23:30:00Z' });
    await service.sql('UPDATE properties SET name = $2 WHERE id = $1', [id, 'Loft, now']);
    const answer = await get(caller, { groupBy: 'property,quarter', timeZone: 'Europe/Madrid' });
    const figures = { ...ZEROS, income: 10.5, net: 10.5 };
    const names = { propertyId: null, propertyName: null, category: null, period: null };
    expect(bodyOf(answer)['groups']).toEqual([
      {
        ...names,
        ...figures,
        propertyId: id,
        propertyName: 'Loft, now',
        groups: [{ ...names, ...figures, period: '2026-Q2' }],
      },
    ]);
  });

  it('answers every digit of a sum that exceeds a double', async () => {
    const caller = await service.account();
    const { id } = await createProperty(caller);
    for (const amount of ['99999999999999999.99', '99999999999999999.99', '0.03'])
      await caller.post(
        '/api/transactions',
        `{"propertyId":${id},"type":"INCOME","category":"OTHER_INCOME","description":"","amount":${amount},"date":"2026-01-01T00:00:00Z"}`,
      );
    expect((await get(caller)).text).toContain('"net":200000000000000000.01,');
  });

  it.each([
    ['2026-01-01', '2026-01-31', '2025-12-31T15:00:00Z 2026-01-31T14:59:59.999Z', 'Asia/Tokyo'],
    ['2026-03-29', '2026-03-29', '2026-03-28T23:00:00Z 2026-03-29T21:59:59.999Z', 'Europe/Berlin'],
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
      const caller = await service.account();
      const { id } = await createProperty(caller);
      const [first, last] = ends.split(' ').map((text) => new Date(text).getTime()) as [number, number];
      const within = [first, last];
      for (const time of [...within, first - 1, last + 1]) {
        const date = new Date(time).toISOString();
        if (/^\d{4}-/.test(date) && !date.startsWith('0000'))
          await createTransaction(caller, id, { amount: within.includes(time) ? 1 : 100, date });
      }
      expect((await get(caller, { from, to, timeZone })).json).toMatchObject({ total: { income: 2 } });
    },
  );

  it('answers 200 for 5,000 groups or periods, and 400 for one more', async () => {
    const caller = await service.account();
    const { id } = await createProperty(caller);
    const addMonths = (first: number, last: number): Promise<unknown> =>
      service.sql(
        `INSERT INTO transactions (owner_id, property_id, property_name, type, category, description, amount, date, status, recurring)
         SELECT $1, $2, '', 'INCOME', 'OTHER_INCOME', '', 1, timestamptz '1600-01-15Z' + n * interval '1 month', 'PAID', false
           FROM generate_series($3::integer, $4) n`,
        [caller.id, id, first, last],
      );
    await addMonths(1, 4999);
    expect((await get(caller, { groupBy: 'property,month' })).status).toBe(200); // the property is a group, too
    await addMonths(5000, 5000);
    expectFaults(await get(caller, { groupBy: 'property,month' }), 'groupBy');
    expect(bodyOf(await get(caller, { groupBy: 'month' }))['groups']).toHaveLength(5000);
    await addMonths(5001, 5001);
    expectFaults(await get(caller, { groupBy: 'month' }), 'groupBy');
    expect((await get(caller, { groupBy: 'property,quarter' })).status).toBe(200);
  });

  it('answers 400 with every faulty parameter', async () => {
    const wrong = {
      propertyId: 'x',
      timeZone: 'CET',
      from: '2026-02-30',
      to: '2026',
      groupBy: 'day',
      basis: 'Cash',
    };
    expectFaults(await get(owner, wrong), ...Object.keys(wrong));
  });

  it.each([
    ['from', ['', '2026-1-01', '2026-01-01T00:00:00Z', '0000-01-01', '10000-01-01', '+2026-01-01']],
    [
      'groupBy',
      ['', 'property,', 'property,property', 'property,category,month', 'Month', 'property, month'],
    ],
    ['timeZone', ['', 'EST', 'GMT+2', '+02:00', 'utc', '<+02>-2', 'Europe/Lisbon ', 'Europe', 'localtime']],
    ['basis', ['', 'ACCRUAL', 'both']],
    ['propertyId', ['', '1.0', '9223372036854775808']],
  ])('answers 400 for %s of %j', async (name, values) => {
    for (const value of values) expectFaults(await get(owner, { [name]: value }), name);
    expectFaults(await owner.get(`${PATH}?${name}=1&${name}=1`), name);
  });

  it('answers 400 for a zone that Node knows and PostgreSQL does not', async () => {
    expectFaults(await get(owner, { timeZone: 'US/Pacific-New', from: '2026-01-01' }), 'timeZone');
  });

  it('answers 200 for the names of all zones', async () => {
    const zones = [...Intl.supportedValuesOf('timeZone'), 'Asia/Kolkata', 'US/Eastern', 'Etc/GMT+12'];
    await service.sql('SELECT now() AT TIME ZONE name FROM unnest($1::text[]) name', [zones]); // it knows them all
    for (const timeZone of zones.filter((_, index) => index % 20 === 0)) {
      const { status } = await get(owner, { timeZone, groupBy: 'year', from: '2026-01-01' });
      expect([timeZone, status]).toEqual([timeZone, 200]);
    }
  });

  describe('asked by an ADMIN', () => {
    it('answers for the own account, or for the named property', async () => {
      const admin = await service.account('ADMIN');
      const { id } = await createProperty(owner, { name: 'Of the owner' });
      await createTransaction(owner, id, { amount: 7 });
      expect((await get(admin)).json).toMatchObject({ total: { income: 0 } });
      const json = bodyOf(await get(admin, { propertyId: id, groupBy: 'property' }));
      expect(json).toMatchObject({
        propertyId: id,
        total: { income: 7 },
        groups: [{ propertyName: 'Of the owner' }],
      });
    });
  });

  it('answers 404 for a missing property or another owner’s', async () => {
    const { id } = await createProperty(owner);
    for (const caller of [await service.account(), await service.account('ADMIN')])
      expectProblem(await get(caller, { propertyId: 987_654_321 }), 404, 'not-found');
    expectProblem(await get(await service.account(), { propertyId: id }), 404, 'not-found');
  });
});

describe('GET /api/reports/profit-and-loss with Accept: text/csv', () => {
  const CSV = { accept: 'text/csv' };
  const FIGURES =
    'income,expenses,net,refundedIncome,refundedExpenses,depositsReceived,depositsReturned,depositsHeld';
  let caller: Account;
  let id: number;

  beforeAll(async () => {
    caller = await service.account();
    ({ id } = await createProperty(caller, { name: '=1+1 "élise"' }));
    const entries = [
      ['INCOME', 'BOOKING_PAYMENT', 436.5, '2026-03-14'],
      ['EXPENSE', 'CLEANING', 58, '2026-03-15'],
      ['INCOME', 'SECURITY_DEPOSIT', 200, '2026-03-14'],
      ['INCOME', 'BOOKING_PAYMENT', 883, '2026-04-02'],
    ] as const;
    for (const [type, category, amount, day] of entries)
      await createTransaction(caller, id, { type, category, amount, date: `${day}T10:00:00Z` });
  });

  const ZEROS = '0.00,0.00,0.00,0.00,0.00';
  const TOTAL = '1319.50,58.00,1261.50,0.00,0.00,200.00,0.00,200.00';

  it.each([
    ['', ['line', `"total",${TOTAL}`]],
    [
      'groupBy=month',
      [
        'line,month',
        '"group","2026-03",436.50,58.00,378.50,0.00,0.00,200.00,0.00,200.00',
        `"group","2026-04",883.00,0.00,883.00,${ZEROS}`,
        `"total",,${TOTAL}`,
      ],
    ],
    [
      'groupBy=property,category',
      [
        'line,propertyId,propertyName,category',
        `"group",ID,NAME,"BOOKING_PAYMENT",1319.50,0.00,1319.50,${ZEROS}`,
        `"group",ID,NAME,"CLEANING",0.00,58.00,-58.00,${ZEROS}`,
        '"group",ID,NAME,"SECURITY_DEPOSIT",0.00,0.00,0.00,0.00,0.00,200.00,0.00,200.00',
        `"subtotal",ID,NAME,,${TOTAL}`,
        `"total",,,,${TOTAL}`,
      ],
    ],
    [
      'groupBy=month,year&from=2026-04-01',
      [
        'line,month,year',
        `"group","2026-04","2026",883.00,0.00,883.00,${ZEROS}`,
        `"subtotal","2026-04",,883.00,0.00,883.00,${ZEROS}`,
        `"total",,,883.00,0.00,883.00,${ZEROS}`,
      ],
    ],
  ])('answers a header, a line for each group and the total for %j', async (query, [head, ...lines]) => {
    const { status, headers, text } = await caller.get(`${PATH}?${query}`, CSV);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(headers.get('vary')).toContain('Accept');
    const expected = [`${head},${FIGURES}`, ...lines].map((line) => `${line}\r\n`).join('');
    expect(text).toBe(expected.replaceAll('ID', String(id)).replaceAll('NAME', `"'=1+1 ""élise"""`));
  });

  it('answers zeros and the total alone for an account without transactions', async () => {
    const { text } = await (await service.account()).get(`${PATH}?groupBy=year`, CSV);
    expect(text).toBe(`line,year,${FIGURES}\r\n"total",,0.00,0.00,0.00,${ZEROS}\r\n`);
  });

  it('writes the separator, the decimal sign and the byte order mark that the query names', async () => {
    const query = 'groupBy=month&from=2026-04-01&separator=;&decimal=,&bom=true';
    const { text } = await caller.get(`${PATH}?${query}`, CSV);
    expect(text).toMatch(/^\ufeffline;month;income;/);
    expect(text).toContain('\r\n"group";"2026-04";883,00;0,00;');
    expectFaults(await caller.get(`${PATH}?decimal=,`, CSV), 'decimal');
  });

  it.each([
    ['*/*', 'application/json'],
    ['text/csv;q=0.5, application/json', 'application/json'],
    ['application/json;q=0.5, text/*', 'text/csv'],
  ])('for Accept: %s answers %s', async (accept, type) => {
    const { headers } = await caller.get(PATH, { accept });
    expect(headers.get('content-type')).toContain(type);
  });

  it('answers 406 for a media type that there is not, and refusals as for JSON', async () => {
    expectDocument(await caller.get(PATH, { accept: 'text/html' }), 'not-acceptable');
    expectFaults(await caller.get(`${PATH}?from=2026-02-01&to=2026-01-01`, CSV), 'to');
    expectFaults(await caller.get(`${PATH}?groupBy=month&from=0001-01-01`, CSV), 'groupBy');
    expectProblem(await caller.get(`${PATH}?propertyId=987654321`, CSV), 404, 'not-found');
  });
});
