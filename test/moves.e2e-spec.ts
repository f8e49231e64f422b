import { bodyOf, expectProblem, idsOf } from './support/responses.js';
import { createProperty, createTransaction, transactionRequest } from './support/factories.js';
import { Lock } from './support/locks.js';
import { type Account, type Service, startService } from './support/service.js';

let service: Service;
let owner: Account;
let other: Account;
let admin: Account;
let [home, second, foreign] = [0, 0, 0];
const MISSING = Number.MAX_SAFE_INTEGER;
const STALE = { 'if-match': '"7"' };

beforeAll(async () => {
  service = await startService();
  [owner, other, admin] = await Promise.all([service.account(), service.account(), service.account('ADMIN')]);
  home = (await createProperty(owner, { name: 'Home' })).id;
  second = (await createProperty(owner, { name: 'Second' })).id;
  foreign = (await createProperty(other, { name: 'Foreign' })).id;
  await createProperty(other, { name: 'Foreign too' });
});

/** A transaction whose columns were written past the service. */
async function createFilled(columns: Record<string, unknown>): Promise<Record<string, unknown>> {
  const created = await createTransaction(owner, home);
  const assignments = Object.keys(columns).map((column, index) => `${column} = $${index + 2}`);
  const values = [created.id, ...Object.values(columns)];
  await service.sql(`UPDATE transactions SET ${assignments.join(', ')} WHERE id = $1`, values);
  return created;
}

const pathOf = ({ id }: Record<string, unknown>): string => `/api/transactions/${String(id)}`;
const listed = async (caller: Account, propertyId: number): Promise<number[]> =>
  idsOf(await caller.get(`/api/transactions/property/${propertyId}?size=100`));

describe('the fields that the server manages', () => {
  const TAX = {
    taxable: null,
    taxCategory: null,
    taxAmount: null,
    deductible: null,
    deductionCategory: null,
  };
  const REFUND = { refundAmount: null, refundDate: null, refundReason: null, refundReference: null };
  const [DATE, TIME] = ['2026-03-01T08:00:00.12Z', '2026-03-01T08:00:00.120Z'];

  it.each<[columns: object, fields: object]>([
    [{ tax_taxable: false }, { taxDetails: { ...TAX, taxable: false } }],
    [
      { tax_category: 'VAT', tax_deductible: true, tax_deduction_category: 'REPAIRS' },
      { taxDetails: { ...TAX, taxCategory: 'VAT', deductible: true, deductionCategory: 'REPAIRS' } },
    ],
    [{ refund_date: DATE }, { refund: { ...REFUND, refundDate: TIME } }],
    [
      { refund_amount: '12.30', refund_reference: 'RF-1' },
      { refund: { ...REFUND, refundAmount: 12.3, refundReference: 'RF-1' } },
    ],
    [
      { approval_status: 'APPROVED', approved_date: DATE },
      { approvalStatus: 'APPROVED', approvedDate: TIME },
    ],
  ])('of %j show as a whole, and stay after a PUT', async (columns, fields) => {
    const created = await createFilled({ ...columns });
    expect(bodyOf(await owner.get(pathOf(created)))).toEqual({ ...created, ...fields });
    const response = await owner.put(pathOf(created), transactionRequest(home));
    const updated = bodyOf(response);
    expect(updated).toEqual({ ...created, ...fields, updatedAt: updated['updatedAt'] });
    expect((await owner.get(pathOf(created))).text).toBe(response.text);
  });
});

describe('PUT /api/transactions/:id that names another property', () => {
  it('of the owner keeps the id, and the lists of both properties follow', async () => {
    const created = await createTransaction(owner, home);
    const moved = bodyOf(await owner.put(pathOf(created), transactionRequest(second)));
    const { updatedAt } = moved;
    expect(moved).toEqual({ ...created, propertyId: second, propertyName: 'Second', updatedAt });
    expect(await listed(owner, second)).toContain(created.id);
    expect(await listed(owner, home)).not.toContain(created.id);
  });

  it('of another owner, by an ADMIN, keeps the id and each column of the row', async () => {
    const columns = await service.sql<{ name: string; type: string }>(
      `SELECT column_name AS name, data_type AS type FROM information_schema.columns
        WHERE table_name = 'transactions' AND is_nullable = 'YES' AND is_generated = 'NEVER'
          AND column_name NOT IN ('payment_method', 'frequency')`,
    );
    const VALUES: Record<string, string> = {
      numeric: '1',
      bigint: '1',
      boolean: 'true',
      'timestamp with time zone': '2026-01-01Z',
      ARRAY: '{tag}',
      jsonb: '{"key":"value"}',
    };
    const filled = Object.fromEntries(columns.map(({ name, type }) => [name, VALUES[type] ?? 'text']));
    const created = await createFilled({ ...filled, created_at: '2020-01-01Z', updated_at: '2020-01-01Z' });
    const shown = bodyOf(await owner.get(pathOf(created)));
    // The request repeats all that a client may set, so that nothing else differs afterwards.
    const response = await admin.put(pathOf(created), { ...shown, propertyId: foreign });
    expect([response.status, response.headers.get('etag')]).toEqual([200, '"2"']);
    const { updatedAt } = bodyOf(response);
    expect(response.json).toEqual({ ...shown, propertyId: foreign, propertyName: 'Foreign', updatedAt });
    expect(Date.now() - Date.parse(String(updatedAt))).toBeLessThan(60_000);
    const read = await other.get(pathOf(created));
    expect([read.text, read.headers.get('etag')]).toEqual([response.text, '"2"']);
    expect(await listed(other, foreign)).toContain(created['id']);
    expectProblem(await owner.get(pathOf(created)), 'not-found');
    expect(await listed(owner, home)).not.toContain(created['id']);
  });

  it.each([
    ["404 to a USER for another owner's", () => owner, () => foreign, {}],
    ['404 to a USER for a missing one', () => owner, () => MISSING, {}],
    ['404 to an ADMIN for a missing one', () => admin, () => MISSING, {}],
    ['409 to an ADMIN with a stale If-Match', () => admin, () => foreign, STALE],
    ['409 to an ADMIN with a stale If-Match for a missing one', () => admin, () => MISSING, STALE],
    ['409 to a USER with a stale If-Match for a missing one', () => owner, () => MISSING, STALE],
  ])('answers %s, and changes nothing', async (name, caller, target, headers) => {
    const created = await createTransaction(owner, home);
    const before = await owner.get(pathOf(created));
    const request = transactionRequest(target(), { description: 'Smuggled', amount: 1 });
    const response = await caller().put(pathOf(created), request, headers);
    if (name.startsWith('404')) expectProblem(response, 'not-found');
    else expectProblem(response, 'concurrent-modification');
    const after = await owner.get(pathOf(created));
    expect([after.text, after.headers.get('etag')]).toEqual([before.text, '"1"']);
    expect(await listed(other, foreign)).not.toContain(created.id);
  });

  it('answers 404 when the property goes before the move, and keeps the transaction', async () => {
    const created = await createTransaction(owner, home);
    const gone = (await createProperty(other)).id;
    const lock = await Lock.take(service, 'LOCK TABLE transactions IN SHARE MODE', []);
    const response = admin.put(pathOf(created), transactionRequest(gone));
    await lock.waitedForBy(1);
    await service.sql('DELETE FROM properties WHERE id = $1', [gone]);
    await lock.release();
    expectProblem(await response, 'not-found');
    expect(bodyOf(await owner.get(pathOf(created)))).toEqual(created);
  });
});
