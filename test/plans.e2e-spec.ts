import type pg from 'pg';
import { FIRST_OWNER, TERMS } from '../bench/dataset.js';
import { seed } from '../bench/seed.js';
import type { OwnerScope } from '../src/access/owner-scope.js';
import type { BoundStatement, Statement } from '../src/database/database.js';
import type { Mark } from '../src/database/lists/cursor.js';
import type { ListStatement } from '../src/database/lists/list-statement.js';
import { pageStatement } from '../src/database/lists/page-statement.js';
import { cursorOf } from '../src/database/lists/whole-list.js';
import { JsonNumber } from '../src/http/json/json-parser.js';
import { DEFAULT_PAGE_SIZE } from '../src/http/fields/page.js';
import type { Direction } from '../src/http/fields/sort.js';
import { readFields } from '../src/http/fields/fields.pipe.js';
import { propertyPage } from '../src/properties/properties.queries.js';
import { PROPERTY_SORT_FIELDS } from '../src/properties/properties.sort.js';
import { PROPERTIES } from '../src/properties/properties.writes.js';
import { cashFlow } from '../src/reports/cash-flow.queries.js';
import { profitAndLoss } from '../src/reports/profit-and-loss.queries.js';
import { CashFlowQuery, ProfitAndLossQuery, TaxYearQuery } from '../src/reports/reports.dto.js';
import { taxYear } from '../src/reports/tax-year.queries.js';
import { ALIKE } from '../src/transfers/duplicates.js';
import { searchFilters, searchSort, type TextSearch } from '../src/transactions/search.js';
import { TransactionSearchRequest } from '../src/transactions/transactions.dto.js';
import {
  filteredPage,
  OWNER_TOTAL,
  propertyTransactionPage,
  TRANSACTION_VIEW,
  transactionPage,
} from '../src/transactions/transactions.queries.js';
import type { TransactionSort } from '../src/transactions/transactions.sort.js';
import { TRANSACTIONS } from '../src/transactions/transactions.writes.js';
import { CALLERS, USER_BY_ID, USER_FOR_SIGN_IN } from '../src/users/users.queries.js';
import { openConnection } from './support/connect.js';
import { createDatabase } from './support/database.js';
import { type Mode, MODES, nodesOf, pagesReadBy, type PlanNode, planOf } from './support/plan.js';
import { until } from './support/until.js';

/** One owner has half of the rows, the others some twenty each: what is right for these must not be taken for that one. */
const DATASET = { owners: 700, transactions: 30_000, large: [15_000] };
const OWNER = { ownerId: String(FIRST_OWNER) };
const SMALL_OWNER = { ownerId: String(FIRST_OWNER + 100) };
const OWNERS = [OWNER, SMALL_OWNER];
const PROPERTY_ID = '1';
const DEFAULT_SORT: TransactionSort = [{ field: 'date', direction: 'DESC' }];
/** Each has an index that every row is in. */
const INDEXED = ['id', 'date', 'amount'] as const;
/** Each is in the entries of the index by date. Texts are in none: their lists read the owner's rows and keep the best. */
const CARRIED = ['createdAt', 'updatedAt', 'dueDate', 'paidAt', 'category', 'type', 'status'] as const;
const DIRECTIONS: readonly Direction[] = ['ASC', 'DESC'];
/** The scan that answers a search, and the one that looks up a row of the page. */
const ENTRIES = 'Index Only Scan transactions_owner_date_idx';
const ROW_OF_KEY = /^Index Scan transactions_(pkey|id_idx)$/;
/** Where an owner has half of all rows, the index of all by date is as good. */
const FIRST_OR_LAST = /^Index Scan( Backward)? transactions_date_idx$/;
const OF_DEFAULT = /^((Incremental Sort, )?Index Scan|Index Only Scan) transactions_(owner_)?date_idx$/;
const QUARTER = { startDate: '2024-01-01T00:00:00Z', endDate: '2024-03-31T23:59:59Z' };
const DEEP_PAGE = 700; // of 750

let client: pg.Client;

beforeAll(async () => {
  const url = await createDatabase();
  client = await openConnection(url);
  await seed(url, DATASET);
  // Pages that seed()'s two sessions added at the same time may have stayed empty, and are never known to be visible.
  await client.query('VACUUM (FULL) transactions');
  // A snapshot during a VACUUM, of an ANALYZE of another table for one, keeps rows from becoming visible to all.
  await until(async () => {
    await client.query('VACUUM (ANALYZE) transactions');
    const { rows } = await client.query<{ visible: boolean }>(
      `SELECT relallvisible >= relpages AS visible FROM pg_class WHERE relname = 'transactions'`,
    );
    return rows[0]?.visible === true;
  });
  // As in use: here and there a page has a row that is not yet known to be visible to all.
  await client.query('UPDATE transactions SET notes = notes WHERE id % 500 = 0');
});

const listBy = (field: TransactionSort[number]['field'], direction: Direction): ListStatement =>
  transactionPage(OWNER, [{ field, direction }]);
const LIST_OF_PROPERTY = propertyTransactionPage(OWNER.ownerId, PROPERTY_ID, DEFAULT_SORT);

async function pagePlanOf(query: ListStatement, mode: Mode, page = 0): Promise<PlanNode[]> {
  const { statement, values } = pageStatement(query, { page, size: DEFAULT_PAGE_SIZE });
  return planOf(client, statement, values, mode);
}

it.each(INDEXED)('an export by %s begins at once, in the order of an index', async (field) => {
  for (const direction of DIRECTIONS) {
    const cursor = cursorOf(listBy(field, direction), TRANSACTION_VIEW.octets);
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `EXPLAIN (FORMAT JSON) ${cursor.replaceAll('$1', OWNER.ownerId)}`,
    );
    const nodes = nodesOf(rows[0]!['QUERY PLAN'][0].Plan);
    expect(nodes.map((node) => node['Node Type'])).not.toContain('Sort');
    expect(wholeTables(nodes)).toEqual([]);
  }
});

describe.each(MODES)('a statement planned in the %s way', (mode) => {
  it.each<[string, Statement, string[]]>([
    ['users.callers', CALLERS, ['{1,2}']],
    ['users.by_id', USER_BY_ID, ['1']],
    ['users.sign_in', USER_FOR_SIGN_IN, ['owner-7']],
    ...[PROPERTIES, TRANSACTIONS].flatMap((table): [string, Statement, string[]][] => [
      [table.getEach.name!, table.getEach, ['{7,8}', '{1,2}']],
      ...[table.get, table.locate].flatMap(({ ofOwner, ofAnybody }): [string, Statement, string[]][] => [
        [ofOwner.name!, ofOwner, [OWNER.ownerId, '1']],
        [ofAnybody.name!, ofAnybody, ['1']],
      ]),
    ]),
    ['transactions.owner_total', OWNER_TOTAL, [OWNER.ownerId]],
  ])('%s goes through one index', async (_, statement, values) => {
    const scans = (await planOf(client, statement, values, mode))
      .map(describeNode)
      .filter((node) => node.includes(' Scan') && !node.startsWith('Function Scan'));
    expect(scans).toEqual([expect.stringMatching(/^Index (Only )?Scan /)]);
  });

  // An OFFSET steps over index entries alone; only the rows of the page are looked up.
  it.each<[string, ListStatement, page: number, RegExp | string]>([
    ['the default list', transactionPage(OWNER, DEFAULT_SORT), 0, OF_DEFAULT],
    ['the default list', transactionPage(OWNER, DEFAULT_SORT), 300, OF_DEFAULT],
    ["a property's list", LIST_OF_PROPERTY, 0, ENTRIES],
    ["a property's list", LIST_OF_PROPERTY, 300, ENTRIES],
    [
      "everybody's list", // but for what ties
      transactionPage('every-owner', DEFAULT_SORT),
      0,
      'Incremental Sort, Index Scan transactions_date_idx',
    ],
    ...INDEXED.flatMap((field) =>
      DIRECTIONS.map((direction): [string, ListStatement, number, RegExp] => [
        `the list by ${field} ${direction}`,
        listBy(field, direction),
        1,
        /^Index Only Scan( Backward)? transactions_\w+$/,
      ]),
    ),
  ])('finds the keys of a page of %s in the order of an index', async (_, query, page, expected) => {
    expect(keysOf(await pagePlanOf(query, mode, page))).toEqual(
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    );
  });

  it.each(CARRIED)('finds the keys of a list by %s in index entries alone', async (field) => {
    for (const direction of DIRECTIONS) {
      const ofProperty = propertyTransactionPage(OWNER.ownerId, PROPERTY_ID, [{ field, direction }]);
      for (const query of [listBy(field, direction), ofProperty])
        for (const page of [0, 1]) {
          const plan = await pagePlanOf(query, mode, page);
          expect(wholeTables(plan)).toEqual([]);
          if (query !== ofProperty && page === 1) expect(lookedAt(plan)).toEqual([]);
        }
    }
  });

  it.each<[string, ListStatement, page: number, scans: number]>([
    ['default list', transactionPage(OWNER, DEFAULT_SORT), 0, 2],
    ['list by amount', listBy('amount', 'ASC'), 1, 2],
    ["property's list", LIST_OF_PROPERTY, 1, 3], // one for a lost total
  ])('looks no row of the %s up once more to say where its page ends', async (_, query, page, scans) => {
    const plan = await pagePlanOf(query, mode, page);
    const looks = plan.flatMap((node) => node['Index Name'] ?? []).filter((name) => name.startsWith('tr'));
    expect(looks).toHaveLength(scans);
  });

  it.each<object>([
    QUARTER,
    { endDate: QUARTER.endDate },
    { type: 'EXPENSE' },
    { category: 'TAXES' },
    { status: 'REFUNDED' },
    { paymentMethod: 'CASH' },
    { recurring: true },
    { frequency: 'MONTHLY' },
    { propertyId: number(PROPERTY_ID) },
    { overdue: true },
    { overdue: false },
    { type: 'EXPENSE', status: 'PAID', ...QUARTER },
    { type: 'EXPENSE', status: 'PAID', ...QUARTER, minAmount: number(100) },
    { category: 'TAXES', paymentMethod: 'CASH', minAmount: number(9) },
    { type: 'INCOME', overdue: false, propertyId: number(1), minAmount: number(9), ...QUARTER },
  ])('counts the search %j by one index alone, and reads a page in its order', async (fields) => {
    for (const owner of OWNERS) {
      const query = searchOf(owner, fields);
      expect(query.name).toBeDefined();
      const plan = await pagePlanOf(query, mode);
      const scans = plan.map(describeNode).filter((node) => node.includes('Scan transactions'));
      expect(scans.filter((node) => !ROW_OF_KEY.test(node))).toEqual([ENTRIES, ENTRIES]);
      expect(sortsOf(plan)).toEqual([]);
    }
  });

  // An owner has few properties: they are all found by the primary key, and sorted.
  it.each(PROPERTY_SORT_FIELDS)(
    "reads no list of an owner's properties by %s from the whole table",
    async (field) => {
      for (const direction of DIRECTIONS)
        expect(wholeTables(await pagePlanOf(propertyPage(OWNER, [{ field, direction }]), mode))).toEqual([]);
    },
  );
});

describe('a page behind a cursor', () => {
  async function markAfter(query: ListStatement, page: number): Promise<Mark> {
    const { statement, values } = pageStatement(query, { page, size: DEFAULT_PAGE_SIZE });
    const { rows } = await client.query<{ position: string[] }>(statement.text, values);
    return { page: page + 1, total: DATASET.large[0]!, position: rows[0]!.position };
  }

  async function readBy(query: ListStatement, mode: Mode, after?: Mark): Promise<number> {
    const { statement, values } = pageStatement(query, { page: 0, size: DEFAULT_PAGE_SIZE, after });
    return pagesReadBy(client, statement, values, mode);
  }

  it.each<[string, ListStatement, page?: number]>([
    ...INDEXED.flatMap((field) =>
      DIRECTIONS.map((direction): [string, ListStatement] => [
        `by ${field} ${direction}`,
        listBy(field, direction),
      ]),
    ),
    ['by date and amount', transactionPage(OWNER, [...DEFAULT_SORT, { field: 'amount', direction: 'ASC' }])],
    ['of a property', LIST_OF_PROPERTY, 10],
    ['of expenses', searchOf(OWNER, { type: 'EXPENSE' }), 300],
    ['of everybody', transactionPage('every-owner', DEFAULT_SORT)],
  ])(
    '%s begins where the page before has ended, and reads little more',
    async (name, query, page = DEEP_PAGE) => {
      const after = await markAfter(query, page);
      const { statement, values } = pageStatement(query, { page: 0, size: DEFAULT_PAGE_SIZE, after });
      for (const mode of MODES) {
        const plan = await planOf(client, statement, values, mode);
        expect(plan.flatMap((node) => node['Index Cond'] ?? [])).toContainEqual(
          expect.stringMatching(/[<>]=? /),
        );
        expect(wholeTables(plan).filter((scan) => !scan.endsWith('owner_totals'))).toEqual([]);
        // Twenty rows, each with three or four pages of an index and one of the table.
        expect(await readBy(query, mode, after)).toBeLessThan(name === 'of everybody' ? 250 : 200);
      }
    },
  );

  it.each(CARRIED)('by %s reads the entries of the owner once, as the first page does', async (field) => {
    for (const direction of DIRECTIONS) {
      const query = listBy(field, direction);
      const mark = await markAfter(query, DEEP_PAGE);
      for (const mode of MODES)
        expect(await readBy(query, mode, mark)).toBeLessThan((await readBy(query, mode)) * 1.1);
    }
  });
});

it.each([0, 600])('page %d of a list without an index sorts nothing but the keys', async (page) => {
  const plan = await pagePlanOf(listBy('createdAt', 'ASC'), 'custom', page);
  const sorts = plan.filter((node) => node['Node Type'] === 'Sort');
  expect(sorts.map((node) => node['Plan Width'])).toEqual([16]); // the time and the id
});

it('no name of a statement is longer than PostgreSQL tells names apart', () => {
  const all = { minAmount: number(1), propertyId: number(1), overdue: false, type: 'INCOME', ...QUARTER };
  for (const page of [0, 1]) {
    const { statement } = pageStatement(searchOf(OWNER, all), { page, size: DEFAULT_PAGE_SIZE });
    expect(statement.name).toMatch(/^transactions\.by\..{20,47}$/); // of 63 characters
  }
});

// Whatever it is grouped by, the entries are read once, and no row of the table.
it.each<[string, (ownerId: string) => BoundStatement]>([
  ...[
    {},
    { from: '2024-01-01', to: '2024-03-31' },
    { propertyId: PROPERTY_ID, groupBy: 'category' },
    { groupBy: 'property,month' },
    { groupBy: 'category,quarter', basis: 'cash', from: '2024-01-01' },
  ].map((fields): [string, (ownerId: string) => BoundStatement] => [
    `profit and loss ${JSON.stringify(fields)}`,
    (ownerId) => profitAndLoss(ownerId, readFields(ProfitAndLossQuery, fields)),
  ]),
  ...[{ year: '2024' }, { year: '2024', propertyId: PROPERTY_ID, basis: 'accrual' }].map(
    (fields): [string, (ownerId: string) => BoundStatement] => [
      `tax year ${JSON.stringify(fields)}`,
      (ownerId) => taxYear(ownerId, readFields(TaxYearQuery, fields)),
    ],
  ),
])('the %s is read from one index alone', async (_, report) => {
  for (const { ownerId } of OWNERS) {
    const { statement, values } = report(ownerId);
    const plan = await planOf(client, statement, values, 'custom');
    expect(lookedAt(plan).filter((node) => !FIRST_OR_LAST.test(node))).toEqual([]);
    expect(plan.map(describeNode)).toContain(ENTRIES);
    expect(wholeTables(plan)).toEqual([]);
  }
});

it.each([{}, { propertyId: PROPERTY_ID, months: '24', from: '2025-01-01' }])(
  'the cash flow %j reads only what is unpaid or recurs',
  async (fields) => {
    for (const { ownerId } of OWNERS) {
      const { statement, values } = cashFlow(ownerId, readFields(CashFlowQuery, fields));
      const plan = await planOf(client, statement, values, 'custom');
      const indexes = plan.flatMap((node) => node['Index Name'] ?? []);
      expect(indexes.filter((name) => name.startsWith('transactions')).sort()).toEqual([
        'transactions_owner_owed_idx',
        'transactions_owner_recurring_idx',
      ]);
      expect(wholeTables(plan)).toEqual([]);
    }
  },
);

// Whatever is expected of the list, there is nothing that could be nested.
it.each([
  ['of a small owner', SMALL_OWNER.ownerId, 'transactions_owner_date_idx'],
  ['of a large owner', OWNER.ownerId, 'transactions_(owner_)?date_idx'],
  ['of an owner whom the statistics do not know', '1', 'transactions_owner_date_idx'],
  ['where there are no statistics', undefined, 'transactions_owner_date_idx'],
])('the look for duplicates %s reads only the days of the file', async (_, ownerId, index) => {
  const amounts = Array.from({ length: 5000 }, (__, cents) => `${cents}.5`);
  const keys = amounts.map((amount) => `key-${amount}`);
  const connection = ownerId === undefined ? await freshDatabase() : client;
  const values = [ownerId ?? '1', '2024-01-01', '2024-01-31', amounts, keys, keys.length];
  const plan = await planOf(connection, ALIKE, values, 'custom');
  const days = plan.filter((node) => node['Relation Name'] === 'transactions');
  expect(days.map(describeNode)).toEqual([expect.stringMatching(`^Index Scan( Backward)? ${index}$`)]);
  expect(days[0]?.['Index Cond']).toMatch(/date >= .* AND .*date < /);
  expect(plan.filter((node) => /Join|Nested Loop/.test(node['Node Type']))).toEqual([]);
});

async function freshDatabase(): Promise<pg.Client> {
  const fresh = await openConnection(await createDatabase());
  await fresh.query(`
    INSERT INTO users (id, email, username, password_hash, role) VALUES (1, 'a@example.com', 'abc', '$2b$10$' || repeat('.', 53), 'USER');
    INSERT INTO properties (owner_id, id, name, address, base_price, max_guests, bedrooms, bathrooms, active)
    VALUES (1, 1, '', '', 1, 1, 1, 1, true);
    INSERT INTO transactions (owner_id, property_id, type, category, description, amount, date, status, recurring)
    SELECT 1, 1, 'INCOME', 'CLEANING', '', n, timestamptz '2023-12-01Z' + n * interval '1 hour', 'PAID', false
      FROM generate_series(1, 8000) n`);
  return fresh;
}

// Most searches of texts have no name: they are always planned for their values.
describe('a search', () => {
  it.each([
    ['a rare term', { searchTerm: TERMS.rare }, 'transactions_search_text_idx'],
    ['an absent term', { searchTerm: TERMS.absent }, 'transactions_search_text_idx'],
    ['three letters', { searchTerm: 'xqz' }, 'transactions_search_text_idx'],
    ['a vendor', { vendor: 'Zeppelin' }, 'transactions_search_text_idx'],
    ['amounts', { minAmount: number(100), maxAmount: number(120) }, 'transactions_owner_amount_idx'],
    ['an approval', { approvalStatus: 'APPROVED' }, 'transactions_owner_approval_status_idx'],
    ['a category, by amount', { category: 'TAXES', sortBy: 'amount' }, 'transactions_owner_date_idx'],
  ])('for %s of a large owner counts with the help of an index', async (_, fields, index) => {
    const plan = await pagePlanOf(searchOf(OWNER, fields), 'custom');
    expect(wholeTables(plan)).toEqual([]);
    expect(plan.map((node) => node['Index Name'])).toContain(index);
  });

  it.each([
    ['a common term', { searchTerm: TERMS.common }],
    ['two letters', { searchTerm: TERMS.twoLetters }],
    ['a vendor', { vendor: 'north' }],
    ['an approval', { approvalStatus: 'APPROVED' }],
  ])('for %s of a small owner never reads the whole table', async (_, fields) => {
    for (const textSearch of ['indexed', 'row-by-row'] as const) {
      const query = searchOf(SMALL_OWNER, fields, textSearch);
      expect(wholeTables(await pagePlanOf(query, 'custom'))).toEqual([]);
    }
  });

  it('for two letters shares out the rows of a large owner among processes', async () => {
    await client.query('SET parallel_setup_cost = 0; SET min_parallel_table_scan_size = 0');
    const plan = await pagePlanOf(searchOf(OWNER, { searchTerm: TERMS.twoLetters }), 'custom');
    await client.query('RESET parallel_setup_cost; RESET min_parallel_table_scan_size');
    expect(plan.map((node) => node['Node Type'])).toContain('Gather');
  });

  it.each(['wi', 'a b', '%', 'b&b', '…'])(
    'for %j, without a trigram, keeps off the index of texts',
    async (searchTerm) => {
      const plan = await pagePlanOf(searchOf(SMALL_OWNER, { searchTerm }), 'custom');
      expect(plan.map((node) => node['Index Name'])).not.toContain('transactions_search_text_idx');
    },
  );
});

function searchOf(scope: OwnerScope, fields: object, textSearch: TextSearch = 'indexed'): ListStatement {
  const request = readFields(TransactionSearchRequest, fields);
  return filteredPage(scope, searchSort(request), searchFilters(request, textSearch));
}

function number(value: number | string): JsonNumber {
  return new JsonNumber(String(value));
}

/** What lies below the LIMIT of a page, the scan last; but for Result, which only computes. */
function keysOf(nodes: readonly PlanNode[]): string {
  const limit = nodes.find((node) => node['Node Type'] === 'Limit')!;
  const below = nodesOf(limit).slice(1);
  return below
    .map(describeNode)
    .filter((node) => node !== 'Result')
    .join(', ');
}

/** Scans of transactions that read rows, but for the look-up of those of the page. */
function lookedAt(nodes: readonly PlanNode[]): string[] {
  return nodes
    .map(describeNode)
    .filter(
      (node) =>
        node.includes('Scan transactions') && !node.startsWith('Index Only') && !ROW_OF_KEY.test(node),
    );
}

function sortsOf(nodes: readonly PlanNode[]): string[] {
  return nodes.map(describeNode).filter((node) => node.includes('Sort'));
}

function wholeTables(nodes: readonly PlanNode[]): string[] {
  return nodes.filter((node) => node['Node Type'] === 'Seq Scan').map(describeNode);
}

function describeNode(node: PlanNode): string {
  return [node['Node Type'], node['Index Name'] ?? node['Relation Name']].filter(Boolean).join(' ');
}
