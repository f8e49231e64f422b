import {
  createClient,
  type ImportFile,
  isProblem,
  type Problem,
  ProblemError,
  type PropertyFinanceClient,
  type PropertyResponse,
  type TransactionSummary,
  unwrap,
} from '../clients/typescript/src/public.js';
import { cottage, documentedFetch, newHost, rejectionOf, stay } from './support/client/host.js';
import { type Service, startService } from './support/service.js';

let service: Service;
let host: PropertyFinanceClient;
let home: PropertyResponse;

beforeAll(async () => {
  service = await startService();
  host = await newHost(service.url, { fetch: documentedFetch });
  home = (await host.properties.create(cottage)).data;
});

/** The client with the token of an account that the test has made in the database. */
async function clientOf(role: 'USER' | 'ADMIN' = 'USER'): Promise<PropertyFinanceClient> {
  const { token } = await service.account(role);
  return createClient({ baseUrl: service.url, token: () => token!, fetch: documentedFetch });
}

describe('many transactions at once', () => {
  let host: PropertyFinanceClient;
  let id: string;

  beforeAll(async () => {
    host = await newHost(service.url, { fetch: documentedFetch });
    id = (await host.properties.create(cottage)).data.id;
  });

  it('are recorded in one call, digit for digit', async () => {
    const amounts = ['99999999999999999.99', '0.01'];
    const created = await host.transactions.createMany(amounts.map((amount) => stay(id, { amount })));
    expect(created.map(({ amount, propertyId }) => [amount, propertyId])).toEqual(
      amounts.map((amount) => [amount, id]),
    );
  });

  it.each<[string, (file: string) => ImportFile]>([
    ['a string', (file) => file],
    ['a Blob', (file) => new Blob([file], { type: 'text/plain' })],
    ['a Uint8Array', (file) => new TextEncoder().encode(file)],
    ['a ReadableStream', (file) => new Blob([file]).stream()],
  ])('come from a file that is %s', async (_, fileOf) => {
    const file = fileOf(
      `propertyId,type,category,description,amount,date\n${id},INCOME,CLEANING,Zoë,7.50,2026-01-15T10:30Z\n`,
    );
    expect(await host.transactions.import(file, { dryRun: true })).toMatchObject({ rows: 1, created: 1 });
  });

  it('come from a file, once, or are told by their lines', async () => {
    const file = (amount: string): string =>
      `propertyId,type,category,description,amount,date\n${id},INCOME,CLEANING,Some,${amount},2026-01-15T10:30Z\n`;
    expect(await host.transactions.import(file('1.50'), { dryRun: true })).toMatchObject({ created: 1 });
    expect(await host.transactions.import(file('1.50'))).toMatchObject({
      dryRun: false,
      rows: 1,
      created: 1,
    });
    expect(await host.transactions.import(file('1.50'), { duplicates: 'skip' })).toMatchObject({
      created: 0,
    });
    const line = JSON.stringify({ propertyId: 1 });
    expect(await rejectionOf(host.transactions.import(line, { format: 'ndjson' }))).toMatchObject({
      problem: { slug: 'import-refused', rows: 1, faults: 5 },
    });
    const refusal = await rejectionOf(host.transactions.import(file('ten')));
    if (!isProblem(refusal, 'import-refused')) throw new Error('no refusal');
    expect(refusal.problem.findings).toEqual([{ line: 2, field: 'amount', reason: 'must be a number' }]);
  });
});

describe('the numbers of the typed client', () => {
  const LARGEST = '9223372036854775807';

  it.each([
    ['the largest amount', '99999999999999999.99'],
    ['an amount without cents', '100.00'],
  ])('bring %s there and back digit for digit, as a string', async (_, amount) => {
    const { data } = await host.transactions.create(stay(home.id, { amount, bookingId: LARGEST }));
    expect([data.amount, data.bookingId]).toEqual([amount, LARGEST]);
    const { data: read } = await host.transactions.get(data.id);
    expect(read).toEqual(data);
    const [row] = await service.sql('SELECT amount, booking_id FROM transactions WHERE id = $1', [data.id]);
    expect(row).toEqual({ amount, booking_id: LARGEST });
  });

  it('are strings for ids and amounts always, and numbers for what a number can hold', async () => {
    const { data } = await host.properties.get(home.id);
    expect(data).toMatchObject({
      id: home.id,
      ownerId: expect.any(String) as string,
      basePrice: '120.50',
      maxGuests: 4,
    });
    const page = await unwrap(host.GET('/api/properties', { params: { query: { size: 1 } } }));
    expect(page).toMatchObject({ page: 0, size: 1, totalElements: '1', totalPages: 1, last: true });
    expect(page.content[0]).toMatchObject({ id: home.id, basePrice: '120.50' });
  });

  it('are taken as numbers and bigints, too, where these hold them', async () => {
    const request = stay(home.id, { propertyId: BigInt(home.id), amount: 9999999999999.99, bookingId: 17 });
    const { data } = await host.transactions.create(request);
    expect(data).toMatchObject({ propertyId: home.id, amount: '9999999999999.99', bookingId: '17' });
    const { data: read } = await host.transactions.get(BigInt(data.id));
    expect(read).toEqual(data);
  });

  it('are those of taxDetails and refund as well', async () => {
    const { data } = await host.transactions.create(stay(home.id));
    await service.sql(
      'UPDATE transactions SET tax_amount = 12345678901234567.89, refund_amount = 0.50 WHERE id = $1',
      [data.id],
    );
    const { data: read } = await host.transactions.get(data.id);
    expect(read.taxDetails?.taxAmount).toBe('12345678901234567.89');
    expect(read.refund?.refundAmount).toBe('0.50');
  });

  it('leave names alone that somebody has chosen for metadata', async () => {
    const metadata = { amount: 'a lot', id: '17', toString: '1', constructor: '2' };
    const { data } = await host.transactions.create(stay(home.id, { metadata }));
    expect(data.metadata).toEqual(metadata);
  });

  it('are numbers where somebody else has chosen the name', async () => {
    const health = { status: 'UP', components: { disk: { status: 'UP', details: { id: 17, amount: 1.5 } } } };
    const client = createClient({
      baseUrl: service.url,
      fetch: () => Promise.resolve(Response.json(health)),
    });
    expect(await unwrap(client.GET('/actuator/health'))).toEqual(health);
  });

  it.each([
    ['amount', 'a lot', 'amount: "a lot" is not a decimal'],
    ['amount', '1,50', 'amount: "1,50" is not a decimal'],
    ['amount', '', 'amount: "" is not a decimal'],
    ['amount', Number.NaN, 'amount: NaN is not a decimal'],
    ['amount', 1e13 + 0.01, 'amount: 10000000000000.01 is too large for a number to keep its decimals'],
    ['amount', {}, 'amount: {} is not a decimal'],
    ['bookingId', '1.5', 'bookingId: "1.5" is not an integer'],
    ['bookingId', '0x11', 'bookingId: "0x11" is not an integer'],
    ['bookingId', 1.5, 'bookingId: 1.5 is not an integer'],
    ['bookingId', 2 ** 53, 'bookingId: 9007199254740992 is too large for a number'],
    ['bookingId', true, 'bookingId: true is not an integer'],
  ])('are refused before anything is sent: %s %p', async (field, value, message) => {
    let sent = 0;
    const client = createClient({ baseUrl: service.url, fetch: (request) => (sent++, fetch(request)) });
    const error = await rejectionOf(client.transactions.create(stay(home.id, { [field]: value })));
    expect(error).toBeInstanceOf(TypeError);
    expect((error as TypeError).message).toContain(message);
    expect(sent).toBe(0);
  });

  it.each<[string, string, () => Promise<unknown>]>([
    ['a query', 'propertyId', () => host.reports.cashFlow({ propertyId: 2 ** 60 })],
    ['a path', 'id', () => host.transactions.get(2 ** 60)],
  ])('are checked in %s, too', async (_, name, call) => {
    expect(await rejectionOf(call())).toEqual(
      new TypeError(
        `${name}: 1152921504606847000 is too large for a number; give it as a string or a bigint`,
      ),
    );
  });
});

describe('the types of the typed client', () => {
  it('are those of the API document: all else does not compile', async () => {
    const { data } = await host.transactions.create(stay(home.id));
    const exact: [string, string | null, string | undefined] = [
      data.amount,
      data.bookingId,
      data.refund?.refundAmount ?? undefined,
    ];
    expect(exact).toEqual(['360.75', null, undefined]);
    const misuses = [
      // @ts-expect-error -- an amount is no number
      (): number => data.amount,
      // @ts-expect-error -- a required field is missing
      () => host.transactions.create({ ...stay(home.id), description: undefined }),
      // @ts-expect-error -- no such category
      () => host.transactions.search({ category: 'BREAKFAST' }),
      // @ts-expect-error -- no such level
      () => host.reports.profitAndLoss({ groupBy: ['week'] }),
      // @ts-expect-error -- the year is missing
      () => host.reports.taxYear({}),
      // @ts-expect-error -- no such path
      () => host.GET('/api/nothing'),
      // @ts-expect-error -- a path without its id
      () => host.DELETE('/api/properties/{id}'),
      // @ts-expect-error -- no such problem
      () => isProblem(undefined, 'no-such-problem'),
    ];
    expect(misuses).toHaveLength(8); // they are compiled, and not called
  });
});

describe('the lists of the typed client', () => {
  const BEGINNING = /^\/api\/transactions\?cursor=&size=100&sort=id$/;
  const FURTHER = /^\/api\/transactions\?cursor=[\w-]{10,}&size=100&sort=id$/;
  let large: PropertyFinanceClient;
  let property: PropertyResponse;
  const asked: string[] = [];

  beforeEach(async () => {
    const { id, token } = await service.account();
    large = createClient({
      baseUrl: service.url,
      token: () => token!,
      fetch: (request) => {
        asked.push(request.url.slice(service.url.length));
        return documentedFetch(request);
      },
    });
    property = (await large.properties.create(cottage)).data;
    const other = (await large.properties.create(cottage)).data;
    const insertion = `
      INSERT INTO transactions (owner_id, property_id, property_name, type, category, description, amount, date,
        status, recurring)
      SELECT $1, $2, '', 'INCOME', 'BOOKING_PAYMENT', '', n, now() - n * interval '1 hour', 'PAID', false
      FROM generate_series(1, $3::int) n`;
    await service.sql(insertion, [id, property.id, 250]);
    await service.sql(insertion, [id, other.id, 3]);
    asked.length = 0;
  });

  async function gathered(elements: AsyncIterable<TransactionSummary>): Promise<TransactionSummary[]> {
    const found: TransactionSummary[] = [];
    for await (const element of elements) found.push(element);
    return found;
  }

  const ascending = (ids: string[]): string[] => ids.toSorted((a, b) => Number(BigInt(a) - BigInt(b)));

  it('give each of 253 transactions once, in the order of their ids, in three requests', async () => {
    const ids = (await gathered(large.transactions.all())).map(({ id }) => id);
    expect(new Set(ids).size).toBe(253);
    expect(ids).toEqual(ascending(ids));
    expect(asked).toEqual(
      Array.from(
        { length: 3 },
        (_, page) => expect.stringMatching(page === 0 ? BEGINNING : FURTHER) as string,
      ),
    );
  });

  it('give those of one property, in an order of the caller', async () => {
    const options = { size: 90, sort: ['amount,desc', 'id,asc'] };
    const found = await gathered(large.transactions.ofProperty(property.id, options));
    expect(found.map(({ amount }) => amount)).toEqual(Array.from({ length: 250 }, (_, n) => `${250 - n}.00`));
    expect(asked).toHaveLength(3);
  });

  it('give what a search finds, page by page', async () => {
    const search = { minAmount: '100.00', maxAmount: 199, propertyId: property.id, size: 30 };
    const found = await gathered(large.transactions.search(search));
    expect(found.map(({ amount }) => Number(amount)).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 100 }, (_, n) => 100 + n),
    );
    expect(asked).toHaveLength(4);
  });

  it('give the properties', async () => {
    const names: string[] = [];
    for await (const { name } of large.properties.all({ size: 1 })) names.push(name);
    expect(names).toEqual(['Seaside Cottage', 'Seaside Cottage']);
    expect(asked).toHaveLength(2);
  });

  it('ask for nothing more once the caller breaks off', async () => {
    for await (const { id } of large.transactions.all({ size: 10 })) if (id !== '') break;
    expect(asked).toHaveLength(1);
  });

  it('end with an empty list at once', async () => {
    expect(await gathered(large.transactions.search({ searchTerm: 'no such words' }))).toEqual([]);
    expect(asked).toHaveLength(1);
  });

  it('pass over nothing and give nothing twice while others come and go before them', async () => {
    const before = (await gathered(large.transactions.all({ sort: ['date,desc'] }))).map(({ id }) => id);
    const during: string[] = [];
    for await (const { id } of large.transactions.all({ sort: ['date,desc'], size: 40 })) {
      if (during.push(id) % 60 !== 0) continue;
      await large.transactions.create(stay(property.id, { date: '2990-01-01T00:00:00Z' }));
      await large.transactions.delete(during[during.length - 50]!);
    }
    expect(during).toEqual(before);
  });
});

describe('the reports of the typed client', () => {
  let owner: PropertyFinanceClient;
  let loft: PropertyResponse;

  beforeAll(async () => {
    owner = await clientOf();
    loft = (await owner.properties.create({ ...cottage, name: 'Loft' })).data;
    const paid = { status: 'PAID', paidAt: '2026-01-01T03:00:00Z' } as const;
    const large = { date: '2026-01-01T04:30:00Z', amount: '99999999999999999.99' };
    const bill = { type: 'EXPENSE', category: 'UTILITIES', amount: '64.25', vendor: 'City Power' } as const;
    await owner.transactions.create(stay(loft.id, { ...large, ...paid }));
    await owner.transactions.create(stay(loft.id, { ...large, ...paid }));
    const monthly = { recurring: true, frequency: 'MONTHLY', date: '2026-01-31T12:00:00Z' } as const;
    await owner.transactions.create(stay(loft.id, { ...bill, ...monthly, status: 'OVERDUE' }));
  });

  it('add up profit and loss by two levels, digit for digit', async () => {
    const report = await owner.reports.profitAndLoss({
      from: '2025-12-01',
      to: '2026-12-31',
      timeZone: 'America/New_York',
      propertyId: BigInt(loft.id),
      groupBy: ['property', 'month'],
    });
    const sums = { income: '199999999999999999.98', expenses: '64.25', net: '199999999999999935.73' };
    const months = [
      { period: '2025-12', net: '199999999999999999.98' },
      { period: '2026-01', net: '-64.25' },
    ];
    expect(report).toMatchObject({
      propertyId: loft.id,
      groupBy: ['property', 'month'],
      total: { ...sums, depositsHeld: '0.00' },
      groups: [{ propertyId: loft.id, propertyName: 'Loft', category: null, ...sums, groups: months }],
    });
    expect(await owner.reports.profitAndLoss()).toMatchObject({ groups: [], total: report.total });
  });

  it('lay a year to the lines of a form', async () => {
    const { total, properties } = await owner.reports.taxYear({ year: 2025, timeZone: 'America/New_York' });
    expect(total.lines.find(({ line }) => line === 3)).toMatchObject({ amount: '199999999999999999.98' });
    expect(properties.map(({ propertyId, net }) => [propertyId, net])).toEqual([[loft.id, total.net]]);
  });

  it('tell what is owed and what will be', async () => {
    const { overdue, upcoming } = await owner.reports.cashFlow({ from: '2026-02-01', months: 2 });
    expect(overdue).toMatchObject({
      payable: '64.25',
      vendors: [{ vendor: 'City Power', transactions: '1' }],
    });
    expect(upcoming.occurrences.map(({ date, amount }) => [date, amount])).toEqual([
      ['2026-02-28', '64.25'],
      ['2026-03-31', '64.25'],
    ]);
  });

  it('refuse as the service does, and are given up when the caller does', async () => {
    const missing = await rejectionOf(owner.reports.profitAndLoss({ propertyId: '9223372036854775807' }));
    expect(isProblem(missing, 'not-found')).toBe(true);
    expect(await rejectionOf(owner.reports.taxYear({ year: 0 }))).toMatchObject({
      errors: { year: 'must be a whole number from 1 to 9999' },
    });
    const signal = AbortSignal.abort(new Error('no longer wanted'));
    expect(await rejectionOf(owner.reports.cashFlow({}, { signal }))).toEqual(signal.reason);
  });
});

describe('the problems of the typed client', () => {
  /** Compiles only while each slug leads to the fields that its problem has, and to no others. */
  function describeProblem(problem: Problem): string {
    switch (problem.slug) {
      case 'validation-failed': {
        const errors: Record<string, string> = problem.errors;
        return `${problem.status satisfies 400}: ${Object.keys(errors).join()}`;
      }
      case 'service-unavailable':
      case 'internal-error': {
        const id: string = problem.correlationId;
        return `${problem.status satisfies 500 | 503}: ${id}`;
      }
      case 'not-found':
        // @ts-expect-error -- only a failed validation has errors
        return `${problem.status satisfies 404}: ${problem.detail}${String(problem.errors ?? '')}`;
      case undefined: {
        const detail: string | undefined = problem.detail;
        return `unknown ${problem.type} ${detail ?? ''}`;
      }
      default:
        return problem.title satisfies string;
    }
  }

  it('narrow by their slug', async () => {
    const failed = await rejectionOf(
      host.properties.create({ ...cottage, maxGuests: 0, name: 'x'.repeat(256) }),
    );
    expect(describeProblem((failed as ProblemError).problem)).toBe('400: name,maxGuests');
    expect(failed).toMatchObject({
      slug: 'validation-failed',
      status: 400,
      errors: {
        name: 'must have at most 255 characters',
        maxGuests: 'must be a whole number from 1 to 100',
      },
      message:
        'Validation failed (400): name must have at most 255 characters; maxGuests must be a whole number from 1 to 100',
    });
    if (isProblem(failed, 'validation-failed')) failed.status satisfies 400;
    const missing = await rejectionOf(host.properties.get('9223372036854775807'));
    expect(describeProblem((missing as ProblemError).problem)).toBe('404: There is no such property.');
    expect(missing).toMatchObject({ slug: 'not-found', status: 404, errors: {} });
    expect((missing as ProblemError).message).toBe('Resource not found (404): There is no such property.');
  });

  it.each<[string, () => Promise<unknown>]>([
    ['authentication-required', () => createClient({ baseUrl: service.url }).properties.get(1)],
    ['not-found', () => host.properties.delete(9_007_199_254_740_991)],
    ['resource-in-use', () => host.properties.delete(home.id)],
    ['concurrent-modification', () => host.properties.delete(home.id, { ifMatch: '"4711"' })],
  ])('come as %s from the service itself', async (slug, call) => {
    await host.transactions.create(stay(home.id)); // what resource-in-use needs
    const error = await rejectionOf(call());
    expect(error).toBeInstanceOf(ProblemError);
    const { problem, response } = error as ProblemError;
    expect(problem).toMatchObject({
      slug,
      type: `urn:property-finance:problem:${slug}`,
      status: response.status,
    });
    expect(isProblem(error, problem.slug!)).toBe(true);
    expect(isProblem(error, 'internal-error')).toBe(false);
  });

  it('come without a throw for those who look at error and response themselves', async () => {
    const { data, error, response } = await host.GET('/api/properties/{id}', {
      params: { path: { id: '0' } },
    });
    expect([data, response.status]).toEqual([undefined, 404]);
    expect(error?.type).toBe('urn:property-finance:problem:not-found');
  });
});

describe('the writes of the typed client', () => {
  it('carry the ETag of what was read, so that nobody overwrites what he has not seen', async () => {
    const { data, etag } = await host.properties.create(cottage);
    const renamed = await host.properties.replace(data.id, { ...cottage, name: 'Loft' }, { ifMatch: etag });
    expect(renamed.etag).not.toBe(etag);
    const stale = await rejectionOf(host.properties.replace(data.id, cottage, { ifMatch: etag }));
    expect(isProblem(stale, 'concurrent-modification')).toBe(true);
    await host.properties.delete(data.id, { ifMatch: renamed.etag });
    expect(isProblem(await rejectionOf(host.properties.get(data.id)), 'not-found')).toBe(true);
  });

  it('read and change again when somebody else came between, and lose nothing', async () => {
    const { data } = await host.transactions.create(stay(home.id, { tags: [] }));
    const add = (tag: string): Promise<unknown> =>
      host.transactions.update(data.id, (now) => ({ ...now, tags: [...now.tags, tag] }), { tries: 20 });
    await Promise.all(['a', 'b', 'c', 'd'].map(add));
    const { tags, ...rest } = (await host.transactions.get(data.id)).data;
    expect(tags.toSorted()).toEqual(['a', 'b', 'c', 'd']);
    expect({ ...rest, updatedAt: data.updatedAt }).toEqual({
      ...data,
      tags: undefined,
      updatedAt: data.updatedAt,
    });
  });

  it('give up after as many tries as they may make', async () => {
    const { data } = await host.transactions.create(stay(home.id));
    let changes = 0;
    const update = host.transactions.update(
      data.id,
      async (now) => {
        await host.transactions.replace(now.id, stay(home.id, { notes: `change ${++changes}` }));
        return now;
      },
      { tries: 2 },
    );
    expect(isProblem(await rejectionOf(update), 'concurrent-modification')).toBe(true);
    expect(changes).toBe(2);
  });
});

describe('the other operations of the typed client', () => {
  it('answer an ADMIN with text where the service does not speak JSON', async () => {
    const admin = await clientOf('ADMIN');
    const metrics = await unwrap(admin.GET('/actuator/prometheus', { parseAs: 'text' }));
    expect(metrics).toMatch(/^# HELP /m);
  });

  it('show an ADMIN who has signed in the components of health, and never sign in for it', async () => {
    const admin = await newHost(service.url);
    await service.sql("UPDATE users SET role = 'ADMIN' WHERE username = $1", [admin.credentials.username]);
    expect(await unwrap(admin.GET('/actuator/health'))).toEqual({ status: 'UP' });
    const { user } = await admin.signIn();
    expect(user.role).toBe('ADMIN');
    const { components } = await unwrap(admin.GET('/actuator/health'));
    expect(components?.['diskSpace']?.details?.['free']).toEqual(expect.any(Number));
  });
});

describe('a file of the typed client', () => {
  const textOf = (file: ReadableStream<Uint8Array>): Promise<string> => new Response(file).text();
  let owner: PropertyFinanceClient;

  beforeAll(async () => {
    owner = await newHost(service.url, { fetch: documentedFetch });
    const { data } = await owner.properties.create({ ...cottage, name: '=1' });
    for (const amount of ['1.10', '2.20', '3.30']) await owner.transactions.create(stay(data.id, { amount }));
  });

  it('is CSV, unless it is to be lines of JSON', async () => {
    const csv = await textOf(await owner.transactions.export({ minAmount: '2', sortBy: 'amount' }));
    expect(csv).toMatch(/^id,propertyId,.*\r\n.*,2\.20,.*\r\n.*,3\.30,.*\r\n$/);
    const lines = (
      await textOf(await owner.transactions.export({ sortBy: 'id' }, { format: 'ndjson' }))
    ).split('\n');
    expect(lines.map((line) => /"amount":([\d.]+)/.exec(line)?.[1])).toEqual([
      '1.10',
      '2.20',
      '3.30',
      undefined,
    ]);
  });

  it('has the properties, and begins with a byte order mark, if asked to', async () => {
    const file = await owner.properties.export({ bom: true, sort: ['name,desc'] });
    const bytes = new Uint8Array(await new Response(file).arrayBuffer());
    expect([...bytes.subarray(0, 5)]).toEqual([0xef, 0xbb, 0xbf, 0x69, 0x64]);
    expect(new TextDecoder().decode(bytes)).toContain(`,"'=1",`);
  });

  it('is refused as anything is', async () => {
    const error = await rejectionOf(owner.properties.export({ sort: ['luck'] }));
    expect(isProblem(error, 'validation-failed')).toBe(true);
    expect((error as ProblemError).errors).toHaveProperty('sort');
  });
});
