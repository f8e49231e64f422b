import { randomUUID } from 'node:crypto';
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
const NOBODYS = '9007199254740991';

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

interface Options {
  readonly query?: string;
  readonly type?: string;
  readonly key?: string;
  readonly caller?: Account;
}

function send(
  body: string | Buffer,
  { query = '', type = CSV, key, caller = owner }: Options = {},
): Promise<Answer> {
  const headers = { 'content-type': type, ...(key === undefined ? {} : { 'idempotency-key': key }) };
  return caller.send('POST', `${IMPORT}?${query}`, { body, headers });
}

/** The response of an import that is not refused. */
async function imported(body: string, options?: Options): Promise<Record<string, unknown>> {
  const answer = await send(body, options);
  if (answer.status !== 200) throw new Error(`not imported: ${answer.status} ${answer.text}`);
  return bodyOf(answer);
}

interface Refusal {
  readonly detail: string;
  readonly findings: readonly {
    readonly line: number;
    readonly field: string | null;
    readonly reason: string;
  }[];
}

async function refused(body: string, options?: Options): Promise<Refusal> {
  return expectProblem(await send(body, options), 422, 'import-refused') as unknown as Refusal;
}

const COLUMNS = ['propertyId', 'type', 'category', 'description', 'amount', 'date'];

type Cells = Record<string, string | number>;

/** A line of CSV; the cells are not quoted. */
function line(cells: Cells = {}, columns: readonly string[] = COLUMNS): string {
  const least = { type: 'EXPENSE', category: 'CLEANING', description: 'Cleaning', amount: '12.50' };
  const row: Cells = { propertyId: property, ...least, date: '2026-01-15T10:30:00Z', ...cells };
  return columns.map((name) => row[name] ?? '').join(',');
}

const textOf = (...lines: readonly string[]): string => lines.map((text) => `${text}\r\n`).join('');
const csv = (...lines: readonly string[]): string => textOf(COLUMNS.join(','), ...lines);
const csvOf = (more: readonly string[], ...rows: readonly Cells[]): string => {
  const columns = [...COLUMNS, ...more];
  return textOf(columns.join(','), ...rows.map((row) => line(row, columns)));
};
const ndjson = (...rows: readonly unknown[]): string =>
  rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join('');

const stored = async (caller = owner): Promise<number> =>
  pageOf(await caller.get('/api/transactions')).totalElements;

/** Every transaction in the order of the ids, as GET shows it; each number as its digits. */
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

describe('POST /api/transactions/import of CSV', () => {
  it('stores each row as a POST would', async () => {
    const more = [
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
    const full = {
      ...{
        amount: '99999999999999999.99',
        bookingId: '9223372036854775807',
        id: 'whatever',
        recurring: 'TRUE',
      },
      ...{ tags: '"[""a"",""b, c""]"', metadata: '"{""constructor"":""x""}"' },
      notes: '"two\r\nlines, and ""quotes"""',
    };
    const empty = { description: '""', notes: '""', paidAt: '""', status: '""' };
    expect(await imported(csvOf(more, full, empty))).toEqual({
      ...{ dryRun: false, rows: 2, created: 2, duplicates: 0, findings: [] },
    });
    const [first, second] = await transactions();
    expect(first).toMatchObject({
      ...{ propertyId: String(property), amount: '99999999999999999.99', bookingId: '9223372036854775807' },
      ...{ tags: ['a', 'b, c'], metadata: { constructor: 'x' }, recurring: true, frequency: null },
      ...{ notes: 'two\r\nlines, and "quotes"', vendor: null, status: 'PENDING' },
    });
    const fallbacks = { tags: [], metadata: {}, frequency: 'ONE_TIME' };
    expect(second).toMatchObject({ description: '', notes: '', ...fallbacks });
    await expectTotals();
  });

  it.each<[string, (text: string) => string]>([
    ['a byte order mark', (text) => `\ufeff${text}`],
    ['LF', (text) => text.replaceAll('\r\n', '\n')],
    ['no end of the last line', (text) => text.trimEnd()],
    ['empty lines', (text) => text.replaceAll('\r\n', '\r\n\r\n')],
    ['every cell in quotes', (text) => text.replaceAll(/[^,\r\n]+/g, '"$&"')],
    ['other columns first', (text) => text.replaceAll(/^(.*),(.*),(.*)$/gm, '$3,$2,$1')],
  ])('reads a file with %s', async (_, change) => {
    expect(await imported(change(csv(line(), line({ amount: 7 }))))).toMatchObject({ rows: 2, created: 2 });
    expect(await transactions()).toMatchObject([{ amount: '12.50' }, { amount: '7.00' }]);
  });

  it('stores nothing of a file without rows', async () => {
    expect(await imported(csv())).toMatchObject({ rows: 0, created: 0 });
  });

  it.each<[string, string | Buffer]>([
    ['is empty', ''],
    ['has an open quote in its first line', 'type,"amount'],
    ['has more than 100 columns', ','.repeat(2_000_000)],
    ['has a header of more than 16 KiB', `type,${'x'.repeat(16 * 1024)}`],
    ['is not UTF-8', Buffer.from([0x74, 0xff, 0x0a])],
    ['is UTF-16', Buffer.from('\ufefftype,amount\n', 'utf16le')],
  ])('answers 400 for a file that %s', async (_, body) => {
    expectProblem(await send(body), 400, 'malformed-request');
  });

  it('answers 400 for unknown, repeated and missing columns, and reads no row', async () => {
    const columns = [...COLUMNS.map((name) => (name === 'date' ? 'Betrag' : name)), 'type', ''];
    const unknown = 'is not a column of a transaction';
    expect(
      expectFaults(
        await send(textOf(columns.join(','), line({ type: 'NONE' }))),
        'type',
        'Betrag',
        '',
        'date',
      ),
    ).toEqual({ type: 'comes twice', Betrag: unknown, '': unknown, date: 'is required' });
  });

  it('stores texts without the apostrophes that guard formulas', async () => {
    const cells = ["'=1+1", "''=1+1", "'quoted'", '=1+1', "x;'=1+1", "x;''-1", "x '=1"];
    await imported(csvOf([], ...cells.map((description) => ({ description }))));
    const texts = ['=1+1', "'=1+1", "'quoted'", '=1+1', 'x;=1+1', "x;'-1", "x '=1"];
    expect(await transactions()).toMatchObject(texts.map((description) => ({ description })));
  });

  it('answers 422 with each fault by its line, and stores nothing', async () => {
    const faults: (readonly [text: string, field: string | null, reason: RegExp])[] = [
      [line({ amount: '' }), 'amount', /^is required$/],
      [line({ amount: '"12,50"' }), 'amount', /^must be a number$/],
      [line({ category: 'FOOD' }), 'category', /^must be one of BOOKING/],
      [line({ date: '2026-02-30' }), 'date', /date and time/],
      [line({ propertyId: '' }), 'propertyId', /^is required$/],
      [`${line({ description: '"a\r\nb\nc"' })}\r\n\r\n${line({ amount: 0 })}`, 'amount', /0.01/],
      ['1', null, /^has 1 cells/],
      ['1,2', null, /^has 2 cells, and the first line names 6 columns$/],
      [line({ date: '"x"y' }), null, /behind a cell/],
      [line({ date: 'x"y"' }), null, /quote within cell "x"/],
      [','.repeat(500_000), null, /^has more than 100 cells$/],
    ];
    for (const [text, reason] of [
      ['"x', /quote in line 17 that is never closed/],
      ['x'.repeat(1024 ** 2 + 1), /longer than 1048576 characters, and nothing/],
      [`"${'""'.repeat(600_000)}"`, /longer than 1048576 characters, and nothing/],
    ] as const) {
      const all = [...faults, [text, null, reason] as const];
      let at = 2;
      const findings = all.map(([lines, field, message]) => {
        at += lines.split('\n').length;
        return { line: at - 1, field, reason: expect.stringMatching(message) as string };
      });
      const file = csv(...all.map(([lines]) => lines));
      for (const query of ['dryRun=true', ''])
        expect(await refused(file, { query })).toMatchObject({ faults: all.length, findings });
    }
    expect(await stored()).toBe(0);
  });

  it('names the first 100 findings, elements by their index, and counts all', async () => {
    const bad = { tags: '"[1,""a"",2]"', metadata: 'none', amount: 0 };
    const report = await refused(csvOf(['tags', 'metadata'], ...Array<Cells>(60).fill(bad)));
    expect(report).toMatchObject({ rows: 60, faults: 240 });
    expect(report.findings).toHaveLength(100);
    const fields = report.findings.slice(0, 4).map(({ field }) => field);
    expect(fields.sort()).toEqual(['amount', 'metadata', 'tags[0]', 'tags[2]']);
  });

  it('names findings of every kind by line', async () => {
    for (const amount of [5, 1]) await imported(csv(line({ amount })));
    const rows: Cells[] = [
      { amount: 5, date: '2026-01-15T23:00:00Z' },
      { propertyId: NOBODYS },
      { amount: 'x' },
    ];
    const report = await refused(csvOf([], ...rows, { amount: 1 }, { amount: '1.00' }));
    expect(report).toMatchObject({
      ...{ rows: 5, faults: 2, duplicates: 2 },
      detail: 'Rows of the file have faults, and nothing was stored: see findings.',
    });
    expect(report.findings.map(({ line: at, field }) => `${at} ${field}`)).toEqual([
      ...['2 null', '3 propertyId', '4 amount', '5 null'],
    ]);
  });

  it('reads amounts with separator=;&decimal=, and answers 422 for signs between thousands', async () => {
    const file = (...amounts: string[]): string =>
      csv(...amounts.map((_, index) => line({ amount: `#${index}` })))
        .replaceAll(',', ';')
        .replaceAll(/#(\d)/g, (_, index: string) => amounts[Number(index)]!);
    const options = { query: 'separator=;&decimal=,' };
    const { findings } = await refused(file('1.234', '1.234,50', '1,234,50', '12,345'), options);
    expect(findings).toMatchObject([2, 3, 4, 5].map((at) => ({ line: at, field: 'amount' })));
    await imported(file('1234,5', '"0,01"', '7'), options);
    expect(await transactions()).toMatchObject([
      { amount: '1234.50' },
      { amount: '0.01' },
      { amount: '7.00' },
    ]);
  });

  it.each([
    [';', ';', ''],
    ['\t', 'tab', ''],
    [',', ',', 'separator=;'],
  ])('answers 400 with the separator of a file with %j', async (char, name, query) => {
    const file = csv(line()).replaceAll(',', char);
    const { separator } = expectFaults(await send(file, { query }), 'separator');
    expect(separator).toMatch(`is the file separated by ${name}?`);
    expect(await imported(file, { query: `separator=${name}` })).toMatchObject({ created: 1 });
  });

  it.each([
    ['UTC', '2026-02-01', '2026-02-01T00:00:00.000Z'],
    ['Europe/Lisbon', '2026-07-01', '2026-06-30T23:00:00.000Z'],
    ['America/New_York', '2026-02-01', '2026-02-01T05:00:00.000Z'],
    ['Asia/Kolkata', '2026-02-01', '2026-01-31T18:30:00.000Z'],
    ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z'], // midnight is skipped
    ['America/Havana', '2025-11-02', '2025-11-02T04:00:00.000Z'], // midnight comes twice
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z'], // the whole day is skipped
    ['America/Sao_Paulo', '1900-01-01', '1900-01-01T03:06:28.000Z'],
  ])('reads a day in %s, %s, as %s', async (zone, day, date) => {
    const row = { date: day, paidAt: day, dueDate: `${day}T00:00:00Z` };
    await imported(csvOf(['paidAt', 'dueDate'], row), { query: `timeZone=${zone}` });
    expect(await transactions()).toMatchObject([{ date, paidAt: date, dueDate: `${day}T00:00:00.000Z` }]);
  });

  it.each(['dryRun=yes', 'dryRun=true&dryRun=true', 'duplicates=never', 'timeZone=EST'])(
    'answers 400 for %s',
    async (query) => {
      expectFaults(await send(csv(line()), { query }), query.slice(0, query.indexOf('=')));
    },
  );
});

describe('POST /api/transactions/import of NDJSON', () => {
  it('reads the body of a POST in each line, and a day without a time', async () => {
    const row = transactionRequest(property, { tags: ['a'], metadata: { b: 'c' }, id: 7, unknown: [1] });
    const first = JSON.stringify(row).replace('360.75', '99999999999999999.99');
    const file = ndjson(first, '', { ...row, amount: 2, date: '2026-02-01' });
    expect(await imported(file, { type: NDJSON, query: 'timeZone=Asia/Tokyo' })).toMatchObject({
      created: 2,
    });
    expect(await transactions()).toMatchObject([
      { amount: '99999999999999999.99', tags: ['a'], metadata: { b: 'c' } },
      { amount: '2.00', date: '2026-01-31T15:00:00.000Z' },
    ]);
  });

  it('answers 422 with each fault by its line', async () => {
    const row = transactionRequest(property);
    const faulty = ['{', '[]', '1', '"x"', 'null', { ...row, amount: '1' }, { ...row, tags: [1] }];
    expect((await refused(ndjson(row, ...faulty), { type: NDJSON })).findings).toEqual([
      { line: 2, field: null, reason: 'is not valid JSON: it ends too early' },
      ...[3, 4, 5, 6].map((at) => ({ line: at, field: null, reason: 'must be a JSON object' })),
      { line: 7, field: 'amount', reason: 'must be a number' },
      { line: 8, field: 'tags[0]', reason: 'must be a string' },
    ]);
    expect(await stored()).toBe(0);
  });

  it('answers 422 for a line of more than 1 MiB, and reads no further', async () => {
    const file = ndjson(`"${'x'.repeat(1024 ** 2)}"`, '{');
    const reason = expect.stringContaining('longer than 1048576 characters') as string;
    expect((await refused(file, { type: NDJSON })).findings).toEqual([{ line: 1, field: null, reason }]);
  });
});

describe('a row of an import that repeats a stored transaction', () => {
  const file = (...rows: readonly Cells[]): string => csvOf(['paymentReference', 'vendor'], ...rows);

  it('has the file refused, skipped or allowed', async () => {
    const alike = { amount: 12.5, paymentReference: 'R1', date: '2026-01-15T00:00:00Z' };
    const { id } = await createTransaction(owner, property, alike);
    await createTransaction(owner, property, alike);
    const other = {
      paymentReference: 'R1',
      amount: '12.5',
      description: 'Other',
      type: 'INCOME',
      vendor: 'V',
    };
    const two = file({ paymentReference: 'R2' }, other);
    expect(await refused(two)).toMatchObject({
      ...{ rows: 2, duplicates: 1, faults: 0, detail: expect.stringContaining('duplicates=skip') as string },
      findings: [{ line: 3, field: null, reason: `is a duplicate of transaction ${id}` }],
    });
    for (const [duplicates, created, repeated, total] of [
      ['skip', 1, 1, 3],
      ['skip', 0, 2, 3],
      ['allow', 2, 2, 5],
    ] as const) {
      const report = await imported(two, { query: `duplicates=${duplicates}` });
      expect(report).toMatchObject({ created, duplicates: repeated });
      expect(await stored()).toBe(total);
    }
  });

  it('is counted: with one stored, the second of two alike is new', async () => {
    expect(await imported(file({}))).toMatchObject({ created: 1, duplicates: 0 });
    const query = 'duplicates=skip';
    expect(await imported(file({}, {}), { query })).toMatchObject({ created: 1, duplicates: 1 });
    expect(await imported(file({}, {}), { query })).toMatchObject({ created: 0, duplicates: 2 });
  });

  it.each<[string, Cells[]]>([
    ['type', [{}, { type: 'INCOME' }]],
    ['description', [{}, { description: 'Cleaning ' }, { description: 'cleaning' }, { description: '""' }]],
    ['vendor', [{}, { vendor: 'V' }, { vendor: '""' }, { description: '"Cleaning"" ""V"' }]],
    ['amount or day', [{}, { amount: '12.51' }, { date: '2026-01-16' }, { date: '2026-01-15T00:30+01' }]],
    [
      'reference',
      ['', 'R1', 'r1', '"EXPENSE ""Cleaning"""'].map((paymentReference): Cells => ({ paymentReference })),
    ],
  ])('has the same %s', async (_, rows) => {
    expect(await imported(file(...rows))).toMatchObject({ created: rows.length, duplicates: 0 });
    expect(await refused(file(...rows))).toMatchObject({ duplicates: rows.length });
  });

  it('may have an empty reference in place of none, and another category', async () => {
    await imported(file({}));
    expect(await refused(file({ paymentReference: '""', category: 'TAXES' }))).toMatchObject({
      duplicates: 1,
    });
  });

  it('is of the same owner and property', async () => {
    const stranger = await service.account();
    for (const [caller, { id }] of [
      [stranger, await createProperty(stranger)],
      [owner, await createProperty(owner)],
    ] as const)
      await imported(csv(line({ propertyId: id })), { caller });
    expect(await imported(csv(line()))).toMatchObject({ created: 1, duplicates: 0 });
  });

  it('is found by the others of four imports at once', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => send(csv(line()))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422]);
    expect(await stored()).toBe(1);
    await expectTotals();
  });
});

describe('POST /api/transactions/import?dryRun=true', () => {
  it('answers what an import would, stores nothing, and leaves the Idempotency-Key to it', async () => {
    await imported(csv(line()));
    const options = { query: 'duplicates=skip', key: 'a' };
    const dry = await imported(csv(line(), line()), { ...options, query: 'dryRun=true&duplicates=skip' });
    expect(dry).toMatchObject({ dryRun: true, rows: 2, created: 1, duplicates: 1 });
    expect(await stored()).toBe(1);
    const answer = await send(csv(line(), line()), options);
    expect([bodyOf(answer)['created'], answer.headers.get('idempotent-replayed')]).toEqual([1, null]);
  });
});

describe('POST /api/transactions/import with an Idempotency-Key', () => {
  it('imports once, however often and at once it is sent', async () => {
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 4 }, () => send(csv(line()), { key })));
    answers.push(await send(csv(line()), { key }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1);
    expect(await stored()).toBe(1);
  });

  it('answers 422 for another file, rule or media type under the key', async () => {
    await imported(csv(), { key: 'a' });
    for (const options of [{}, { query: 'duplicates=allow' }, { type: NDJSON }]) {
      const file = Object.keys(options).length === 0 ? csv(line()) : csv();
      expectProblem(await send(file, { key: 'a', ...options }), 422, 'idempotency-key-reused');
    }
    await imported(csv(), { key: 'a', type: 'Text/CSV; charset=utf-8' });
  });

  it('imports the corrected file after a refusal', async () => {
    await refused(csv(line({ propertyId: NOBODYS })), { key: 'a' });
    expect(await imported(csv(line()), { key: 'a' })).toMatchObject({ created: 1 });
  });
});

describe('the owner of imported rows', () => {
  it('is the caller: another owner’s property is as a missing one', async () => {
    const stranger = await service.account();
    const theirs = (await createProperty(stranger)).id;
    const [first, second] = [
      await refused(csv(line(), line({ propertyId: theirs }))),
      await refused(csv(line(), line({ propertyId: NOBODYS }))),
    ];
    expect({ ...first, timestamp: '' }).toEqual({ ...second, timestamp: '' });
    expect([await stored(), await stored(stranger)]).toEqual([0, 0]);
  });

  it('is the owner of the property when the caller is an ADMIN', async () => {
    const [caller, stranger] = [await service.account('ADMIN'), await service.account()];
    const theirs = (await createProperty(stranger)).id;
    const rows: Cells[] = [{}, { propertyId: theirs }, { amount: 2 }];
    expect(await imported(csvOf([], ...rows), { key: 'a', caller })).toMatchObject({ created: 3 });
    expect([await stored(), await stored(stranger)]).toEqual([2, 1]);
    const { findings } = await refused(csvOf([], { amount: 3 }, { propertyId: NOBODYS }), { caller });
    expect(findings).toMatchObject([{ line: 3, field: 'propertyId' }]);
  });
});

describe('the bounds of imports', () => {
  it('are 250 rows: one more is a fault with its line', async () => {
    const many = (count: number): string =>
      csvOf([], ...Array.from({ length: count }, (_, index) => ({ amount: `${index + 1}.25` })));
    expect(await imported(many(250))).toMatchObject({ rows: 250, created: 250 });
    await expectTotals();
    const refusal = await refused(many(251), { query: 'duplicates=allow' });
    expect(refusal).toMatchObject({ rows: 250, faults: 1, duplicates: 250 });
    const reason = 'is past the 250 rows that a file may have';
    expect(refusal.findings.at(-1)).toEqual({ line: 252, field: null, reason });
  });

  it('are 2 MiB: one byte more is 413', async () => {
    const file = csv(line()).padEnd(2 * 1024 ** 2, '\n');
    expect(await imported(file)).toMatchObject({ created: 1 });
    expectProblem(await send(`${file}\n`), 413, 'payload-too-large');
  });

  it.each([
    ['application/json', IMPORT, 415],
    ['text/plain', IMPORT, 415],
    ['text/csv; charset=latin1', IMPORT, 415],
    ['TEXT/CSV; charset=utf-8; header=present', IMPORT, 200],
    ['text/csv', '/api/transactions', 415],
    ['application/x-ndjson', '/api/transactions/search', 415],
  ])('let a body of %s to %s have %i', async (type, path, status) => {
    const answer = await owner.send('POST', path, { body: csv(), headers: { 'content-type': type } });
    expect(answer.status).toBe(status);
  });

  async function hostWithFile(): Promise<{ host: Account; file: string }> {
    const host = await service.account();
    return { host, file: csv(line({ propertyId: (await createProperty(host)).id })) };
  }

  it('are four files at work: the fifth waits, and is 503 when its time is up', async () => {
    const hosts = await Promise.all(Array.from({ length: 4 }, hostWithFile));
    const row = 'SELECT 1 FROM owner_totals WHERE owner_id = $1 FOR UPDATE';
    const locks = await Promise.all(hosts.map(({ host }) => Lock.take(service, row, [host.id])));
    const working = hosts.map(({ host, file }) => send(file, { caller: host }));
    for (const lock of locks) await lock.waitedForBy(1);
    const since = performance.now();
    const fifth = await send(csv(line({ amount: 9 })));
    expect(performance.now() - since).toBeGreaterThan(900);
    expect(expectProblem(fifth, 503, 'service-unavailable').detail).toMatch(/files/);
    expect(fifth.headers.get('retry-after')).toBe('1');
    for (const lock of locks) await lock.release();
    expect((await Promise.all(working)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await imported(csv(line({ amount: 9 })))).toMatchObject({ created: 1 });
  });

  const begin = async (host: Account, header = ''): Promise<Wire> =>
    (await Wire.open(service.url)).send(
      `POST ${IMPORT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${host.token}\r\n` +
        `Content-Type: text/csv\r\nContent-Length: 2000000\r\n${header}\r\n,`,
    );

  it('are 64 KiB/s: slow bodies keep no other account waiting, and are 408 after five seconds', async () => {
    const slow = await Promise.all(Array.from({ length: 6 }, async () => begin((await hostWithFile()).host)));
    for (const amount of [1, 2, 3]) await imported(csv(line({ amount })));
    for (const wire of slow) {
      const { status, headers, text } = await wire.answer();
      expect([status, headers.get('connection')]).toEqual([408, 'close']);
      expect(text).toContain('64 KiB/s');
    }
  });

  it('are one upload of an account: a second is 429', async () => {
    const { host, file } = await hostWithFile();
    const first = await begin(host, 'Expect: 100-continue\r\n');
    expect((await first.answer()).status).toBe(100); // it has come
    const second = await send(file, { caller: host });
    expect(expectProblem(second, 429, 'too-many-requests').detail).toMatch(/file of yours/);
    first.end();
    expect(await imported(file, { caller: host })).toMatchObject({ created: 1 });
  });

  it('are the bytes of all uploads together', async () => {
    const hosts = await Promise.all(Array.from({ length: 9 }, hostWithFile));
    const wires = await Promise.all(
      hosts.map(async ({ host }) => (await begin(host)).send('x'.repeat(1_999_998))),
    );
    const { status, text } = await Promise.race(wires.map((wire) => wire.answer()));
    expect([status, text]).toEqual([503, expect.stringContaining('Too many files')]);
    for (const wire of wires) wire.end();
    expect(await imported(csv(line()))).toMatchObject({ created: 1 });
  });
});

it('an import of random bytes is never a 5xx', async () => {
  const parts = fc.constantFrom(...Array.from('",\n\ra1{}[: \0💶'), '\r\n', '\ufeff');
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
    fc.array(parts, { maxLength: 60 }).map((texts) => Buffer.from(texts.join(''))),
  );
  await fc.assert(
    fc.asyncProperty(bytes, fc.boolean(), fc.constantFrom(CSV, NDJSON), async (body, withHeader, type) => {
      const file = withHeader ? Buffer.concat([Buffer.from(textOf(COLUMNS.join(','))), body]) : body;
      expect([200, 400, 422]).toContain((await send(file, { type })).status);
    }),
    { numRuns: 100, seed: 7 },
  );
  expect(await stored()).toBe(0);
});

describe('an import of an export', () => {
  const SIGNS = Array.from('\'=+-@\t\r\n",;＝a 💶');
  const storable = fc
    .oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.array(fc.constantFrom(...SIGNS), { maxLength: 6 }).map((parts) => parts.join('')),
    )
    .filter((text) => text.isWellFormed() && !text.includes('\0'));
  const [min, max] = [new Date('0001-01-01T00:00:00Z'), new Date('9999-12-31T23:59:59Z')];
  const instant = fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString());
  const text = fc.option(storable);
  const key = storable.filter((name) => name !== '__proto__');
  const row = fc.record({
    ...{ type: fc.constantFrom('INCOME', 'EXPENSE'), category: fc.constantFrom('CLEANING', 'TAXES') },
    ...{ description: storable, subcategory: text, vendor: text, notes: text, paymentReference: text },
    amount: fc.integer({ min: 1, max: 1e9 }).map((cents) => cents / 100),
    ...{ date: instant, dueDate: fc.option(instant), paidAt: fc.option(instant), recurring: fc.boolean() },
    frequency: fc.option(fc.constantFrom('MONTHLY', 'ONE_TIME')),
    bookingId: fc.option(fc.integer()),
    tags: fc.array(storable, { maxLength: 3 }),
    metadata: fc.dictionary(key, storable, { maxKeys: 3 }),
  });

  it.each([
    [CSV, ''],
    [CSV, 'separator=;&decimal=,'],
    [CSV, 'separator=tab'],
    [NDJSON, ''],
  ])(
    'as %s with "%s" finds duplicates alone, and stores the same rows in an empty account',
    async (type, form) => {
      await fc.assert(
        fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 8 }), async (rows) => {
          const caller = await service.account();
          const { id: propertyId } = await createProperty(caller);
          const allow = { query: `duplicates=allow&${form}`, caller };
          await imported(ndjson(...rows.map((fields) => ({ propertyId, ...fields }))), {
            ...allow,
            type: NDJSON,
          });
          const before = await transactions(caller);
          const { text: file } = await caller.post(
            ...([`/api/transactions/export?${form}`, { sortBy: 'id' }, { accept: type }] as const),
          );
          const again = await imported(file, { type, query: `duplicates=skip&${form}`, caller });
          expect(again).toMatchObject({ created: 0, duplicates: rows.length });
          await service.sql('DELETE FROM transactions WHERE owner_id = $1', [caller.id]);
          expect(await imported(file, { ...allow, type })).toMatchObject({ created: rows.length });
          const anew = expect.any(String) as unknown;
          expect(await transactions(caller)).toEqual(
            before.map((fields) => ({ ...fields, id: anew, createdAt: anew, updatedAt: anew })),
          );
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

  it('answers 201 with all transactions, in their order and as GET shows them', async () => {
    const transactions = rows(100, { tags: ['x'], metadata: { a: 'b' } });
    const answer = await owner.post(BATCH, { transactions });
    expect(answer.status).toBe(201);
    const { transactions: created } = bodyOf(answer) as { transactions: { id: number; amount: number }[] };
    expect(created.map(({ amount }) => amount)).toEqual(rows(100).map(({ amount }) => amount));
    for (const row of [created[0]!, created[99]!])
      expect((await owner.get(`/api/transactions/${row.id}`)).json).toEqual(row);
    expect(await stored()).toBe(100);
    await expectTotals();
  });

  it('answers 400 with each fault by its index, and records nothing', async () => {
    const transactions = [...rows(2), { ...rows(1)[0], amount: 0, tags: [1] }, {}, 7, []];
    const errors = expectFaults(
      await owner.post(BATCH, { transactions }),
      ...['transactions[2].amount', 'transactions[2].tags[0]', 'transactions[4]', 'transactions[5]'],
      ...COLUMNS.map((name) => `transactions[3].${name}`),
    );
    expect(errors['transactions[4]']).toBe('must be an object');
    expect(await stored()).toBe(0);
  });

  it('answers 400 with the first 50 faults, and counts all', async () => {
    const answer = await owner.post(BATCH, { transactions: Array.from({ length: 10 }, () => ({})) });
    const { errors = {}, detail } = expectProblem(answer, 400, 'validation-failed');
    expect(Object.keys(errors)).toHaveLength(50);
    expect(detail).toContain('60 invalid fields');
  });

  it('answers 400 for a list that is empty, too long, missing or none', async () => {
    for (const transactions of [[], 'x', {}, null, undefined, rows(101)])
      expectFaults(await owner.post(BATCH, { transactions }), 'transactions');
  });

  it('answers 404 when one property is not the caller’s, and records nothing', async () => {
    const [admin, theirs] = [await service.account('ADMIN'), await createProperty(await service.account())];
    for (const [caller, propertyId] of [
      [owner, theirs.id],
      [admin, Number(NOBODYS)],
    ] as const) {
      const transactions = [...rows(2), transactionRequest(propertyId)];
      expectProblem(await caller.post(BATCH, { transactions }), 404, 'not-found');
    }
    expect(await stored()).toBe(0);
  });

  it('records an ADMIN’s transactions for the owners of their properties', async () => {
    const [admin, stranger] = [await service.account('ADMIN'), await service.account()];
    const theirs = (await createProperty(stranger)).id;
    const transactions = [transactionRequest(theirs), ...rows(1), transactionRequest(theirs)];
    const { transactions: created } = bodyOf(await admin.post(BATCH, { transactions }));
    expect(created).toMatchObject([theirs, property, theirs].map((propertyId) => ({ propertyId })));
    expect([await stored(), await stored(stranger)]).toEqual([1, 2]);
  });

  it('records once under one Idempotency-Key', async () => {
    const key = { 'idempotency-key': 'a' };
    const post = (): Promise<Answer> => owner.post(BATCH, { transactions: rows(3) }, key);
    const answers = await Promise.all(Array.from({ length: 5 }, post));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1);
    expect(await stored()).toBe(3);
    expectProblem(await owner.post(BATCH, { transactions: rows(4) }, key), 422, 'idempotency-key-reused');
    await expectTotals();
  });
});
