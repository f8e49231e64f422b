import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'lossless-json';
import { runCriteria } from '../../faults/support/command.js';
import { criterion } from '../../faults/support/criteria.js';
import { startOwnService } from '../../support/own-service.js';
import { signedIn, signUp, signUpRequest } from '../../support/sign-up.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { requirePrograms, run } from '../support/commands.js';

const REPORT = '/api/reports/profit-and-loss?from=2026-01-01&to=2026-12-31&basis=cash&groupBy=property';
/** Commas, double quotes, UTF-8, from the first line on, in the English of the USA, with formulas. */
const CSV_FILTER = 'CSV:44,34,76,1,,1033,false,true,false,false,false,0,true';
const TYPES = { income: 'INCOME', expenses: 'EXPENSE' } as const;

type Sums = Readonly<Record<keyof typeof TYPES, string>>;

interface Report {
  readonly total: Sums;
  readonly groups: readonly (Sums & { readonly propertyId: string; readonly propertyName: string })[];
}

/** The names, formulas and values of the report's figures, in a sheet with these lines. */
function figuresOf({ total, groups }: Report, lines: readonly string[]) {
  const header = lines[0]!.split(',');
  const column = (name: string): string => {
    const letter = String.fromCharCode(65 + header.indexOf(name));
    return `${letter}$2:${letter}$${lines.length}`;
  };
  return (['income', 'expenses'] as const).flatMap((figure) => {
    const all = `${column('amount')};${column('type')};"${TYPES[figure]}"`;
    const ofGroups = groups.map((group) => ({
      name: `${figure} of ${group.propertyName}`,
      formula: `=SUMIFS(${all};${column('propertyId')};${group.propertyId})`,
      expected: group[figure],
    }));
    return [...ofGroups, { name: `total ${figure}`, formula: `=SUMIFS(${all})`, expected: total[figure] }];
  });
}

/** Appends formulas to the file, and returns their values in LibreOffice. */
async function calculate(folder: string, file: string, formulas: readonly string[]): Promise<string[]> {
  const rows = formulas.map((formula) => `"${formula.replaceAll('"', '""')}"\r\n`);
  appendFileSync(file, rows.join(''));
  const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`;
  const options = [`--infilter=${CSV_FILTER}`, '--convert-to', 'csv', '--outdir', join(folder, 'out')];
  await run('soffice', [profile, '--headless', ...options, file]);
  const lines = readFileSync(join(folder, 'out/ledger.csv'), 'utf8').trimEnd().split('\n');
  return lines.slice(-formulas.length).map((line) => line.split(',')[0]!);
}

await runCriteria({
  call: 'npm run test:spreadsheet',
  about:
    "Runs the accountant's walk of the examples and opens its file in LibreOffice, whose sums of each property's income " +
    'and expenses must be those of the report. Needs LibreOffice Calc.',
  async run(_, cleanup, tell) {
    requirePrograms(['soffice'], 'On Debian and Ubuntu: apt-get install libreoffice-calc');
    const folder = temporaryFolder(cleanup, 'spreadsheet');
    const file = join(folder, 'ledger.csv');
    const { url, anonymous } = await startOwnService(cleanup);
    const account = signUpRequest();
    await signUp(anonymous, account);
    const walk = ['examples/accountants-walk.mjs', '--url', url, '--user', account.username, '--out', file];
    await run(process.execPath, walk, { env: { PROPERTY_FINANCE_PASSWORD: account.password } });
    const { text } = await (await signedIn(anonymous, account)).get(REPORT);
    const report = parse(text, undefined, (digits) => digits) as Report;
    const figures = figuresOf(report, readFileSync(file, 'utf8').trimEnd().split('\r\n'));
    const formulas = figures.map(({ formula }) => formula);
    const calculated = await calculate(folder, file, formulas);
    const criteria = figures.map(({ name, expected }, index) => {
      const found = Number(calculated[index]).toFixed(2);
      return criterion(name, found === expected, `${found}, in the report ${expected}`);
    });
    tell(criteria);
  },
});
