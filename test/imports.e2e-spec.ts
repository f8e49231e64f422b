import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { parse } from 'lossless-json';
import { bodyOf, expectFaults, expectProblem, pageOf } from './support/answers.js';
import type { Answer } from './support/client.js';
import { createProperty, createTransaction, transactionRequest } from './support/factories.js';
import { Lock } from './support/locks.js';
import { type Account, type Service, startService } from './support/service.js';
import { Wire } from './support/wire.js';

const IMPORT = '/api/transactions/import';
const CSV = 'text/csv';
const NDJSON = 'application/x-ndjson';

let service: Service;
let owner: Account;
let property: number;

beforeAll(async () => {
  service = await startService({
    IMPORT_BODY_LIMIT: '2MiB',
    IMPORT_ROW_LIMIT: '250',
    IMPORTS_AT_ONCE: '4',
    DB_ACQUIRE_TIMEOUT: '1s',
  });
});
beforeEach(async () => {
  owner = await service.account();
  property = (await createProperty(owner)).id;
});

interface Finding {
  readonly line: number;
  readonly field: string | null;
  readonly reason: string;
}

interface Report {
  readonly dryRun: boolean;
  readonly rows: number;
  readonly created: number;
  readonly duplicates: number;
  readonly faults: number;
  readonly findings: readonly Finding[];
}

function send(body: unknown, query = '', type = CSV, headers = {}, caller = owner): Promise<Answer> {
  return caller.send('POST', `${IMPORT}${query}`, { body, headers: { 'content-type': type, ...headers } });
}

function reportOf(answer: Answer): Report {
  if (answer.status !== 200) throw new Error(`not imported: ${answer.status} ${answer.text}`);
  return answer.json as Report;
}

function refusalOf(answer: Answer): Report {
  return expectProblem(answer, 422, 'import-refused') as unknown as Report;
}

const COLUMNS = ['propertyId', 'type', 'category', 'description', 'amount', 'date'];

/** A line of CSV of the least that a row has; cells are taken as they are. */
function line(cells: Record<string, string | number> = {}, columns: readonly string[] = COLUMNS): string {
  const row: Record<string, string | number> = {
    propertyId: property,
    type: 'EXPENSE',
    category: 'CLEANING',
    description: 'Cleaning',
    amount: '12.50',
    date: '2026-01-15T10:30:00Z',
    ...cells,
  };
  return columns.map((name) => row[name] ?? '').join(',');
}

/** The request of a transaction that {@link line} repeats. */
const ALIKE = {
  type: 'EXPENSE',
  category: 'CLEANING',
  description: 'Cleaning',
  vendor: null,
  date: '2026-01-15T10:30:00Z',
};

const csv = (...lines: readonly string[]): string =>
  [COLUMNS.join(','), ...lines].map((text) => `${text}\r\n`).join('');
const csvOf = (columns: readonly string[], ...lines: readonly string[]): string =>
  [columns.join(','), ...lines].map((text) => `${text}\n`).join('');

const stored = async (caller = owner): Promise<number> =>
  pageOf(await caller.get('/api/transactions')).totalElements;

/** Every transaction, as single ones are answered, in the order of their ids; each number as its digits. */
async function transactions(caller = owner): Promise<Record<string, unknown>[]> {
  const { content } = pageOf<{ id: number }>(await caller.get('/api/transactions?sort=id&size=100'));
  const answers = await Promise.all(content.map(({ id }) => caller.get(`/api/transactions/${id}`)));
  return answers.map(({ text }) => parse(text, undefined, (digits) => digits) as Record<string, unknown>);
}

async function expectTotals(): Promise<void> {
  const [row] = await service.sql(
    `SELECT o.transactions = (SELECT count(*) FROM transactions t WHERE t.owner_id = o.owner_id)
        AND o.transactions = (SELECT sum(p.transactions) FROM property_totals p WHERE p.owner_id = o.owner_id) AS right
       FROM owner_totals o WHERE o.owner_id = $1`,
    [owner.id],
  );
  expect(row).toEqual({ right: true });
}

describe('a file of CSV', () => {
  it('is stored, row by row, as if each had been posted', async () => {
    const columns = [
      ...COLUMNS,
      'tags',
      'metadata',
      'recurring',
      'notes',
      'bookingId',
      'status',
      'paidAt',
      'id',
      'createdAt',
    ];
    const file = csvOf(
      columns,
      line(
        {
          amount: '99999999999999999.99',
          bookingId: '9223372036854775807',
          tags: '"[""a"",""b, c""]"',
          metadata: '"{""constructor"":""x""}"',
          recurring: 'TRUE',
          notes: '"two\r\nlines, and ""quotes"""',
          id: 'whatever',
        },
        columns,
      ),
      line({ description: '""', notes: '""', paidAt: '""', status: '""' }, columns),
    );
    expect(reportOf(await send(file))).toEqual({
      dryRun: false,
      rows: 2,
      created: 2,
      duplicates: 0,
      findings: [],
    });
    const [first, second] = await transactions();
    expect(first).toMatchObject({
      propertyId: String(property),
      amount: '99999999999999999.99',
      bookingId: '9223372036854775807',
      tags: ['a', 'b, c'],
      metadata: { constructor: 'x' },
      recurring: true,
      frequency: null,
      notes: 'two\r\nlines, and "quotes"',
      vendor: null,
      status: 'PENDING',
    });
    expect(second).toMatchObject({
      description: '',
      notes: '',
      tags: [],
      metadata: {},
      frequency: 'ONE_TIME',
    });
    await expectTotals();
  });

  it.each([
    ['with a byte order mark', (text: string) => `\ufeff${text}`],
    ['with LF', (text: string) => text.replaceAll('\r\n', '\n')],
    ['without the end of the last line', (text: string) => text.trimEnd()],
    ['with empty lines', (text: string) => text.replaceAll('\r\n', '\r\n\r\n')],
    ['with every cell in quotes', (text: string) => text.replaceAll(/[^,\r\n]+/g, '"$&"')],
  ])('is read %s', async (_, change) => {
    expect(reportOf(await send(change(csv(line(), line({ amount: 7 })))))).toMatchObject({
      rows: 2,
      created: 2,
    });
    expect(await stored()).toBe(2);
  });

  it('has its columns in any order', async () => {
    const columns = [...COLUMNS].reverse();
    reportOf(await send(csvOf(columns, line({}, columns))));
    expect(await transactions()).toMatchObject([{ amount: '12.50', type: 'EXPENSE' }]);
  });

  it('that has no rows stores none', async () => {
    expect(reportOf(await send(csv()))).toMatchObject({ rows: 0, created: 0 });
  });

  it.each([
    ['is empty', '', 400, 'malformed-request'],
    ['has an open quote in its first line', 'type,"amount', 400, 'malformed-request'],
    ['has more than 100 columns', ','.repeat(2_000_000), 400, 'malformed-request'],
    ['has a header of more than 16 KiB', `type,${'x'.repeat(16 * 1024)}`, 400, 'malformed-request'],
    ['is no UTF-8', Buffer.from([0x74, 0xff, 0x0a]), 400, 'malformed-request'],
    ['is UTF-16', Buffer.from('\ufefftype,amount\n', 'utf16le'), 400, 'malformed-request'],
  ])('that %s is refused', async (_, body, status, slug) => {
    expectProblem(await send(body), status, slug);
  });

  it('names columns that no transaction has, come twice or are missing, and no row is read', async () => {
    const columns = COLUMNS.map((name) => (name === 'date' ? 'Betrag' : name));
    const file = csvOf([...columns, 'type', ''], line({ type: 'NONE' }));
    expect(expectFaults(await send(file), 'type', 'Betrag', '', 'date')).toEqual({
      type: 'comes twice',
      Betrag: 'is not a column of a transaction',
      '': 'is not a column of a transaction',
      date: 'is required',
    });
  });
});

describe('a text that a spreadsheet would run', () => {
  it.each([
    ["'=1+1", '=1+1'],
    ["''=1+1", "'=1+1"],
    ["'quoted'", "'quoted'"],
    ['=1+1', '=1+1'],
    ["x;'=1+1", 'x;=1+1'],
    ["x;''-1", "x;'-1"],
    ["x '=1", "x '=1"],
  ])('%s is stored as %s', async (cell, text) => {
    reportOf(await send(csv(line({ description: cell }))));
    expect(await transactions()).toMatchObject([{ description: text }]);
  });
});

describe('a fault', () => {
  it.each<[what: string, lines: () => string[], at: number, field: string | null, reason: RegExp]>([
    ['a missing field', () => [line({ amount: '' })], 2, 'amount', /^is required$/],
    ['a decimal comma', () => [line({ amount: '"12,50"' })], 2, 'amount', /^must be a number$/],
    ['a category', () => [line({ category: 'FOOD' })], 2, 'category', /^must be one of BOOKING/],
    ['a day that there is not', () => [line({ date: '2026-02-30' })], 2, 'date', /date and time/],
    [
      'a missing property',
      () => [line({ propertyId: '9223372036854775807' })],
      2,
      'propertyId',
      /not a property of yours/,
    ],
    ['a later row', () => [line(), line({ amount: 0 })], 3, 'amount', /0.01/],
    [
      'a row behind quoted line breaks',
      () => [line({ description: '"a\r\nb\nc"' }), line({ amount: 0 })],
      5,
      'amount',
      /0.01/,
    ],
    ['a row behind empty lines', () => ['', '', line({ amount: 0 })], 4, 'amount', /0.01/],
    ['an empty first cell', () => [line({ propertyId: '' })], 2, 'propertyId', /^is required$/],
    ['one cell', () => ['1'], 2, null, /^has 1 cell/],
    ['too few cells', () => ['1,2'], 2, null, /^has 2 cells, and the first line names 6 columns$/],
    ['an open quote', () => [line(), line({ date: '"x' })], 3, null, /quote in line 3 that is never closed/],
    ['text behind a quote', () => [line({ date: '"x"y' }), line()], 2, null, /behind a cell/],
    ['a quote within a cell', () => [line({ date: 'x"y"' })], 2, null, /quote within cell "x"/],
    ['a huge cell', () => [line({ description: 'x'.repeat(1024 ** 2) })], 2, null, /longer than 1048576/],
    ['too many cells', () => [','.repeat(2_000_000), line()], 2, null, /^has more than 100 cells$/],
  ])('%s is told by its line, and nothing is stored', async (_, lines, at, field, reason) => {
    const dry = refusalOf(await send(csv(...lines()), '?dryRun=true'));
    const refusal = refusalOf(await send(csv(...lines())));
    expect(refusal).toMatchObject({
      faults: 1,
      findings: [{ line: at, field, reason: expect.stringMatching(reason) as unknown }],
    });
    expect({ ...dry, timestamp: '' }).toEqual({ ...refusal, timestamp: '' });
    expect(await stored()).toBe(0);
  });

  it('of an element is told by its place, and the list is bounded, not the count', async () => {
    const columns = [...COLUMNS, 'tags', 'metadata'];
    const bad = { tags: '"[1,""a"",2]"', metadata: 'none', amount: 0 };
    const report = refusalOf(
      await send(csvOf(columns, ...Array.from({ length: 60 }, () => line(bad, columns)))),
    );
    expect(report).toMatchObject({ rows: 60, faults: 240 });
    expect(report.findings).toHaveLength(100);
    expect(
      report.findings
        .slice(0, 4)
        .map(({ field }) => field)
        .sort(),
    ).toEqual(['amount', 'metadata', 'tags[0]', 'tags[2]']);
  });

  it('of any kind is told together with all others', async () => {
    await createTransaction(owner, property, { ...ALIKE, amount: 5 });
    const same = { amount: 5, date: '2026-01-15T23:00:00Z' };
    await createTransaction(owner, property, { ...ALIKE, amount: 1 });
    const report = refusalOf(
      await send(
        csv(
          line(same),
          line({ propertyId: '9223372036854775807' }),
          line({ amount: 'x' }),
          line({ amount: 1 }),
          line({ amount: '1.00' }),
        ),
      ),
    );
    expect(report).toMatchObject({
      ...{ rows: 5, faults: 2, duplicates: 2 },
      detail: 'The file has 2 faults and 2 duplicates in 5 rows, and nothing of it was stored: see findings.',
    });
    expect(report.findings.map(({ line: at, field }) => [at, field])).toEqual([
      [2, null],
      [3, 'propertyId'],
      [4, 'amount'],
      [5, null],
    ]);
  });
});

describe('a file of a spreadsheet with decimal commas', () => {
  const EUROPEAN = '?separator=;&decimal=,';
  const semicolons = (...lines: readonly string[]): string => csv(...lines).replaceAll(',', ';');

  it.each([
    ['1234,5', '1234.50'],
    ['"0,01"', '0.01'],
    ['7', '7.00'],
  ])('has the amount %s stored as %s', async (cell, amount) => {
    const file = semicolons(line({ amount: 'AMOUNT' })).replace('AMOUNT', cell);
    expect(reportOf(await send(file, EUROPEAN))).toMatchObject({ created: 1 });
    expect(await transactions()).toMatchObject([{ amount }]);
  });

  it.each(['1.234', '1.234,50', '1,234,50', '12,345'])(
    'does not have %s taken for an amount',
    async (cell) => {
      const file = semicolons(line({ amount: 'AMOUNT' })).replace('AMOUNT', cell);
      expect(refusalOf(await send(file, EUROPEAN)).findings).toMatchObject([{ line: 2, field: 'amount' }]);
    },
  );

  it.each([
    [';', ';'],
    ['\t', 'tab'],
  ])('sent without its separator %j is told which one it has', async (char, name) => {
    const file = csv(line()).replaceAll(',', char);
    expect(expectFaults(await send(file), 'separator')['separator']).toMatch(
      `is the file separated by ${name}?`,
    );
    expect(reportOf(await send(file, `?separator=${name}`))).toMatchObject({ created: 1 });
  });

  it('is told of a comma, too', async () => {
    expectFaults(await send(csv(line()), EUROPEAN), 'separator');
  });

  it('is not exported with one sign for both', async () => {
    expectFaults(await owner.post('/api/transactions/export?decimal=,', {}), 'decimal');
  });
});

describe('a day without a time', () => {
  it.each([
    ['UTC', '2026-02-01', '2026-02-01T00:00:00.000Z'],
    ['Europe/Lisbon', '2026-07-01', '2026-06-30T23:00:00.000Z'],
    ['America/New_York', '2026-02-01', '2026-02-01T05:00:00.000Z'],
    ['Asia/Kolkata', '2026-02-01', '2026-01-31T18:30:00.000Z'],
    ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z'], // midnight is skipped
    ['America/Havana', '2025-11-02', '2025-11-02T04:00:00.000Z'], // midnight comes twice
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z'], // the whole day is skipped
    ['America/Sao_Paulo', '1900-01-01', '1900-01-01T03:06:28.000Z'],
  ])('in %s, %s, is the instant %s', async (zone, day, date) => {
    const columns = [...COLUMNS, 'paidAt', 'dueDate'];
    const file = csvOf(columns, line({ date: day, paidAt: day, dueDate: `${day}T00:00:00Z` }, columns));
    reportOf(await send(file, `?timeZone=${encodeURIComponent(zone)}`));
    expect(await transactions()).toMatchObject([{ date, paidAt: date, dueDate: `${day}T00:00:00.000Z` }]);
  });

  it('is the first of a report in that time zone', async () => {
    reportOf(await send(csv(line({ date: '2026-01-01' })), '?timeZone=America/New_York'));
    const report = '/api/reports/profit-and-loss?from=2026-01-01&timeZone=America/New_York';
    expect(bodyOf(await owner.get(report))['total']).toMatchObject({ expenses: 12.5 });
  });

  it('is one in NDJSON as well, and in the body of a POST is none', async () => {
    const row = transactionRequest(property, { date: '2026-02-01' });
    reportOf(await send(`${JSON.stringify(row)}\n`, '?timeZone=Asia/Tokyo', NDJSON));
    expect(await transactions()).toMatchObject([{ date: '2026-01-31T15:00:00.000Z' }]);
    expectFaults(await owner.post('/api/transactions', row), 'date');
  });

  it('in no time zone is refused', async () => {
    expectFaults(await send(csv(line()), '?timeZone=EST'), 'timeZone');
  });
});

describe('a file of NDJSON', () => {
  const ndjson = (...rows: readonly unknown[]): string =>
    rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join('');

  it('has the body of a POST in each line', async () => {
    const row = transactionRequest(property, { tags: ['a'], metadata: { b: 'c' }, id: 7, unknown: [1] });
    const file = ndjson(JSON.stringify(row).replace('360.75', '99999999999999999.99'), '', {
      ...row,
      amount: 2,
    });
    expect(reportOf(await send(file, '', NDJSON))).toMatchObject({ rows: 2, created: 2 });
    expect(await transactions()).toMatchObject([
      { amount: '99999999999999999.99', tags: ['a'], metadata: { b: 'c' } },
      { amount: '2.00' },
    ]);
  });

  it('tells every fault by its line', async () => {
    const row = transactionRequest(property);
    const report = refusalOf(
      await send(
        ndjson(row, '{', '[]', '1', '"x"', 'null', { ...row, amount: '1' }, { ...row, tags: [1] }),
        '',
        NDJSON,
      ),
    );
    expect(report.findings).toEqual([
      { line: 2, field: null, reason: 'is not valid JSON: it ends too early' },
      ...[3, 4, 5, 6].map((at) => ({ line: at, field: null, reason: 'must be a JSON object' })),
      { line: 7, field: 'amount', reason: 'must be a number' },
      { line: 8, field: 'tags[0]', reason: 'must be a string' },
    ]);
    expect(await stored()).toBe(0);
  });
});

describe('a duplicate', () => {
  const columns = [...COLUMNS, 'paymentReference', 'vendor'];
  const file = (...rows: readonly Record<string, string | number>[]): string =>
    csvOf(columns, ...rows.map((row) => line(row, columns)));
  const ref = (paymentReference: string, more = {}): Record<string, string | number> => ({
    paymentReference,
    ...more,
  });

  it('of a stored transaction has the file refused, and is named', async () => {
    const alike = { amount: 12.5, paymentReference: 'R1', date: '2026-01-15T00:00:00Z' };
    const { id } = await createTransaction(owner, property, alike);
    await createTransaction(owner, property, alike);
    const rows = [
      ref('R2'),
      ref('R1', { amount: '12.5', description: 'Other', type: 'INCOME', vendor: 'V' }),
    ];
    expect(refusalOf(await send(file(...rows)))).toMatchObject({
      rows: 2,
      duplicates: 1,
      faults: 0,
      findings: [{ line: 3, field: null, reason: `is a duplicate of transaction ${id}` }],
    });
    expect(await stored()).toBe(2);
    expect(reportOf(await send(file(...rows), '?duplicates=skip'))).toMatchObject({
      created: 1,
      duplicates: 1,
    });
    expect(reportOf(await send(file(...rows), '?duplicates=skip'))).toMatchObject({
      created: 0,
      duplicates: 2,
    });
    expect(reportOf(await send(file(...rows), '?duplicates=allow'))).toMatchObject({
      created: 2,
      duplicates: 2,
    });
    expect(await stored()).toBe(5);
  });

  it('is counted: of two alike in the file and one stored, one is new, and sent again none is', async () => {
    const [once, twice] = [file({}), file({}, {})];
    expect(reportOf(await send(once))).toMatchObject({ created: 1, duplicates: 0 });
    expect(reportOf(await send(twice, '?duplicates=skip'))).toMatchObject({ created: 1, duplicates: 1 });
    expect(reportOf(await send(twice, '?duplicates=skip'))).toMatchObject({ created: 0, duplicates: 2 });
    expect(await stored()).toBe(2);
  });

  it.each<[string, Record<string, string | number>[]]>([
    ['type', [{}, { type: 'INCOME' }]],
    ['description', [{}, { description: 'Cleaning ' }, { description: 'cleaning' }, { description: '""' }]],
    ['vendor', [{}, { vendor: 'V' }, { vendor: '""' }, { description: '"Cleaning"" ""V"' }]],
    [
      'property, amount or day',
      [{}, { amount: '12.51' }, { date: '2026-01-16' }, { date: '2026-01-15T00:30+01' }],
    ],
    ['reference', [{}, ref('R1'), ref('r1'), ref('R1', { amount: 1 }), ref('"EXPENSE ""Cleaning"""')]],
  ])('has the same %s, and sent again every row is one', async (_, rows) => {
    expect(reportOf(await send(file(...rows)))).toMatchObject({ created: rows.length, duplicates: 0 });
    expect(refusalOf(await send(file(...rows)))).toMatchObject({ duplicates: rows.length });
  });

  it('without a reference is like one with an empty one', async () => {
    expect(reportOf(await send(file({})))).toMatchObject({ created: 1 });
    expect(refusalOf(await send(file(ref('""', { category: 'TAXES' }))))).toMatchObject({ duplicates: 1 });
  });

  it('is looked for among the owner’s own alone', async () => {
    const stranger = await service.account();
    await createTransaction(stranger, (await createProperty(stranger)).id, { ...ALIKE, amount: 12.5 });
    expect(reportOf(await send(csv(line())))).toMatchObject({ created: 1, duplicates: 0 });
  });

  it('is noticed by the second of two files at once', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => send(csv(line()))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422]);
    expect(await stored()).toBe(1);
    await expectTotals();
  });
});

describe('a dry run', () => {
  it('tells what would be, and stores nothing', async () => {
    reportOf(await send(csv(line())));
    const answer = reportOf(await send(csv(line(), line()), '?dryRun=true&duplicates=skip'));
    expect(answer).toMatchObject({ dryRun: true, rows: 2, created: 1, duplicates: 1 });
    expect(await stored()).toBe(1);
  });

  it('leaves its Idempotency-Key to the import', async () => {
    const key = { 'idempotency-key': 'a' };
    reportOf(await send(csv(line()), '?dryRun=true', CSV, key));
    const answer = await send(csv(line()), '', CSV, key);
    expect([reportOf(answer).created, answer.headers.get('idempotent-replayed')]).toEqual([1, null]);
  });

  it.each(['?dryRun=yes', '?dryRun=true&dryRun=true', '?duplicates=never'])(
    '%s is refused',
    async (query) => {
      expectFaults(await send(csv(line()), query), query.slice(1, query.indexOf('=')));
    },
  );
});

describe('with an Idempotency-Key', () => {
  it('is imported once, however often and at once it is sent', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const answers = await Promise.all(Array.from({ length: 4 }, () => send(csv(line()), '', CSV, key)));
    const later = await send(csv(line()), '', CSV, key);
    expect([...answers, later].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set([...answers, later].map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1);
    expect(await stored()).toBe(1);
  });

  it('another file, or another rule, is 422', async () => {
    const key = { 'idempotency-key': 'a' };
    reportOf(await send(csv(line()), '', CSV, key));
    for (const [file, query] of [
      [csv(line({ amount: 1 })), ''],
      [csv(line()), '?duplicates=allow'],
    ] as const)
      expectProblem(await send(file, query, CSV, key), 422, 'idempotency-key-reused');
    expect(await stored()).toBe(1);
  });

  it('the same bytes under another media type are 422', async () => {
    const key = { 'idempotency-key': 'a' };
    reportOf(await send(csv(), '', CSV, key));
    expectProblem(await send(csv(), '', NDJSON, key), 422, 'idempotency-key-reused');
    reportOf(await send(csv(), '', 'Text/CSV; charset=utf-8', key));
  });

  it('what was refused may be sent again, corrected', async () => {
    const key = { 'idempotency-key': 'a' };
    refusalOf(await send(csv(line({ propertyId: '9223372036854775807' })), '', CSV, key));
    expect(reportOf(await send(csv(line()), '', CSV, key))).toMatchObject({ created: 1 });
  });
});

describe('whose a row is', () => {
  it('another owner’s property is as none at all', async () => {
    const stranger = await service.account();
    const theirs = (await createProperty(stranger)).id;
    const refusals = await Promise.all(
      [theirs, 9_007_199_254_740_991].map((propertyId) => send(csv(line(), line({ propertyId })))),
    );
    const [first, second] = refusals.map((answer) => refusalOf(answer));
    expect({ ...first, timestamp: '' }).toEqual({ ...second, timestamp: '' });
    expect([await stored(), await stored(stranger)]).toEqual([0, 0]);
  });

  it('an ADMIN files rows for whoever owns their properties', async () => {
    const admin = await service.account('ADMIN');
    const stranger = await service.account();
    const theirs = (await createProperty(stranger)).id;
    const file = csv(line(), line({ propertyId: theirs }), line({ amount: 2 }));
    expect(reportOf(await send(file, '', CSV, { 'idempotency-key': 'a' }, admin))).toMatchObject({
      created: 3,
    });
    expect([await stored(), await stored(stranger)]).toEqual([2, 1]);
    const refusal = refusalOf(
      await send(csv(line({ propertyId: 9_007_199_254_740_991 })), '', CSV, {}, admin),
    );
    expect(refusal.findings).toMatchObject([{ line: 2, field: 'propertyId' }]);
  });
});

describe('the bounds', () => {
  const many = (count: number): string =>
    csv(
      ...Array.from({ length: count }, (_, index) =>
        line({ amount: `${index + 1}.25`, description: `Row ${index}` }),
      ),
    );

  it('as many rows as may be are stored, and one more is refused with its line', async () => {
    expect(reportOf(await send(many(250)))).toMatchObject({ rows: 250, created: 250 });
    expect(await stored()).toBe(250);
    await expectTotals();
    const refusal = refusalOf(await send(many(251), '?duplicates=allow'));
    expect(refusal).toMatchObject({ rows: 250, faults: 1, duplicates: 250 });
    expect(refusal.findings.at(-1)).toEqual({
      line: 252,
      field: null,
      reason: 'is past the 250 rows that a file may have',
    });
  });

  it('a byte past the limit is 413', async () => {
    const limit = 2 * 1024 ** 2;
    const file = csv(line()).padEnd(limit, '\n');
    expect(reportOf(await send(file))).toMatchObject({ created: 1 });
    expectProblem(await send(`${file}\n`), 413, 'payload-too-large');
  });

  it.each([
    ['application/json', IMPORT, 415],
    ['text/plain', IMPORT, 415],
    ['text/csv; charset=latin1', IMPORT, 415],
    ['TEXT/CSV; charset=utf-8; header=present', IMPORT, 200],
    ['text/csv', '/api/transactions', 415],
    ['application/x-ndjson', '/api/transactions/search', 415],
  ])('a body of %s to %s is %i', async (type, path, status) => {
    const answer = await owner.send('POST', path, { body: csv(), headers: { 'content-type': type } });
    expect(answer.status).toBe(status);
  });

  it('without a token it is 401, however large', async () => {
    const answer = await service.anonymous.send('POST', IMPORT, {
      body: 'x'.repeat(3 * 1024 ** 2),
      headers: { 'content-type': CSV },
    });
    expectProblem(answer, 401, 'authentication-required');
  });

  describe('more files at once than may be worked on', () => {
    let locks: Lock[];
    let working: Promise<Answer>[];
    beforeEach(async () => {
      const row = 'SELECT 1 FROM owner_totals WHERE owner_id = $1 FOR UPDATE';
      const hosts = await Promise.all(Array.from({ length: 4 }, hostWithFile));
      locks = await Promise.all(hosts.map(({ host }) => Lock.take(service, row, [host.id])));
      working = hosts.map(({ host, file }) => send(file, '', CSV, {}, host));
      for (const lock of locks) await lock.waitedForBy(1);
    });

    it('wait for their turn', async () => {
      const waiting = [send(csv(line({ amount: 8 }))), send(csv(line({ amount: 9 })))];
      await sleep(100); // until they have come
      for (const lock of locks) await lock.release();
      expect((await Promise.all([...working, ...waiting])).map(({ status }) => status)).toEqual(
        Array<number>(6).fill(200),
      );
    });

    it('are 503 when it does not come, and afterwards there is room again', async () => {
      const refused = await send(csv(line({ amount: 9 })));
      expect(expectProblem(refused, 503, 'service-unavailable').detail).toMatch(/files/);
      expect(refused.headers.get('retry-after')).toBe('1');
      for (const lock of locks) await lock.release();
      expect((await Promise.all(working)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(reportOf(await send(csv(line({ amount: 9 })))).created).toBe(1);
    });
  });

  async function hostWithFile(): Promise<{ host: Account; file: string }> {
    const host = await service.account();
    return { host, file: csv(line({ propertyId: (await createProperty(host)).id })) };
  }

  describe('a body on its way', () => {
    const begin = async (host: Account, header = ''): Promise<Wire> =>
      (await Wire.open(service.url)).send(
        `POST ${IMPORT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${host.token}\r\n` +
          `Content-Type: text/csv\r\nContent-Length: 2000000\r\n${header}\r\n,`,
      );

    it('keeps no other account waiting, however many there are, and after five seconds at less than 64 KiB/s is 408', async () => {
      const slow = await Promise.all(
        Array.from({ length: 6 }, async () => begin((await hostWithFile()).host)),
      );
      for (const amount of [1, 2, 3]) reportOf(await send(csv(line({ amount }))));
      for (const wire of slow) {
        const { status, headers, text } = await wire.answer();
        expect({ status, connection: headers.get('connection') }).toEqual({
          status: 408,
          connection: 'close',
        });
        expect(text).toContain('64 KiB/s');
      }
    });

    it('is the only one of its account', async () => {
      const { host, file } = await hostWithFile();
      const first = await begin(host, 'Expect: 100-continue\r\n');
      expect((await first.answer()).status).toBe(100); // it has come
      const refused = await send(file, '', CSV, {}, host);
      expect(expectProblem(refused, 429, 'too-many-requests').detail).toMatch(/file of yours/);
      first.end();
      expect(reportOf(await send(file, '', CSV, {}, host))).toMatchObject({ created: 1 });
    });

    it('has its bytes counted together with those of all others', async () => {
      const hosts = await Promise.all(Array.from({ length: 9 }, hostWithFile));
      const full = 'x'.repeat(1_999_998);
      const wires = await Promise.all(hosts.map(async ({ host }) => (await begin(host)).send(full)));
      const answers = await Promise.race(wires.map((wire) => wire.answer()));
      expect([answers.status, answers.text]).toEqual([503, expect.stringContaining('Too many files')]);
      for (const wire of wires) wire.end();
      expect(reportOf(await send(csv(line())))).toMatchObject({ created: 1 });
    });
  });
});

describe('random files', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
    fc
      .array(fc.constantFrom(...Array.from('",\n\ra1{}[: \0💶'), '\r\n', '\ufeff'), { maxLength: 60 })
      .map((parts) => Buffer.from(parts.join(''))),
  );

  it('are never a 5xx', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, fc.boolean(), fc.constantFrom(CSV, NDJSON), async (body, withHeader, type) => {
        const file = withHeader ? Buffer.concat([Buffer.from(`${COLUMNS.join(',')}\n`), body]) : body;
        expect([200, 400, 422]).toContain((await send(file, '', type)).status);
      }),
      { numRuns: 100, seed: 7 },
    );
    expect(await stored()).toBe(0);
  });
});

describe('what an export wrote', () => {
  const word = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc
      .array(
        fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '\n', '"', ',', ';', '＝', 'a', ' ', '💶'),
        {
          maxLength: 6,
        },
      )
      .map((parts) => parts.join('')),
  );
  const storable = word.filter((text) => text.isWellFormed() && !text.includes('\0'));
  const instant = fc
    .date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    })
    .map((date) => date.toISOString());
  const optional = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(of);
  const row = fc.record({
    type: fc.constantFrom('INCOME', 'EXPENSE'),
    category: fc.constantFrom('CLEANING', 'TAXES'),
    description: storable,
    subcategory: optional(storable),
    vendor: optional(storable),
    notes: optional(storable),
    paymentReference: optional(storable),
    amount: fc.integer({ min: 1, max: 1e9 }).map((cents) => cents / 100),
    date: instant,
    dueDate: optional(instant),
    paidAt: optional(instant),
    recurring: fc.boolean(),
    frequency: optional(fc.constantFrom('MONTHLY', 'ONE_TIME')),
    bookingId: optional(fc.integer()),
    tags: fc.array(storable, { maxLength: 3 }),
    metadata: fc.dictionary(
      storable.filter((key) => key !== '__proto__'),
      storable,
      { maxKeys: 3 },
    ),
  });

  it.each([
    [CSV, ''],
    [CSV, 'separator=;&decimal=,'],
    [CSV, 'separator=tab'],
    [NDJSON, ''],
  ])(
    'as %s with "%s" comes back as the same rows, and as nothing but duplicates',
    async (type, form) => {
      await fc.assert(
        fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 8 }), async (rows) => {
          const host = await service.account();
          const { id: propertyId } = await createProperty(host);
          const first = rows.map((fields) => `${JSON.stringify({ propertyId, ...fields })}\n`).join('');
          expect(reportOf(await send(first, '?duplicates=allow', NDJSON, {}, host)).created).toBe(
            rows.length,
          );
          const written = await transactions(host);
          const file = await host.post(
            `/api/transactions/export?${form}`,
            { sortBy: 'id' },
            { accept: type },
          );
          const again = await send(file.text, `?duplicates=skip&${form}`, type, {}, host);
          expect(reportOf(again)).toMatchObject({ created: 0, duplicates: rows.length });
          await service.sql('DELETE FROM transactions WHERE owner_id = $1', [host.id]);
          expect(reportOf(await send(file.text, `?duplicates=allow&${form}`, type, {}, host)).created).toBe(
            rows.length,
          );
          const setAnew = Object.fromEntries(
            ['id', 'createdAt', 'updatedAt'].map((field) => [field, expect.any(String) as unknown]),
          );
          expect(await transactions(host)).toEqual(written.map((fields) => ({ ...fields, ...setAnew })));
        }),
        { numRuns: 12, seed: 15 },
      );
    },
    60_000,
  );
});

describe('POST /api/transactions/batch', () => {
  const BATCH = '/api/transactions/batch';
  const rows = (count: number, more = {}): Record<string, unknown>[] =>
    Array.from({ length: count }, (_, index) => transactionRequest(property, { amount: index + 1, ...more }));

  it('records all, and answers them in their order as single ones are answered', async () => {
    const answer = await owner.post(BATCH, {
      transactions: rows(100, { tags: ['x'], metadata: { a: 'b' } }),
    });
    expect(answer.status).toBe(201);
    const { transactions: created } = bodyOf(answer) as { transactions: { id: number; amount: number }[] };
    expect(created.map(({ amount }) => amount)).toEqual(rows(100).map(({ amount }) => amount));
    for (const row of [created[0]!, created[99]!])
      expect((await owner.get(`/api/transactions/${row.id}`)).json).toEqual(row);
    expect(await stored()).toBe(100);
    await expectTotals();
  });

  it('names every fault by its place, and records none', async () => {
    const transactions = [...rows(2), { ...rows(1)[0], amount: 0, tags: [1] }, {}, 7, []];
    const errors = expectFaults(
      await owner.post(BATCH, { transactions }),
      'transactions[2].amount',
      'transactions[2].tags[0]',
      ...['propertyId', 'type', 'category', 'description', 'amount', 'date'].map(
        (name) => `transactions[3].${name}`,
      ),
      'transactions[4]',
      'transactions[5]',
    );
    expect(errors['transactions[4]']).toBe('must be an object');
    expect(await stored()).toBe(0);
  });

  it('counts the faults that it does not name', async () => {
    const problem = expectProblem(
      await owner.post(BATCH, { transactions: Array.from({ length: 10 }, () => ({})) }),
      400,
      'validation-failed',
    );
    expect(Object.keys(problem.errors ?? {})).toHaveLength(50);
    expect(problem.detail).toContain('60 invalid fields');
  });

  it.each([[[]], ['x'], [{}], [null], [undefined]])('refuses %j for the list', async (transactions) => {
    expectFaults(await owner.post(BATCH, { transactions }), 'transactions');
  });

  it('refuses 101', async () => {
    expectFaults(await owner.post(BATCH, { transactions: rows(101) }), 'transactions');
  });

  it('records none when one property is not the caller’s', async () => {
    const theirs = (await createProperty(await service.account())).id;
    const transactions = [...rows(2), transactionRequest(theirs)];
    expectProblem(await owner.post(BATCH, { transactions }), 404, 'not-found');
    expect(await stored()).toBe(0);
  });

  it('records for each property’s owner what an ADMIN sends', async () => {
    const [admin, stranger] = [await service.account('ADMIN'), await service.account()];
    const theirs = (await createProperty(stranger)).id;
    const transactions = [transactionRequest(theirs), ...rows(1), transactionRequest(theirs)];
    const answer = await admin.post(BATCH, { transactions });
    expect(
      (bodyOf(answer)['transactions'] as { propertyId: number }[]).map(({ propertyId }) => propertyId),
    ).toEqual([theirs, property, theirs]);
    expect([await stored(), await stored(stranger)]).toEqual([1, 2]);
    expectProblem(
      await admin.post(BATCH, { transactions: [transactionRequest(9_007_199_254_740_991)] }),
      404,
      'not-found',
    );
  });

  it('with one Idempotency-Key runs once', async () => {
    const key = { 'idempotency-key': 'a' };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => owner.post(BATCH, { transactions: rows(3) }, key)),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1);
    expect(await stored()).toBe(3);
    expectProblem(await owner.post(BATCH, { transactions: rows(4) }, key), 422, 'idempotency-key-reused');
    await expectTotals();
  });
});
