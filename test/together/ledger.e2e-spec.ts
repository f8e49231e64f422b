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
  'hostile-files',
  'unknown-parameters',
);
