import { connect, runCommand, showProgress, UsageError } from './lib/command-line.mjs';
import { statementOf, totalOf } from './lib/statement.mjs';
import { toCsv, toJson, toTable } from './lib/statement-formats.mjs';
import { searchAll } from './lib/search-all.mjs';

const HELP = `Usage: node profit-and-loss.mjs --user NAME [options]

Prints what each property has earned and cost in a year (in UTC), exact to the cent.

CANCELLED transactions are left out, because they never happened, and so are REFUNDED ones, whose money went back.
PENDING, OVERDUE and DISPUTED ones count, as in books that are kept by the invoice: --paid-only leaves them out too,
as in books that are kept by the payment.

  --year YYYY         (the current one)
  --by category       each category by itself
  --paid-only         only what is PAID
  --csv, --json       for programs; amounts are decimals, in JSON as strings
  --url URL           of the service (PROPERTY_FINANCE_URL, or http://127.0.0.1:8080)
  --user NAME         account to sign in as; its password is PROPERTY_FINANCE_PASSWORD, or asked for
  --help

Exit codes: 0 printed, 2 called wrongly, 3 the service is not there or refuses, or the books would not hold still.
`;

const OPTIONS = {
  year: { type: 'string', default: String(new Date().getUTCFullYear()) },
  by: { type: 'string' },
  'paid-only': { type: 'boolean', default: false },
  csv: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
};

await runCommand({ help: HELP, options: OPTIONS, main });

async function main(options, operands) {
  checkOptions(options, operands);
  const { year } = options;
  const api = await connect(options);
  const filter = { startDate: `${year}-01-01T00:00:00Z`, endDate: `${year}-12-31T23:59:59.999Z` };
  const transactions = await searchAll(api, filter, (read, all) =>
    showProgress(`${read} of ${all} transactions`),
  );
  showProgress('');
  const properties = await api.properties();
  const byCategory = options.by === 'category';
  const statement = statementOf(transactions, properties, { byCategory, paidOnly: options['paid-only'] });
  const format = options.csv ? toCsv : options.json ? toJson : toTable;
  process.stdout.write(format({ year, byCategory, statement, total: totalOf(statement) }));
  return 0;
}

function checkOptions({ year, by, csv, json }, operands) {
  if (operands.length > 0) throw new UsageError(`"${operands[0]}" is one argument too many`);
  if (!/^(?!0000)\d{4}$/.test(year)) throw new UsageError(`--year does not take "${year}"`);
  if (by !== undefined && by !== 'category') throw new UsageError(`--by does not take "${by}"`);
  if (csv && json) throw new UsageError('--csv or --json, not both');
}
