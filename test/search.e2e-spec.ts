import { MAX_ROW_BY_ROW } from '../src/transactions/search.js';
import { idsOf, pageOf } from './support/answers.js';
import type { Answer } from './support/client.js';
import { createProperty, createTransaction } from './support/factories.js';
import { Random } from './support/random.js';
import { rawJson } from './support/raw-json.js';
import { expectedMatches } from './support/search-oracle.js';
import { searchBody, someSearch } from './support/search-requests.js';
import { amountOf, someTransactions, store, type StoredTransaction } from './support/search-rows.js';
import { watchStatements } from './support/sent-statements.js';
import { type Account, type Service, startService } from './support/service.js';
import { until } from './support/until.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});

const search = (caller: Account, body: unknown): Promise<Answer> =>
  caller.post('/api/transactions/search', body);

it('200 random searches among 400 random transactions find the pages that the contract asks for', async () => {
  const alone = await startService(); // an ADMIN finds what everybody has
  const [one, other, admin] = [await alone.account(), await alone.account(), await alone.account('ADMIN')];
  const callers = { owner: one, other, admin };
  const properties: { id: number; ownerId: string }[] = [];
  for (const account of [one, one, one, other, other])
    properties.push({ id: (await createProperty(account)).id, ownerId: account.id });
  const rows = someTransactions(new Random(20_260_115), 400, properties);
  await store(alone, rows);

  for (let index = 0; index < 200; index++) {
    const request = someSearch(
      new Random(index),
      properties.map(({ id }) => id),
    );
    const { caller, fields, page, size } = request;
    const visible = rows.filter((row) => caller === 'admin' || row.owner_id === callers[caller].id);
    const matches = expectedMatches(visible, fields);
    const content = matches.slice(page * size, (page + 1) * size).map(summaryOf);
    const [totalElements, totalPages] = [matches.length, Math.ceil(matches.length / size)];
    const body = searchBody(request);
    const expected = { content, page, size, totalElements, totalPages, last: page + 1 >= totalPages };
    expect({ body, page: pageOf(await search(callers[caller], body)) }).toEqual({ body, page: expected });
  }
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

const withText = (field: string, ...texts: string[]): Record<string, unknown>[] =>
  texts.map((text) => ({ description: text, [field]: text }));

// An owner with few rows has them looked through one by one, one with many has the index asked.
describe.each([
  ['few rows', 0],
  ['many rows', MAX_ROW_BY_ROW],
])('the texts of an owner with %s', (_, furtherRows) => {
  beforeEach(async () => {
    const addRows = 'UPDATE owner_totals SET transactions = transactions + $2 WHERE owner_id = $1';
    await service.sql(addRows, [owner.id, furtherRows]);
  });

  // Each with what it finds, by their descriptions. Terms of three characters and more may go through the index.
  const wildcards = { '%': ['100%', '\\%'], '0%': ['100%'], _: ['a_b'], a_b: ['a_b'], '\\': ['\\%', 'c\\d'] };
  it.each<[string, Record<string, unknown>[], Record<string, string[]>]>([
    [
      'wildcards as they stand',
      withText('notes', '100%', '100 x', 'a_b', 'axb', 'c\\d', 'cd', '\\%'),
      { ...wildcards, 'c\\d': ['c\\d'], '\\%': ['\\%'], '\\\\': [], '%%': [], __: [] },
    ],
    [
      'wildcards in longer terms as they stand',
      withText('notes', 'pool_deck', 'poolxdeck', 'rate 100%', 'rate 1000', 'back\\slash', 'backslash'),
      {
        ...{ pool_deck: ['pool_deck'], 'pool%deck': [], 'rate 100%': ['rate 100%'], 'rate 100_': [] },
        ...{ 'back\\slash': ['back\\slash'], 'back\\\\slash': [] },
      },
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
      'no other field',
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
  ])('are searched for %s', async (__, rows, expected) => {
    const terms = Object.keys(expected);
    const results = await found(rows, ...terms.map((searchTerm) => ({ searchTerm })));
    expect(Object.fromEntries(terms.map((term, index) => [term, results[index]]))).toEqual(expected);
  });

  it('are searched for a vendor as it stands, without regard to case', async () => {
    const vendors = ['%', '_', '\\', 'a_b'].map((vendor) => ({ vendor }));
    expect(await found(withText('vendor', '50% Off', '50 cents', 'A_B', 'AxB', 'C\\D'), ...vendors)).toEqual([
      ['50% Off'],
      ['A_B'],
      ['C\\D'],
      ['A_B'],
    ]);
  });
});

describe('a search', () => {
  it.each([
    ['minAmount', '1e400', 0],
    ['minAmount', '-1e400', 1],
    ['minAmount', '1e-400', 1],
    ['minAmount', '0.01', 1],
    ['minAmount', `0.01${'0'.repeat(80)}1`, 0],
    ['maxAmount', '1e400', 1],
    ['maxAmount', '-1e400', 0],
    ['maxAmount', '1e-400', 0],
    ['maxAmount', `0.00${'9'.repeat(80)}`, 0],
    ['maxAmount', '1e999999999999999999999', 1],
  ])('with %s %s finds %i of 0.01', async (field, token, count) => {
    await createTransaction(owner, propertyId, { amount: 0.01 });
    expect(pageOf(await search(owner, rawJson({}, { [field]: token }))).totalElements).toBe(count);
  });

  it('with overdue finds what is overdue, and without the exact rest', async () => {
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
    for (const approvalStatus of ['APPROVED', 'Approve', '', 'Approved ', '%']) {
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

// Only the statement timeout bounds such a search: all of a row's trigrams are in the term's, and each place is compared.
describe('a search for 255 characters that are nearly at every place of long notes', () => {
  const STATEMENT_TIMEOUT = 500;
  const MARGIN = 5000;
  let short: Service;
  let caller: Account;

  beforeAll(async () => {
    short = await startService({ DB_STATEMENT_TIMEOUT: `${STATEMENT_TIMEOUT}ms` });
    caller = await short.account();
    const { id } = await createTransaction(caller, (await createProperty(caller)).id);
    await short.sql(
      `INSERT INTO transactions (owner_id, property_id, property_name, type, category, description, amount, date,
                                 status, recurring, notes)
       SELECT owner_id, property_id, property_name, type, category, 'baa aab', amount, date, status, recurring,
              repeat('a', 10000) FROM transactions, generate_series(1, 2000) WHERE id = $1`,
      [id],
    );
  });

  it.each([0, MAX_ROW_BY_ROW + 1])(
    'of an owner with %d rows ends soon after DB_STATEMENT_TIMEOUT',
    async (total) => {
      await short.sql('UPDATE owner_totals SET transactions = $2 WHERE owner_id = $1', [caller.id, total]);
      const [almost, started] = ['a'.repeat(254), performance.now()];
      const answers = await Promise.all(
        [`b${almost}`, `${almost}b`].map((searchTerm) => search(caller, { searchTerm })),
      );
      for (const { status } of answers) expect([200, 503]).toContain(status);
      await until(async () => (await short.sql(RUNNING)).length === 0);
      expect(performance.now() - started).toBeLessThan(STATEMENT_TIMEOUT + MARGIN);
    },
  );
});

const RUNNING = `SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()`;
