import { together } from '../support/together.js';

together(
  'properties',
  'transactions',
  'moves',
  'ledger-races',
  'facets',
  'citus-service',
  'shared-look-ups',
  'conditional-requests',
  'validation-matrix',
  'profit-and-loss',
  'tax-year',
  'cash-flow',
  'idempotency-keys',
  'imports',
  'import-duplicates',
  'import-bounds',
  'transaction-batches',
  'hostile-files',
  'unknown-parameters',
);
