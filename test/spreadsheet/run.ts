import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'lossless-json';
import type { Cleanup } from '../../bench/cleanup.js';
import { Missing, print, runCommand } from '../../bench/command.js';
import { Client } from '../support/client.js';
import { Commands } from '../support/commands.js';
import { startOwnService } from '../support/own-service.js';
import type { Service } from '../support/service.js';
import { authIn, signIn, signUp, signUpRequest } from '../support/sign-up.js';

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
  const args = [
    'examples/accountants-walk.mjs',
    '--url',
    service.url,
    '--user',
    account.username,
    '--out',
    file,
  ];
  await commands.run(process.execPath, args, {
    cwd: '.',
    env: { PROPERTY_FINANCE_PASSWORD: account.password },
  });
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

  async version(): Promise<string> {
    try {
      return (await this.commands.run('soffice', ['--version'], { cwd: this.folder })).trim();
    } catch (cause) {
      throw new Missing('LibreOffice Calc (soffice) is not there: Debian has it as libreoffice-calc.', {
        cause,
      });
    }
  }

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

function temporaryFolder(cleanup: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'property-finance-spreadsheet-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

await runCommand({
  call: 'npm run test:spreadsheet',
  about:
    "Takes the accountant's walk of the examples, opens what it has exported in LibreOffice, lets that add up income and " +
    'expenses of each property, and compares them with the report. Needs LibreOffice Calc.',
  options: {},
  success: 'the sums are those of the report, to the cent',
  failure: 'they are not',
  async run(_, cleanup) {
    const folder = temporaryFolder(cleanup);
    const commands = new Commands(cleanup);
    const office = new LibreOffice(commands, folder);
    print(`${await office.version()}\n`);
    const file = join(folder, 'ledger.csv');
    const report = await walk(await startOwnService(cleanup), commands, file);
    const header = readFileSync(file, 'utf8').split('\r\n')[0]!.split(',');
    const sums = sumsOf(report, header);
    const calculated = await office.calculate(
      'ledger.csv',
      sums.map(({ formula }) => formula),
    );
    const misses = sums.filter(({ name, expected }, index) => {
      const found = Number(calculated[index]).toFixed(2);
      print(`${found === expected ? '✓' : '✗'} ${name}: ${found}, in the report ${expected}\n`);
      return found !== expected;
    });
    return misses.length === 0 ? 0 : 1;
  },
});
