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

let service: Service;
let id: number;
beforeAll(async () => {
  service = await startService();
  const owner = await service.account();
  ({ id } = await createTransaction(owner, (await createProperty(owner)).id));
});

it.each<[field: string, column: string, values: readonly (string | boolean | null)[]]>([
  ['type', 'type', TRANSACTION_TYPES],
  ['status', 'status', STATUSES],
  ['category', 'category', CATEGORIES],
  ['paymentMethod', 'payment_method', [null, ...PAYMENT_METHODS]],
  ['frequency', 'frequency', [null, ...FREQUENCIES]],
  ['recurring', 'recurring', [true, false]],
])(
  'the column facets has the number of each %s that the service searches for',
  async (field, column, values) => {
    const { mask } = facetsOf({ ...NOTHING, [field]: values.at(-1) });
    for (const value of values) {
      const statement = `UPDATE transactions SET ${column} = $2 WHERE id = $1 RETURNING facets & $3 AS bits`;
      const stored = await service.sql(statement, [id, value, mask]);
      expect({ value, stored }).toEqual({
        value,
        stored: [{ bits: facetsOf({ ...NOTHING, [field]: value }).bits }],
      });
    }
  },
);

it.each([
  ['type', TRANSACTION_TYPES],
  ['status', STATUSES],
  ['category', CATEGORIES],
] as const)('the numbers of %s sort as its values by code point', (field, values) => {
  const sorted = [...values].sort().map((value) => FACETS[field].of(value));
  expect(sorted).toEqual(sorted.toSorted((a, b) => a - b));
});
