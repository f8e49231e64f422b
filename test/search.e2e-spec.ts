import { MAX_ROW_BY_ROW } from '../src/transactions/search.js';
import { pageOf } from './support/responses.js';
import type { HttpResponse } from './support/client.js';
import { SUMMARY_FIELDS } from './support/contract.js';
import { exportedIds, walk } from './support/cursor-walk.js';
import { createProperty, createTransaction } from './support/factories.js';
import { expectedMatches } from './support/list-oracle.js';
import { Random } from './support/random.js';
import { jsonOf, someSearch, someTransactions, store } from './support/random-ledger.js';
import { rawJson } from './support/raw-json.js';
import { watchStatements } from './support/sent-statements.js';
import { type Account, type Service, startService } from './support/service.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});

const SEARCH = '/api/transactions/search';
const EXPORT = '/api/transactions/export';
const search = (caller: Account, body: unknown): Promise<HttpResponse> => caller.post(SEARCH, body);

it('200 random searches find what the contract asks for; every fourth also by cursor and in a file', async () => {
  const alone = await startService(); // an ADMIN finds the rows of everybody
  const [one, other, admin] = [await alone.account(), await alone.account(), await alone.account('ADMIN')];
  const properties: { id: number; ownerId: string }[] = [];
  for (const account of [one, one, one, other, other])
    properties.push({ id: (await createProperty(account)).id, ownerId: account.id });
  const propertyIds = properties.map(({ id }) => id);
  const rows = someTransactions(new Random(20_260_115), 400, properties);
  await store(alone, rows);

  for (let seed = 0; seed < 200; seed++) {
    const random = new Random(seed);
    const fields = someSearch(random, propertyIds);
    const { minAmount, maxAmount, propertyId: id, ...rest } = fields;
    const caller = random.pick([one, one, other, admin]);
    const [page, size] = [random.pick([0, 0, 0, 1, 2, 50]), random.pick([1, 7, 20, 100, 100])];
    const visible = rows.filter(({ ownerId }) => caller === admin || ownerId === caller.id);
    const matches = expectedMatches(visible, { ...rest, minAmount, maxAmount, propertyId: id });
    const content = matches
      .slice(page * size, (page + 1) * size)
      .map((row) => JSON.parse(jsonOf(row, SUMMARY_FIELDS)) as unknown);
    const [totalElements, totalPages] = [matches.length, Math.ceil(matches.length / size)];
    const raw = (fields: object): string =>
      rawJson({ ...rest, ...fields }, { minAmount, maxAmount, propertyId: id });
    const body = raw({ page, size });
    const expected = { content, page, size, totalElements, totalPages, last: page + 1 >= totalPages };
    expect({ body, page: pageOf(await search(caller, body)) }).toEqual({ body, page: expected });
    if (seed % 4 > 0) continue;
    const ids = matches.map((row) => row.id);
    expect({ body, ids: await walk(caller, SEARCH, raw({ size: 25 })) }).toEqual({ body, ids });
    expect({ body, ids: await exportedIds(caller, EXPORT, raw({})) }).toEqual({ body, ids });
    const inUrl = new URLSearchParams(fields as Record<string, string>);
    const { text } = await caller.post(EXPORT, raw({}));
    expect({ body, text: (await caller.get(`${EXPORT}?${inUrl.toString()}`)).text }).toEqual({ body, text });
  }
});

let owner: Account;
let propertyId: number;
beforeEach(async () => {
  owner = await service.account();
  propertyId = (await createProperty(owner)).id;
});

/** Creates transactions, and returns the descriptions that a search for each text in the field finds. */
async function found(
  rows: Record<string, unknown>[],
  field: string,
  texts: string[],
): Promise<Record<string, unknown[]>> {
  for (const row of rows) await createTransaction(owner, propertyId, row);
  const results = texts.map(async (text) => {
    const { content } = pageOf(await search(owner, { [field]: text }));
    return [text, content.map(({ description }) => description).sort()] as const;
  });
  return Object.fromEntries(await Promise.all(results));
}

const withText = (field: string, ...texts: string[]): Record<string, unknown>[] =>
  texts.map((text) => ({ description: text, [field]: text }));

// An owner's few rows are looked through one by one; for many the index is asked.
describe.each([
  ['few', 0],
  ['many', MAX_ROW_BY_ROW],
])('a search for a text by an owner of %s rows', (_, furtherRows) => {
  beforeEach(async () => {
    const addRows = 'UPDATE owner_totals SET transactions = transactions + $2 WHERE owner_id = $1';
    await service.sql(addRows, [owner.id, furtherRows]);
  });

  it('asks the index of texts, or each row', async () => {
    await createTransaction(owner, propertyId);
    const sent = watchStatements();
    await search(owner, { searchTerm: 'boiler' });
    expect(sent.all().some(({ text }) => text.includes(' LIKE lower('))).toBe(furtherRows > 0);
  });

  // Rows, and the descriptions that each term finds. Terms of three characters and more may go through the index.
  it.each<[string, Record<string, unknown>[], Record<string, string[]>]>([
    [
      'wildcards as they stand',
      withText('notes', '100%', '1000', 'a_b', 'axb', 'c\\d', 'cd', '\\%', 'pool_deck', 'poolxdeck'),
      {
        ...{ '%': ['100%', '\\%'], '0%': ['100%'], '00%': ['100%'], '%%': [], '100_': [], 'pool%deck': [] },
        ...{ _: ['a_b', 'pool_deck'], a_b: ['a_b'], __: [], pool_deck: ['pool_deck'] },
        ...{ '\\': ['\\%', 'c\\d'], 'c\\d': ['c\\d'], '\\%': ['\\%'], '\\\\': [], 'c\\\\d': [] },
      },
    ],
    [
      'backslashes as they stand',
      withText('notes', 'pool\\deck', 'pooldeck', 'pool%', 'pool\\'),
      { 'pool\\deck': ['pool\\deck'], 'pool\\': ['pool\\', 'pool\\deck'], 'pool\\\\': [] },
    ],
    ...['description', 'notes', 'vendor', 'subcategory', 'paymentReference', 'bookingReference'].map(
      (field): [string, Record<string, unknown>[], Record<string, string[]>] => {
        const [text, other] = ['Große GRÜẞE von Ключ', { description: 'other' }];
        const found = [field === 'description' ? text : 'this'];
        return [
          `${field} without regard to case`,
          [other, { description: 'this', [field]: text }],
          { ключ: found, GROßE: found, 'e von К': found, 'von  К': [] },
        ];
      },
    ),
    [
      'no text of another field',
      [{ description: 'this', receiptUrl: 'needle', tags: ['needle'], metadata: { needle: 'needle' } }],
      { needle: [], thi: ['this'] },
    ],
    [
      'no term across two fields, not even with the character between them',
      [
        { description: 'ab', notes: 'cd', vendor: 'ef' },
        { description: 'b\u001fc' },
        { description: 'x', notes: 'B\u001fCd' },
        { description: 'pool', notes: 'deck' },
      ],
      {
        ...{ bc: [], 'b\u001fc': ['b\u001fc', 'x'], 'b\u001fcd': ['x'], cd: ['ab', 'x'] },
        ...{ '\u001f': ['b\u001fc', 'x'], 'ab\u001f': [], 'd\u001fe': [], 'ool\u001fdec': [] },
      },
    ],
    [
      'everything for a blank term, and blanks as they stand',
      withText('notes', 'ab', 'a b '),
      { '': ['a b ', 'ab'], '\t\n': ['a b ', 'ab'], '\u00a0': ['a b ', 'ab'], 'b ': ['a b '] },
    ],
  ])('finds %s', async (__, rows, expected) => {
    expect(await found(rows, 'searchTerm', Object.keys(expected))).toEqual(expected);
  });

  it('finds a vendor as it stands, without regard to case', async () => {
    const rows = withText('vendor', '50% Off', '50 cents', 'A_B', 'AxB', 'C\\D');
    const expected = { '%': ['50% Off'], _: ['A_B'], '\\': ['C\\D'], a_b: ['A_B'] };
    expect(await found(rows, 'vendor', Object.keys(expected))).toEqual(expected);
  });

  it.each(['bookingReference', 'paymentReference'])(
    'finds a %s that is this to the letter',
    async (field) => {
      const rows = withText(
        field,
        'HB-2026-0311',
        'hb-2026-0311',
        'HB-2026-03110',
        'a%',
        'a_',
        ' ',
        '',
        'İΣ-ß',
      );
      rows.push(...withText('notes', 'a\u001fHB-2026-0311'));
      const none = { 'HB-2026': [], '2026-0311': [], 'hb-2026-03110': [], '%': [], 'i̇σ-ß': [] };
      const itself = ['HB-2026-0311', 'hb-2026-0311', 'a%', ' ', '', 'İΣ-ß'].map(
        (text) => [text, [text]] as const,
      );
      const expected = { ...none, ...Object.fromEntries(itself) };
      expect(await found(rows, field, Object.keys(expected))).toEqual(expected);
    },
  );
});

describe('a search', () => {
  it.each<[field: string, tokens: Record<string, number>]>([
    ['minAmount', { '1e400': 0, '-1e400': 1, '1e-400': 1, '0.01': 1, [`0.01${'0'.repeat(80)}1`]: 0 }],
    [
      'maxAmount',
      { '1e400': 1, '-1e400': 0, '1e-400': 0, [`0.00${'9'.repeat(80)}`]: 0, '1e999999999999999999999': 1 },
    ],
  ])('with %s finds 0.01 or not: %j', async (field, tokens) => {
    await createTransaction(owner, propertyId, { amount: 0.01 });
    for (const [token, count] of Object.entries(tokens))
      expect(pageOf(await search(owner, rawJson({}, { [field]: token }))).totalElements).toBe(count);
  });

  it("finds nothing in a property that is not the caller's, there or not", async () => {
    const stranger = await service.account();
    const foreign = (await createProperty(stranger)).id;
    await createTransaction(stranger, foreign);
    const nothing = { content: [], page: 0, size: 20, totalElements: 0, totalPages: 0, last: true };
    for (const id of [String(foreign), '0', '-1', '9223372036854775807', '-9223372036854775808']) {
      expect((await search(owner, rawJson({}, { propertyId: id }))).json).toEqual(nothing);
    }
  });

  it('with overdue finds the late transactions or all others, over one connection', async () => {
    const late = { description: 'late', dueDate: '2020-01-01T00:00:00Z' };
    for (const row of [late, { description: 'in time' }]) await createTransaction(owner, propertyId, row);
    for (const [overdue, description] of [[true, 'late'] as const, [false, 'in time'] as const])
      expect(pageOf(await search(owner, { overdue })).content).toMatchObject([{ description }]);
  });

  it('takes its page from the body alone', async () => {
    await createTransaction(owner, propertyId);
    const response = await owner.post('/api/transactions/search?page=5&size=1&sort=nope', {
      recurring: false,
    });
    expect(pageOf(response)).toMatchObject({ page: 0, size: 20, totalElements: 1 });
  });
});

it("an ADMIN's search in one property reads its owner's rows alone, and none without the property", async () => {
  await createTransaction(owner, propertyId, { description: 'Found' });
  const admin = await service.account('ADMIN');
  const sent = watchStatements();
  const response = await search(admin, { propertyId, minAmount: 0.01 });
  expect(pageOf(response).content).toMatchObject([{ description: 'Found' }]);
  const searches = sent.all().filter(({ text }) => text.includes('FROM transactions t'));
  expect(searches.map(({ values }) => values[0])).toEqual([owner.id]);
  expect(pageOf(await search(admin, { propertyId: propertyId + 1_000_000 }))).toMatchObject({
    content: [],
    totalElements: 0,
    last: true,
  });
});
