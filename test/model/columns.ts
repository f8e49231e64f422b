import fc from 'fast-check';
import { LosslessNumber } from 'lossless-json';
import type { Sql } from './outcomes.js';
import { stored } from './transactions.js';
import type { JsonObject } from './values.js';
import type { Ref, World } from './world.js';

/** Columns that no request sets, and their fields. */
const MANAGED: readonly (readonly [columns: Record<string, unknown>, fields: JsonObject])[] = [
  ...['APPROVED', 'approved', ''].map(
    (status) => [{ approval_status: status }, { approvalStatus: status }] as const,
  ),
  [
    { approved_by: 'anna', approved_date: '2026-02-01T00:00:00Z' },
    { approvedBy: 'anna', approvedDate: '2026-02-01T00:00:00.000Z' },
  ],
  [
    { tax_taxable: true, tax_category: 'VAT', tax_amount: '12.50' },
    {
      taxDetails: {
        taxable: true,
        taxCategory: 'VAT',
        taxAmount: new LosslessNumber('12.50'),
        deductible: null,
        deductionCategory: null,
      },
    },
  ],
  [
    { refund_amount: '0.10', refund_date: '2026-02-03T00:00:00Z', refund_reason: 'Noise' },
    {
      refund: {
        refundAmount: new LosslessNumber('0.10'),
        refundDate: '2026-02-03T00:00:00.000Z',
        refundReason: 'Noise',
        refundReference: null,
      },
    },
  ],
];

export const managed = fc.nat(MANAGED.length - 1);

/** Writes past the service, and to the model. */
export async function setColumns(world: World, sql: Sql, id: Ref, index: number): Promise<void> {
  const found = world.transactions.get(Number(world.target('transactions', id).text));
  if (found === undefined) return;
  const [columns, fields] = MANAGED[index]!;
  const assignments = Object.keys(columns).map((column, at) => `${column} = $${at + 2}`);
  await sql(`UPDATE transactions SET ${assignments.join(', ')} WHERE id = $1`, [
    found.id,
    ...Object.values(columns),
  ]);
  world.transactions.set(found.id, stored(found.ownerId, found.version, { ...found.body, ...fields }));
}

export async function setRole(world: World, sql: Sql, index: number, role: 'USER' | 'ADMIN'): Promise<void> {
  const accounts = [...world.accounts.values()];
  const account = accounts[index % accounts.length];
  if (account === undefined) return;
  await sql('UPDATE users SET role = $2 WHERE id = $1', [account.id, role]);
  account.role = role;
}
