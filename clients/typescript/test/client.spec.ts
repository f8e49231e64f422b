import { type Service, startService } from '../../../test/support/service.js';
import {
  createClient,
  type ImportFile,
  isProblem,
  type Problem,
  type ProblemError,
  type PropertyFinanceClient,
  type PropertyResponse,
  unwrap,
} from '../src/public.js';
import { cottage, documentedFetch, newHost, rejectionOf, stay } from './host.js';

const LARGEST_ID = '9223372036854775807';
const LARGEST_AMOUNT = '99999999999999999.99';

let service: Service;
let host: PropertyFinanceClient;
let home: PropertyResponse;

beforeAll(async () => {
  service = await startService();
  host = await newHost(service.url, { fetch: documentedFetch });
  home = (await host.properties.create(cottage)).data;
});

async function gathered<T>(elements: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const element of elements) found.push(element);
  return found;
}

describe('ids and amounts', () => {
  it.each([LARGEST_AMOUNT, '100.00'])('are exact strings in responses: %s', async (amount) => {
    const { data } = await host.transactions.create(stay(home.id, { amount, bookingId: LARGEST_ID }));
    expect([data.amount, data.bookingId]).toEqual([amount, LARGEST_ID]);
    expect((await host.transactions.get(data.id)).data).toEqual(data);
    const [row] = await service.sql('SELECT amount, booking_id FROM transactions WHERE id = $1', [data.id]);
    expect(row).toEqual({ amount, booking_id: LARGEST_ID });
  });

  it('of properties and pages are strings, while small integers are numbers', async () => {
    const page = await unwrap(host.GET('/api/properties', { params: { query: { size: 1 } } }));
    expect(page).toMatchObject({ page: 0, size: 1, totalElements: '1', totalPages: 1, last: true });
    const { ownerId } = home;
    expect(page.content).toMatchObject([{ id: home.id, ownerId, basePrice: '120.50', maxGuests: 4 }]);
    expect(ownerId).toMatch(/^\d+$/);
  });

  it('may be sent as numbers and bigints', async () => {
    const request = stay(home.id, { propertyId: BigInt(home.id), amount: 9999999999999.99, bookingId: 17 });
    const { data } = await host.transactions.create(request);
    expect(data).toMatchObject({ propertyId: home.id, amount: '9999999999999.99', bookingId: '17' });
    expect((await host.transactions.get(BigInt(data.id))).data).toEqual(data);
  });

  it('of taxDetails and refund are strings; metadata keeps its own', async () => {
    const metadata = { amount: 'a lot', id: '17', toString: '1', constructor: '2' };
    const { data } = await host.transactions.create(stay(home.id, { metadata }));
    await service.sql(
      'UPDATE transactions SET tax_amount = 12345678901234567.89, refund_amount = 0.50 WHERE id = $1',
      [data.id],
    );
    expect((await host.transactions.get(data.id)).data).toMatchObject({
      taxDetails: { taxAmount: '12345678901234567.89' },
      refund: { refundAmount: '0.50' },
      metadata,
    });
  });

  it('are numbers under names that the API document does not declare', async () => {
    const health = { status: 'UP', components: { disk: { status: 'UP', details: { id: 17, amount: 1.5 } } } };
    const client = createClient({
      baseUrl: service.url,
      fetch: () => Promise.resolve(Response.json(health)),
    });
    expect(await unwrap(client.GET('/actuator/health'))).toEqual(health);
  });

  it.each([
    ['amount', 'a lot', 'amount: "a lot" is not a decimal'],
    ['amount', Number.NaN, 'amount: NaN is not a decimal'],
    ['amount', 1e13 + 0.01, 'amount: 10000000000000.01 is too large for a number to keep its decimals'],
    ['bookingId', '1.5', 'bookingId: "1.5" is not an integer'],
    ['bookingId', 1.5, 'bookingId: 1.5 is not an integer'],
    ['bookingId', 2 ** 53, 'bookingId: 9007199254740992 is too large for a number'],
    ['bookingId', true, 'bookingId: true is not an integer'],
  ])('are refused before a request is sent: %s %p', async (field, value, message) => {
    const fetched = jest.fn(fetch);
    const client = createClient({ baseUrl: service.url, fetch: fetched });
    const error = await rejectionOf(client.transactions.create(stay(home.id, { [field]: value })));
    expect(error).toBeInstanceOf(TypeError);
    expect((error as TypeError).message).toContain(message);
    expect(fetched).not.toHaveBeenCalled();
  });

  it.each<[string, () => Promise<unknown>]>([
    ['propertyId', () => host.reports.cashFlow({ propertyId: 2 ** 60 })],
    ['id', () => host.transactions.get(2 ** 60)],
  ])('are refused in queries and paths: %s', async (name, call) => {
    const message = `${name}: 1152921504606847000 is too large for a number; give it as a string or a bigint`;
    expect(await rejectionOf(call())).toEqual(new TypeError(message));
  });
});

it('misuses of the client do not compile', () => {
  const misuses = [
    // @ts-expect-error -- an amount is no number
    async (): Promise<number> => (await host.transactions.get(1)).data.amount,
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
  expect(misuses).toHaveLength(8);
});

it('a client with an apiKey sends it, and once where it is refused', async () => {
  const account = await service.account();
  const { key, id } = (await account.post('/api/keys', { name: 'x', access: 'WRITE' })).json as {
    key: string;
    id: number;
  };
  const sent: (string | null)[] = [];
  const client = createClient({
    baseUrl: service.url,
    apiKey: key,
    fetch: (request) => {
      sent.push(request.headers.get('authorization'));
      return documentedFetch(request);
    },
  });
  await client.properties.create(cottage);
  await account.delete(`/api/keys/${id}`);
  await expect(client.properties.create(cottage)).rejects.toMatchObject({ status: 401 });
  expect(sent).toEqual([`Bearer ${key}`, `Bearer ${key}`]);
});

describe('lists', () => {
  let client: PropertyFinanceClient;
  let property: PropertyResponse;
  const sent: string[] = [];

  beforeAll(async () => {
    const { id, token } = await service.account();
    client = createClient({
      baseUrl: service.url,
      token: () => token!,
      fetch: (request) => {
        sent.push(request.url.slice(service.url.length));
        return documentedFetch(request);
      },
    });
    property = (await client.properties.create(cottage)).data;
    const other = (await client.properties.create(cottage)).data;
    await service.sql(
      `INSERT INTO transactions (owner_id, property_id, property_name, type, category, description, amount, date,
         status, recurring)
       SELECT $1, CASE WHEN n > 250 THEN $3::bigint ELSE $2 END, '', 'INCOME', 'BOOKING_PAYMENT', '', n, now(),
         'PAID', false
       FROM generate_series(1, 253) n`,
      [id, property.id, other.id],
    );
  });
  beforeEach(() => void (sent.length = 0));

  it('give each of 253 transactions once, by id, in three requests', async () => {
    const ids = (await gathered(client.transactions.all())).map(({ id }) => id);
    expect(new Set(ids).size).toBe(253);
    expect(ids).toEqual(ids.toSorted((a, b) => Number(BigInt(a) - BigInt(b))));
    expect(sent).toEqual([
      '/api/transactions?cursor=&size=100&sort=id',
      ...Array<unknown>(2).fill(
        expect.stringMatching(/^\/api\/transactions\?cursor=[\w-]{10,}&size=100&sort=id$/),
      ),
    ]);
  });

  it('follow the order and the size of the caller, for one property and for a search', async () => {
    const options = { size: 90, sort: ['amount,desc', 'id,asc'] };
    const ofProperty = await gathered(client.transactions.ofProperty(property.id, options));
    expect(ofProperty.map(({ amount }) => amount)).toEqual(
      Array.from({ length: 250 }, (_, n) => `${250 - n}.00`),
    );
    const search = { minAmount: '100.00', maxAmount: 199, propertyId: property.id, size: 30 };
    const amounts = (await gathered(client.transactions.search(search))).map(({ amount }) => Number(amount));
    expect(amounts.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, n) => 100 + n));
    const names = (await gathered(client.properties.all({ size: 1 }))).map(({ name }) => name);
    expect(names).toEqual(['Seaside Cottage', 'Seaside Cottage']);
    expect(sent).toHaveLength(3 + 4 + 2);
  });

  it('send no further request after a break', async () => {
    for await (const { id } of client.transactions.all({ size: 10 })) if (id !== '') break;
    expect(sent).toHaveLength(1);
  });
});

describe('files', () => {
  const textOf = (file: ReadableStream<Uint8Array>): Promise<string> => new Response(file).text();
  const fileOf = (amount: string): string =>
    `propertyId,type,category,description,amount,date\n${loft},INCOME,CLEANING,Zoë,${amount},2026-01-15T10:30Z\n`;
  let owner: PropertyFinanceClient;
  let loft: string;

  beforeAll(async () => {
    owner = await newHost(service.url, { fetch: documentedFetch });
    loft = (await owner.properties.create({ ...cottage, name: '=1' })).data.id;
    const amounts = [LARGEST_AMOUNT, '0.01', '2.20'];
    const created = await owner.transactions.createMany(amounts.map((amount) => stay(loft, { amount })));
    expect(created.map(({ amount, propertyId }) => [amount, propertyId])).toEqual(
      amounts.map((amount) => [amount, loft]),
    );
  });

  it.each<[string, (file: string) => ImportFile]>([
    ['string', (file) => file],
    ['Blob', (file) => new Blob([file], { type: 'text/plain' })],
    ['Uint8Array', (file) => new TextEncoder().encode(file)],
    ['ReadableStream', (file) => new Blob([file]).stream()],
  ])('import a %s', async (_, toFile) => {
    const result = await owner.transactions.import(toFile(fileOf('7.50')), { dryRun: true });
    expect(result).toMatchObject({ dryRun: true, rows: 1, created: 1 });
  });

  it('import rows once, and report the faults of a file by line', async () => {
    const file = fileOf('1.50');
    expect(await owner.transactions.import(file)).toMatchObject({ dryRun: false, created: 1 });
    expect(await owner.transactions.import(file, { duplicates: 'skip', lines: true })).toMatchObject({
      ...{ created: 0, lines: [{ line: 2, created: false }] },
    });
    const lines = owner.transactions.import('{"propertyId":1}', { format: 'ndjson' });
    const problem = { slug: 'import-refused', rows: 1, faults: 5 };
    expect(await rejectionOf(lines)).toMatchObject({ problem });
    const refusal = await rejectionOf(owner.transactions.import(fileOf('ten')));
    if (!isProblem(refusal, 'import-refused')) throw new Error('no refusal');
    expect(refusal.problem.findings).toEqual([{ line: 2, field: 'amount', reason: 'must be a number' }]);
  });

  it('export CSV, or lines of JSON', async () => {
    const search = { maxAmount: 3, minAmount: '2', sortBy: 'amount' } as const;
    expect(await textOf(await owner.transactions.export(search))).toMatch(
      /^id,propertyId,.*\r\n.*,2\.20,.*\r\n$/,
    );
    const lines = await textOf(await owner.transactions.export(search, { format: 'ndjson' }));
    expect(lines).toMatch(/^\{.*"amount":2\.20.*\}\n$/);
    const edited = lines.replace('2.20', '2.30');
    const changes = [{ line: 1, field: 'amount', from: '2.20', to: '2.30' }];
    expect(
      await owner.transactions.import(edited, { format: 'ndjson', mode: 'update', dryRun: true }),
    ).toMatchObject({ updated: 1, changes });
  });

  it('follow the changes of both kinds from a cursor, and reject with the problem', async () => {
    for (const kind of [owner.transactions, owner.properties]) {
      const { next: cursor } = await kind.changes({ size: 1 });
      expect(await kind.changes({ cursor })).toMatchObject({ changes: expect.any(Array) as unknown });
      expect(await rejectionOf(kind.changes({ cursor: 'x' }))).toMatchObject({ slug: 'validation-failed' });
    }
  });

  it('export properties with a byte order mark if asked, and reject with the problem', async () => {
    const file = await owner.properties.export({ bom: true, sort: ['name,desc'] });
    const bytes = new Uint8Array(await new Response(file).arrayBuffer());
    expect([...bytes.subarray(0, 5)]).toEqual([0xef, 0xbb, 0xbf, 0x69, 0x64]);
    expect(new TextDecoder().decode(bytes)).toContain(`,"'=1",`);
    const error = await rejectionOf(owner.properties.export({ sort: ['luck'] }));
    expect(error).toMatchObject({
      slug: 'validation-failed',
      errors: { sort: expect.any(String) as string },
    });
  });
});

it('reports are exact, and take the parameters of the service', async () => {
  const owner = await newHost(service.url, { fetch: documentedFetch });
  const loft = (await owner.properties.create({ ...cottage, name: 'Loft' })).data;
  const income = stay(loft.id, { amount: LARGEST_AMOUNT, date: '2026-01-01T04:30:00Z' });
  const bill = {
    type: 'EXPENSE',
    category: 'UTILITIES',
    amount: '64.25',
    date: '2026-01-31T12:00Z',
  } as const;
  const monthly = { recurring: true, frequency: 'MONTHLY', status: 'OVERDUE' } as const;
  await owner.transactions.createMany([income, income, stay(loft.id, { ...bill, ...monthly })]);
  const timeZone = 'America/New_York';
  const report = await owner.reports.profitAndLoss({
    ...{ from: '2025-12-01', to: '2026-12-31', timeZone, propertyId: BigInt(loft.id) },
    groupBy: ['property', 'month'],
  });
  expect(report).toMatchObject({
    propertyId: loft.id,
    total: { income: '199999999999999999.98', expenses: '64.25', net: '199999999999999935.73' },
    groups: [{ propertyName: 'Loft', groups: [{ period: '2025-12' }, { period: '2026-01', net: '-64.25' }] }],
  });
  const { total } = await owner.reports.taxYear({ year: 2025, timeZone, basis: 'accrual' });
  expect(total.lines.find(({ line }) => line === 3)).toMatchObject({ amount: '199999999999999999.98' });
  const { overdue } = await owner.reports.cashFlow({ from: '2026-02-01', months: 2 });
  expect(overdue).toMatchObject({ payable: '64.25', vendors: [{ vendor: null, transactions: '1' }] });
  const signal = AbortSignal.abort(new Error('no longer wanted'));
  expect(await rejectionOf(owner.reports.cashFlow({}, { signal }))).toEqual(signal.reason);
});

describe('problems', () => {
  /** Compiles only while each slug narrows to the fields of its problem, and to no others. */
  function describeProblem(problem: Problem): string {
    switch (problem.slug) {
      case 'validation-failed': {
        const errors: Record<string, string> = problem.errors;
        return `${problem.status satisfies 400}: ${Object.keys(errors).join()}`;
      }
      case 'internal-error': {
        const id: string = problem.correlationId;
        return `${problem.status satisfies 500}: ${id}`;
      }
      case 'not-found':
        // @ts-expect-error -- only a failed validation has errors
        return `${problem.status satisfies 404}: ${problem.detail}${String(problem.errors ?? '')}`;
      default:
        return problem.title ?? '';
    }
  }

  it('narrow by their slug', async () => {
    const name = 'x'.repeat(256);
    const failed = await rejectionOf(host.properties.create({ ...cottage, maxGuests: 0, name }));
    expect(describeProblem((failed as ProblemError).problem)).toBe('400: name,maxGuests');
    const errors = {
      name: 'must have at most 255 characters',
      maxGuests: 'must be a whole number from 1 to 100',
    };
    expect(failed).toMatchObject({
      ...{ slug: 'validation-failed', status: 400, errors },
      message: `Validation failed (400): name ${errors.name}; maxGuests ${errors.maxGuests}`,
    });
    const missing = await rejectionOf(host.properties.get(LARGEST_ID));
    expect(describeProblem((missing as ProblemError).problem)).toBe('404: There is no such property.');
    expect(missing).toMatchObject({
      errors: {},
      message: 'Resource not found (404): There is no such property.',
    });
    expect([isProblem(missing, 'not-found'), isProblem(missing, 'internal-error')]).toEqual([true, false]);
  });

  it('come without a throw from GET, POST, PUT and DELETE', async () => {
    const params = { path: { id: '0' } };
    const { data, error, response } = await host.GET('/api/properties/{id}', { params });
    expect([data, response.status]).toEqual([undefined, 404]);
    expect(error?.type).toBe('urn:property-finance:problem:not-found');
  });
});

describe('writes', () => {
  it('with the ETag of a stale read are refused', async () => {
    const { data, etag } = await host.properties.create(cottage);
    const renamed = await host.properties.replace(data.id, { ...cottage, name: 'Loft' }, { ifMatch: etag });
    const stale = await rejectionOf(host.properties.replace(data.id, cottage, { ifMatch: etag }));
    expect(isProblem(stale, 'concurrent-modification')).toBe(true);
    await host.properties.delete(data.id, { ifMatch: renamed.etag });
    expect(isProblem(await rejectionOf(host.properties.get(data.id)), 'not-found')).toBe(true);
  });

  it('by update read again after a conflict, and lose no change', async () => {
    const { data } = await host.transactions.create(stay(home.id, { tags: [] }));
    const add = (tag: string): Promise<unknown> =>
      host.transactions.update(data.id, (now) => ({ ...now, tags: [...now.tags, tag] }), { tries: 20 });
    await Promise.all(['a', 'b', 'c', 'd'].map(add));
    const { tags, ...rest } = (await host.transactions.get(data.id)).data;
    expect(tags.toSorted()).toEqual(['a', 'b', 'c', 'd']);
    expect({ ...rest, tags: [], updatedAt: data.updatedAt }).toEqual(data);
  });

  it('by update end after as many tries as allowed', async () => {
    const { data } = await host.transactions.create(stay(home.id));
    const change = jest.fn(async (now: typeof data) => {
      await host.transactions.replace(now.id, stay(home.id, { notes: `change ${change.mock.calls.length}` }));
      return now;
    });
    const error = await rejectionOf(host.transactions.update(data.id, change, { tries: 2 }));
    expect(isProblem(error, 'concurrent-modification')).toBe(true);
    expect(change).toHaveBeenCalledTimes(2);
  });
});

it('an ADMIN reads metrics as text', async () => {
  const admin = await newHost(service.url);
  await service.sql("UPDATE users SET role = 'ADMIN' WHERE username = $1", [admin.credentials.username]);
  expect(await unwrap(admin.GET('/actuator/prometheus', { parseAs: 'text' }))).toMatch(/^# HELP /m);
});
