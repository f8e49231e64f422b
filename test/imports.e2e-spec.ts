import fc from 'fast-check';
import { expectFaults, expectProblem } from './support/responses.js';
import { type Cells, CSV, csv, Host, NDJSON, ndjson, ROW } from './support/import-files.js';
import { type Service, startService } from './support/service.js';
import { differencesOf } from './support/totals.js';

let service: Service;
let host: Host;

beforeAll(async () => (service = await startService({ IMPORT_BODY_LIMIT: '2MiB' })));
beforeEach(async () => (host = await Host.at(service)));
afterEach(async () => expect(await differencesOf(service)).toEqual([]));

const amounts = async (): Promise<unknown[]> => (await host.rows()).map(({ amount }) => amount);

describe('POST /api/transactions/import of CSV', () => {
  it('stores each row as a POST would', async () => {
    const full = {
      ...{ amount: '99999999999999999.99', bookingId: '9223372036854775807', id: 'any', recurring: 'TRUE' },
      ...{ tags: '"[""a"",""b, c""]"', metadata: '"{""constructor"":""x""}"', createdAt: 'any' },
      notes: '"two\r\nlines, and ""quotes"""',
    };
    const empty = { description: '""', notes: '""', paidAt: '""', status: '""' };
    expect(await host.imported(csv(full, empty))).toEqual({
      ...{ dryRun: false, rows: 2, created: 2, updated: 0, duplicates: 0, findings: [] },
    });
    expect(await host.rows()).toMatchObject<object[]>([
      {
        ...{ propertyId: String(host.property), amount: full.amount, bookingId: full.bookingId },
        ...{ tags: ['a', 'b, c'], metadata: { constructor: 'x' }, recurring: true, frequency: null },
        ...{ notes: 'two\r\nlines, and "quotes"', vendor: null, status: 'PENDING' },
      },
      { description: '', notes: '', tags: [], metadata: {}, frequency: 'ONE_TIME' },
    ]);
  });

  const semicolons = (...cells: string[]): string =>
    csv(...cells.map((amount) => ({ amount: amount.replaceAll(',', '#') })))
      .replaceAll(',', ';')
      .replaceAll('#', ',');
  const european = 'separator=;&decimal=,';
  const two = csv({}, { amount: 7 });

  it.each<[of: string, file: string, amounts: string[], query?: string]>([
    ['no rows', csv(), []],
    ['a byte order mark', `\ufeff${two}`, ['12.50', '7.00']],
    ['LF', two.replaceAll('\r\n', '\n'), ['12.50', '7.00']],
    ['no end of the last line', two.trimEnd(), ['12.50', '7.00']],
    ['empty lines', two.replaceAll('\r\n', '\r\n\r\n'), ['12.50', '7.00']],
    ['rows of empty cells', `${two},,,,,\r\n"",,,,"",""\r\n,\r\n`, ['12.50', '7.00']],
    ['every cell in quotes', two.replaceAll(/[^,\r\n]+/g, '"$&"'), ['12.50', '7.00']],
    ['other columns first', two.replaceAll(/^(.*),(.*),(.*)$/gm, '$3,$2,$1'), ['12.50', '7.00']],
    ['tabs', two.replaceAll(',', '\t'), ['12.50', '7.00'], 'separator=tab'],
    ['decimal commas', semicolons('1234,5', '"0,01"', '7'), ['1234.50', '0.01', '7.00'], european],
  ])('reads a file with %s', async (_, file, expected, query = '') => {
    const counts = { rows: expected.length, created: expected.length };
    expect(await host.imported(file, { query })).toMatchObject(counts);
    expect(await amounts()).toEqual(expected);
  });

  it.each<[string, string | Buffer]>([
    ['is empty', ''],
    ['has an open quote in its first line', 'type,"amount'],
    ['has more than 100 columns', ','.repeat(2_000_000)],
    ['has a header of more than 16 KiB', 'type,'.padEnd(16 * 1024 + 1, 'x')],
    ['is not UTF-8', Buffer.from([0x74, 0xff, 0x0a])],
  ])('answers 400 for a file that %s', async (_, body) => {
    expectProblem(await host.send(body), 'malformed-request');
  });

  const inUtf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
  it.each([
    ['with its mark', inUtf16('\ufefftype,amount\n'), CSV],
    ['with its mark, big-endian', inUtf16('\ufefftype,amount\n').swap16(), CSV],
    ['without its mark', inUtf16('type,amount\n'), CSV],
    ['without its mark, big-endian', inUtf16('{}\n').swap16(), NDJSON],
  ])('answers 400 that names UTF-16 for a file in it, %s', async (_, body, type) => {
    const { detail } = expectProblem(await host.send(body, { type }), 'malformed-request');
    expect(detail).toBe('The file is in UTF-16: send it in UTF-8.');
  });

  const unknown = 'is not a column of a transaction';
  const unnamed = 'has no name: is there a separator at the end of the first line?';
  const any = expect.any(String) as unknown;
  const hint = (name: string): unknown => expect.stringContaining(`is the file separated by "${name}"?`);

  it.each<[string, string, string, Record<string, unknown>]>([
    [
      'unknown, repeated and missing columns',
      csv({ type: 'NONE' }).replace('date', 'Betrag,type,'),
      '',
      { type: 'appears twice', Betrag: unknown, 'column 8': unnamed, date: 'is required' },
    ],
    ['a header of 16 KiB', `${csv().trimEnd()},`.padEnd(16 * 1024, 'x'), '', { ['x'.repeat(100)]: unknown }],
    ['another separator, ;', two.replaceAll(',', ';'), '', { separator: hint(';') }],
    ['another separator, tab', two.replaceAll(',', '\t'), '', { separator: hint('tab') }],
    ['another separator, comma', two, 'separator=;', { separator: hint(',') }],
    ['a flag that is not true or false', two, 'dryRun=yes', { dryRun: any }],
    ['a parameter sent twice', two, 'dryRun=true&dryRun=true', { dryRun: any }],
    [
      'another rule, and another time zone',
      two,
      'duplicates=never&timeZone=EST',
      { duplicates: any, timeZone: any },
    ],
  ])('answers 400 for %s', async (_, file, query, faults) => {
    expect(expectFaults(await host.send(file, { query }), ...Object.keys(faults))).toEqual(faults);
  });

  it('answers 422 for signs between thousands with decimal=,', async () => {
    const file = semicolons('1.234', '1.2', '1.234,50', '1,234,50', '12,345');
    const { findings } = await host.refused(file, { query: european });
    expect(findings).toMatchObject([2, 3, 4, 5, 6].map((line) => ({ line, field: 'amount' })));
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
    const file = csv({ date: day, paidAt: day, dueDate: `${day}T00:00:00Z` });
    await host.imported(file, { query: `timeZone=${zone}` });
    expect(await host.rows()).toMatchObject([{ date, paidAt: date, dueDate: `${day}T00:00:00.000Z` }]);
  });
});

it('POST /api/transactions/import of NDJSON stores the body of a POST in each line', async () => {
  const row = { ...ROW, tags: ['a'], metadata: { b: 'c' }, id: 7, unknown: [1] };
  const first = JSON.stringify(row).replace('12.5', '99999999999999999.99');
  const file = ndjson(first, '', { ...row, amount: 2, date: '2026-02-01' });
  expect(await host.imported(file, { type: NDJSON, query: 'timeZone=Asia/Tokyo' })).toMatchObject({
    created: 2,
  });
  expect(await host.rows()).toMatchObject([
    { amount: '99999999999999999.99', tags: ['a'], metadata: { b: 'c' } },
    { amount: '2.00', date: '2026-01-31T15:00:00.000Z' },
  ]);
});

type Finding = readonly [row: Cells | string, field: string | null, reason: RegExp];

describe('an import with faults answers 422 with the line, field and reason of each, and stores nothing', () => {
  const cells: Finding[] = [
    [{ amount: '' }, 'amount', /^is required$/],
    [{ amount: '"12,50"' }, 'amount', /^must be a number$/],
    [{ category: 'null' }, 'category', /^must be one of BOOKING/],
    [{ date: '2026-02-30' }, 'date', /^must be a date of the calendar, a T and a time, such as 2/],
    [{ propertyId: '' }, 'propertyId', /^is required$/],
    [{ description: '"a\r\n\nb\nc"', amount: 0 }, 'amount', /0.01/],
    ['1\r\n', null, /^has 1 cells/], // and an empty line
    ['1,2', null, /^has 2 cells, and the first line names 6 columns$/],
    ['"x"y', null, /after a cell/],
    ['a cell of more than 20 characters"', null, /quote within cell "a cell of more than ",/],
    [','.repeat(500_000), null, /^has more than 100 cells$/],
  ];
  const faultyJson: Finding[] = [
    ['{', null, /^is not valid JSON: it ends too early$/],
    ...['[]', '1', '"x"', 'null'].map((row): Finding => [row, null, /^must be a JSON object$/]),
    [JSON.stringify({ ...ROW, amount: '1' }), 'amount', /^must be a number$/],
    [JSON.stringify({ ...ROW, tags: [1] }), 'tags[0]', /^must be a string$/],
  ];
  const long = 'x'.repeat(1024 ** 2 - 2);
  const tooLong = /longer than 1048576 characters, and nothing/;

  it.each<[string, string, Finding[]]>([
    ['ended by an open quote', CSV, [...cells, ['"x', null, /quote in line 17 that is never closed$/]]],
    ['ended by a long cell', CSV, [...cells, [`${long}xxx`, null, tooLong]]],
    ['ended by a long cell of quotes', CSV, [...cells, [`"${'""'.repeat(600_000)}"`, null, tooLong]]],
    ['in a line of 1 MiB', CSV, [[`${long}xx`, null, /^has 1 cells/]]],
    [
      'behind a cell of 1 MiB',
      CSV,
      [
        [`"${long}"x`, null, /after a cell$/],
        ['1', null, /^has 1 cells/],
      ],
    ],
    [
      'in a line of 1 MiB of NDJSON, and behind it',
      NDJSON,
      [`"${long}"`, '1'].map((row): Finding => [row, null, /^must be a JSON object$/]),
    ],
    ['in NDJSON', NDJSON, faultyJson],
    ['ended by a long line of NDJSON', NDJSON, [...faultyJson, [`"${long}x"\n{`, null, tooLong]]],
  ])('%s', async (_, type, faults) => {
    const rows = faults.map(([row]) => row);
    const file = type === CSV ? csv(...rows) : ndjson(...rows);
    let line = type === CSV ? 2 : 1;
    const findings = faults.map(([row, field, reason]) => {
      const at = line;
      line += String(typeof row === 'string' ? row : row['description']).split('\n').length;
      return { line: at, field, reason: expect.stringMatching(reason) as string };
    });
    for (const query of ['dryRun=true', ''])
      expect(await host.refused(file, { type, query })).toMatchObject({ faults: faults.length, findings });
    expect(await host.count()).toBe(0);
  });
});

it('an import names the first 100 findings, elements by their index, and counts all', async () => {
  const bad = { tags: '"[1,""a"",2]"', metadata: 'none', amount: 0 };
  const report = await host.refused(csv(...Array<Cells>(60).fill(bad)));
  expect(report).toMatchObject({ rows: 60, faults: 240 });
  expect(report.findings).toHaveLength(100);
  const fields = report.findings.slice(0, 4).map(({ field }) => field);
  expect(fields.toSorted()).toEqual(['amount', 'metadata', 'tags[0]', 'tags[2]']);
});

it('an import of random bytes is never a 5xx', async () => {
  const parts = fc.constantFrom(...Array.from('",\n\ra1{}[: \0💶'), '\r\n', '\ufeff');
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
    fc.array(parts, { maxLength: 60 }).map((texts) => Buffer.from(texts.join(''))),
  );
  await fc.assert(
    fc.asyncProperty(bytes, fc.boolean(), fc.constantFrom(CSV, NDJSON), async (body, withHeader, type) => {
      const file = withHeader ? Buffer.concat([Buffer.from(csv()), body]) : body;
      expect([200, 400, 422]).toContain((await host.send(file, { type })).status);
    }),
    { numRuns: 100, seed: 7 },
  );
  expect(await host.count()).toBe(0);
});
