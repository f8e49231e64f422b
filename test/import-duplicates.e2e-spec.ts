import fc from 'fast-check';
import { parse } from 'lossless-json';
import { bodyOf } from './support/responses.js';
import { createProperty, createTransaction } from './support/factories.js';
import { type Cells, CSV, csv, Host, NDJSON, ndjson } from './support/import-files.js';
import { Lock } from './support/locks.js';
import { type Service, startService } from './support/service.js';
import { differencesOf } from './support/totals.js';

const NOBODYS = '9007199254740991';
const SKIP = { query: 'duplicates=skip' };

let service: Service;
let host: Host;

beforeAll(async () => (service = await startService()));
beforeEach(async () => (host = await Host.at(service)));
afterEach(async () => expect(await differencesOf(service)).toEqual([]));

describe('a row of an import that repeats a stored transaction', () => {
  it('has the file refused, skipped or allowed, and is counted: of two alike with one stored, one is new', async () => {
    const alike = { amount: 12.5, paymentReference: 'R1', date: '2026-01-15T00:00:00Z' };
    const { id } = await createTransaction(host.account, host.property, alike);
    const reference = { paymentReference: 'R1' };
    const rows = csv({}, { ...reference, description: 'Other', type: 'INCOME', vendor: 'V' }, reference);
    expect(await host.refused(rows)).toMatchObject({
      ...{ rows: 3, duplicates: 1, faults: 0, detail: expect.stringContaining('duplicates=skip') as string },
      findings: [{ line: 3, field: null, reason: `is a duplicate of transaction ${id}` }],
    });
    for (const [rule, created, duplicates, total] of [
      ['skip', 2, 1, 3],
      ['skip', 0, 3, 3],
      ['allow', 3, 3, 6],
    ] as const) {
      const query = `duplicates=${rule}`;
      expect(await host.imported(rows, { query })).toMatchObject({ created, duplicates });
      expect(await host.count()).toBe(total);
    }
  });

  it.each<[string, Cells[]]>([
    ['type, whatever its category', [{ category: 'TAXES' }, { type: 'INCOME' }]],
    ['description', [{}, { description: 'Cleaning ' }, { description: 'cleaning' }, { description: '""' }]],
    ['vendor', [{}, { vendor: 'V' }, { vendor: '""' }, { description: '"Cleaning"" ""V"' }]],
    ['amount or day', [{}, { amount: '12.51' }, { date: '2026-01-16' }, { date: '2026-01-15T00:30+01' }]],
    [
      'reference',
      ['', 'R1', 'r1', '"EXPENSE ""Cleaning"""'].map((paymentReference) => ({ paymentReference })),
    ],
  ])('has the same %s', async (_, rows) => {
    // One after the other: each is looked for among those that differ from it in this alone.
    for (const row of rows) expect(await host.imported(csv(row))).toMatchObject({ created: 1 });
    const again = rows.map((row) => ({ paymentReference: '""', ...row, category: 'CLEANING' }));
    expect(await host.refused(csv(...again))).toMatchObject({ duplicates: rows.length });
  });

  it('has the same reference, with by=reference, whatever else was corrected, and then needs one', async () => {
    const { id } = await createTransaction(host.account, host.property, {
      paymentReference: 'R1',
      amount: 9,
    });
    const rows = ['R2', 'R1', 'R1'].map((paymentReference) => ({ paymentReference }));
    const named = async (query: string): Promise<unknown[][]> => {
      const { text } = await host.send(csv(...rows), { query: `${query}&by=reference&lines=true` });
      const { lines } = parse(text, undefined, Number) as { lines: object[] };
      return lines.map(Object.values);
    };
    const [other, another] = [id + 1, id + 2];
    expect(await named('duplicates=skip&dryRun=true')).toEqual([
      [2, null, true],
      [3, id, false],
      [4, null, true],
    ]);
    expect(await named('duplicates=skip')).toEqual([
      [2, other, true],
      [3, id, false],
      [4, another, true],
    ]);
    expect(await named('duplicates=skip')).toEqual([
      [2, other, false],
      [3, id, false],
      [4, another, false],
    ]);
    expect(await named('duplicates=allow')).toEqual(
      [2, 3, 4].map((line) => [line, another + line - 1, true]),
    );
    await (await Host.at(service)).imported(csv(...rows), { query: 'by=reference' });
    const refusal = await host.refused(csv({ paymentReference: '""' }), { query: 'by=reference' });
    const fault = { line: 2, field: 'paymentReference', reason: 'is required with by=reference' };
    expect(refusal.findings).toEqual([fault]);
  });

  it('is of the same owner and property', async () => {
    await (await Host.at(service)).imported(csv({}));
    await host.imported(csv({ propertyId: (await createProperty(host.account)).id }));
    expect(await host.imported(csv({}))).toMatchObject({ created: 1, duplicates: 0 });
  });

  it('is found by an import of an ADMIN at the same time', async () => {
    const admin = await Host.at(service, 'ADMIN');
    const lock = await Lock.take(service, 'LOCK TABLE transactions IN SHARE MODE', []);
    const sent = [host.send(csv({})), admin.send(csv({ propertyId: host.property }))];
    await lock.waitedForBy(2); // the second waits for the first
    await lock.release();
    const responses = await Promise.all(sent);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 422]);
    expect(await host.count()).toBe(1);
  });

  it('is a finding among those of missing properties and faults, by line', async () => {
    for (const amount of [5, 1]) await host.imported(csv({ amount }));
    const faulty: Cells[] = [{ propertyId: NOBODYS }, { amount: 'x' }];
    const late = { amount: 5, date: '2026-01-15T23:00:00Z' };
    const file = csv(late, ...faulty, { amount: 1 }, { amount: '1.00' });
    const report = await host.refused(file);
    expect(report).toMatchObject({
      ...{ rows: 5, faults: 2, duplicates: 2 },
      detail: 'Rows of the file have faults, and nothing was stored: see findings.',
    });
    expect(report.findings.map(({ line, field }) => `${line} ${field}`)).toEqual([
      ...['2 null', '3 propertyId', '4 amount', '5 null'],
    ]);
    const { findings } = await host.refused(file, SKIP); // would be left out, so that they are no reason to refuse it
    expect(findings.map(({ line }) => line)).toEqual([3, 4]);
  });
});

it('an import with dryRun=true answers the same, stores nothing, and leaves the Idempotency-Key free', async () => {
  await host.imported(csv({}));
  const key = 'a';
  const dry = await host.imported(csv({}, {}), { query: 'dryRun=true&duplicates=skip', key });
  expect(dry).toMatchObject({ dryRun: true, rows: 2, created: 1, duplicates: 1 });
  expect(await host.count()).toBe(1);
  const response = await host.send(csv({}, {}), { ...SKIP, key });
  expect([bodyOf(response)['created'], response.headers.get('idempotent-replayed')]).toEqual([1, null]);
});

it('an ADMIN imports rows for the owners of their properties', async () => {
  const [admin, stranger] = [await Host.at(service, 'ADMIN'), await Host.at(service)];
  const rows: Cells[] = [{}, { propertyId: host.property }, { propertyId: stranger.property }, { amount: 2 }];
  expect(await admin.imported(csv(...rows), { key: 'a' })).toMatchObject({ created: 4 });
  expect([await host.count(), await stranger.count()]).toEqual([1, 1]);
  const { findings } = await admin.refused(csv({ amount: 3 }, { propertyId: NOBODYS }));
  expect(findings).toMatchObject([{ line: 3, field: 'propertyId' }]);
});

describe('an import of an export', () => {
  const SIGNS = Array.from('\'=+-@\t\r\n",;＝a 💶');
  const character = fc.nat(0x10ffff).map((point) => String.fromCodePoint(point));
  const storable = fc
    .oneof(
      fc.string({ unit: character, maxLength: 20 }),
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

  async function expectRoundTrip(rows: readonly object[], type: string, form: string): Promise<void> {
    const caller = await Host.at(service);
    const allow = `duplicates=allow&${form}`;
    const created = rows.length;
    const file = ndjson(...rows.map((fields) => ({ propertyId: caller.property, ...fields })));
    await caller.imported(file, { query: allow, type: NDJSON });
    const before = await caller.rows();
    const path = `/api/transactions/export?${form}`;
    const { text: exported } = await caller.account.post(path, { sortBy: 'id' }, { accept: type });
    const returned = await caller.imported(exported, { type, query: `mode=update&${form}` });
    expect(returned).toMatchObject({ rows: created, updated: 0 });
    const again = await caller.imported(exported, { type, query: `duplicates=skip&${form}` });
    expect(again).toMatchObject({ created: 0, duplicates: created });
    await service.sql('DELETE FROM transactions WHERE owner_id = $1', [caller.account.id]);
    expect(await caller.imported(exported, { type, query: allow })).toMatchObject({ created });
    const anew = expect.any(String) as unknown;
    const fresh = { id: anew, createdAt: anew, updatedAt: anew };
    expect(await caller.rows()).toEqual(before.map((fields) => ({ ...fields, ...fresh })));
  }

  it.each([
    [CSV, ''],
    [CSV, 'separator=;&decimal=,'],
    [CSV, 'separator=tab'],
    [NDJSON, ''],
  ])('as %s with "%s" finds duplicates alone, and stores the same rows in an empty account', (type, form) =>
    fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 8 }), (rows) =>
        expectRoundTrip(rows, type, form),
      ),
      { numRuns: 12, seed: 15 },
    ),
  );
});
