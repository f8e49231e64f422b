import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'lossless-json';
import type { Criterion } from '../../faults/protocol.js';
import { runCriteria } from '../../faults/support/command.js';
import { criterion } from '../../faults/support/criteria.js';
import { Client } from '../../support/client.js';
import { Commands } from '../../support/commands.js';
import { startOwnService } from '../../support/own-service.js';
import type { Service } from '../../support/service.js';
import { authIn, signIn, signUp, signUpRequest } from '../../support/sign-up.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const REPORT = '/api/reports/profit-and-loss?from=2026-01-01&to=2026-12-31&basis=cash&groupBy=property';
/** Commas, double quotes, UTF-8, from the first line on, in the English of the USA. */
const CSV_FILTER = 'CSV:44,34,76,1,,1033';
const TYPES = { income: 'INCOME', expenses: 'EXPENSE' } as const;

interface Sums {
  readonly income: string;
  readonly expenses: string;
}

interface Report {
  readonly total: Sums;
  readonly groups: readonly (Sums & { readonly propertyId: string; readonly propertyName: string })[];
}

/** A sum that the spreadsheet is to make, and what it has to be. */
interface Sum {
  readonly name: string;
  readonly formula: string;
  readonly expected: string;
}

/** The accountant's walk, and what the report says after it. */
async function walk(service: Service, commands: Commands, file: string): Promise<Report> {
  const account = signUpRequest();
  await signUp(service.anonymous, account);
  const options = ['--url', service.url, '--user', account.username, '--out', file];
  const env = { PROPERTY_FINANCE_PASSWORD: account.password };
  await commands.run(process.execPath, ['examples/accountants-walk.mjs', ...options], { cwd: '.', env });
  const { accessToken } = authIn(await signIn(service.anonymous, account));
  const { text } = await new Client(service.url, accessToken).get(REPORT);
  return parse(text, undefined, (digits) => digits) as Report;
}

function sumsOf({ total, groups }: Report, header: readonly string[]): Sum[] {
  const column = (name: string): string => {
    const letter = String.fromCharCode(65 + header.indexOf(name));
    return `[.${letter}$2:.${letter}$1000]`;
  };
  const [amount, type, property] = [column('amount'), column('type'), column('propertyId')];
  return Object.entries(TYPES).flatMap(([figure, value]) => [
    ...groups.map((group) => ({
      name: `${figure} of ${group.propertyName}`,
      formula: `SUMIFS(${amount};${type};"${value}";${property};${group.propertyId})`,
      expected: group[figure as keyof Sums],
    })),
    {
      name: `${figure} in all`,
      formula: `SUMIFS(${amount};${type};"${value}")`,
      expected: total[figure as keyof Sums],
    },
  ]);
}

class LibreOffice {
  constructor(
    private readonly commands: Commands,
    private readonly folder: string,
  ) {}

  /** Opens a file, and saves it in another form beside it. */
  async convert(file: string, to: string, ...options: string[]): Promise<void> {
    const profile = `-env:UserInstallation=file://${join(this.folder, 'profile')}`;
    const args = [profile, '--headless', '--convert-to', to, ...options, file];
    await this.commands.run('soffice', args, { cwd: this.folder });
  }

  /** What the formulas come to in a sheet of this CSV, one below the other. */
  async calculate(csv: string, formulas: readonly string[]): Promise<string[]> {
    await this.convert(csv, 'fods', `--infilter=${CSV_FILTER}`);
    const sheet = join(this.folder, csv.replace(/csv$/, 'fods'));
    const sums = join(this.folder, 'sums.fods');
    const rows = formulas.map(
      (formula) =>
        `<table:table-row><table:table-cell table:formula="of:=${formula.replaceAll('"', '&quot;')}"/></table:table-row>`,
    );
    writeFileSync(
      sums,
      readFileSync(sheet, 'utf8').replace('</table:table>', `${rows.join('')}</table:table>`),
    );
    await this.convert('sums.fods', 'csv');
    const lines = readFileSync(join(this.folder, 'sums.csv'), 'utf8').trimEnd().split(/\r?\n/);
    return lines.slice(-formulas.length).map((line) => line.split(',')[0] ?? '');
  }
}

/** Whether the spreadsheet comes to the sums of the report, to the cent. */
function compare(sums: readonly Sum[], calculated: readonly string[]): Criterion[] {
  return sums.map(({ name, expected }, index) => {
    const found = Number(calculated[index]).toFixed(2);
    return criterion(name, found === expected, `${found}, in the report ${expected}`);
  });
}

await runCriteria({
  call: 'npm run test:spreadsheet',
  about:
    "Takes the accountant's walk of the examples, opens what it has exported in LibreOffice, lets that add up income and " +
    'expenses of each property, and compares them with the report. Needs LibreOffice Calc.',
  options: {},
  async run(_, cleanup, tell) {
    const folder = temporaryFolder(cleanup, 'spreadsheet');
    const commands = new Commands(cleanup);
    await commands.require([['soffice', '--version']], 'Debian has it as libreoffice-calc.');
    const file = join(folder, 'ledger.csv');
    const report = await walk(await startOwnService(cleanup), commands, file);
    const header = readFileSync(file, 'utf8').split('\r\n')[0]!.split(',');
    const sums = sumsOf(report, header);
    const formulas = sums.map(({ formula }) => formula);
    tell(compare(sums, await new LibreOffice(commands, folder).calculate('ledger.csv', formulas)));
  },
});
