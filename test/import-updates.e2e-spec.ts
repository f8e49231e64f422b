import { expectFaults, expectProblem } from './support/responses.js';
import { createProperty, createTransaction, transactionRequest } from './support/factories.js';
import { CSV, Host, NDJSON, ndjson, ROW } from './support/import-files.js';
import { Lock } from './support/locks.js';
import { type Service, startService } from './support/service.js';
import { differencesOf } from './support/totals.js';

const EXPORT = '/api/transactions/export';
const UPDATE = 'mode=update';
const NOBODYS = 9007199254740991;

type Cells = Readonly<Record<string, string | number | null | undefined>>;

let service: Service;
let host: Host;

beforeAll(async () => (service = await startService()));
beforeEach(async () => (host = await Host.at(service)));
afterEach(async () => expect(await differencesOf(service)).toEqual([]));

/** A file of CSV with the columns of its rows, of which null is an empty cell. */
function sheet(...rows: readonly Cells[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => columns.map((name) => row[name] ?? '').join(','));
  return [columns.join(','), ...lines].map((line) => `${line}\r\n`).join('');
}

const create = (fields: object = {}, property = host.property): Promise<{ id: number }> =>
  createTransaction(host.account, property, { ...fields });

const update = (file: string, query = '', type = CSV): Promise<Record<string, unknown>> =>
  host.imported(file, { query: `${UPDATE}&${query}`, type });

/** Line, field and reason of each finding. */
async function findingsOf(file: string, query = UPDATE, of = host): Promise<string[]> {
  return (await of.refused(file, { query })).findings.map((finding) => Object.values(finding).join(' '));
}

const propertyNames = async (): Promise<unknown[]> =>
  (await host.rows()).map(({ propertyName }) => propertyName);

describe('a file of updates', () => {
  it.each([
    [CSV, ''],
    [CSV, 'separator=;&decimal=,&timeZone=Europe/Lisbon&bom=true'],
    [NDJSON, 'timeZone=Asia/Tokyo'],
  ])(
    'that is an export, %s with "%s", changes nothing, and with a cell edited this cell alone',
    async (type, form) => {
      const texts = { notes: "two\r\nlines, '=1+1", tags: ['a', '"b"'], metadata: { b: '2', a: '=1' } };
      for (const fields of [{}, texts, { recurring: true }, { subcategory: '', bookingId: -5, amount: 99 }])
        await create({ description: 'Édited', ...fields });
      const before = await host.rows();
      const { text } = await host.account.post(`${EXPORT}?${form}`, { sortBy: 'id' }, { accept: type });
      const query = form.replace('&bom=true', '');
      expect(await update(text, query, type)).toEqual({
        ...{ dryRun: false, rows: 4, created: 0, updated: 0, duplicates: 0, findings: [] },
      });
      expect(await host.rows()).toEqual(before);
      const edited = text.replace(/\b99[.,]00/, (amount) => amount.replace('99', '98'));
      expect(await update(edited, query, type)).toMatchObject({ rows: 4, updated: 1 });
      const updatedAt = expect.any(String) as unknown;
      const changed = { ...before[3], amount: '98.00', version: '2', updatedAt };
      expect(await host.rows()).toEqual([...before.slice(0, 3), changed]);
      expect((await host.rows())[3]!['updatedAt']).not.toBe(before[3]!['updatedAt']);
    },
  );

  it('without a column leaves the field as it is, and an empty cell or null is its default, as in a PUT', async () => {
    const texts = ['subcategory', 'paymentReference', 'vendor', 'notes', 'bookingReference', 'receiptUrl'];
    const day = '2026-01-16T10:30:00Z';
    const all = {
      ...Object.fromEntries(texts.map((name) => [name, name])),
      ...{
        paymentMethod: 'CASH',
        tags: ['t'],
        dueDate: day,
        paidAt: day,
        bookingId: 7,
        metadata: { a: 'b' },
      },
      ...{ recurring: true, frequency: 'MONTHLY', status: 'PAID' },
    };
    const patches: object[] = Object.keys(all).map((name) => ({ [name]: null }));
    patches.push({ tags: [] }, { metadata: {} }, { notes: '' }, { date: '2026-03-01T00:00:00+01' });
    patches.push({ amount: 5.5, type: 'EXPENSE', category: 'TAXES' });
    patches.push(...[true, false].map((recurring) => ({ recurring, frequency: null })));
    for (const recurring of [true, false])
      for (const patch of patches) {
        const fields = { ...all, recurring, ...(recurring ? {} : { frequency: 'ONE_TIME' }) };
        const [one, other] = [await create(fields), await create(fields)];
        const request = { ...transactionRequest(host.property), ...fields, ...patch };
        const replaced = await host.account.put(`/api/transactions/${one.id}`, request);
        await update(ndjson({ id: other.id, version: 1, ...patch }), '', NDJSON);
        const updated = (await host.account.get(`/api/transactions/${other.id}`)).json as object;
        const time = expect.any(String) as unknown;
        const own = { id: other.id, createdAt: time, updatedAt: time };
        expect({ patch, ...updated }).toEqual({ patch, ...(replaced.json as object), ...own });
      }
    const { id } = await create(all);
    await update(sheet({ id, version: 1, vendor: null, tags: null, status: null }));
    const [row] = (await host.rows()).slice(-1);
    expect(row).toMatchObject({ vendor: null, tags: [], status: 'PENDING', notes: 'notes' });
  });

  it('keeps the line breaks and empty texts that a spreadsheet has not', async () => {
    const { id } = await create({ notes: 'a\r\nb\rc', subcategory: '', vendor: 'v' });
    const returned = { id, version: 1, notes: '"a\nb\nc"', subcategory: null, vendor: 'v' };
    expect(await update(sheet(returned))).toMatchObject({ updated: 0 });
    expect(await update(sheet({ ...returned, vendor: null }))).toMatchObject({ updated: 1 });
    expect(await host.rows()).toMatchObject([{ notes: 'a\r\nb\rc', subcategory: '', vendor: null }]);
    expect(await update(sheet({ ...returned, version: 2, notes: '"a\nb"' }))).toMatchObject({ updated: 1 });
    expect(await host.rows()).toMatchObject([{ notes: 'a\nb', vendor: 'v' }]);
  });

  it('with dryRun tells each change by line and field, and stores nothing', async () => {
    const { id } = await create({ notes: 'n'.repeat(300), tags: ['a'] });
    const { id: other } = await create();
    const rows = [
      { id: other, version: 1, amount: 360.75 },
      { id, version: 1, amount: 1, notes: null, tags: '"[]"' },
    ];
    const report = await update(sheet(...rows), 'dryRun=true&lines=true');
    expect(report).toEqual({
      ...{ dryRun: true, rows: 2, created: 0, updated: 1, duplicates: 0, findings: [] },
      changes: [
        { line: 3, field: 'amount', from: '360.75', to: '1.00' },
        { line: 3, field: 'notes', from: 'n'.repeat(255), to: null },
        { line: 3, field: 'tags', from: '["a"]', to: '[]' },
      ],
      lines: [
        { line: 2, id: other, created: false },
        { line: 3, id, created: false },
      ],
    });
    expect((await host.rows()).map(({ version }) => version)).toEqual(['1', '1']);
  });

  it('is refused with a finding for each row of another version or account, and given twice, and stores nothing', async () => {
    const [{ id }, { id: stale }] = [await create(), await create()];
    await host.account.put(`/api/transactions/${stale}`, transactionRequest(host.property));
    const stranger = await Host.at(service);
    const foreign = await createTransaction(stranger.account, stranger.property);
    const before = await host.rows();
    const mine = 'id must be the id of one of your transactions';
    const keys = [id, stale, id, foreign.id, NOBODYS].map((each) => ({ id: each, version: 1 }));
    const rows: Cells[] = [...keys, { id: 7 }, { version: 1 }, { id: '1.5', version: 0 }];
    const file = sheet(...rows.map((row) => ({ ...row, amount: 2, propertyId: host.property })));
    const expected = ['3 version is now 2', '4 id repeats the id of line 2', `5 ${mine}`, `6 ${mine}`];
    expected.push('7 version is required', '8 id is required', '9 id must be a whole number');
    expected.push('9 version must be a whole number from 1 to 2147483647');
    for (const query of ['', '&dryRun=true'])
      expect(await findingsOf(file, UPDATE + query)).toEqual(expected);
    const faulty = sheet({ id, version: 1, amount: 0 });
    expect(await findingsOf(faulty)).toEqual([expect.stringContaining('2 amount must be from 0.01')]);
    const elsewhere = sheet({ id, version: 1, propertyId: stranger.property });
    expect(await findingsOf(elsewhere)).toEqual(['2 propertyId must be the id of one of your properties']);
    expectFaults(await host.send(sheet({ amount: 1 }), { query: UPDATE }), 'id', 'version');
    const ignored = sheet({ id, version: 1, approvalStatus: 'APPROVED', createdAt: 'x', propertyName: 'y' });
    expect(await update(ignored)).toMatchObject({ updated: 0 });
    expect(await host.rows()).toEqual(before);
    expect((await stranger.rows())[0]).toMatchObject({ version: '1', amount: '360.75' });
  });

  it('is stored once under an Idempotency-Key', async () => {
    const { id } = await create();
    const send = (): Promise<unknown> =>
      host.imported(sheet({ id, version: 1, amount: 1 }), { query: UPDATE, key: 'a' });
    expect(await send()).toEqual(await send());
    expect(await host.rows()).toMatchObject([{ version: '2' }]);
  });

  it('moves rows to another property, whose name they take, and keeps the totals', async () => {
    const barn = await createProperty(host.account, { name: 'Barn' });
    const rows = [await create(), await create(), await create()];
    await service.sql(`UPDATE properties SET name = 'Renamed' WHERE id = $1`, [host.property]);
    const [moved, named, kept] = rows.map(({ id }) => ({ id, version: 1 }));
    const here = { ...named!, propertyId: host.property, vendor: 'v' };
    await update(sheet({ ...moved!, propertyId: barn.id }, here));
    await update(sheet({ ...kept!, vendor: null }));
    expect(await propertyNames()).toEqual(['Barn', 'Renamed', 'Seaside Cottage']);
  });

  it('of several accounts is an ADMIN’s, who moves no row to another account', async () => {
    const admin = await Host.at(service, 'ADMIN');
    const [{ id }, own] = [await create(), await createTransaction(admin.account, admin.property)];
    const rows = [id, own.id].map((each) => ({ id: each, version: 1, amount: 7 }));
    expect(await admin.imported(sheet(...rows), { query: UPDATE })).toMatchObject({ updated: 2 });
    const rowsOfOthers = [
      { id, version: 2 },
      { id: NOBODYS, version: 1 },
    ];
    const moved = sheet(...rowsOfOthers.map((row) => ({ ...row, propertyId: admin.property })));
    const unowned = 'propertyId must be the id of one of your properties';
    expect((await findingsOf(moved, UPDATE, admin)).toSorted()).toEqual([
      `2 ${unowned}`,
      '3 id must be the id of one of your transactions',
      `3 ${unowned}`,
    ]);
  });

  it('that meets another write of a row is refused as a conflict, and stores nothing', async () => {
    const [{ id }, { id: other }] = [await create(), await create()];
    const lock = await Lock.take(service, 'UPDATE transactions SET version = 2 WHERE id = $1', [other]);
    const rows = [id, other].map((each) => ({ id: each, version: 1, amount: 1 }));
    const sent = host.send(sheet(...rows), { query: UPDATE });
    await lock.waitedForBy(1);
    await lock.release();
    expectProblem(await sent, 'concurrent-modification');
    expect((await host.rows()).map(({ amount }) => amount)).toEqual(['360.75', '360.75']);
  });
});

describe('with property=name a row without a propertyId', () => {
  const BY_NAME = 'property=name';
  const NEW: Cells = Object.fromEntries(Object.entries(ROW).filter(([name]) => name !== 'propertyId'));
  const fault = 'propertyName must be the name of exactly one of your properties';

  beforeEach(async () => {
    for (const name of ['Barn', 'Twin', 'Twin', "'=1"]) await createProperty(host.account, { name });
    await createProperty((await Host.at(service)).account, { name: 'Foreign' });
  });

  it.each([[''], ['propertyId']])(
    'is of the only property of that name (%s), and duplicates are found by it',
    async (column) => {
      const empty = column === '' ? {} : { [column]: null };
      const rows = [
        { ...NEW, ...empty, propertyName: 'Barn' },
        { ...NEW, ...empty, propertyName: "''=1" },
      ];
      expect(await host.imported(sheet(...rows), { query: BY_NAME })).toMatchObject({ created: 2 });
      expect(await propertyNames()).toEqual(['Barn', "'=1"]);
      expect(await host.refused(sheet(...rows), { query: BY_NAME })).toMatchObject({ duplicates: 2 });
    },
  );

  it('has a finding where none or several are called so, or it has no name; a propertyId goes first', async () => {
    const names = ['Twin', 'barn', 'Foreign', null, 'Barn'];
    const rows = names.map((propertyName): Cells => ({ ...NEW, propertyName, propertyId: null }));
    rows.push({ ...NEW, propertyName: 'Twin', propertyId: host.property });
    const faults = [2, 3, 4].map((line) => `${line} ${fault}`);
    expect(await findingsOf(sheet(...rows), BY_NAME)).toEqual([...faults, '5 propertyName is required']);
    expect(await host.imported(sheet(...rows.slice(4)), { query: BY_NAME })).toMatchObject({ created: 2 });
    expectFaults(await host.send(sheet(NEW), { query: BY_NAME }), 'propertyName');
    const byId = sheet({ ...NEW, propertyId: host.property, amount: 2 });
    expect(await host.imported(byId, { query: BY_NAME })).toMatchObject({ created: 1 });
    expectFaults(await host.send(sheet({ ...NEW, propertyName: 'Barn' })), 'propertyId');
  });

  it('moves to it in an update, and stays where the file has no name', async () => {
    const rows = [await create(), await create(), await create()].map(({ id }) => ({ id, version: 1 }));
    const [moved, kept, another] = rows as Cells[];
    const file = sheet({ ...moved, propertyName: 'Barn', propertyId: null });
    expect(await update(file, `${BY_NAME}&dryRun=true`)).toMatchObject({
      changes: [{ line: 2, field: 'propertyId' }],
    });
    expect(await update(file, BY_NAME)).toMatchObject({ updated: 1 });
    expect(await update(sheet({ ...kept, amount: 1 }), BY_NAME)).toMatchObject({ updated: 1 });
    const twin = sheet({ ...another, propertyName: 'Twin' });
    expect(await findingsOf(twin, `${UPDATE}&${BY_NAME}`)).toEqual([`2 ${fault}`]);
    expect(await propertyNames()).toEqual(['Barn', 'Seaside Cottage', 'Seaside Cottage']);
  });
});
