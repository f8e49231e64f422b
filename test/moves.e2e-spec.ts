import { bodyOf, expectProblem, idsOf } from './support/answers.js';
import { createProperty, createTransaction, transactionRequest } from './support/factories.js';
import { type Account, type Service, startService } from './support/service.js';

/** Columns that no request fills, and how they show. */
const COLUMNS = {
  tax_taxable: true,
  tax_category: 'VAT',
  tax_amount: '99999999999999999.99',
  tax_deductible: false,
  tax_deduction_category: 'REPAIRS',
  refund_amount: '12.30',
  refund_date: '2026-03-01T08:00:00.120Z',
  refund_reason: 'Left early',
  refund_reference: 'RF-1',
  approval_status: 'APPROVED',
  approved_by: 'auditor',
  approved_date: '2026-03-02T00:00:00Z',
};
const SHOWN = {
  taxDetails: {
    taxable: true,
    taxCategory: 'VAT',
    taxAmount: Number('99999999999999999.99'),
    deductible: false,
    deductionCategory: 'REPAIRS',
  },
  refund: {
    refundAmount: 12.3,
    refundDate: '2026-03-01T08:00:00.120Z',
    refundReason: 'Left early',
    refundReference: 'RF-1',
  },
  approvalStatus: 'APPROVED',
  approvedBy: 'auditor',
  approvedDate: '2026-03-02T00:00:00.000Z',
};

let service: Service;
let owner: Account;
let other: Account;
let admin: Account;
let [home, second, foreign] = [0, 0, 0];

beforeAll(async () => {
  service = await startService();
  [owner, other, admin] = await Promise.all([service.account(), service.account(), service.account('ADMIN')]);
  home = (await createProperty(owner, { name: 'Home' })).id;
  second = (await createProperty(owner, { name: 'Second' })).id;
  foreign = (await createProperty(other, { name: 'Foreign' })).id;
});

const pathOf = ({ id }: { id: number }): string => `/api/transactions/${id}`;

async function fill(id: number, columns: Record<string, unknown>): Promise<void> {
  const assignments = Object.keys(columns).map((column, index) => `${column} = $${index + 2}`);
  await service.sql(`UPDATE transactions SET ${assignments.join(', ')} WHERE id = $1`, [
    id,
    ...Object.values(columns),
  ]);
}

const listed = async (caller: Account, propertyId: number): Promise<number[]> =>
  idsOf(await caller.get(`/api/transactions/property/${propertyId}?size=100`));

describe('what the server manages', () => {
  it('shows when it is there, and an update keeps it', async () => {
    const created = await createTransaction(owner, home);
    await fill(created.id, COLUMNS);
    const read = await owner.get(pathOf(created));
    expect(bodyOf(read)).toEqual({ ...created, ...SHOWN });
    expect(read.text).toMatch(/"taxAmount":99999999999999999\.99,.*"refundAmount":12\.30,/);

    const updated = await owner.put(pathOf(created), transactionRequest(home, { description: 'New' }));
    expect(updated.text).toMatch(/"taxAmount":99999999999999999\.99,.*"refundAmount":12\.30,/);
    expect(bodyOf(updated)).toEqual({
      ...created,
      ...SHOWN,
      description: 'New',
      updatedAt: bodyOf(updated)['updatedAt'],
    });
    expect((await owner.get(pathOf(created))).json).toEqual(updated.json);
  });

  it.each([
    ['tax_taxable', { taxDetails: { ...nulls(SHOWN.taxDetails), taxable: false } }],
    ['tax_amount', { taxDetails: { ...nulls(SHOWN.taxDetails), taxAmount: 0 } }],
    ['refund_reason', { refund: { ...nulls(SHOWN.refund), refundReason: '' } }],
    ['refund_date', { refund: { ...nulls(SHOWN.refund), refundDate: '2026-01-01T00:00:00.000Z' } }],
    ['approved_by', { approvedBy: '' }],
  ])('shows as a whole when only %s is there', async (column, shown) => {
    const created = await createTransaction(owner, home);
    const values: Record<string, unknown> = { tax_taxable: false, tax_amount: 0, refund_date: '2026-01-01Z' };
    await fill(created.id, { [column]: values[column] ?? '' });
    expect(bodyOf(await owner.get(pathOf(created)))).toEqual({ ...created, ...shown });
    const updated = bodyOf(await owner.put(pathOf(created), transactionRequest(home)));
    expect(updated).toEqual({ ...created, ...shown, updatedAt: updated['updatedAt'] });
  });
});

describe('moving a transaction', () => {
  it('to another property of its owner keeps its id, and the lists of both follow', async () => {
    const created = await createTransaction(owner, home);
    const moved = bodyOf(await owner.put(pathOf(created), transactionRequest(second)));
    expect(moved).toEqual({
      ...created,
      propertyId: second,
      propertyName: 'Second',
      updatedAt: moved['updatedAt'],
    });
    expect(await listed(owner, second)).toContain(created.id);
    expect(await listed(owner, home)).not.toContain(created.id);
  });

  it.each(["another owner's", 'a missing'])(
    'to %s property is 404 for a USER, and nothing changes',
    async (which) => {
      const target = which === 'a missing' ? Number.MAX_SAFE_INTEGER : foreign;
      const created = await createTransaction(owner, home);
      const before = await owner.get(pathOf(created));
      const request = transactionRequest(target, { description: 'Smuggled', amount: 1 });
      expectProblem(await owner.put(pathOf(created), request), 404, 'not-found');
      const after = await owner.get(pathOf(created));
      expect([after.text, after.headers.get('etag')]).toEqual([before.text, '"1"']);
      expect(await listed(other, foreign)).not.toContain(created.id);
    },
  );

  it('to another owner by an ADMIN keeps its id and everything that the server manages', async () => {
    const created = await createTransaction(owner, home);
    await fill(created.id, { ...COLUMNS, created_at: '2020-01-01Z', updated_at: '2020-01-01Z' });
    const answer = await admin.put(pathOf(created), transactionRequest(foreign, { notes: 'moved' }));
    const moved = bodyOf(answer);
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, '"2"']);
    expect(moved).toEqual({
      ...created,
      ...SHOWN,
      propertyId: foreign,
      propertyName: 'Foreign',
      notes: 'moved',
      createdAt: '2020-01-01T00:00:00.000Z',
      updatedAt: moved['updatedAt'],
    });
    expect(Date.now() - Date.parse(String(moved['updatedAt']))).toBeLessThan(60_000);
    const read = await other.get(pathOf(created));
    expect([read.json, read.headers.get('etag')]).toEqual([moved, '"2"']);
    expect(await listed(other, foreign)).toContain(created.id);
    expectProblem(await owner.get(pathOf(created)), 404, 'not-found');
    expect(await listed(owner, home)).not.toContain(created.id);
  });

  it('to another owner loses no column of the row', async () => {
    const created = await createTransaction(owner, home);
    const columns = await service.sql<{ name: string; type: string }>(
      `SELECT column_name AS name, data_type AS type FROM information_schema.columns
        WHERE table_name = 'transactions' AND is_nullable = 'YES' AND is_generated = 'NEVER'`,
    );
    const some: Record<string, string> = {
      numeric: '1',
      bigint: '1',
      boolean: 'true',
      'timestamp with time zone': '2026-01-01Z',
    };
    const notSet = ['payment_method', 'frequency'];
    const texts = columns.filter(({ name }) => !notSet.includes(name));
    await fill(created.id, Object.fromEntries(texts.map(({ name, type }) => [name, some[type] ?? 'text'])));
    const shown = bodyOf(await owner.get(pathOf(created)));
    // The request repeats all that a client may set, so that nothing at all may differ but what a move changes.
    const moved = bodyOf(await admin.put(pathOf(created), { ...shown, propertyId: foreign }));
    const { updatedAt } = moved;
    expect(moved).toEqual({ ...shown, propertyId: foreign, propertyName: 'Foreign', updatedAt });
  });

  it.each(['to a missing property', 'with a stale If-Match'])(
    '%s by an ADMIN changes nothing',
    async (how) => {
      const created = await createTransaction(owner, home);
      const before = await owner.get(pathOf(created));
      const missing = how === 'to a missing property';
      const request = transactionRequest(missing ? Number.MAX_SAFE_INTEGER : foreign);
      const answer = await admin.put(pathOf(created), request, missing ? {} : { 'if-match': '"7"' });
      expectProblem(answer, missing ? 404 : 409, missing ? 'not-found' : 'concurrent-modification');
      const after = await owner.get(pathOf(created));
      expect([after.text, after.headers.get('etag')]).toEqual([before.text, '"1"']);
    },
  );

  it('there and back again by an ADMIN ends where it began', async () => {
    const created = await createTransaction(owner, home, { tags: ['x'], metadata: { a: 'b' } });
    await admin.put(pathOf(created), transactionRequest(foreign, { tags: ['x'], metadata: { a: 'b' } }));
    const back = await admin.put(
      pathOf(created),
      transactionRequest(home, { tags: ['x'], metadata: { a: 'b' } }),
    );
    expect(bodyOf(back)).toEqual({ ...created, updatedAt: bodyOf(back)['updatedAt'] });
    expect(back.headers.get('etag')).toBe('"3"');
    expect((await owner.get(pathOf(created))).json).toEqual(back.json);
  });
});

function nulls(object: object): Record<string, null> {
  return Object.fromEntries(Object.keys(object).map((key) => [key, null]));
}
