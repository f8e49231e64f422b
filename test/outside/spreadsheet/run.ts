import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'lossless-json';
import { runCriteria } from '../../faults/support/command.js';
import type { Criterion } from '../../faults/protocol.js';
import { criterion } from '../../faults/support/criteria.js';
import type { Client } from '../../support/client.js';
import { createProperty, createTransaction } from '../../support/factories.js';
import { startOwnService } from '../../support/own-service.js';
import { signedIn, signUp, signUpRequest } from '../../support/sign-up.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { requirePrograms, run } from '../support/commands.js';
import { edited } from './edit.js';

const REPORT = '/api/reports/profit-and-loss?from=2026-01-01&to=2026-12-31&basis=cash&groupBy=property';
/** Commas, double quotes, UTF-8, from the first line on, in the English of the USA, with formulas. */
const CSV_FILTER = 'CSV:44,34,76,1,,1033,false,true,false,false,false,0,true';
const TYPES = { income: 'INCOME', expenses: 'EXPENSE' } as const;

type Sums = Readonly<Record<keyof typeof TYPES, string>>;

/** What an import answers. */
interface Update {
  readonly updated?: number;
  readonly changes?: readonly { readonly field: string; readonly to: string }[];
}

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

/** Texts that a spreadsheet would take for something else, or for several cells. */
const TEXTS = [
  ...['00123', '1e5', '2026-01-15', '1/2', 'TRUE', '=1+1', "'=x", '@x', ' x ', 'a, "b"'],
  ...['two\r\nlines;=1', 'Größe 🏠'],
];

/** Brings an export back that was edited in LibreOffice: the changes that a dry run tells, and the rows that were changed. */
async function bringBack(client: Client, folder: string): Promise<Criterion[]> {
  const { id } = await createProperty(client, { name: 'Edited' });
  for (const [index, text] of TEXTS.entries())
    await createTransaction(client, id, {
      ...{
        subcategory: '',
        description: text,
        notes: text,
        paymentReference: text,
        tags: [text],
        metadata: { [text]: text },
      },
      ...{ amount: index + 1234.5, recurring: index % 2 === 0, bookingId: index === 0 ? null : index },
    });
  const path = `/api/transactions/export?propertyId=${id}&sortBy=id&timeZone=Europe/Lisbon`;
  const { text } = await client.get(path);
  const file = join(folder, 'sheet.csv');
  writeFileSync(file, text);
  const columns = text.split('\r\n')[0]!.split(',');
  const edits = [
    [1, 'amount', 7.25],
    [2, 'notes', 'Corrected, in a sheet'],
    [TEXTS.length, 'status', 'PAID'],
  ] as const;
  const cells = edits.map(([row, name, value]) => ({ row, column: columns.indexOf(name), value }));
  const sheet = readFileSync(await edited(join(folder, 'profile'), file, cells), 'utf8');
  const update = async (query: string): Promise<Update> => {
    const headers = { 'content-type': 'text/csv' };
    return (await client.post(`/api/transactions/import?mode=update${query}`, sheet, headers)).json as Update;
  };
  const { changes = [], ...refusal } = await update('&dryRun=true');
  const told = changes.map(({ field, to }) => `${field} = ${to}`).join('; ');
  const { updated } = await update('');
  return [
    criterion(
      'an edited export has the edited cells changed alone',
      told === edits.map(([, field, value]) => `${field} = ${value}`).join('; '),
      told || JSON.stringify(refusal),
    ),
    criterion('it comes back', updated === edits.length, `${updated} rows were changed`),
  ];
}

await runCriteria({
  call: 'npm run test:spreadsheet',
  about:
    "Runs the accountant's walk of the examples and opens its file in LibreOffice, whose sums of each property's income " +
    'and expenses must be those of the report. Edits cells of an export there, and brings the file back: only these may change. ' +
    'Needs LibreOffice Calc.',
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
    tell([...criteria, ...(await bringBack(await signedIn(anonymous, account), folder))]);
  },
});
