import { LosslessNumber } from 'lossless-json';
import type { DatabaseChange } from './commands.js';
import { type JsonObject } from './difference.js';
import type { Sql } from './outcomes.js';
import { stored } from './transaction-body.js';
import type { World } from './world.js';

interface Managed {
  readonly columns: Readonly<Record<string, unknown>>;
  readonly fields: JsonObject;
}

/** Values of the columns that no request sets, and how they are told. */
const MANAGED: readonly Managed[] = [
  ...['APPROVED', 'approved', ''].map((status) => ({
    columns: { approval_status: status },
    fields: { approvalStatus: status },
  })),
  {
    columns: { approved_by: 'anna', approved_date: '2026-02-01T00:00:00Z' },
    fields: { approvedBy: 'anna', approvedDate: '2026-02-01T00:00:00.000Z' },
  },
  {
    columns: { tax_taxable: true, tax_category: 'VAT', tax_amount: '12.50', tax_deductible: null },
    fields: {
      taxDetails: {
        taxable: true,
        taxCategory: 'VAT',
        taxAmount: new LosslessNumber('12.50'),
        deductible: null,
        deductionCategory: null,
      },
    },
  },
  {
    columns: { refund_amount: '0.10', refund_date: '2026-02-03T00:00:00Z', refund_reason: 'Noise' },
    fields: {
      refund: {
        refundAmount: new LosslessNumber('0.10'),
        refundDate: '2026-02-03T00:00:00.000Z',
        refundReason: 'Noise',
        refundReference: null,
      },
    },
  },
];

/** Changes what no request can change, in the database and in the model. */
export async function applyChange(world: World, command: DatabaseChange, sql: Sql): Promise<void> {
  if (command.op === 'setRole') {
    const accounts = [...world.accounts.values()];
    const account = accounts[command.account % accounts.length];
    if (account === undefined) return;
    await sql('UPDATE users SET role = $2 WHERE id = $1', [account.id, command.role]);
    account.role = command.role;
    return;
  }
  const found = world.transactions.get(Number(world.target('transactions', command.id).text));
  if (found === undefined) return;
  const { columns, fields } = MANAGED[command.index % MANAGED.length]!;
  const assignments = Object.keys(columns).map((column, index) => `${column} = $${index + 2}`);
  await sql(`UPDATE transactions SET ${assignments.join(', ')} WHERE id = $1`, [
    found.id,
    ...Object.values(columns),
  ]);
  world.transactions.set(found.id, stored(found.ownerId, found.version, { ...found.body, ...fields }));
}
