import pg from 'pg';
import { FIRST_OWNER, TERMS } from '../bench/dataset.js';
import { seed } from '../bench/seed.js';
import type { OwnerScope } from '../src/access/owner-scope.js';
import type { Statement } from '../src/database/database.js';
import { pageStatement, type PageQuery } from '../src/database/page-query.js';
import { JsonNumber } from '../src/http/json/json-parser.js';
import { DEFAULT_PAGE_SIZE } from '../src/http/fields/page.js';
import type { Direction } from '../src/http/fields/sort.js';
import { readFields } from '../src/http/fields/validation.pipe.js';
import { propertyPage } from '../src/properties/properties.queries.js';
import { PROPERTY_SORT_FIELDS } from '../src/properties/properties.sort.js';
import { PROPERTIES } from '../src/properties/properties.writes.js';
import { searchFilters, searchSort, type TextSearch } from '../src/transactions/search.js';
import { TransactionSearchRequest } from '../src/transactions/transactions.dto.js';
import {
  filteredPage,
  OWNER_TOTAL,
  propertyTransactionPage,
  transactionPage,
} from '../src/transactions/transactions.queries.js';
import { TRANSACTION_SORT_FIELDS, type TransactionSort } from '../src/transactions/transactions.sort.js';
import { TRANSACTIONS } from '../src/transactions/transactions.writes.js';
import { CALLERS, USER_BY_ID, USER_FOR_SIGN_IN } from '../src/users/users.queries.js';
import { createDatabase } from './support/database.js';

/** One owner has half of the rows, the others some twenty each: what is right for these must not be taken for that one. */
const DATASET = { owners: 700, transactions: 30_000, large: [15_000] };
const OWNER = { ownerId: String(FIRST_OWNER) };
const SMALL_OWNER = { ownerId: String(FIRST_OWNER + 100) };
const PROPERTY_ID = '1';
const DEFAULT_SORT: TransactionSort = [{ field: 'date', direction: 'DESC' }];
const DIRECTIONS: readonly Direction[] = ['ASC', 'DESC'];
const QUARTER = { startDate: '2024-01-01T00:00:00Z', endDate: '2024-03-31T23:59:59Z' };

/** How PostgreSQL may plan a prepared statement: for its values, or once for all. It chooses between the two by itself. */
const MODES = ['custom', 'generic'] as const;
type Mode = (typeof MODES)[number];

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

describe('the plans of the statements', () => {
  let client: pg.Client;

  beforeAll(async () => {
    const url = await createDatabase();
    client = new pg.Client({ connectionString: url });
    await client.connect();
    // A worker that looks at the table while seed() vacuums it would keep pages from being known as visible to all.
    for (const table of ['users', 'properties', 'transactions'])
      await client.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
    await seed(url, DATASET);
    // As in use: here and there a page has a row that is not yet known to be visible to all.
    await client.query('UPDATE transactions SET notes = notes WHERE id % 500 = 0');
  });
  afterAll(() => client.end());

  async function planOf({ text }: Statement, values: readonly unknown[], mode: Mode): Promise<PlanNode[]> {
    const literals = values.map((value) => pg.escapeLiteral(String(value))).join(', ');
    await client.query(`SET plan_cache_mode = force_${mode}_plan`);
    await client.query(`PREPARE statement AS ${text}`);
    try {
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `EXPLAIN (FORMAT JSON) EXECUTE statement${literals === '' ? '' : `(${literals})`}`,
      );
      return nodesOf(rows[0]!['QUERY PLAN'][0].Plan);
    } finally {
      await client.query('DEALLOCATE statement');
    }
  }

  async function pagePlanOf(query: PageQuery, mode: Mode, page = 0): Promise<PlanNode[]> {
    const { statement, values } = pageStatement(query, { page, size: DEFAULT_PAGE_SIZE });
    return planOf(statement, values, mode);
  }

  describe.each(MODES)('planned in the %s way', (mode) => {
    it.each([
      ['users.callers', CALLERS, ['{1,2}']],
      ['users.by_id', USER_BY_ID, ['1']],
      ['users.sign_in', USER_FOR_SIGN_IN, ['owner-7']],
      ...[PROPERTIES, TRANSACTIONS].flatMap((table): [string, Statement, string[]][] => [
        [table.get.name!, table.get, [OWNER.ownerId, '1']],
        [table.getOfAnybody.name!, table.getOfAnybody, ['1']],
        [table.locate.name!, table.locate, [OWNER.ownerId, '1']],
        [table.locateOfAnybody.name!, table.locateOfAnybody, ['1']],
      ]),
      ['transactions.owner_total', OWNER_TOTAL, [OWNER.ownerId]],
    ])('%s goes through an index', async (_, statement, values) => {
      const scans = (await planOf(statement, values, mode))
        .map(describeNode)
        .filter((node) => node.includes(' Scan'));
      expect(scans).toEqual([expect.stringMatching(/^Index (Only )?Scan /)]);
    });

    // The first page reads its rows in the order of the index; a later one steps over index entries alone.
    it.each([
      [0, 'Index Scan'],
      [300, 'Index Only Scan'],
    ])('gives page %d of the default lists in the order of an index', async (page, scan) => {
      const keysOfPage = async (query: PageQuery): Promise<string> =>
        keysOf(await pagePlanOf(query, mode, page));
      const ofProperty = propertyTransactionPage(OWNER.ownerId, PROPERTY_ID, DEFAULT_SORT);
      expect({
        small: await keysOfPage(transactionPage(SMALL_OWNER, DEFAULT_SORT)),
        property: await keysOfPage(ofProperty),
        all: await keysOfPage(transactionPage('every-owner', DEFAULT_SORT)),
      }).toEqual({
        small: `${scan} transactions_owner_date_idx`,
        property: `${scan} transactions_property_date_idx`,
        all: `${scan} transactions_date_idx`,
      });
      // Where an owner has half of all rows, the index of all by date is as good.
      const ofLargeOwner = await keysOfPage(transactionPage(OWNER, DEFAULT_SORT));
      expect(ofLargeOwner).toMatch(new RegExp(`^${scan} transactions_(owner_)?date_idx$`));
    });

    // Where the index has the other direction, the rows that tie are sorted by their id, and no others.
    it.each(TRANSACTION_SORT_FIELDS)("finds the keys of an owner's list by %s in an index", async (field) => {
      for (const direction of DIRECTIONS) {
        const keys = keysOf(await pagePlanOf(transactionPage(OWNER, [{ field, direction }]), mode, 1));
        expect(keys).toMatch(/^(Incremental Sort, )?Index Only Scan transactions_\w+$/);
      }
    });

    it.each([
      ['a period', QUARTER, 'transactions_owner_date_idx'],
      ['type and status', { type: 'EXPENSE', status: 'PAID' }, 'transactions_owner_type_status_date_idx'],
      [
        'type, status and a period',
        { type: 'EXPENSE', status: 'PAID', ...QUARTER },
        'transactions_owner_type_status_date_idx',
      ],
    ])('counts what %s finds by one index alone, and reads a page in its order', async (_, fields, index) => {
      const query = searchOf(OWNER, fields);
      const plan = (await pagePlanOf(query, mode)).map(describeNode);
      expect(query.name).toBeDefined();
      expect(plan).toContain(`Index Only Scan ${index}`);
      expect(plan.filter((node) => node.includes('Sort'))).toEqual([]);
    });

    it.each(TRANSACTION_SORT_FIELDS)('reads no list by %s from the whole table', async (field) => {
      for (const direction of DIRECTIONS) {
        const ofOwner = transactionPage(OWNER, [{ field, direction }]);
        const ofProperty = propertyTransactionPage(OWNER.ownerId, PROPERTY_ID, [{ field, direction }]);
        expect(wholeTables(await pagePlanOf(ofOwner, mode))).toEqual([]);
        expect(wholeTables(await pagePlanOf(ofProperty, mode))).toEqual([]);
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

  // Most searches have no name: they are always planned for their values. What is found is sorted where it is little.
  describe('of a search', () => {
    it.each([
      ['a rare term', { searchTerm: TERMS.rare }, 'transactions_search_text_idx'],
      ['an absent term', { searchTerm: TERMS.absent }, 'transactions_search_text_idx'],
      [
        'type, status and dates',
        { type: 'EXPENSE', status: 'PAID', ...QUARTER },
        'transactions_owner_type_status_date_idx',
      ],
      ['dates', QUARTER, 'transactions_owner_date_idx'],
      ['amounts', { minAmount: number(100), maxAmount: number(120) }, 'transactions_owner_amount_idx'],
      ['a category', { category: 'TAXES' }, 'transactions_owner_category_idx'],
      ['a property', { propertyId: number(PROPERTY_ID) }, 'transactions_property_date_idx'],
    ])('counts what %s finds for a large owner with the help of an index', async (_, fields, index) => {
      const plan = await pagePlanOf(searchOf(OWNER, fields), 'custom');
      expect(wholeTables(plan)).toEqual([]);
      expect(plan.map((node) => node['Index Name'])).toContain(index);
    });

    it.each([
      ['a common term', { searchTerm: TERMS.common }],
      ['two letters', { searchTerm: TERMS.twoLetters }],
      ['what is overdue', { overdue: true }],
      ['a vendor', { vendor: 'north' }],
      ['a way of payment', { paymentMethod: 'CASH', recurring: true, frequency: 'MONTHLY' }],
      ['an approval', { approvalStatus: 'APPROVED' }],
    ])('never reads the whole table to find %s for a small owner', async (_, fields) => {
      const textSearches: TextSearch[] = ['indexed', 'row-by-row'];
      for (const textSearch of textSearches) {
        const query = searchOf(SMALL_OWNER, fields, textSearch);
        expect(wholeTables(await pagePlanOf(query, 'custom'))).toEqual([]);
      }
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

function searchOf(scope: OwnerScope, fields: object, textSearch: TextSearch = 'indexed'): PageQuery {
  const request = readFields(TransactionSearchRequest, fields);
  return filteredPage(scope, searchSort(request), searchFilters(request, textSearch));
}

function number(value: number | string): JsonNumber {
  return new JsonNumber(String(value));
}

/** The node and everything below it, the innermost last. */
function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
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

function wholeTables(nodes: readonly PlanNode[]): string[] {
  return nodes.filter((node) => node['Node Type'] === 'Seq Scan').map(describeNode);
}

function describeNode(node: PlanNode): string {
  return [node['Node Type'], node['Index Name'] ?? node['Relation Name']].filter(Boolean).join(' ');
}
