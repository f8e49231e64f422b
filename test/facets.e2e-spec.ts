import { FACETS, facetsOf } from '../src/transactions/facets.js';
import {
  CATEGORIES,
  FREQUENCIES,
  PAYMENT_METHODS,
  STATUSES,
  TRANSACTION_TYPES,
} from '../src/transactions/transaction.enums.js';
import { createProperty, createTransaction } from './support/factories.js';
import { type Service, startService } from './support/service.js';

const NOTHING = {
  type: null,
  status: null,
  category: null,
  paymentMethod: null,
  frequency: null,
  recurring: null,
};
const VALUES = {
  type: TRANSACTION_TYPES,
  status: STATUSES,
  category: CATEGORIES,
  paymentMethod: PAYMENT_METHODS,
  frequency: FREQUENCIES,
  recurring: [true, false],
};

let service: Service;
let id: number;
beforeAll(async () => {
  service = await startService();
  const owner = await service.account();
  ({ id } = await createTransaction(owner, (await createProperty(owner)).id));
});

async function storedWith(column: string, value: unknown): Promise<number> {
  const [row] = await service.sql<{ facets: number }>(
    `UPDATE transactions SET ${column} = $2 WHERE id = $1 RETURNING facets`,
    [id, value],
  );
  return row!.facets;
}
const columnOf = (field: string): string => field.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`);

it.each(Object.entries(VALUES))(
  'the database and the service number the values of %s alike',
  async (field, values) => {
    for (const value of values) {
      const { mask, bits } = facetsOf({ ...NOTHING, [field]: value });
      expect({ value, bits: (await storedWith(columnOf(field), value)) & mask }).toEqual({ value, bits });
    }
  },
);

it('no way of payment and no frequency are no value', async () => {
  expect((await storedWith('payment_method', null)) & FACETS.paymentMethod.mask).toBe(0);
  expect((await storedWith('frequency', null)) & FACETS.frequency.mask).toBe(0);
});

it.each(['type', 'status', 'category'] as const)(
  'the numbers of %s sort as its values by code point',
  (field) => {
    const sorted = [...VALUES[field]].sort().map((value) => FACETS[field].of(value));
    expect(sorted).toEqual([...sorted].sort((a, b) => a - b));
  },
);
