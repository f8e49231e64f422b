import { connect, runCommand, UsageError } from './lib/command-line.mjs';
import { toTable } from './lib/statement-table.mjs';

const HELP = `Usage: node profit-and-loss.mjs [options]

Prints what each property has earned and cost in a year, exact to the cent.

CANCELLED transactions are left out, because they never happened. REFUNDED ones and security deposits are neither
income nor expenses, and are told below the total. PENDING, OVERDUE and DISPUTED ones count, as in books that are kept
by the invoice: with --cash only what is paid counts, in the year in which it was paid.

  --year YYYY         (the current one)
  --time-zone ZONE    of the year, such as Europe/Lisbon (PROPERTY_FINANCE_TIME_ZONE, or UTC); the one of the imports
  --by category       each category by itself
  --cash              by the day of the payment
  --csv, --json       the report as the service sends it
  --url URL           of the service (PROPERTY_FINANCE_URL, or http://127.0.0.1:8080)
  --user NAME         account to sign in as; its password is PROPERTY_FINANCE_PASSWORD, or asked for. Without it
                      PROPERTY_FINANCE_API_KEY is sent, a key that may only read
  --help

Exit codes: 0 printed, 2 called wrongly, 3 the service is not there or refuses.
`;

const OPTIONS = {
  year: { type: 'string', default: String(new Date().getUTCFullYear()) },
  by: { type: 'string' },
  cash: { type: 'boolean', default: false },
  csv: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
};

await runCommand({ help: HELP, options: OPTIONS, main });

async function main(options, operands) {
  checkOptions(options, operands);
  const { year } = options;
  const api = await connect(options);
  const query = new globalThis.URLSearchParams({
    from: `${year}-01-01`,
    to: `${year}-12-31`,
    timeZone: options['time-zone'],
    basis: options.cash ? 'cash' : 'accrual',
    groupBy: options.by === undefined ? 'property' : `property,${options.by}`,
  });
  const accept = options.csv ? 'text/csv' : 'application/json';
  const report = await api.send('GET', `/api/reports/profit-and-loss?${query}`, undefined, { accept });
  const byCategory = options.by === 'category';
  const table = () => toTable({ year, byCategory, ...report.json });
  process.stdout.write(options.csv ? report.text : options.json ? `${report.text}\n` : table());
  return 0;
}

function checkOptions({ year, by, csv, json }, operands) {
  if (operands.length > 0) throw new UsageError(`"${operands[0]}" is an unexpected argument`);
  if (!/^(?!0000)\d{4}$/.test(year)) throw new UsageError(`--year does not take "${year}"`);
  if (by !== undefined && by !== 'category') throw new UsageError(`--by does not take "${by}"`);
  if (csv && json) throw new UsageError('--csv or --json, not both');
}
