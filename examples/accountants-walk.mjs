import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from './lib/api.mjs';
import { connect, runCommand, UsageError } from './lib/command-line.mjs';
import { readCsv } from './lib/csv.mjs';
import { startOfDay } from './lib/dates.mjs';
import { writeExactJson } from './lib/exact-json.mjs';
import { centsOf, decimalOf } from './lib/money.mjs';
import { toTable } from './lib/statement-table.mjs';

const HELP = `Usage: node accountants-walk.mjs --user NAME --out FILE.csv [options]

A year of two properties as an accountant goes through it: imports the files of three banks with bank-import, corrects two
rows, prints the profit and loss and the lines of Schedule E, writes the transactions to FILE.csv for a spreadsheet,
and adds that file up again. Run it as often as you like: what is there already is not imported twice.

  --out FILE.csv      where the transactions go
  --time-zone ZONE    of the banks' days and of the year (PROPERTY_FINANCE_TIME_ZONE, or UTC)
  --url URL           of the service (PROPERTY_FINANCE_URL, or http://127.0.0.1:8080)
  --user NAME         account to sign in as; its password is PROPERTY_FINANCE_PASSWORD, or asked for
  --help

Exit codes: 0 done, 1 the file does not add up to the report, 2 called wrongly, 3 the service is not there or refuses.
`;

const YEAR = '2026';
const LOFT = 'Harbour Loft';
const MILL = 'Old Mill';
/** Each with the property of the lines for which its rules name none. */
const BANKS = [
  ['airbnb', LOFT],
  ['n26', LOFT],
  ['revolut', MILL],
];
const TOOL = fileURLToPath(new URL('../scripts/bank-import.mjs', import.meta.url));
const LAYOUTS = fileURLToPath(new URL('../clients/bank-import/layouts/', import.meta.url));

/** By what the description has in it: what an accountant would see at once, and no rule of a bank can know. */
const CORRECTIONS = [
  ['Resolution Adjustment', 'BOOKING_PAYMENT'], // rent that was given back
  ['Linen Ltd', 'CLEANING'], // they do the laundry
];

await runCommand({ help: HELP, options: { out: { type: 'string' } }, main });

async function main(options, operands) {
  if (operands.length > 0) throw new UsageError(`"${operands[0]}" is an unexpected argument`);
  if (options.out === undefined) throw new UsageError('--out FILE.csv is missing');
  if (options.user === undefined) throw new UsageError('--user NAME is missing');
  checkWritable(options.out);
  const timeZone = options['time-zone'];
  const api = await connect(options);
  await addProperties(api);
  for (const [bank, property] of BANKS) importFile(bank, property, options);
  for (const correction of CORRECTIONS) await correct(api, ...correction);
  const report = await profitAndLoss(api, timeZone);
  await scheduleE(api, timeZone);
  return exported(api, options.out, report, timeZone);
}

/** Before the work begins: a file of that name may be another user's. */
function checkWritable(file) {
  try {
    closeSync(openSync(file, 'a'));
  } catch (error) {
    throw new UsageError(`--out: ${error.message}`);
  }
}

function print(text) {
  process.stdout.write(`${text}\n`);
}

async function addProperties(api) {
  const names = (await api.properties()).map(({ name }) => name);
  for (const name of [LOFT, MILL].filter((wanted) => !names.includes(wanted))) {
    const rooms = { maxGuests: 4, bedrooms: 2, bathrooms: 1, active: true };
    const property = writeExactJson({ basePrice: '120.50' }, { name, address: '1 Harbour Road', ...rooms });
    await api.send('POST', '/api/properties', property);
  }
}

/** The tool keeps its journals beside the rules, so that these are copies of the layouts', with the property. */
function importFile(bank, property, { url, user, 'time-zone': timeZone }) {
  const folder = mkdtempSync(join(tmpdir(), 'accountants-walk-'));
  const rules = join(folder, `${bank}.json`);
  const layout = JSON.parse(readFileSync(join(LAYOUTS, `${bank}.json`), 'utf8'));
  writeFileSync(rules, JSON.stringify({ ...layout, property }));
  const options = ['--url', url, '--user', user, '--time-zone', timeZone];
  const args = [TOOL, ...options, join(LAYOUTS, `${bank}.csv`), rules];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env: process.env,
  });
  rmSync(folder, { recursive: true });
  if (status !== 0) throw new Failure(`${bank}.csv: ${stderr}`);
  print(`${bank}.csv: ${/^\d+ new, .*$/m.exec(stdout)?.[0]}`);
}

/** Refused when somebody else has changed the transaction since it was read. */
async function correct(api, searchTerm, category) {
  const found = await api.send('POST', '/api/transactions/search', JSON.stringify({ searchTerm }));
  const [{ id, description }] = found.json.content;
  const { json, etag } = await api.send('GET', `/api/transactions/${id}`);
  const { propertyId, amount, ...fields } = json;
  const corrected = writeExactJson({ propertyId, amount }, { ...fields, category });
  await api.send('PUT', `/api/transactions/${id}`, corrected, { 'if-match': etag });
  print(`corrected: ${description}: ${category}`);
}

async function profitAndLoss(api, timeZone) {
  const query = `from=${YEAR}-01-01&to=${YEAR}-12-31&basis=cash&groupBy=property,category&timeZone=${timeZone}`;
  const { json: report } = await api.send('GET', `/api/reports/profit-and-loss?${query}`);
  process.stdout.write(`\n${toTable({ year: YEAR, byCategory: true, ...report })}`);
  return report;
}

async function scheduleE(api, timeZone) {
  const path = `/api/reports/tax-year?year=${YEAR}&timeZone=${timeZone}`;
  const { total, notice } = (await api.send('GET', path)).json;
  print(`\nSchedule E ${YEAR}\n`);
  const lines = total.lines.map(({ line, label, amount }) => [`${line} ${label}`, amount]);
  for (const [label, amount] of [...lines, ['20 Total expenses', total.totalExpenses], ['21 Net', total.net]])
    if (amount !== '0.00') print(`${label.padEnd(28)}${amount.padStart(10)}`);
  print(`\n${notice}`);
}

/** Writes the paid transactions to the file, and adds up those of the year, as the report's cash basis does. */
async function exported(api, file, { total }, timeZone) {
  const filter = JSON.stringify({ status: 'PAID' });
  const { text: csv } = await api.send('POST', `/api/transactions/export?timeZone=${timeZone}`, filter);
  writeFileSync(file, csv);
  const [header, ...records] = [...readCsv(csv, ',')].map(({ fields }) => fields);
  const rows = records.map((fields) =>
    Object.fromEntries(header.map((name, index) => [name, fields[index]])),
  );
  const [first, next] = [YEAR, Number(YEAR) + 1].map((year) =>
    Date.parse(startOfDay(`${year}-01-01`, timeZone)),
  );
  const ofYear = rows.filter(({ paidAt }) => Date.parse(paidAt) >= first && Date.parse(paidAt) < next);
  const sumOf = (wanted) =>
    decimalOf(
      ofYear.filter(({ type }) => type === wanted).reduce((sum, { amount }) => sum + centsOf(amount), 0n),
    );
  const sums = { income: sumOf('INCOME'), expenses: sumOf('EXPENSE') };
  print(`\n${rows.length} transactions are in the file: income ${sums.income}, expenses ${sums.expenses}.`);
  const isEqual = sums.income === total.income && sums.expenses === total.expenses;
  print(isEqual ? 'That is what the report says.' : 'That is not what the report says.');
  return isEqual ? 0 : 1;
}
