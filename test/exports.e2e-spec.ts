import { readFileSync } from 'node:fs';
import { LosslessNumber, parse } from 'lossless-json';
import { Fault } from '../src/common/validation/field.js';
import { unguarded } from '../src/database/csv.js';
import { expectFaults, expectProblem, idsOf, pageOf } from './support/responses.js';
import type { HttpResponse } from './support/client.js';
import { createProperty, createTransaction } from './support/factories.js';
import { type Account, type Service, startService } from './support/service.js';

const PATHS = { transactions: '/api/transactions/export', properties: '/api/properties/export' } as const;
type Kind = keyof typeof PATHS;
const NDJSON = 'application/x-ndjson';

const TEXTS = [
  ...['plain', '', ' ', 'a "quoted" text', '"', '""', 'comma, and', 'lines\r\nof\rall\nkinds\r\n'],
  ...['=SUM(A1)', '+1', '-1', '@x', '\tx', '\rx', '\nx', '＝x', '＋x', '－x', '＠x'],
  ...["'=x", "''-x", "'''\tx", "'hello", "'", "''", "x'=", ' =x', 'x=1', "'＝"],
  ...['x;=1+1', "x,'-1", 'x\n\t@x', 'x\r\n＋x;=1', 'x; =1', ';x'],
  ...['é房🏠', '\ufeffx', '\u0001', '\u007f', '\u2028', 'null', 'true', '1', '\\', '\\N'],
];

let service: Service;
let owner: Account;
let admin: Account;

beforeAll(async () => {
  service = await startService();
  [owner, admin] = [await service.account(), await service.account('ADMIN')];
  for (const [index, text] of TEXTS.entries()) {
    const isEven = index % 2 === 0;
    const description = index % 3 === 0 ? null : text;
    const names = { name: text === '' ? 'none' : text, description, houseRules: text, basePrice: index };
    const property = await createProperty(owner, names);
    await createTransaction(owner, property.id, {
      ...{ description: text, notes: text, vendor: index % 3 === 0 ? null : text, subcategory: text },
      ...{ tags: index % 4 === 0 ? [] : [text, text], metadata: { [text]: text, a: '=1' } },
      ...{ amount: index + 0.01, date: `20${10 + (index % 5)}-01-15T10:30:00Z`, recurring: isEven },
      ...{ bookingId: index === 1 ? -5 : null, paidAt: index === 2 ? '2026-01-15T10:30:00.123Z' : null },
      ...{ type: isEven ? 'INCOME' : 'EXPENSE', status: isEven ? 'PAID' : 'PENDING' },
    });
  }
  const other = await service.account();
  await createTransaction(other, (await createProperty(other)).id);
  await service.sql(
    `UPDATE transactions SET booking_id = 9223372036854775807, amount = 99999999999999999.99, tax_taxable = true,
       tax_amount = 9007199254740993.10, tax_category = '=1', refund_date = '2026-02-01T00:00:00.5Z', refund_reason = '"',
       approval_status = '', approved_date = '2026-02-01' WHERE description = 'plain'`,
  );
});

/** The page and the size of a search have no meaning. */
function exported(account: Account, kind: Kind, accept = '*/*', query = ''): Promise<HttpResponse> {
  const path = PATHS[kind] + query;
  if (kind === 'properties') return account.get(path, { accept });
  return account.post(path, { page: 7, size: 1 }, { accept });
}

/** Each row by itself, as GET shows it, with its version, in the order of a list. */
async function rowsOf(account: Account, kind: Kind): Promise<string[]> {
  const list = idsOf(await account.get(`/api/${kind}?size=100`));
  return Promise.all(
    list.map(async (id) => {
      const { text, headers } = await account.get(`/api/${kind}/${id}`);
      return text.replace(/}$/, `,"version":${headers.get('etag')!.replaceAll('"', '')}}`);
    }),
  );
}

/** Null for an empty cell without quotes. */
type Cell = string | null;

/** The records of a file by the grammar of RFC 4180. No text of it is one that a spreadsheet would run. */
function parseCsv(file: string): Cell[][] {
  const cells = [...file.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy)];
  expect(cells.map(([text]) => text).join('')).toBe(file);
  const records: Cell[][] = [[]];
  for (const [, quoted, plain, end] of cells) {
    if (quoted !== undefined) expect(quoted).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]|[,;\t\r\n][=+\-@＝＋－＠]/);
    records.at(-1)!.push(quoted?.replaceAll('""', '"') ?? (plain === '' ? null : plain!));
    if (end !== ',') records.push([]);
  }
  return records.slice(0, -1);
}

/** The value that a cell shows: lists and objects as JSON, numbers as their digits. */
function valueIn(cell: Cell, expected: unknown): unknown {
  if (cell === null || expected === null) return cell;
  if (typeof expected === 'string') return unguarded(cell);
  if (typeof expected === 'boolean') return JSON.parse(cell);
  return expected instanceof LosslessNumber ? new LosslessNumber(cell) : parse(cell);
}

/** Asserts that the file has these rows, field by field. */
function expectCsv(file: string, rows: readonly string[]): void {
  const [header, ...records] = parseCsv(file);
  const fields = rows.map((row) => Object.entries(parse(row) as object) as [string, unknown][]);
  expect(header).toEqual(fields[0]!.map(([name]) => name));
  const shown = records.map((cells, row) =>
    cells.map((cell, column) => valueIn(cell, fields[row]?.[column]?.[1])),
  );
  expect(shown).toEqual(fields.map((row) => row.map(([, value]) => value)));
}

describe.each<Kind>(['transactions', 'properties'])('an export of %s', (kind) => {
  it('has every field of each row as GET shows it, as NDJSON and as CSV', async () => {
    for (const account of [owner, admin]) {
      const rows = await rowsOf(account, kind);
      expect(rows).toHaveLength(account === owner ? TEXTS.length : TEXTS.length + 1);
      const lines = await exported(account, kind, NDJSON);
      expect(lines.headers.get('content-type')).toBe('application/x-ndjson');
      expect(lines.headers.get('content-disposition')).toBe(`attachment; filename="${kind}.ndjson"`);
      expect(lines.text).toBe(rows.map((row) => `${row}\n`).join(''));
      const file = await exported(account, kind);
      expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(file.headers.get('content-disposition')).toBe(`attachment; filename="${kind}.csv"`);
      expectCsv(file.text, rows);
    }
  });

  it('begins with a byte order mark when bom=true asks for one, and it is CSV', async () => {
    for (const query of ['', '?bom=false', '?bom=true']) {
      const { text } = await exported(owner, kind, '*/*', query);
      expect(text.startsWith('\ufeff')).toBe(query === '?bom=true');
      expect((await exported(owner, kind, NDJSON, query)).text[0]).toBe('{');
    }
  });

  it('of no rows is the line of the columns, or nothing', async () => {
    const newcomer = await service.account();
    const { status, text } = await exported(newcomer, kind);
    const [header = [], ...rest] = parseCsv(text);
    expect([status, header[0], rest]).toEqual([200, 'id', []]);
    expect((await exported(newcomer, kind, NDJSON)).text).toBe('');
  });

  it.each([
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
    [`${'a,'.repeat(99)}text/csv`, 'text/csv'],
    [`${'a,'.repeat(100)}text/csv`, undefined],
  ])('for Accept: %p is %s', async (accept, mediaType) => {
    const response = await exported(owner, kind, accept);
    expect(response.headers.get('vary')).toBe('Accept');
    if (mediaType === undefined) expectProblem(response, 'not-acceptable');
    else expect(response.headers.get('content-type')).toContain(mediaType);
  });
});

it('a query of 1,500 unknown names has fifty faults, and no more are made', async () => {
  const made = jest.spyOn(Fault.prototype, 'set');
  const names = Array.from({ length: 1500 }, (_, index) => `x${index}`);
  const response = await owner.get(`${PATHS.properties}?${names.join('&')}`);
  const faults = expectFaults(response, ...names.slice(0, 50));
  expect([Object.keys(faults).length, made.mock.calls.length < 200]).toEqual([50, true]);
  made.mockRestore();
});

describe('an export with a timeZone', () => {
  const DATES = ['0001-01-01T00:00:00.000Z', '1850-05-05T10:20:30.456Z', '2026-01-31T23:30:00.000Z'];
  DATES.push('2026-07-31T23:00:00.000Z', '2026-10-25T01:30:00.000Z', '9999-12-31T23:59:59.999Z');

  it.each([
    ['Europe/Lisbon', ['-00:36', '+00:00', '+01:00', '+00:00']],
    ['America/St_Johns', ['-03:30', '-03:30', '-02:30', '-02:30']],
    ['Asia/Kathmandu', ['+05:41', '+05:45', '+05:45', '+05:45']],
  ])(
    'of %s has local times with their offset, and an import has the same instants',
    async (zone, offsets) => {
      const caller = await service.account();
      const { id } = await createProperty(caller);
      for (const date of DATES) await createTransaction(caller, id, { date, dueDate: date });
      const query = `?timeZone=${zone}`;
      const body = { sortBy: 'date' };
      const file = (await caller.post(PATHS.transactions + query, body)).text;
      const lines = (await caller.post(PATHS.transactions + query, body, { accept: NDJSON })).text;
      const rows = lines
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, string>);
      expectCsv(file, lines.trim().split('\n'));
      const shown = rows.map(({ date = '' }) => date.slice(-6));
      expect(shown).toEqual(['+00:00', ...offsets, '+00:00']);
      for (const name of ['date', 'dueDate'])
        expect(rows.map((row) => new Date(row[name]!).toISOString())).toEqual(DATES);
      if (zone === 'Europe/Lisbon') expect(rows[3]!['date']).toBe('2026-08-01T00:00:00.000+01:00');
      for (const [type, text] of [
        ['text/csv', file],
        [NDJSON, lines],
      ] as const) {
        await service.sql('DELETE FROM transactions WHERE owner_id = $1', [caller.id]);
        const imported = await caller.post('/api/transactions/import', text, { 'content-type': type });
        expect(imported.json).toMatchObject({ created: DATES.length });
        const stored = pageOf(await caller.get('/api/transactions?sort=date')).content;
        expect(stored.map(({ date }) => date)).toEqual(DATES);
      }
      await service.sql('DELETE FROM transactions WHERE owner_id = $1', [caller.id]); // an ADMIN would find them
    },
  );

  it('that the database does not know is 400', async () => {
    expectFaults(await exported(owner, 'transactions', '*/*', '?timeZone=US/Pacific-New'), 'timeZone');
    expectFaults(await exported(owner, 'properties', NDJSON, '?timeZone=CET'), 'timeZone');
  });
});

it('an export guards each text that a spreadsheet would run, and no other', async () => {
  const { text } = await owner.post(PATHS.transactions, { sortBy: 'id' });
  const [header = [], ...records] = parseCsv(text);
  const column = header.indexOf('description');
  const guarded = TEXTS.map((text) => (/^'*[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text));
  expect(records.map((record) => record[column])).toEqual(
    guarded.map((text) => text.replaceAll(/([,;\t\r\n])('*[=+\-@＝＋－＠])/g, "$1'$2")),
  );
});

it('a faulty export is refused as a search is, field by field', async () => {
  const body = { minAmount: 'much', page: -1, sortBy: 'luck' };
  const errors = expectFaults(await owner.post('/api/transactions/search', body), ...Object.keys(body));
  expect(expectFaults(await owner.post(PATHS.transactions, body), ...Object.keys(body))).toEqual(errors);
  expectFaults(await exported(owner, 'transactions', '*/*', '?bom=1&decimal=,'), 'bom', 'decimal');
  expectFaults(await exported(owner, 'properties', '*/*', '?decimal=&sort=luck'), 'decimal', 'sort');
});

it('the recipe for Power Query fetches a file of CSV with a key that only reads', async () => {
  const recipe = /^```powerquery\n(.*?)^```$/ms.exec(readFileSync('docs/api.md', 'utf8'))![1]!;
  const [path, query, authorization] = [
    /RelativePath = "(.*)"/,
    /Query = \[(.*)\]/,
    /Authorization = "(.*)"/,
  ].map((member) => member.exec(recipe)![1]!);
  const matches = Array.from(query!.matchAll(/(\w+) = "([^"]*)"/g));
  const parameters = Object.fromEntries(matches.map(([, name, value]) => [name!, value!]));
  const { key } = (await owner.post('/api/keys', { name: 'Excel', access: 'READ' })).json as { key: string };
  const headers = { authorization: authorization!.replace(/pfk_.*/, key), accept: '*/*' };
  const url = `/${path!}?${new URLSearchParams(parameters).toString()}`;
  const { text } = await service.anonymous.send('GET', url, { headers });
  const { timeZone, ...body } = parameters;
  expect(text).toBe((await owner.post(`${PATHS.transactions}?timeZone=${timeZone!}`, body)).text);
  expect(text.split(recipe.includes('Delimiter = ","') ? ',' : ';').length).toBeGreaterThan(20);
});

it('HEAD of an export has the headers of the file', async () => {
  for (const [kind, path] of Object.entries(PATHS)) {
    const response = await owner.send('HEAD', path, { headers: { accept: NDJSON } });
    const { status, text, headers } = response;
    expect([status, text, headers.get('content-type')]).toEqual([200, '', 'application/x-ndjson']);
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${kind}.ndjson"`);
  }
});
