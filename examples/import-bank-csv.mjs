import { readFileSync } from 'node:fs';
import { TextDecoder } from 'node:util';
import { readBankRows } from './lib/bank-rows.mjs';
import { uploadRows } from './lib/bank-upload.mjs';
import { connect, runCommand, UsageError } from './lib/command-line.mjs';
import { CsvError } from './lib/csv.mjs';
import { isDateForm } from './lib/dates.mjs';
import { readRules } from './lib/rules.mjs';

const HELP = `Usage: node import-bank-csv.mjs --user NAME [options] BANK.csv RULES.json

Records each line of a bank's CSV as a transaction: money that comes in as INCOME, money that goes out as EXPENSE.
RULES.json names the columns, the lines to skip, and category and property by a text in the description; README.md
says more. All lines are recorded or, when one has a fault, none. Run it as often as you like: each transaction carries
a paymentReference made of its line, and the service skips the lines that it has.

  --property NAME     name or id of the property, where RULES.json names none
  --date-format FORM  of YYYY or YY, MM or MMM (Jan, January), and DD (YYYY-MM-DD)
  --time-zone ZONE    where the bank's days begin, such as America/New_York (PROPERTY_FINANCE_TIME_ZONE, or UTC);
                      reports have to use the same one
  --decimal MARK      . or , (the one that the amounts of the file show)
  --separator MARK    ; , or tab (the one that separates the names of the columns)
  --encoding NAME     such as windows-1252 (utf-8)
  --dry-run           print what would be sent, without calling the service
  --url URL           of the service (PROPERTY_FINANCE_URL, or http://127.0.0.1:8080)
  --user NAME         account to sign in as; its password is PROPERTY_FINANCE_PASSWORD, or asked for
  --help

Exit codes: 0 all lines are recorded, 1 none because of a fault, 2 called wrongly, 3 the service is not there or refuses.
`;

const OPTIONS = {
  property: { type: 'string' },
  'date-format': { type: 'string' },
  decimal: { type: 'string' },
  separator: { type: 'string' },
  encoding: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
};

const SEPARATORS = { ';': ';', ',': ',', tab: '\t' };

/** Other files that banks hand out, by their first characters. */
const OTHER_FORMATS = [
  ['OFX', /^(OFXHEADER:|<([^]*<)?\??OFX\b)/],
  ['QIF', /^!(Type|Account|Option):/i],
  ['MT940', /^(\{1:|:20:|:940:)/],
  ['CAMT', /^<[^]*?urn:iso:std:iso:20022:tech:xsd:camt\./],
  ['a workbook of a spreadsheet', /^PK\p{Cc}{2}/u],
  ['PDF', /^%PDF/],
];

await runCommand({ help: HELP, options: OPTIONS, main });

async function main(options, files) {
  const input = readInput(options, files);
  return options['dry-run'] ? preview(input) : importRows(input, options);
}

/** What the command line says comes before what the rules say. */
function readInput(options, files) {
  if (files.length !== 2) throw new UsageError('two files are required: the CSV of the bank and the rules');
  const [bankFile, rulesFile] = files;
  const rules = rulesIn(rulesFile);
  const format = {
    'date-format': options['date-format'] ?? rules.dateFormat ?? 'YYYY-MM-DD',
    decimal: options.decimal ?? rules.decimal,
    encoding: options.encoding ?? rules.encoding ?? 'utf-8',
  };
  if (!isDateForm(format['date-format'])) refuse('date-format', format['date-format']);
  const decimalMark = format.decimal === undefined ? undefined : valueOf(format, 'decimal', /^[.,]$/);
  const separators =
    options.separator === undefined
      ? Object.values(SEPARATORS)
      : [SEPARATORS[valueOf(options, 'separator', /^(;|,|tab)$/)]];
  const text = decoded(bankFile, format.encoding);
  const property = options.property ?? rules.property;
  try {
    const [dateFormat, timeZone] = [format['date-format'], options['time-zone']];
    return readBankRows(text, { ...rules, property }, { separators, dateFormat, timeZone, decimalMark });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new UsageError(`${bankFile}: ${error.message}`);
  }
}

function valueOf(options, name, pattern) {
  if (!pattern.test(options[name])) refuse(name, options[name]);
  return options[name];
}

function refuse(name, value) {
  throw new UsageError(`--${name} does not take "${value}"`);
}

/** A text in another encoding than the given one is refused rather than garbled. */
function decoded(file, encoding) {
  try {
    const bytes = readFileSync(file);
    checkFormat(file, bytes.toString('latin1', 0, 2_000));
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    throw new UsageError(
      error instanceof TypeError ? `${file} is not ${encoding}; see --encoding` : error.message,
    );
  }
}

function checkFormat(file, start) {
  const text = start.replace(/^\xef\xbb\xbf/, '').trimStart();
  const [name] = OTHER_FORMATS.find(([, pattern]) => pattern.test(text)) ?? [];
  if (name !== undefined) throw new Error(`${file} is ${name}, not CSV; most banks offer CSV, too`);
}

function rulesIn(file) {
  try {
    return readRules(readFileSync(file, 'utf8'));
  } catch (error) {
    const hint = error instanceof SyntaxError ? '; the order of the files is BANK.csv RULES.json' : '';
    throw new UsageError(`${file}: ${error.message}${hint}`);
  }
}

function preview({ rows, faults, skipped }) {
  for (const { line, day, property = '(no property)', transactions } of rows)
    for (const { amount, fields } of transactions) {
      const { type, category, description } = fields;
      const cells = [type.padEnd(7), amount.padStart(10), category.padEnd(20), property, description];
      process.stdout.write(`${`line ${line}`.padEnd(8)}  ${day}  ${cells.join('  ')}\n`);
    }
  report(faults);
  process.stdout.write(
    `${rows.length} lines would be sent, ${faults.length} cannot be understood${also(skipped)}.\n`,
  );
  return faults.length === 0 ? 0 : 1;
}

async function importRows({ rows, faults, skipped }, options) {
  const api = await connect(options);
  const outcome = faults.length > 0 ? { faults } : await uploadRows(api, rows);
  report(outcome.faults);
  const told =
    outcome.faults.length > 0
      ? 'Nothing was recorded'
      : `${outcome.created} recorded, ${outcome.duplicates} there already`;
  process.stdout.write(`${told}${also(skipped)}.\n`);
  return outcome.faults.length === 0 ? 0 : 1;
}

function also(skipped) {
  return skipped === 0 ? '' : `, ${skipped} skipped`;
}

function report(faults) {
  for (const { line, message } of faults) process.stderr.write(`line ${line}: ${message}\n`);
}
