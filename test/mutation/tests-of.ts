import { readdirSync } from 'node:fs';

/** The suites that answer for a folder, the likeliest first; of nested folders the inner one comes first. */
const SUITES: Readonly<Record<string, string>> = {
  'src/common/access': 'tokens access-matrix access-guard ownership metrics-token keys read-only docs',
  'src/auth': 'sign-in sign-up tokens openapi validation-matrix metrics cli',
  'src/keys': 'keys schema openapi',
  'src/users': 'users sign-up sign-in account-races schema openapi cli',
  'src/properties':
    'resources conditional-requests ownership schema openapi account-races lists validation-matrix shares',
  'src/transactions':
    'resources transactions search schema moves imports import-updates openapi lists conditional-requests validation-matrix plans shares ' +
    'group-commit',
  'src/reports': 'books profit-and-loss cash-flow tax-year report-refusals openapi plans',
  'src/transfers':
    'imports import-duplicates import-updates import-bounds transaction-batches idempotency-keys exports exports-under-way ' +
    'ownership openapi hostile-files examples-banks plans',
  'src/common/validation':
    'openapi resources unknown-parameters validation-matrix transaction-batches profit-and-loss search imports lists config',
  'src/common/paging': 'lists changes search exports large-responses openapi validation-matrix',
  'src/common/problems':
    'problems bodies security tokens openapi large-responses http-edge exports-under-way conditional-requests',
  'src/http':
    'headers-and-cors conditional-requests idempotency-keys request-log trace-context bodies http-edge metrics lists exports ' +
    'shares import-bounds large-responses exports-under-way shutdown',
  'src/common/json':
    'bodies resources validation-matrix imports idempotency-keys profit-and-loss large-responses',
  'src/database/lists': 'lists search exports plans citus-service large-responses shares',
  'src/database':
    'idempotency-keys resources transactions changes moves ledger-races totals migrations citus-service metrics poolers shares ' +
    'database-life standby exports-under-way distribute distribution',
  'src/actuator': 'health info metrics-token openapi metrics standby monitoring',
  'src/common/metrics': 'metrics monitoring',
  'src/common/concurrency': 'shares import-bounds sign-in',
  'src/cli/doctor': 'doctor',
  'src/cli': 'cli recount distribute database-roles quickstart',
  'src/config': 'config start cli headers-and-cors',
  'src/quickstart/embedded-postgres': 'embedded-postgres quickstart',
  'src/quickstart': 'quickstart',
  'src/openapi': 'openapi docs documents',
  'src/docs': 'docs docs-page',
  src: 'stop start shutdown database-life security docs http-edge',
  migrations: 'schema sign-up totals plans migrations ledger-races idempotency-keys recount',
};

export const FOLDERS = Object.keys(SUITES);

export function folderOf(path: string): string | undefined {
  return FOLDERS.find((folder) => path.startsWith(`${folder}/`));
}

/** Patterns of files, as Jest takes them. Throws for a suite that is not there. */
export function testsOf(folder: string): string[] {
  const files = readdirSync('test');
  const suites = SUITES[folder]!.split(' ').map((name) => {
    const file = files.find((one) => one === `${name}.e2e-spec.ts` || one === `${name}.spec.ts`);
    if (file === undefined)
      throw new Error(`test/ has no suite ${name}, which test/mutation/tests-of.ts names`);
    return `/test/${file}$`;
  });
  return folder === 'src' ? suites : [`^.*/${folder}/.*\\.spec\\.ts$`, ...suites];
}
