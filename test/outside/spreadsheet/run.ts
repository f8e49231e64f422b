import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'lossless-json';
import { runCriteria } from '../../faults/support/command.js';
import { criterion } from '../../faults/support/criteria.js';
import { Client } from '../../support/client.js';
import { startOwnService } from '../../support/own-service.js';
import { authIn, signIn, signUp, signUpRequest } from '../../support/sign-up.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { requirePrograms, run } from '../support/commands.js';

const REPORT = '/api/reports/profit-and-loss?from=2026-01-01&to=2026-12-31&basis=cash&groupBy=property';
/** Commas, double quotes, UTF-8, from the first line on, in the English of the USA. */
const CSV_FILTER = 'CSV:44,34,76,1,,1033';
const FIGURES = [
  ['income', 'INCOME'],
  ['expenses', 'EXPENSE'],
] as const;

interface Sums {
  readonly income: string;
  readonly expenses: string;
}

interface Report {
  readonly total: Sums;
  readonly groups: readonly (Sums & { readonly propertyId: string; readonly propertyName: string })[];
}

/** A formula of the spreadsheet, and the figure that the report has for it. */
interface Sum {
  readonly name: string;
  readonly formula: string;
  readonly expected: string;
}

function sumsOf({ total, groups }: Report, header: readonly string[]): Sum[] {
  const column = (name: string): string => {
    const letter = String.fromCharCode(65 + header.indexOf(name));
    return `[.${letter}$2:.${letter}$1000]`;
  };
  const [amount, type, property] = [column('amount'), column('type'), column('propertyId')];
  return FIGURES.flatMap(([figure, value]) => {
    const all = `${amount};${type};"${value}"`;
    const ofGroups = groups.map((group) => ({
      name: `${figure} of ${group.propertyName}`,
      formula: `SUMIFS(${all};${property};${group.propertyId})`,
      expected: group[figure],
    }));
    return [...ofGroups, { name: `total ${figure}`, formula: `SUMIFS(${all})`, expected: total[figure] }];
  });
}

/** The values of the formulas in a sheet of ledger.csv, one below the other. */
async function calculate(folder: string, formulas: readonly string[]): Promise<string[]> {
  const convert = (file: string, to: string, ...options: string[]): Promise<string> => {
    const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`;
    return run('soffice', [profile, '--headless', '--convert-to', to, ...options, file], { cwd: folder });
  };
  await convert('ledger.csv', 'fods', `--infilter=${CSV_FILTER}`);
  const rows = formulas.map((formula) => {
    const text = `of:=${formula.replaceAll('"', '&quot;')}`;
    return `<table:table-row><table:table-cell table:formula="${text}"/></table:table-row>`;
  });
  const sheet = readFileSync(join(folder, 'ledger.fods'), 'utf8');
  writeFileSync(join(folder, 'sums.fods'), sheet.replace('</table:table>', `${rows.join('')}</table:table>`));
  await convert('sums.fods', 'csv');
  const lines = readFileSync(join(folder, 'sums.csv'), 'utf8').trimEnd().split(/\r?\n/);
  return lines.slice(-formulas.length).map((line) => line.split(',')[0] ?? '');
}

await runCriteria({
  call: 'npm run test:spreadsheet',
  about:
    "Runs the accountant's walk of the examples and opens its file in LibreOffice, whose sums of each property's income " +
    'and expenses must be those of the report. Needs LibreOffice Calc.',
  options: {},
  async run(_, cleanup, tell) {
    requirePrograms(['soffice'], 'On Debian and Ubuntu: apt-get install libreoffice-calc');
    const folder = temporaryFolder(cleanup, 'spreadsheet');
    const file = join(folder, 'ledger.csv');
    const { url, anonymous } = await startOwnService(cleanup);
    const account = signUpRequest();
    await signUp(anonymous, account);
    const walk = ['examples/accountants-walk.mjs', '--url', url, '--user', account.username, '--out', file];
    await run(process.execPath, walk, { env: { PROPERTY_FINANCE_PASSWORD: account.password } });
    const { accessToken } = authIn(await signIn(anonymous, account));
    const { text } = await new Client(url, accessToken).get(REPORT);
    const report = parse(text, undefined, (digits) => digits) as Report;
    const sums = sumsOf(report, readFileSync(file, 'utf8').split('\r\n')[0]!.split(','));
    const formulas = sums.map(({ formula }) => formula);
    const calculated = await calculate(folder, formulas);
    const criteria = sums.map(({ name, expected }, index) => {
      const found = Number(calculated[index]).toFixed(2);
      return criterion(name, found === expected, `${found}, in the report ${expected}`);
    });
    tell(criteria);
  },
});
