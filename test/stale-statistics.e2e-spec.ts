import type pg from 'pg';
import type { BoundStatement } from '../src/database/database.js';
import type { ListStatement } from '../src/database/lists/list-statement.js';
import { pageStatement } from '../src/database/lists/page-statement.js';
import { readFields } from '../src/http/fields/fields.pipe.js';
import { JsonNumber } from '../src/http/json/json-parser.js';
import { cashFlow } from '../src/reports/cash-flow.queries.js';
import { profitAndLoss } from '../src/reports/profit-and-loss.queries.js';
import { CashFlowQuery, ProfitAndLossQuery, TaxYearQuery } from '../src/reports/reports.dto.js';
import { taxYear } from '../src/reports/tax-year.js';
import { searchFilters, searchSort } from '../src/transactions/search.js';
import { TransactionSearchRequest } from '../src/transactions/transactions.dto.js';
import {
  filteredPage,
  propertyTransactionPage,
  transactionPage,
} from '../src/transactions/transactions.queries.js';
import { TRANSACTION_SORT_FIELDS } from '../src/transactions/transactions.sort.js';
import { TRANSACTIONS } from '../src/transactions/transactions.writes.js';
import { ALIKE } from '../src/transfers/duplicates.js';
import { linesStatement, MEDIA_TYPES, TRANSACTIONS as FILE_ROWS } from '../src/transfers/lines.js';
import { ExportQuery } from '../src/transfers/transfers.dto.js';
import { openConnection } from './support/connect.js';
import { createDatabase } from './support/database.js';
import { MODES, pagesReadBy } from './support/plan.js';

const OWNERS = 500;
const OWNER = { ownerId: '1' };
const ROWS = 10_000;
const IDS = Array.from({ length: 500 }, (_, index) => String(OWNERS + 1 + index * 7));
const AMOUNTS = Array.from({ length: 2000 }, (_, index) => String(index + 1));

const number = (value: number): JsonNumber => new JsonNumber(String(value));

function searchFor(fields: object): ListStatement {
  const request = readFields(TransactionSearchRequest, fields);
  return filteredPage(OWNER, searchSort(request), searchFilters(request, 'indexed'));
}

const pagesOf = (name: string, list: ListStatement): [string, BoundStatement][] =>
  [0, 3].map((page) => [`page ${page} of ${name}`, pageStatement(list, { page, size: 20 })]);

const STATEMENTS: [string, BoundStatement][] = [
  ...TRANSACTION_SORT_FIELDS.flatMap((field) => [
    ...pagesOf(`the list by ${field}`, transactionPage(OWNER, [{ field, direction: 'DESC' }])),
    ...pagesOf(`a property by ${field}`, propertyTransactionPage('1', '1', [{ field, direction: 'ASC' }])),
  ]),
  ...[
    { type: 'INCOME' },
    { propertyId: number(1), overdue: true },
    { minAmount: number(100) },
    { vendor: 'Vendor 77' },
    { searchTerm: 'Row 77' },
    { searchTerm: 'Ro' },
    { category: 'TAXES', sortBy: 'amount' },
  ].flatMap((fields) => pagesOf(`the search ${JSON.stringify(fields)}`, searchFor(fields))),
  ['a single row', { statement: TRANSACTIONS.get.ofOwner, values: ['1', '700'] }],
  [
    'rows that requests ask for together',
    {
      statement: TRANSACTIONS.getEach,
      values: [
        ['1', '1'],
        ['700', '701'],
      ],
    },
  ],
  ...MEDIA_TYPES.map((mediaType): [string, BoundStatement] => {
    return [
      `the lines of ${mediaType}`,
      {
        statement: linesStatement(mediaType, readFields(ExportQuery, {}), FILE_ROWS, true),
        values: ['1', IDS],
      },
    ];
  }),
  [
    'the look for duplicates',
    { statement: ALIKE, values: ['1', '2026-01-01', '2026-12-31', AMOUNTS, AMOUNTS, 10] },
  ],
  ['the profit and loss', profitAndLoss('1', readFields(ProfitAndLossQuery, { groupBy: 'property,month' }))],
  ['the tax year', taxYear('1', readFields(TaxYearQuery, { year: '2026' }))],
  ['the cash flow', cashFlow('1', readFields(CashFlowQuery, {}))],
];

/** Whose statistics are those of owners of one row each, while one owner has just loaded ten thousand. */
describe('an owner who was loaded after the last ANALYZE', () => {
  let client: pg.Client;
  beforeAll(async () => {
    client = await openConnection(await createDatabase());
    await client.query(`INSERT INTO users (id, email, username, password_hash)
      SELECT n, n || '@example.com', 'owner-' || n, '$2b$10$' || repeat('a', 53) FROM generate_series(1, ${OWNERS}) n`);
    await client.query(`INSERT INTO properties
        (owner_id, id, name, address, base_price, max_guests, bedrooms, bathrooms, active)
      SELECT n, n, 'House', 'Street', 1, 1, 1, 1, true FROM generate_series(1, ${OWNERS}) n`);
    await client.query('ALTER TABLE transactions SET (autovacuum_enabled = false)');
    await load('n', `generate_series(1, ${OWNERS}) n`);
    await client.query('ANALYZE');
    await load('1', `generate_series(${OWNERS + 1}, ${OWNERS + ROWS}) n`);
  });

  async function load(owner: string, numbers: string): Promise<void> {
    await client.query(`INSERT INTO transactions (owner_id, id, property_id, property_name, type, category,
        description, amount, date, status, recurring, vendor)
      SELECT ${owner}, n, ${owner}, 'House', 'INCOME', 'TAXES', 'Row ' || n, n,
             '2026-01-01'::timestamptz + n * interval '1 hour', 'PAID', false, 'Vendor ' || n % 200 FROM ${numbers}`);
  }

  it('is read by every statement in at most twice the pages that it takes with statistics, or to pass once over the rows', async () => {
    const read = async (): Promise<Record<string, number>> => {
      const pages: Record<string, number> = {};
      for (const [name, { statement, values }] of STATEMENTS)
        for (const mode of statement.name === undefined ? (['custom'] as const) : MODES)
          pages[`${name}, ${mode}`] = await pagesReadBy(client, statement, values, mode);
      return pages;
    };
    const stale = await read();
    await client.query('ANALYZE');
    const fresh = await read();
    const allRows = fresh['page 0 of the list by createdAt, generic']!;
    expect(
      Object.keys(stale)
        .filter((name) => stale[name]! > 2 * Math.max(fresh[name]!, allRows))
        .map((name) => `${name}: ${stale[name]} pages, ${fresh[name]} with statistics`),
    ).toEqual([]);
  });
});
