import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { FIRST_OWNER, TERMS } from '../bench/dataset.js';
import { seed } from '../bench/seed.js';
import type { OwnerScope } from '../src/access/owner-scope.js';
import type { Statement } from '../src/database/database.js';
import type { Mark, Position } from '../src/database/lists/cursor.js';
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
import { TRANSACTION_SORT_FIELDS, type TransactionSort } from '../src/transactions/transactions.sort.js';
import { TRANSACTIONS } from '../src/transactions/transactions.writes.js';
import { CALLERS, USER_BY_ID, USER_FOR_SIGN_IN } from '../src/users/users.queries.js';
import { openConnection } from './support/connect.js';
import { createDatabase } from './support/database.js';
import { type Mode, MODES, nodesOf, pagesReadBy, type PlanNode, planOf } from './support/plan.js';

/** One owner has half of the rows, the others some twenty each: what is right for these must not be taken for that one. */
const DATASET = { owners: 700, transactions: 30_000, large: [15_000] };
const OWNER = { ownerId: String(FIRST_OWNER) };
const SMALL_OWNER = { ownerId: String(FIRST_OWNER + 100) };
const PROPERTY_ID = '1';
const DEFAULT_SORT: TransactionSort = [{ field: 'date', direction: 'DESC' }];
/** Each has an index that every row is in. */
const INDEXED = ['id', 'date', 'amount'] as const;
/** Texts, which no index has: their lists read the owner's rows and keep the best. */
const TEXTS: readonly string[] = ['description', 'vendor'];
const DIRECTIONS: readonly Direction[] = ['ASC', 'DESC'];
/** The scan that answers a search, and the one that looks up a row of the page. */
const ENTRIES = 'Index Only Scan transactions_owner_date_idx';
const ROW_OF_KEY = /^Index Scan transactions_(pkey|id_idx)$/;
/** Where an owner has half of all rows, the index of all by date is as good. */
const FIRST_OR_LAST = /^Index Scan( Backward)? transactions_date_idx$/;
const QUARTER = { startDate: '2024-01-01T00:00:00Z', endDate: '2024-03-31T23:59:59Z' };

describe('the plans of the statements', () => {
  let client: pg.Client;

  beforeAll(async () => {
    const url = await createDatabase();
    client = await openConnection(url);
    await seed(url, DATASET);
    await becomeVisible();
    // As in use: here and there a page has a row that is not yet known to be visible to all.
    await client.query('UPDATE transactions SET notes = notes WHERE id % 500 = 0');
  });

  /**
   * Pages that seed()'s two sessions added at the same time may have stayed empty, and are never known to be visible:
   * FULL drops them. Whoever has a snapshot during a VACUUM, an ANALYZE of another table for one, keeps others from it.
   */
  async function becomeVisible(): Promise<void> {
    await client.query('VACUUM (FULL) transactions');
    for (let tries = 0; tries < 50; tries++) {
      const { rows } = await client.query<{ visible: boolean }>(
        `SELECT relallvisible >= relpages AS visible FROM pg_class WHERE relname = 'transactions'`,
      );
      if (rows[0]?.visible === true) return;
      await sleep(100);
      await client.query('VACUUM (ANALYZE) transactions');
    }
    throw new Error('the rows do not become visible to all');
  }

  async function pagePlanOf(query: ListStatement, mode: Mode, page = 0): Promise<PlanNode[]> {
    const { statement, values } = pageStatement(query, { page, size: DEFAULT_PAGE_SIZE });
    return planOf(client, statement, values, mode);
  }

  it.each(INDEXED)("begins an owner's export by %s at once, in the order of an index", async (field) => {
    for (const direction of DIRECTIONS) {
      const cursor = cursorOf(transactionPage(OWNER, [{ field, direction }]), TRANSACTION_VIEW.octets);
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `EXPLAIN (FORMAT JSON) ${cursor.replaceAll('$1', OWNER.ownerId)}`,
      );
      const nodes = nodesOf(rows[0]!['QUERY PLAN'][0].Plan).map((node) => node['Node Type']);
      expect(nodes).not.toContain('Sort');
      expect(nodes).not.toContain('Seq Scan');
    }
  });

  describe.each(MODES)('planned in the %s way', (mode) => {
    it.each([
      ['users.callers', CALLERS, ['{1,2}']],
      ['users.by_id', USER_BY_ID, ['1']],
      ['users.sign_in', USER_FOR_SIGN_IN, ['owner-7']],
      ...[PROPERTIES, TRANSACTIONS].flatMap((table): [string, Statement, string[]][] => [
        [table.get.name!, table.get, [OWNER.ownerId, '1']],
        [table.getEach.name!, table.getEach, ['{7,8}', '{1,2}']],
        [table.getOfAnybody.name!, table.getOfAnybody, ['1']],
        [table.locate.name!, table.locate, [OWNER.ownerId, '1']],
        [table.locateOfAnybody.name!, table.locateOfAnybody, ['1']],
      ]),
      ['transactions.owner_total', OWNER_TOTAL, [OWNER.ownerId]],
    ])('%s goes through an index', async (_, statement, values) => {
      const scans = (await planOf(client, statement, values, mode))
        .map(describeNode)
        .filter((node) => node.includes(' Scan') && !node.startsWith('Function Scan'));
      expect(scans).toEqual([expect.stringMatching(/^Index (Only )?Scan /)]);
    });

    // An OFFSET steps over index entries alone; only the rows of the page are looked up.
    it.each([0, 300])('gives page %d of a default list in the order of an index', async (page) => {
      // Where an owner has half of all rows, the index of all by date is as good.
      const ofLargeOwner = keysOf(await pagePlanOf(transactionPage(OWNER, DEFAULT_SORT), mode, page));
      expect(ofLargeOwner).toMatch(
        /^((Incremental Sort, )?Index Scan|Index Only Scan) transactions_(owner_)?date_idx$/,
      );
      const ofProperty = propertyTransactionPage(OWNER.ownerId, PROPERTY_ID, DEFAULT_SORT);
      expect(keysOf(await pagePlanOf(ofProperty, mode, page))).toBe(ENTRIES);
    });

    it.each<[string, ListStatement, page: number, scans: number]>([
      ['default list', transactionPage(OWNER, DEFAULT_SORT), 0, 2],
      ['list by amount', transactionPage(OWNER, [{ field: 'amount', direction: 'ASC' }]), 1, 2],
      ["property's list", propertyTransactionPage(OWNER.ownerId, PROPERTY_ID, DEFAULT_SORT), 1, 3], // one for a lost total
    ])('looks no row of the %s up once more to say where its page ends', async (_, query, page, scans) => {
      const plan = await pagePlanOf(query, mode, page);
      const looks = plan.flatMap((node) => node['Index Name'] ?? []).filter((name) => name.startsWith('tr'));
      expect(looks).toHaveLength(scans);
    });

    it("gives the first page of everybody's default list in the order of an index, but for what ties", async () => {
      const plan = await pagePlanOf(transactionPage('every-owner', DEFAULT_SORT), mode);
      expect(keysOf(plan)).toBe('Incremental Sort, Index Scan transactions_date_idx');
    });

    it.each(TRANSACTION_SORT_FIELDS)(
      'finds the keys of a list by %s in indexes alone, in the order of the one that has it, but for texts',
      async (field) => {
        for (const direction of DIRECTIONS) {
          const ofOwner = transactionPage(OWNER, [{ field, direction }]);
          const ofProperty = propertyTransactionPage(OWNER.ownerId, PROPERTY_ID, [{ field, direction }]);
          const plan = await pagePlanOf(ofOwner, mode, 1);
          if (!TEXTS.includes(field)) expect(lookedAt(plan)).toEqual([]);
          if ((INDEXED as readonly string[]).includes(field))
            expect(keysOf(plan)).toMatch(/^Index Only Scan( Backward)? transactions_\w+$/);
          for (const query of TEXTS.includes(field) ? [] : [ofOwner, ofProperty])
            expect(wholeTables(await pagePlanOf(query, mode))).toEqual([]);
        }
      },
    );

    it.each<[string, object]>([
      ['a period', QUARTER],
      ['one end of a period', { endDate: QUARTER.endDate }],
      ['a type', { type: 'EXPENSE' }],
      ['a category', { category: 'TAXES' }],
      ['a status', { status: 'REFUNDED' }],
      ['a way of payment', { paymentMethod: 'CASH' }],
      ['what recurs', { recurring: true }],
      ['a frequency', { frequency: 'MONTHLY' }],
      ['a property', { propertyId: number(PROPERTY_ID) }],
      ['what is overdue', { overdue: true }],
      ['what is not overdue', { overdue: false }],
      ['type, status and a period', { type: 'EXPENSE', status: 'PAID', ...QUARTER }],
      ['these and an amount', { type: 'EXPENSE', status: 'PAID', ...QUARTER, minAmount: number(100) }],
      [
        'category, way of payment and amount',
        { category: 'TAXES', paymentMethod: 'CASH', minAmount: number(9) },
      ],
      [
        'all at once',
        { type: 'INCOME', overdue: false, propertyId: number(1), minAmount: number(9), ...QUARTER },
      ],
    ])('counts %s by one index alone, and reads a page in its order', async (_, fields) => {
      for (const owner of [OWNER, SMALL_OWNER]) {
        const query = searchOf(owner, fields);
        expect(query.name).toBeDefined();
        const plan = await pagePlanOf(query, mode);
        const scans = plan.map(describeNode).filter((node) => node.includes('Scan transactions'));
        expect(scans.filter((node) => !ROW_OF_KEY.test(node))).toEqual([ENTRIES, ENTRIES]);
        expect(plan.filter((node) => node['Node Type'].includes('Sort'))).toEqual([]);
      }
    });

    // An owner has few properties: they are all found by the primary key, and sorted.
    it.each(PROPERTY_SORT_FIELDS)(
      "reads no list of an owner's properties by %s from the whole table",
      async (field) => {
        for (const direction of DIRECTIONS) {
          expect(wholeTables(await pagePlanOf(propertyPage(OWNER, [{ field, direction }]), mode))).toEqual(
            [],
          );
        }
      },
    );
  });

  describe('of a page by cursor', () => {
    const DEEP_PAGE = 700; // of 750

    async function markAfter(query: ListStatement, page: number): Promise<Mark> {
      const { statement, values } = pageStatement(query, { page, size: DEFAULT_PAGE_SIZE });
      const { rows } = await client.query<{ position: Position }>(statement.text, values);
      return { page: page + 1, total: DATASET.large[0]!, position: rows[0]!.position };
    }

    async function readBy(query: ListStatement, mode: Mode, page: number, after?: Mark): Promise<number> {
      const { statement, values } = pageStatement(query, { page, size: DEFAULT_PAGE_SIZE, after });
      return pagesReadBy(client, statement, values, mode);
    }

    const inOrder = (field: TransactionSort[number]['field'], direction: Direction): ListStatement =>
      transactionPage(OWNER, [{ field, direction }]);
    const both = (field: TransactionSort[number]['field']): [string, ListStatement][] =>
      DIRECTIONS.map((direction) => [`by ${field} ${direction}`, inOrder(field, direction)]);

    it.each<[string, ListStatement, page?: number]>([
      ...INDEXED.flatMap(both),
      [
        'by date and amount',
        transactionPage(OWNER, [...DEFAULT_SORT, { field: 'amount', direction: 'ASC' }]),
      ],
      ['of a property', propertyTransactionPage(OWNER.ownerId, PROPERTY_ID, DEFAULT_SORT), 10],
      ['of expenses', searchOf(OWNER, { type: 'EXPENSE' }), 300],
    ])(
      '%s begins where the page before has ended, and reads little more',
      async (_, query, page = DEEP_PAGE) => {
        const mark = await markAfter(query, page);
        const { statement, values } = pageStatement(query, { page: 0, size: DEFAULT_PAGE_SIZE, after: mark });
        for (const mode of MODES) {
          const plan = await planOf(client, statement, values, mode);
          const conditions = plan.flatMap((node) => node['Index Cond'] ?? []);
          expect(conditions).toContainEqual(expect.stringMatching(/[<>]=? /));
          expect(wholeTables(plan)).toEqual([]);
          // Twenty rows, each with three or four pages of an index and one of the table.
          expect(await readBy(query, mode, 0, mark)).toBeLessThan(200);
        }
      },
    );

    it.each(['createdAt', 'updatedAt', 'dueDate', 'paidAt', 'category', 'type', 'status'] as const)(
      'by %s, for which there is no index, reads the entries of the owner once, as the first page does',
      async (field) => {
        for (const direction of DIRECTIONS) {
          const query = inOrder(field, direction);
          const mark = await markAfter(query, DEEP_PAGE);
          for (const mode of MODES)
            expect(await readBy(query, mode, 0, mark)).toBeLessThan((await readBy(query, mode, 0)) * 1.1);
        }
      },
    );

    it('begins for all owners, too, where the page before has ended', async () => {
      const query = transactionPage('every-owner', DEFAULT_SORT);
      const mark = await markAfter(query, DEEP_PAGE);
      for (const mode of MODES) expect(await readBy(query, mode, 0, mark)).toBeLessThan(250);
    });
  });

  it.each([0, 600])('sorts the keys of page %d with nothing that they do not need', async (page) => {
    const query = transactionPage(OWNER, [{ field: 'createdAt', direction: 'ASC' }]);
    const plan = await pagePlanOf(query, 'custom', page);
    const sorts = plan.filter((node) => node['Node Type'] === 'Sort');
    expect(sorts.map((node) => node['Plan Width'])).toEqual([16]); // the time and the id
  });

  it('names no statement longer than PostgreSQL tells names apart', () => {
    const all = { minAmount: number(1), propertyId: number(1), overdue: false, type: 'INCOME' };
    for (const page of [0, 1]) {
      const search = searchOf(OWNER, { ...QUARTER, ...all });
      const { statement } = pageStatement(search, { page, size: DEFAULT_PAGE_SIZE });
      expect(statement.name).toMatch(/^transactions\.by\..{20,47}$/); // of 63 characters
    }
  });

  // Whatever it is grouped by, the entries are read once, and no row of the table.
  describe('of a report', () => {
    it.each<[string, object]>([
      ['everything', {}],
      ['a quarter', { from: '2024-01-01', to: '2024-03-31' }],
      ['a property, by category', { propertyId: PROPERTY_ID, groupBy: 'category' }],
      ['properties and months', { groupBy: 'property,month' }],
      [
        'categories and quarters of what is paid',
        { groupBy: 'category,quarter', basis: 'cash', from: '2024-01-01' },
      ],
    ])('reads the profit and loss of %s from one index alone', async (_, fields) => {
      for (const { ownerId } of [OWNER, SMALL_OWNER]) {
        const { statement, values } = profitAndLoss(ownerId, readFields(ProfitAndLossQuery, fields));
        const plan = await planOf(client, statement, values, 'custom');
        expect(lookedAt(plan).filter((node) => !FIRST_OR_LAST.test(node))).toEqual([]);
        expect(plan.map(describeNode)).toContain(ENTRIES);
        expect(wholeTables(plan)).toEqual([]);
      }
    });

    it.each<[string, object]>([
      ['a year', { year: '2024' }],
      ['a property, by what is owed', { year: '2024', propertyId: PROPERTY_ID, basis: 'accrual' }],
    ])('reads the tax year of %s from one index alone', async (_, fields) => {
      for (const { ownerId } of [OWNER, SMALL_OWNER]) {
        const { statement, values } = taxYear(ownerId, readFields(TaxYearQuery, fields));
        const plan = await planOf(client, statement, values, 'custom');
        expect(lookedAt(plan)).toEqual([]);
        expect(plan.map(describeNode)).toContain(ENTRIES);
        expect(wholeTables(plan)).toEqual([]);
      }
    });

    it.each<[string, object]>([
      ['everything', {}],
      ['a property', { propertyId: PROPERTY_ID, months: '24', from: '2025-01-01' }],
    ])('reads for the cash flow of %s only what is unpaid or recurs', async (_, fields) => {
      for (const { ownerId } of [OWNER, SMALL_OWNER]) {
        const { statement, values } = cashFlow(ownerId, readFields(CashFlowQuery, fields));
        const plan = await planOf(client, statement, values, 'custom');
        const indexes = plan.flatMap((node) => node['Index Name'] ?? []);
        expect(indexes.filter((name) => name.startsWith('transactions')).sort()).toEqual([
          'transactions_owner_owed_idx',
          'transactions_owner_recurring_idx',
        ]);
        expect(wholeTables(plan)).toEqual([]);
      }
    });
  });

  // Whatever is expected of the list, there is nothing that could be nested.
  describe('of a look for duplicates', () => {
    const OWN_DAYS = /^Index Scan( Backward)? transactions_owner_date_idx$/;
    const amounts = Array.from({ length: 5000 }, (_, index) => `${index}.5`);
    const keys = amounts.map((amount) => `key-${amount}`);
    const valuesOf = (ownerId: string, from: string, to: string): unknown[] => [
      ...[ownerId, from, to],
      ...[amounts, keys, keys.length],
    ];

    async function expectDaysByDate(connection: pg.Client, ownerId: string, index: RegExp): Promise<void> {
      const plan = await planOf(connection, ALIKE, valuesOf(ownerId, '2024-01-01', '2024-01-31'), 'custom');
      const [days, ...others] = plan.filter((node) => node['Relation Name'] === 'transactions');
      expect(others).toEqual([]);
      expect(describeNode(days!)).toMatch(index);
      expect(days?.['Index Cond']).toMatch(/date >= .* AND .*date < /);
      expect(plan.filter((node) => /Join|Nested Loop/.test(node['Node Type']))).toEqual([]);
    }

    it('reads only the days of the file', async () => {
      await expectDaysByDate(client, SMALL_OWNER.ownerId, OWN_DAYS);
      // Where an owner has half of all rows, the index of all by date is as good.
      await expectDaysByDate(
        client,
        OWNER.ownerId,
        /^Index Scan( Backward)? transactions_(owner_)?date_idx$/,
      );
    });

    it('reads only the days of the file while the statistics do not know the owner, or nothing at all', async () => {
      await expectDaysByDate(client, '1', OWN_DAYS);
      const fresh = await openConnection(await createDatabase());
      await fresh.query(`
        INSERT INTO users (id, email, username, password_hash, role) VALUES (1, 'a@example.com', 'abc', '$2b$10$' || repeat('.', 53), 'USER');
        INSERT INTO properties (owner_id, id, name, address, base_price, max_guests, bedrooms, bathrooms, active)
        VALUES (1, 1, '', '', 1, 1, 1, 1, true);
        INSERT INTO transactions (owner_id, property_id, type, category, description, amount, date, status, recurring)
        SELECT 1, 1, 'INCOME', 'CLEANING', '', n, timestamptz '2023-12-01Z' + n * interval '1 hour', 'PAID', false
          FROM generate_series(1, 8000) n`);
      await expectDaysByDate(fresh, '1', OWN_DAYS);
    });
  });

  // Most searches have no name: they are always planned for their values. What is found is sorted where it is little.
  describe('of a search', () => {
    it.each([
      ['a rare term', { searchTerm: TERMS.rare }, 'transactions_search_text_idx'],
      ['an absent term', { searchTerm: TERMS.absent }, 'transactions_search_text_idx'],
      ['three letters', { searchTerm: 'xqz' }, 'transactions_search_text_idx'],
      ['a vendor', { vendor: 'Zeppelin' }, 'transactions_search_text_idx'],
      ['amounts', { minAmount: number(100), maxAmount: number(120) }, 'transactions_owner_amount_idx'],
      ['an approval', { approvalStatus: 'APPROVED' }, 'transactions_owner_approval_status_idx'],
      ['a category, by amount', { category: 'TAXES', sortBy: 'amount' }, 'transactions_owner_date_idx'],
    ])('counts what %s finds for a large owner with the help of an index', async (_, fields, index) => {
      const plan = await pagePlanOf(searchOf(OWNER, fields), 'custom');
      expect(wholeTables(plan)).toEqual([]);
      expect(plan.map((node) => node['Index Name'])).toContain(index);
    });

    it.each([
      ['a common term', { searchTerm: TERMS.common }],
      ['two letters', { searchTerm: TERMS.twoLetters }],
      ['a vendor', { vendor: 'north' }],
      ['an approval', { approvalStatus: 'APPROVED' }],
    ])('never reads the whole table to find %s for a small owner', async (_, fields) => {
      const textSearches: TextSearch[] = ['indexed', 'row-by-row'];
      for (const textSearch of textSearches) {
        const query = searchOf(SMALL_OWNER, fields, textSearch);
        expect(wholeTables(await pagePlanOf(query, 'custom'))).toEqual([]);
      }
    });

    it('shares out the rows of a large owner among processes to find two letters', async () => {
      await client.query('SET parallel_setup_cost = 0; SET min_parallel_table_scan_size = 0');
      const plan = await pagePlanOf(searchOf(OWNER, { searchTerm: TERMS.twoLetters }), 'custom');
      await client.query('RESET parallel_setup_cost; RESET min_parallel_table_scan_size');
      expect(plan.map((node) => node['Node Type'])).toContain('Gather');
    });

    it.each(['wi', 'a b', '%', 'b&b', '…'])(
      'does not read all of the index of texts for %j, which has no trigram',
      async (searchTerm) => {
        const plan = await pagePlanOf(searchOf(SMALL_OWNER, { searchTerm }), 'custom');
        expect(plan.map((node) => node['Index Name'])).not.toContain('transactions_search_text_idx');
      },
    );
  });
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

function wholeTables(nodes: readonly PlanNode[]): string[] {
  return nodes.filter((node) => node['Node Type'] === 'Seq Scan').map(describeNode);
}

function describeNode(node: PlanNode): string {
  return [node['Node Type'], node['Index Name'] ?? node['Relation Name']].filter(Boolean).join(' ');
}
