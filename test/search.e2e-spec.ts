import { MAX_ROW_BY_ROW } from '../src/transactions/search.js';
import { idsOf, type Page, pageOf } from './support/answers.js';
import type { Answer } from './support/client.js';
import { TRANSACTION_SORT_FIELDS } from './support/contract.js';
import { createProperty, createTransaction } from './support/factories.js';
import { Random } from './support/random.js';
import { rawJson } from './support/raw-json.js';
import { expectedMatches } from './support/search-oracle.js';
import { type GeneratedSearch, searchBody, someSearch } from './support/search-requests.js';
import { amountOf, someTransactions, store, type StoredTransaction } from './support/search-rows.js';
import { watchStatements } from './support/sent-statements.js';
import { type Account, type Service, startService } from './support/service.js';

const REQUESTS = Array.from({ length: 200 }, (_, index) => index);

let service: Service;
beforeAll(async () => {
  service = await startService();
});

const search = (caller: Account, body: unknown): Promise<Answer> =>
  caller.post('/api/transactions/search', body);

describe('a search among 400 random transactions', () => {
  const callers = {} as Record<GeneratedSearch['caller'], Account>;
  let rows: StoredTransaction[];
  let properties: { id: number; ownerId: string }[];

  let alone: Service; // an ADMIN finds what everybody has
  beforeAll(async () => {
    alone = await startService();
    callers.owner = await alone.account();
    callers.other = await alone.account();
    callers.admin = await alone.account('ADMIN');
    const owners = [callers.owner, callers.owner, callers.owner, callers.other, callers.other];
    properties = [];
    for (const account of owners) {
      properties.push({ id: (await createProperty(account)).id, ownerId: account.id });
    }
    rows = someTransactions(new Random(20_260_115), 400, properties);
    await store(alone, rows);
  });

  const numbered = (index: number): GeneratedSearch =>
    someSearch(
      new Random(index),
      properties.map(({ id }) => id),
    );

  const visibleTo = (caller: GeneratedSearch['caller']): StoredTransaction[] =>
    caller === 'admin' ? rows : rows.filter((row) => row.owner_id === callers[caller].id);

  /** The page that the contract asks for. */
  function expectedPage({ caller, fields, page, size }: GeneratedSearch): Page {
    const matches = expectedMatches(visibleTo(caller), fields);
    const totalPages = Math.ceil(matches.length / size);
    const content = matches.slice(page * size, (page + 1) * size).map(summaryOf);
    return { content, page, size, totalElements: matches.length, totalPages, last: page + 1 >= totalPages };
  }

  it('finds what the contract says, whatever is asked for', async () => {
    for (const request of REQUESTS.map(numbered)) {
      const body = searchBody(request);
      const answer = await search(callers[request.caller], body);
      // With the request beside it, a difference tells what was asked for.
      expect({ body, page: pageOf(answer) }).toEqual({ body, page: expectedPage(request) });
    }
  });

  it.each(TRANSACTION_SORT_FIELDS)('comes in the order of %s, in either direction', async (sortBy) => {
    for (const sortDirection of ['asc', 'desc']) {
      const request: GeneratedSearch = {
        caller: 'owner',
        fields: { sortBy, sortDirection },
        page: 1,
        size: 100,
      };
      const ids = idsOf(await search(callers.owner, searchBody(request)));
      expect(ids).toEqual(expectedPage(request).content.map(({ id }) => id));
    }
  });
});

let owner: Account;
let propertyId: number;
beforeEach(async () => {
  owner = await service.account();
  propertyId = (await createProperty(owner)).id;
});

/** Creates transactions, and gives the descriptions of those that a search finds. */
async function found(rows: Record<string, unknown>[], ...bodies: unknown[]): Promise<unknown[][]> {
  for (const row of rows) await createTransaction(owner, propertyId, row);
  const answers = await Promise.all(bodies.map((body) => search(owner, body)));
  return answers.map((answer) =>
    pageOf(answer)
      .content.map(({ description }) => description)
      .sort(),
  );
}

// An owner with few rows has them looked through one by one, one with many has the index asked.
describe.each([
  ['few rows', 0],
  ['many', MAX_ROW_BY_ROW],
])('the texts of an owner with %s', (_, furtherRows) => {
  beforeEach(async () => {
    const addRows = 'UPDATE owner_totals SET transactions = transactions + $2 WHERE owner_id = $1';
    await service.sql(addRows, [owner.id, furtherRows]);
  });

  it('are searched for %, _ and \\ as they stand', async () => {
    const rows = ['100%', '100 x', 'a_b', 'axb', 'c\\d', 'cd', '\\%'].map((description) => ({ description }));
    const terms = ['%', '0%', '_', 'a_b', '\\', 'c\\d', '\\%', '\\\\', '%%', '__'];
    expect(await found(rows, ...terms.map((searchTerm) => ({ searchTerm })))).toEqual([
      ['100%', '\\%'],
      ['100%'],
      ['a_b'],
      ['a_b'],
      ['\\%', 'c\\d'],
      ['c\\d'],
      ['\\%'],
      [],
      [],
      [],
    ]);
  });

  it('are searched so by a term that the index can look for as well', async () => {
    const rows = ['pool_deck', 'poolxdeck', 'rate 100%', 'rate 1000', 'back\\slash', 'backslash'];
    const terms = ['pool_deck', 'pool%deck', 'rate 100%', 'rate 100_', 'back\\slash', 'back\\\\slash'];
    expect(
      await found(
        rows.map((description) => ({ description })),
        ...terms.map((searchTerm) => ({ searchTerm })),
      ),
    ).toEqual([['pool_deck'], [], ['rate 100%'], [], ['back\\slash'], []]);
  });

  it('are searched so by a vendor too, and exactly by an approval', async () => {
    const rows = ['50% Off', '50 cents', 'A_B', 'AxB', 'C\\D'].map((vendor) => ({
      description: vendor,
      vendor,
    }));
    expect(
      await found(
        rows,
        { vendor: '%' },
        { vendor: '_' },
        { vendor: '\\' },
        { vendor: 'a_b' },
        { approvalStatus: '%' },
      ),
    ).toEqual([['50% Off'], ['A_B'], ['C\\D'], ['A_B'], []]);
  });

  it.each(['description', 'notes', 'vendor', 'subcategory', 'paymentReference', 'bookingReference'])(
    'are searched in %s, without regard to case',
    async (field) => {
      const rows = [{ description: 'other' }, { description: 'this', [field]: 'Große GRÜẞE von Ключ' }];
      const [lower, upper, spaced, none] = await found(
        rows,
        ...['ключ', 'GROßE', 'e von К', 'von  К'].map((searchTerm) => ({ searchTerm })),
      );
      const expected = field === 'description' ? ['Große GRÜẞE von Ключ'] : ['this'];
      expect([lower, upper, spaced, none]).toEqual([expected, expected, expected, []]);
    },
  );

  it.each(['receiptUrl', 'tags', 'metadata'])('are not searched in %s', async (field) => {
    const values: Record<string, unknown> = { tags: ['needle'], metadata: { needle: 'needle' } };
    const rows = [{ description: 'this', [field]: values[field] ?? 'needle' }];
    expect(await found(rows, { searchTerm: 'needle' }, { searchTerm: 'thi' })).toEqual([[], ['this']]);
  });

  it('have no term across two fields, not even with the character between them', async () => {
    const rows = [
      { description: 'ab', notes: 'cd', vendor: 'ef' },
      { description: 'b\u001fc' },
      { description: 'x', notes: 'B\u001fCd' },
      { description: 'pool', notes: 'deck' },
    ];
    const terms = ['bc', 'b\u001fc', 'b\u001fcd', 'cd', '\u001f', 'ab\u001f', 'd\u001fe', 'ool\u001fdec'];
    expect(await found(rows, ...terms.map((searchTerm) => ({ searchTerm })))).toEqual([
      [],
      ['b\u001fc', 'x'],
      ['x'],
      ['ab', 'x'],
      ['b\u001fc', 'x'],
      [],
      [],
      [],
    ]);
  });

  it.each(['', '\t\n', '\u00a0'])('are all found by the blank term %j', async (searchTerm) => {
    expect(await found([{ description: 'a' }, { description: 'b c' }], { searchTerm })).toEqual([
      ['a', 'b c'],
    ]);
  });

  it('are not found by a trimmed term', async () => {
    expect(await found([{ description: 'ab' }, { description: 'a b ' }], { searchTerm: 'b ' })).toEqual([
      ['a b '],
    ]);
  });
});

describe('a search', () => {
  it.each([
    ['minAmount', '1e400', 0],
    ['minAmount', '-1e400', 1],
    ['minAmount', '1e-400', 1],
    ['minAmount', '0.01', 1],
    [
      'minAmount',
      '0.010000000000000000000000000000000000000000000000000000000000000000000000000000000000001',
      0,
    ],
    ['maxAmount', '1e400', 1],
    ['maxAmount', '-1e400', 0],
    ['maxAmount', '1e-400', 0],
    ['maxAmount', '0.009999999999999999999999999999999999999999999999999999999999999999999999999999999', 0],
    ['maxAmount', '1e999999999999999999999', 1],
  ])('takes any number: %s %s finds %i of 0.01', async (field, token, count) => {
    await createTransaction(owner, propertyId, { amount: 0.01 });
    expect(pageOf(await search(owner, rawJson({}, { [field]: token }))).totalElements).toBe(count);
  });

  it('tells overdue from not overdue', async () => {
    const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();
    const past = { dueDate: inMinutes(-1) };
    const future = { dueDate: inMinutes(1) };
    const paidAt = '2020-01-01T00:00:00Z';
    const rows = [
      { description: 'marked', status: 'OVERDUE' },
      { description: 'marked and future', status: 'OVERDUE', ...future },
      { description: 'marked but paid', status: 'OVERDUE', paidAt },
      { description: 'pending and past', status: 'PENDING', ...past },
      { description: 'disputed and past', status: 'DISPUTED', ...past },
      { description: 'pending, past, paid', status: 'PENDING', ...past, paidAt },
      { description: 'pending and future', status: 'PENDING', ...future },
      { description: 'pending', status: 'PENDING' },
      ...['PAID', 'CANCELLED', 'REFUNDED'].map((status) => ({ description: status, status, ...past })),
    ];
    const overdue = ['disputed and past', 'marked', 'marked and future', 'pending and past'];
    const rest = rows
      .map(({ description }) => description)
      .filter((description) => !overdue.includes(description));
    expect(await found(rows, { overdue: true }, { overdue: false })).toEqual([overdue, rest.sort()]);
  });

  it("finds nothing in a property that is not the caller's, there or not", async () => {
    const stranger = await service.account();
    const foreign = (await createProperty(stranger)).id;
    await createTransaction(stranger, foreign);
    const nothing = { content: [], page: 0, size: 20, totalElements: 0, totalPages: 0, last: true };
    for (const id of [String(foreign), '0', '-1', '9223372036854775807', '-9223372036854775808']) {
      expect((await search(owner, rawJson({}, { propertyId: id }))).json).toEqual(nothing);
    }
    expect(pageOf(await search(await service.account('ADMIN'), { propertyId: foreign })).totalElements).toBe(
      1,
    );
  });

  it('finds an exact approval', async () => {
    const { id } = await createTransaction(owner, propertyId);
    await createTransaction(owner, propertyId);
    await service.sql(`UPDATE transactions SET approval_status = 'Approved' WHERE id = $1`, [id]);
    expect(idsOf(await search(owner, { approvalStatus: 'Approved' }))).toEqual([id]);
    for (const approvalStatus of ['APPROVED', 'Approve', '', 'Approved ']) {
      expect(idsOf(await search(owner, { approvalStatus }))).toEqual([]);
    }
  });

  it('takes its page from the body alone', async () => {
    await createTransaction(owner, propertyId);
    const answer = await owner.post('/api/transactions/search?page=5&size=1&sort=nope', { recurring: false });
    expect(pageOf(answer)).toMatchObject({ page: 0, size: 20, totalElements: 1 });
  });
});

function summaryOf(row: StoredTransaction): Record<string, unknown> {
  return {
    id: row.id,
    propertyId: row.property_id,
    propertyName: row.property_name,
    type: row.type,
    category: row.category,
    subcategory: row.subcategory,
    description: row.description,
    amount: Number(amountOf(row)),
    status: row.status,
    paymentMethod: row.payment_method,
    recurring: row.recurring,
    vendor: row.vendor,
    date: row.date,
    dueDate: row.due_date,
    paidAt: row.paid_at,
  };
}

it("an ADMIN's search in one property reads its owner's rows alone, and none without the property", async () => {
  await createTransaction(owner, propertyId, { description: 'Found' });
  const admin = await service.account('ADMIN');
  const sent = watchStatements();
  const answer = await search(admin, { propertyId, minAmount: 0.01 });
  expect(pageOf(answer).content).toMatchObject([{ description: 'Found' }]);
  const searches = sent.all().filter(({ text }) => text.includes('FROM transactions t'));
  expect(searches.map(({ values }) => values[0])).toEqual([owner.id]);
  expect(pageOf(await search(admin, { propertyId: propertyId + 1_000_000 }))).toMatchObject({
    content: [],
    totalElements: 0,
    last: true,
  });
});
