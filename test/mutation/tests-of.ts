/**
 * The tests that answer for a folder, the likeliest first; a file that is not there is passed over. Only the whole
 * measurement asks all others, too, before it says that a fault is told by none.
 */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  'src/access': ['access-matrix', 'access-guard', 'ownership', 'tokens', 'metrics-token'],
  'src/auth': ['sign-in', 'sign-up', 'tokens', 'key-rotation'],
  'src/users': ['users', 'sign-up', 'sign-in', 'account-races'],
  'src/properties': ['properties', 'lists', 'conditional-requests', 'ownership', 'validation-matrix'],
  'src/transactions': ['transactions', 'search', 'facets', 'lists', 'moves', 'validation-matrix'],
  'src/reports': ['profit-and-loss', 'cash-flow', 'tax-year'],
  'src/transfers': [
    'imports',
    'import-duplicates',
    'import-bounds',
    'transaction-batches',
    'exports',
    'exports-under-way',
  ],
  'src/http/fields': ['validation-matrix', 'lists', 'search', 'cursors'],
  'src/http/problem': ['problems', 'refusals', 'bodies'],
  'src/http/edge': ['http-edge', 'idempotency-keys', 'import-bounds', 'headers-and-cors'],
  'src/http/json': ['bodies', 'transactions', 'large-answers'],
  'src/database/lists': ['lists', 'search', 'cursors', 'plans'],
  'src/database': [
    'idempotency-keys',
    'ledger-races',
    'totals',
    'database-life',
    'properties',
    'transactions',
  ],
  migrations: ['schema', 'totals', 'plans', 'migrations', 'ledger-races', 'idempotency-keys'],
};

export const FOLDERS = Object.keys(TESTS);

export function folderOf(path: string): string | undefined {
  return FOLDERS.find((folder) => path.startsWith(`${folder}/`));
}

/** Patterns of files, as Jest takes them. */
export function testsOf(folder: string): string[] {
  return [`^.*/${folder}/.*\\.spec\\.ts$`, `/test/(?:${TESTS[folder]!.join('|')})\\.(?:e2e-)?spec\\.ts$`];
}
