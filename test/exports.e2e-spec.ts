import { LosslessNumber, parse } from 'lossless-json';
import { unguarded } from '../src/database/csv.js';
import { mostWanted } from '../src/http/edge/negotiation.js';
import { expectFaults, idsOf, pageOf } from './support/answers.js';
import type { Answer } from './support/client.js';
import { PROPERTY_SORT_FIELDS, TRANSACTION_SORT_FIELDS } from './support/contract.js';
import { type Cell, parseCsv } from './support/csv.js';
import { createProperty, createTransaction } from './support/factories.js';
import { expectDocument } from './support/problem-document.js';
import { type Account, type Service, startService } from './support/service.js';

const TRANSACTIONS = '/api/transactions/export';
const PROPERTIES = '/api/properties/export';
const NDJSON = { accept: 'application/x-ndjson' };

const FORMULAS = ['=SUM(A1)', '+1', '-1', '@x', '\tx', '\rx', '\nx', '＝x', '＋x', '－x', '＠x'];
const TEXTS = [
  ...['plain', '', ' ', 'a "quoted" text', '"', '""', 'comma, and', 'lines\r\nof\rall\nkinds\r\n'],
  ...FORMULAS,
  ...["'=x", "''-x", "'''\tx", "'hello", "'", "''", "x'=", ' =x', 'x=1', "'＝"],
  ...['x;=1+1', "x,'-1", 'x\n\t@x', 'x\r\n＋x;=1', 'x; =1', ';x'],
  ...['é房🏠', '\ufeffx', '\u0001', '\u007f', '\u2028', 'null', 'true', '1', '\\', '\\N'],
];

let service: Service;
let owner: Account;
let other: Account;
let admin: Account;

beforeAll(async () => {
  service = await startService();
  [owner, other, admin] = [await service.account(), await service.account(), await service.account('ADMIN')];
  for (const [index, text] of TEXTS.entries()) {
    const property = await createProperty(owner, {
      name: text === '' ? 'none' : text,
      description: index % 3 === 0 ? null : text,
      houseRules: text,
      basePrice: index,
    });
    await createTransaction(owner, property.id, {
      ...{ description: text, notes: text, vendor: index % 3 === 0 ? null : text, subcategory: text },
      ...{ tags: index % 4 === 0 ? [] : [text, text], metadata: { [text]: text, a: '=1' } },
      ...{
        amount: index + 0.01,
        date: `20${10 + (index % 5)}-01-15T10:30:00Z`,
        type: index % 2 === 0 ? 'INCOME' : 'EXPENSE',
      },
      ...{ bookingId: index === 1 ? -5 : null, paidAt: index === 2 ? '2026-01-15T10:30:00.123Z' : null },
      ...{ recurring: index % 2 === 0, status: index % 2 === 0 ? 'PAID' : 'PENDING' },
    });
  }
  const foreign = await createProperty(other);
  await createTransaction(other, foreign.id);
  await service.sql(
    `UPDATE transactions SET booking_id = 9223372036854775807, amount = 99999999999999999.99, tax_taxable = true,
       tax_amount = 9007199254740993.10, tax_category = '=1', refund_date = '2026-02-01T00:00:00.5Z', refund_reason = '"',
       approval_status = '', approved_date = '2026-02-01' WHERE description = 'plain'`,
  );
});

const exported = (account: Account, body: object = {}, headers = {}, query = ''): Promise<Answer> =>
  account.post(TRANSACTIONS + query, body, headers);

/** Each row by itself, as the API shows it, in the order of a list. */
async function rowsOf(
  account: Account,
  kind: 'properties' | 'transactions',
  list: Answer,
): Promise<string[]> {
  const ids = idsOf(list);
  return Promise.all(ids.map(async (id) => (await account.get(`/api/${kind}/${id}`)).text));
}

function isContainer(value: unknown): boolean {
  return value !== null && typeof value === 'object' && !(value instanceof LosslessNumber);
}

/** What stands in a cell for a value that is no container, but for the guard before a formula. */
function textOf(value: unknown): string | null {
  if (value === null) return null;
  if (value instanceof LosslessNumber) return value.value;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What a cell says, where such a value is expected. */
function valueOf({ text, quoted }: Cell, expected: unknown): unknown {
  if (text === '' && !quoted) return null;
  if (isContainer(expected) && quoted) return JSON.parse(text);
  return typeof expected === 'string' ? unguarded(text) : text;
}

/** Asserts that the file has these rows, field by field, and is safe in a spreadsheet. */
function expectCsv(file: string, rows: readonly string[]): void {
  const [header = [], ...records] = parseCsv(file);
  const expected = rows.map((row) => parse(row) as Record<string, unknown>);
  expect(records).toHaveLength(rows.length);
  for (const [index, row] of expected.entries()) {
    const record = records[index]!;
    expect(header.map(({ text }) => text)).toEqual(Object.keys(row));
    expect(record.map((cell, column) => valueOf(cell, Object.values(row)[column]))).toEqual(
      Object.values(row).map((value) => (isContainer(value) ? plain(value) : textOf(value))),
    );
    for (const { text, quoted } of record)
      if (quoted) expect(text).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]|[,;\t\r\n][=+\-@＝＋－＠]/);
  }
}

/** With the numbers that JSON.parse would make. */
function plain(value: unknown): unknown {
  if (value instanceof LosslessNumber) return Number(value.value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

describe('an export', () => {
  it('of transactions has every field of each as the API shows it, line by line', async () => {
    const rows = await rowsOf(
      owner,
      'transactions',
      await owner.post('/api/transactions/search', { size: 100 }),
    );
    expect(rows).toHaveLength(TEXTS.length);
    const lines = await exported(owner, {}, NDJSON);
    expect(lines.headers.get('content-type')).toBe('application/x-ndjson');
    expect(lines.headers.get('content-disposition')).toBe('attachment; filename="transactions.ndjson"');
    expect(lines.text).toBe(rows.map((row) => `${row}\n`).join(''));
    const file = await exported(owner);
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="transactions.csv"');
    expectCsv(file.text, rows);
  });

  it('of properties does, too', async () => {
    const rows = await rowsOf(owner, 'properties', await owner.get('/api/properties?size=100'));
    const lines = await owner.get(PROPERTIES, NDJSON);
    expect(lines.headers.get('content-disposition')).toBe('attachment; filename="properties.ndjson"');
    expect(lines.text).toBe(rows.map((row) => `${row}\n`).join(''));
    const file = await owner.get(PROPERTIES);
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="properties.csv"');
    expectCsv(file.text, rows);
  });

  it('guards each text that a spreadsheet would run, and no other', async () => {
    const [header = [], ...records] = parseCsv((await exported(owner, { sortBy: 'id' })).text);
    const column = header.findIndex(({ text }) => text === 'description');
    expect(records.map((record) => record[column]!.text)).toEqual(
      TEXTS.map((text) =>
        (/^'*[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text).replaceAll(
          /([,;\t\r\n])('*[=+\-@＝＋－＠])/g,
          "$1'$2",
        ),
      ),
    );
  });

  it.each(['', '?bom=false', '?bom=true'])('begins with a byte order mark if asked to: %s', async (query) => {
    const texts = [await exported(owner, {}, {}, query), await owner.get(PROPERTIES + query)];
    for (const { text } of texts) expect(text.startsWith('\ufeff')).toBe(query === '?bom=true');
    expect((await exported(owner, {}, NDJSON, query)).text[0]).toBe('{'); // JSON may have none
  });

  it('of nothing is its header line, or nothing', async () => {
    const newcomer = await service.account();
    for (const file of [await exported(newcomer), await newcomer.get(PROPERTIES)]) {
      expect(file.status).toBe(200);
      const [header = [], ...rest] = parseCsv(file.text);
      expect([header[0], rest]).toEqual([{ text: 'id', quoted: false }, []]);
    }
    expect((await exported(newcomer, {}, NDJSON)).text).toBe('');
    expect((await exported(owner, { maxAmount: 0 }, NDJSON)).text).toBe('');
  });

  it.each([
    {},
    { type: 'EXPENSE', minAmount: 3.01, maxAmount: 20 },
    { searchTerm: 'x', sortBy: 'description' },
    { searchTerm: 'quoted' },
    { vendor: 'x', sortBy: 'vendor', sortDirection: 'desc' },
    { overdue: false, startDate: '2011-01-01T00:00:00Z', size: 1, page: 7 },
    ...TRANSACTION_SORT_FIELDS.map((sortBy) => ({ sortBy, sortDirection: 'desc' })),
  ])('finds what the search does, in its order: %j', async (body) => {
    for (const account of [owner, admin]) {
      const found = await account.post('/api/transactions/search', { ...body, size: 100, page: 0 });
      const { text } = await exported(account, body, NDJSON);
      expect(text.match(/(?<=^\{"id":)\d+/gm)?.map(Number) ?? []).toEqual(idsOf(found));
      expect(pageOf(found).totalElements).toBeLessThanOrEqual(100);
    }
  });

  it('of properties has the order of the list', async () => {
    for (const [index, field] of PROPERTY_SORT_FIELDS.entries()) {
      const account = index % 2 === 0 ? owner : admin;
      const query = `?sort=${field},desc&sort=name`;
      const list = await account.get(`/api/properties${query}&size=100`);
      const { text } = await account.get(PROPERTIES + query, NDJSON);
      expect(text.match(/(?<=^\{"id":)\d+/gm)?.map(Number)).toEqual(idsOf(list));
    }
  });

  it("has an owner's own rows, and for an ADMIN those of all", async () => {
    const count = async (account: Account): Promise<number> =>
      parseCsv((await exported(account)).text).length - 1;
    const all = (await admin.get('/api/transactions')).json as { totalElements: number };
    expect(await count(owner)).toBe(TEXTS.length);
    expect(await count(admin)).toBe(all.totalElements);
    expect((await exported(other, { propertyId: (await createProperty(owner)).id }, NDJSON)).text).toBe('');
    const rows = await rowsOf(
      admin,
      'transactions',
      await admin.post('/api/transactions/search', { size: 100 }),
    );
    expect((await exported(admin, {}, NDJSON)).text).toBe(rows.map((row) => `${row}\n`).join(''));
    expectCsv((await exported(admin)).text, rows);
  });
});

describe('the media type of an export', () => {
  it.each([
    ['*/*', 'text/csv'],
    ['text/*', 'text/csv'],
    ['text/csv', 'text/csv'],
    ['application/x-ndjson', 'application/x-ndjson'],
    ['application/*', 'application/x-ndjson'],
    ['text/html, application/x-ndjson;q=0.9, */*;q=0.8', 'application/x-ndjson'],
    ['text/csv;q=0.1, application/x-ndjson;q=0.2', 'application/x-ndjson'],
    ['text/csv;q=0, */*', 'application/x-ndjson'],
    ['', 'text/csv'],
    ['application/json', undefined],
    ['text/csv;q=0.000, text/html', undefined],
  ])('for %p is %s', async (accept, mediaType) => {
    expect(mostWanted(['text/csv', 'application/x-ndjson'], accept)).toBe(mediaType);
    for (const answer of [await exported(owner, {}, { accept }), await owner.get(PROPERTIES, { accept })]) {
      expect(answer.headers.get('vary')).toBe('Accept');
      if (mediaType !== undefined) expect(answer.headers.get('content-type')).toContain(mediaType);
      else expectDocument(answer, 'not-acceptable');
    }
  });
});

describe('an export that is asked for wrongly', () => {
  it('is refused as a search is, field by field', async () => {
    const body = { minAmount: 'much', page: -1, sortBy: 'luck' };
    const refused = await exported(owner, body);
    const asSearched = await owner.post('/api/transactions/search', body);
    expect(expectFaults(refused, ...Object.keys(body))).toEqual(
      expectFaults(asSearched, ...Object.keys(body)),
    );
    expectFaults(await exported(owner, {}, {}, '?bom=1'), 'bom');
    expectFaults(await owner.get(`${PROPERTIES}?bom=1&sort=luck`), 'bom', 'sort');
  });

  it('by HEAD has the head of the file', async () => {
    const answer = await owner.send('HEAD', PROPERTIES, { headers: NDJSON });
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="properties.ndjson"');
  });
});
