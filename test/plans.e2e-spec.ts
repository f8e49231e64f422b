import type pg from 'pg';
import { FIRST_OWNER, TERMS } from '../bench/dataset.js';
import { seed } from '../bench/seed.js';
import type { BoundStatement } from '../src/database/database.js';
import type { ListStatement, OwnerScope } from '../src/database/lists/statement.js';
import { type PagePlace, pageStatement } from '../src/database/lists/page-rows.js';
import { declarationOf } from '../src/database/lists/list-lines.js';
import { JsonNumber } from '../src/common/json/json-parser.js';
import { DEFAULT_PAGE_SIZE } from '../src/common/paging/page.js';
import { readFields } from '../src/common/validation/fields.js';
import { readQuery } from '../src/common/validation/fields.pipe.js';
import { FILE_TYPES } from '../src/http/uploaded-file.js';
import { PROPERTY_SORT_FIELDS } from '../src/properties/property.entity.js';
import { CASH_FLOW } from '../src/reports/cash-flow.js';
import { profitAndLoss } from '../src/reports/profit-and-loss.js';
import { CashFlowQuery, ProfitAndLossQuery, TaxYearQuery } from '../src/reports/dto/reports.request.js';
import { scheduleELines, taxYear } from '../src/reports/tax-year.js';
import { ALIKE, OF_REFERENCES } from '../src/transfers/duplicates.js';
import { linesStatement } from '../src/transfers/file-format.js';
import { TransactionExportQuery } from '../src/transfers/dto/transfers.request.js';
import { searchPage, type TextSearch } from '../src/transactions/search.js';
import { TransactionSearchRequest } from '../src/transactions/dto/transaction.request.js';
import { OWNER_TOTAL } from '../src/transactions/transactions.repository.js';
import { TRANSACTION_SORT_FIELDS, type TransactionSort } from '../src/transactions/transaction.entity.js';
import { openConnection } from './support/connect.js';
import { createDatabase } from './support/database.js';
import { type Mode, MODES, nodesOf, pagesReadBy, type PlanNode, planOf } from './support/plan.js';
import { repositories } from './support/repositories.js';
import { until } from './support/until.js';

/** One owner has half of the rows, the others some twenty each: a plan for these must not be used for that one. */
const DATASET = { owners: 700, transactions: 30_000, large: [15_000] };
const OWNER = { ownerId: String(FIRST_OWNER) };
const SMALL_OWNER = { ownerId: String(FIRST_OWNER + 100) };
const OWNERS = [OWNER, SMALL_OWNER];
const PROPERTY_ID = '1';
const PROPERTY = new JsonNumber(PROPERTY_ID);
const DEFAULT_SORT: TransactionSort = [{ field: 'date', direction: 'DESC' }];
const LARGE = new JsonNumber('100');
const DIRECTIONS = ['ASC', 'DESC'] as const;
const QUARTER = { startDate: '2024-01-01T00:00:00Z', endDate: '2024-03-31T23:59:59Z' };
const ALL_FILTERS = { type: 'INCOME', overdue: false, propertyId: PROPERTY, minAmount: LARGE, ...QUARTER };
const DEEP_PAGE = 700; // of 750
/** The scan that finds the rows of a search, and the one that looks up a row of the page. */
const ENTRIES = 'Index Only Scan transactions_owner_date_idx';
const ROW_OF_KEY = /^Index Scan transactions_pkey$/;
const OF_ENTRIES = /^Index Only Scan transactions_owner_date_idx$/;
const EVERYBODYS = 'transactions_everybody_date_idx';
const OF_ANY = /^Index Only Scan( Backward)? transactions_\w+$/;
const OF_DEFAULT = /^Index Only Scan transactions_owner_date_idx$/;

const { keys, properties, transactions, users } = repositories();
let client: pg.Client;

beforeAll(async () => {
  const url = await createDatabase();
  client = await openConnection(url);
  await seed(url, DATASET);
  await client.query(`INSERT INTO api_keys (user_id, slot, name, access, digest)
    SELECT u.id, slot, 'Sync', 'READ', sha256('') FROM users u, generate_series(1, 20) slot`);
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

type List = [name: string, query: ListStatement];

const listsBy = (field: TransactionSort[number]['field']): List[] =>
  DIRECTIONS.map((direction) => [
    `by ${field} ${direction}`,
    transactions.list(OWNER, [{ field, direction }]),
  ]);
/** Each field has an index that holds every row. */
const INDEXED = (['date', 'amount'] as const).flatMap(listsBy);
/** Each field is in the index by date. The others are in none: their lists read the owner's rows and keep the best. */
const CARRIED_FIELDS = ['id', 'dueDate', 'paidAt', 'category', 'type', 'status'] as const;
const CARRIED = CARRIED_FIELDS.flatMap(listsBy);
const OF_OWNER = transactions.list(OWNER, DEFAULT_SORT);
const OF_EVERYBODY = transactions.list('every-owner', DEFAULT_SORT);
const ofProperty = (sort: TransactionSort): ListStatement =>
  transactions.listOfProperty(OWNER.ownerId, PROPERTY_ID, sort);

function searchOf(scope: OwnerScope, fields: object, textSearch: TextSearch = 'indexed'): ListStatement {
  const request = readFields(TransactionSearchRequest, fields);
  return searchPage((sort) => transactions.list(scope, sort), request, textSearch);
}

const pageOf = (query: ListStatement, page = 0, behind: Partial<PagePlace> = {}): BoundStatement =>
  pageStatement(query, DEFAULT_PAGE_SIZE, { page, ...behind });

const describeNode = (node: PlanNode): string =>
  [node['Node Type'], node['Index Name'] ?? node['Relation Name']].filter(Boolean).join(' ');

/** The nodes of a plan in words, and those that the tests ask for. */
function describePlan(nodes: readonly PlanNode[]) {
  const all = nodes.map(describeNode);
  const scans = all.filter((node) => node.includes('Scan transactions'));
  return {
    all,
    whole: all.filter((node) => node.startsWith('Seq Scan')),
    sorts: all.filter((node) => node.includes('Sort')),
    scans,
    /** Scans that read rows, except the look-up of the rows of the page. */
    rows: scans.filter((node) => !node.startsWith('Index Only') && !ROW_OF_KEY.test(node)),
    indexes: nodes.flatMap((node) => node['Index Name'] ?? []),
    conditions: nodes.flatMap((node) => node['Index Cond'] ?? []),
  };
}

/** A statement of one owner never looks for rows among everybody's. */
async function plan(bound: BoundStatement, mode: Mode = 'custom') {
  const described = describePlan(await planOf(client, bound, mode));
  if (bound.statement.text.includes('owner_id = $1')) expect(described.indexes).not.toContain(EVERYBODYS);
  return described;
}

it.each(INDEXED)('an export %s begins at once, in the order of an index', async (_, query) => {
  const cursor = declarationOf(query, transactions.view.octets).replaceAll('$1', OWNER.ownerId);
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `EXPLAIN (FORMAT JSON) ${cursor}`,
  );
  const { all, whole } = describePlan(nodesOf(rows[0]!['QUERY PLAN'][0].Plan));
  expect([whole, all.includes('Sort')]).toEqual([[], false]);
});

describe.each(MODES)('a statement planned in the %s way', (mode) => {
  it.each([
    { statement: users.statements.byId, values: ['{1,2}'] },
    { statement: users.statements.forSignIn, values: ['owner-7'] },
    { statement: OWNER_TOTAL, values: [OWNER.ownerId] },
    ...[properties, transactions].flatMap(({ reads: { get, locate } }) => [
      ...[get.ofEach, locate.ofEach].map((statement) => ({ statement, values: ['{7,8}', '{1,2}'] })),
      ...[get.ofOwner, locate.ofOwner].map((statement) => ({ statement, values: [OWNER.ownerId, '1'] })),
      ...[get.ofAnybody, locate.ofAnybody].map((statement) => ({ statement, values: ['1'] })),
    ]),
  ])('$statement.name goes through one index', async ({ statement, values }) => {
    const index = statement.name!.endsWith('_of_anybody') ? '(properties_id_idx|transactions_pkey)$' : '';
    const { all } = await plan({ statement, values }, mode);
    const scans = all.filter((node) => node.includes(' Scan') && !node.startsWith('Function Scan'));
    expect(scans).toEqual([expect.stringMatching(`^Index (Only )?Scan .*${index}`)]);
  });

  it.each([
    { statement: keys.statements.byId, values: ['{7,8}'], used: ['api_keys_pkey', 'users_pkey'] },
    { statement: keys.statements.ofUser, values: [OWNER.ownerId], used: ['api_keys_slot_key'] },
    { statement: keys.statements.use, values: ['7'], used: ['api_keys_pkey'] },
    { statement: keys.statements.delete, values: [OWNER.ownerId, '7'], used: ['api_keys_pkey'] },
  ])('$statement.name goes through $used', async ({ statement, values, used }) => {
    expect(await plan({ statement, values }, mode)).toMatchObject({ whole: [], indexes: used });
  });

  it('finds the transactions of a deleted property, as its foreign key does, through one index', async () => {
    const text = 'SELECT FROM transactions WHERE owner_id = $1 AND property_id = $2 FOR KEY SHARE';
    const statement = { name: 'foreign_key', text };
    const { conditions } = await plan({ statement, values: [SMALL_OWNER.ownerId, PROPERTY.text] }, mode);
    expect(conditions).toEqual([expect.stringContaining('property_id')]);
  });

  // An OFFSET steps over index entries alone; only the rows of the page are looked up, and once.
  it.each<[string, ListStatement, page: number, keys: RegExp, scans?: number]>([
    ['of an owner', OF_OWNER, 0, OF_DEFAULT, 2],
    ['of an owner', OF_OWNER, 300, OF_DEFAULT],
    ['of a property', ofProperty(DEFAULT_SORT), 0, OF_ENTRIES],
    ['of a property', ofProperty(DEFAULT_SORT), 1, OF_ENTRIES, 3], // one for a lost total
    ['of a property', ofProperty(DEFAULT_SORT), 300, OF_ENTRIES],
    ['of everybody', OF_EVERYBODY, 0, /^Incremental Sort, Index Scan transactions_everybody_date_idx$/], // a sort of ties
    ...INDEXED.map(([...list]): [...List, number, RegExp, number] => [...list, 1, OF_ANY, 2]),
  ])('finds the keys of the list %s on page %i in the order of an index', async (...row) => {
    const [, query, page, keys, scans] = row;
    const nodes = await planOf(client, pageOf(query, page), mode);
    const belowLimit = nodesOf(nodes.find((node) => node['Node Type'] === 'Limit')!).slice(1);
    const found = belowLimit.map(describeNode).filter((node) => node !== 'Result'); // which only computes
    expect(found.join(', ')).toMatch(keys);
    if (scans !== undefined) expect(describePlan(nodes).scans).toHaveLength(scans);
  });

  it.each(CARRIED_FIELDS)('finds the keys of a list by %s in index entries alone', async (field) => {
    for (const direction of DIRECTIONS) {
      const sort: TransactionSort = [{ field, direction }];
      const ofOwner = transactions.list(OWNER, sort);
      for (const page of [pageOf(ofOwner), pageOf(ofProperty(sort)), pageOf(ofProperty(sort), 1)])
        expect((await plan(page, mode)).whole).toEqual([]);
      expect(await plan(pageOf(ofOwner, 1), mode)).toMatchObject({ whole: [], rows: [] });
    }
  });

  it.each<object>([
    { endDate: QUARTER.endDate },
    { type: 'EXPENSE' },
    { propertyId: PROPERTY },
    { overdue: true },
    { overdue: false },
    { type: 'EXPENSE', status: 'PAID', ...QUARTER },
    { category: 'TAXES', paymentMethod: 'CASH', minAmount: LARGE },
    ALL_FILTERS,
  ])('counts the search %j by one index alone, and reads a page in its order', async (fields) => {
    for (const owner of OWNERS) {
      const query = searchOf(owner, fields);
      expect(query.name).toBeDefined();
      const { scans, sorts } = await plan(pageOf(query), mode);
      expect(scans.filter((node) => !ROW_OF_KEY.test(node))).toEqual([ENTRIES, ENTRIES]);
      expect(sorts).toEqual([]);
    }
  });

  it.each([
    ['once', 'that fits on its first page', SMALL_OWNER, 1],
    ['twice', 'of more pages', OWNER, 2],
  ])('scans the index %s for a search %s', async (_times, _search, owner, scans) => {
    const bound = pageOf(searchOf(owner, { type: 'EXPENSE', ...QUARTER }));
    const nodes = await planOf(client, bound, mode, 'ANALYZE, FORMAT JSON');
    const loops = nodes.map((node) => describeNode(node) === ENTRIES && node['Actual Loops']);
    expect(loops.filter(Boolean)).toHaveLength(scans);
  });

  it('finds the rows of everybody by id in the order of an index', async () => {
    const query = transactions.list('every-owner', [{ field: 'id', direction: 'DESC' }]);
    expect(await plan(pageOf(query), mode)).toMatchObject({
      sorts: [],
      indexes: ['transactions_pkey', 'transactions_pkey'],
    });
  });

  // An owner has few: the primary key finds them all, and they are sorted.
  it.each(PROPERTY_SORT_FIELDS)('reads properties by %s without the whole table', async (field) => {
    for (const direction of DIRECTIONS)
      expect((await plan(pageOf(properties.list(OWNER, [{ field, direction }])), mode)).whole).toEqual([]);
  });
});

/** All rows of an owner or of one property, or one of them. */
const OF_OWNER_OR_KEY =
  /^\(owner_id = \$1\)$|^\(\(owner_id = \$1\) AND \(property_id = \$2\)\)$|^\(\(id = k(_\d)?\.id\) AND \(owner_id = (\$\d+|\(InitPlan \d+\)\.col1)\)\)$/;
/** After many writes; of two indexes that seem to cost the same PostgreSQL takes the younger. */
const WORN = `CREATE INDEX younger ON transactions (owner_id, amount, id);
  DROP INDEX transactions_owner_amount_idx;
  ALTER INDEX younger RENAME TO transactions_owner_amount_idx;
  UPDATE pg_class SET relallvisible = 0 WHERE relname = 'transactions'`;
/** How rows may lie in the table, and what PostgreSQL may know of them. */
const UNKNOWN = "DELETE FROM pg_statistic WHERE starelid = 'transactions'::regclass";
const IN_BLOCKS = ['CLUSTER transactions USING transactions_owner_date_idx', 'ANALYZE transactions'];
const SUBSETS = [
  { status: 'PAID' },
  QUARTER,
  { minAmount: LARGE },
  { propertyId: PROPERTY },
  { overdue: true },
].reduce<object[]>((sets, fields) => [...sets, ...sets.map((set) => Object.assign({}, set, fields))], [{}]);

// A range that a client gives may be that of all rows: no index but that of the statement's own order begins with one.
it.each([
  ['mixed', []],
  ['in blocks', IN_BLOCKS],
])(
  'with the rows of owners %s, known or not, no prepared statement looks for rows by another index than its own',
  async (_, changes) => {
    const lists = (['date', 'amount', ...CARRIED_FIELDS] as const).flatMap((field) =>
      DIRECTIONS.flatMap((direction) => [
        transactions.list(OWNER, [{ field, direction }]),
        ofProperty([{ field, direction }]),
      ]),
    );
    const queries = [...lists, ...SUBSETS.map((fields) => searchOf(OWNER, fields))].filter(
      ({ name }) => name !== undefined,
    );
    expect(queries.length).toBeGreaterThan(50);
    await client.query('BEGIN');
    for (const change of [...changes, WORN]) await client.query(change);
    const others: Record<string, string[]> = {};
    const look = async (query: ListStatement): Promise<void> => {
      for (const page of [0, 1]) {
        const own = `transactions_owner_${query.name!.includes('.amount.') ? 'amount' : 'date'}_idx`;
        const nodes = await planOf(client, pageOf(query, page), 'generic');
        const scans = nodes.filter(
          (node) => node['Index Name']?.startsWith('transactions') === true && node['Index Name'] !== own,
        );
        const foreign = scans.filter((node) => !OF_OWNER_OR_KEY.test(node['Index Cond'] ?? ''));
        if (foreign.length > 0) others[query.name!] = foreign.map(describeNode);
      }
    };
    for (const query of queries) await look(query);
    await client.query(UNKNOWN);
    for (const query of queries) await look(query);
    await client.query('ROLLBACK');
    expect(others).toEqual({});
  },
);

describe('a page behind a cursor', () => {
  async function pageAfter(query: ListStatement, page: number): Promise<BoundStatement> {
    const { statement, values } = pageOf(query, page);
    const { rows } = await client.query<{ ends: string[][] }>(statement.text, [...values]);
    return pageOf(query, page + 1, { total: DATASET.large[0]!, position: rows[0]!.ends[0]! });
  }

  // Twenty rows, each with three or four pages of an index and one of the table.
  it.each<[string, ListStatement, page?: number, most?: number]>([
    ...INDEXED,
    [
      'by date and amount',
      transactions.list(OWNER, [...DEFAULT_SORT, { field: 'amount', direction: 'ASC' }]),
    ],
    ['of a property', ofProperty(DEFAULT_SORT), 10],
    ['of expenses', searchOf(OWNER, { type: 'EXPENSE' }), 300],
    ['of everybody', OF_EVERYBODY, DEEP_PAGE, 250],
  ])('%s begins at the end of the page before, and reads little more', async (...row) => {
    const [, query, page = DEEP_PAGE, most = 200] = row;
    const after = await pageAfter(query, page);
    for (const mode of MODES) {
      const { conditions, whole } = await plan(after, mode);
      expect(conditions).toContainEqual(expect.stringMatching(/[<>]=? /));
      expect(whole.filter((scan) => !scan.endsWith('owner_totals'))).toEqual([]);
      expect(await pagesReadBy(client, after, mode)).toBeLessThan(most);
    }
  });

  it.each(CARRIED)('%s reads the entries of the owner once, as the first page does', async (_, query) => {
    const after = await pageAfter(query, DEEP_PAGE);
    for (const mode of MODES) {
      const first = await pagesReadBy(client, pageOf(query), mode);
      expect(await pagesReadBy(client, after, mode)).toBeLessThan(first * 1.1);
    }
  });
});

it("no statement's name is longer than the 63 characters that PostgreSQL compares", () => {
  for (const page of [0, 1])
    expect(pageOf(searchOf(OWNER, ALL_FILTERS), page).statement.name).toMatch(/^transactions\.by\..{20,47}$/);
});

const profitAndLossOf = (ownerId: string, fields: object): BoundStatement => {
  const query = readQuery(ProfitAndLossQuery, fields) as ProfitAndLossQuery;
  const { propertyId, timeZone, from, to } = query;
  return { statement: { text: profitAndLoss(query) }, values: [ownerId, propertyId, timeZone, from, to] };
};
const taxYearOf = (ownerId: string, fields: object): BoundStatement => {
  const { basis, propertyId, timeZone, year } = readQuery(TaxYearQuery, fields) as TaxYearQuery;
  const values = [ownerId, propertyId, timeZone, `${year}-01-01`, `${year}-12-31`];
  return { statement: { text: taxYear(basis, scheduleELines('{}')) }, values };
};
const cashFlowOf = (ownerId: string, fields: object): BoundStatement => {
  const { propertyId, timeZone, from, months } = readQuery(CashFlowQuery, fields) as CashFlowQuery;
  return { statement: { text: CASH_FLOW }, values: [ownerId, propertyId, timeZone, from, months] };
};

// Whatever the groups are, the index entries are read once, and no row of the table.
it.each<[(ownerId: string, fields: object) => BoundStatement, fields: object]>([
  [profitAndLossOf, {}],
  [profitAndLossOf, { propertyId: PROPERTY_ID, groupBy: 'category' }],
  [profitAndLossOf, { groupBy: 'category,quarter', basis: 'cash', from: '2024-01-01' }],
  [taxYearOf, { year: '2024' }],
  [taxYearOf, { year: '2024', propertyId: PROPERTY_ID, basis: 'accrual' }],
])('%p of %j reads one index alone', async (report, fields) => {
  for (const { ownerId } of OWNERS) {
    const { rows, all, whole } = await plan(report(ownerId, fields));
    expect([rows, whole]).toEqual([[], []]);
    expect(all).toContain(ENTRIES);
  }
});

it('the cash flow reads unpaid and recurring transactions alone, or those of its property', async () => {
  const OF_BOTH = ['transactions_owner_owed_idx', 'transactions_owner_recurring_idx'];
  const OF_PROPERTY = Array(2).fill('transactions_owner_date_idx');
  for (const fields of [{}, { propertyId: PROPERTY_ID, months: '24', from: '2025-01-01' }])
    for (const { ownerId } of OWNERS) {
      const { indexes, whole } = await plan(cashFlowOf(ownerId, fields));
      const used = indexes.filter((name) => name.startsWith('transactions')).sort();
      expect('propertyId' in fields ? [OF_BOTH, OF_PROPERTY] : [OF_BOTH]).toContainEqual(used);
      expect(whole).toEqual([]);
    }
});

/** Asserts that an update of many rows looks each up by the primary key, whatever PostgreSQL knows of the owner. */
async function expectLookUps(connection: pg.Client, owners: readonly { ownerId: string }[]): Promise<void> {
  for (const { ownerId } of owners)
    for (const mode of MODES) {
      const values = [ownerId, JSON.stringify([{ id: '7', version: 1, amount: '5.00' }]), true];
      const nodes = await planOf(connection, { statement: transactions.updateMany, values }, mode);
      const scans = nodes.filter((node) => node['Relation Name'] === 'transactions' && node['Index Name']);
      expect(scans.map(describeNode)).toEqual(Array(2).fill('Index Scan transactions_pkey'));
      const byKey = expect.stringMatching(/id = .*owner_id = /) as unknown;
      expect(scans.map((node) => node['Index Cond'])).toEqual([byKey, byKey]);
      expect(describePlan(nodes).whole).toEqual([]);
    }
}

it('an update of many rows looks each up by the primary key', () => expectLookUps(client, OWNERS));

/** Of the two of properties each holds one row for an id. */
const KEYS = ['owner_totals_pkey', 'properties_id_idx', 'properties_pkey', 'transactions_pkey'];

/** Asserts that writes of one moment look up each row, and what it belongs to, by a key. */
async function expectKeys(connection: pg.Client, owners: readonly { ownerId: string }[]): Promise<void> {
  for (const { many } of transactions.groups)
    for (const mode of MODES) {
      const rows = owners.map((owner, id) => ({ ...owner, id, versions: [1], propertyId: PROPERTY_ID }));
      const nodes = await planOf(connection, { statement: many, values: [JSON.stringify(rows)] }, mode);
      const { whole, indexes } = describePlan(nodes);
      expect([whole, indexes.filter((index) => !KEYS.includes(index))]).toEqual([[], []]);
      expect(indexes).toContain('owner_totals_pkey');
    }
}

it('writes of one moment look each row up by a key', () => expectKeys(client, OWNERS));

const changesOf = (ownerId: string, size: number): BoundStatement => ({
  statement: transactions.changes,
  values: [ownerId, '-infinity', '0', '2999-01-01', '-infinity', size],
});

it('changes read the own rows, and of the deletions no more than a page of them, in the order of their index', async () => {
  await client.query(
    `INSERT INTO deletions SELECT $1, 'transactions', 1000000 + n, now() - n * interval '1 s' FROM generate_series(1, 20000) n`,
    [SMALL_OWNER.ownerId],
  );
  for (const { ownerId } of OWNERS) {
    const { whole, indexes } = await plan(changesOf(ownerId, 1000));
    expect(
      whole.filter((node) => ownerId === SMALL_OWNER.ownerId || node !== 'Seq Scan transactions'),
    ).toEqual([]);
    expect(indexes).toContain('deletions_owner_at_idx');
  }
  expect(await pagesReadBy(client, changesOf(SMALL_OWNER.ownerId, 50), 'custom')).toBeLessThan(1000);
});

// Whatever the statistics say of the list, no loop is nested.
it.each([
  ['of a small owner', SMALL_OWNER.ownerId],
  ['of a large owner', OWNER.ownerId],
  ['of an owner whom the statistics do not know', '1'],
])('the search for duplicates %s reads only his rows of the days of the file', async (_, ownerId) => {
  const amounts = Array.from({ length: 5000 }, (__, cents) => `${cents}.5`);
  const keys = amounts.map((amount) => `key-${amount}`);
  const values = [ownerId, '2024-01-01', '2024-01-31', amounts, keys, keys.length];
  const nodes = await planOf(client, { statement: ALIKE, values }, 'custom');
  // A scan of the index or of its bitmap: the sample that ANALYZE takes decides.
  const days = nodes.filter((node) => node['Index Name'] !== undefined);
  expect(days.map((node) => node['Index Name'])).toEqual(['transactions_owner_date_idx']);
  expect(days[0]?.['Index Cond']).toMatch(/date\b.* >= .* AND .*date\b.* < /);
  expect(nodes.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
  expect(nodes.filter((node) => /Join|Nested Loop/.test(node['Node Type']))).toEqual([]);
});

// Most searches of texts have no name: they are always planned for their values.
describe('a search', () => {
  const OF_TEXTS = 'transactions_search_text_idx';

  it.each([
    [{ searchTerm: TERMS.rare }, OF_TEXTS],
    [{ searchTerm: TERMS.absent }, OF_TEXTS],
    [{ vendor: 'Zeppelin' }, OF_TEXTS],
    [{ bookingReference: 'HB-2026-0311' }, OF_TEXTS],
    [{ paymentReference: 'TRF-88121', type: 'INCOME' }, OF_TEXTS],
    [{ minAmount: LARGE, maxAmount: new JsonNumber('120') }, 'transactions_owner_amount_idx'],
    [{ approvalStatus: 'APPROVED' }, 'transactions_owner_approval_status_idx'],
    [{ category: 'TAXES', sortBy: 'amount' }, 'transactions_owner_date_idx'],
  ])('for %j of a large owner counts with the help of %s', async (fields, index) => {
    const { whole, indexes } = await plan(pageOf(searchOf(OWNER, fields)));
    expect([whole, indexes]).toEqual([[], expect.arrayContaining([index])]);
    expect(indexes.filter((name) => name === OF_TEXTS).length).toBeLessThan(2); // for page and count together
  });

  it('for a text of a small owner never reads the whole table', async () => {
    for (const fields of [
      { searchTerm: TERMS.common },
      { searchTerm: TERMS.twoLetters },
      { vendor: 'north' },
      { bookingReference: 'HB-1', paymentReference: '1' },
    ])
      for (const textSearch of ['indexed', 'row-by-row'] as const)
        expect((await plan(pageOf(searchOf(SMALL_OWNER, fields, textSearch)))).whole).toEqual([]);
  });

  it.each(['wi', 'a b', '…'])('for %j, without a trigram, reads no index of texts', async (term) => {
    const { indexes } = await plan(pageOf(searchOf(SMALL_OWNER, { searchTerm: term })));
    expect(indexes).not.toContain(OF_TEXTS);
  });
});

/** The statistics are of other owners' rows, while one owner has just loaded ten thousand. */
describe.each([
  ['beside owners of one row each', 'n', 'generate_series(1, 500) n'],
  // Statistics then expect no row of another. As they lie in no order of ids, the primary key even seems dearer.
  [
    'beside one who had all rows',
    '500',
    '(SELECT * FROM generate_series(20001, 23000) n ORDER BY n % 7) r(n)',
  ],
])('an owner who was loaded after the last ANALYZE %s', (_, known, numbers) => {
  const { ownerId } = OWNER;
  const IDS = Array.from({ length: 500 }, (_, index) => String(501 + index * 7));
  const AMOUNTS = Array.from({ length: 2000 }, (_, index) => String(index + 1));
  const DAYS = ['2026-01-01', '2026-12-31'];
  const SEARCHES = [
    ...[{ type: 'INCOME' }, { propertyId: PROPERTY, overdue: true }, { minAmount: LARGE }],
    ...[
      { vendor: 'Vendor 77' },
      { bookingReference: 'Row 77' },
      { searchTerm: 'Row 77' },
      { searchTerm: 'Ro' },
    ],
    { category: 'TAXES', sortBy: 'amount' },
  ];

  const statements = new Map<string, BoundStatement>([
    ['changes', changesOf(ownerId, 1000)],
    ['a single row', { statement: transactions.reads.get.ofOwner, values: [ownerId, '700'] }],
    [
      'rows together',
      { statement: transactions.reads.get.ofEach, values: [[ownerId, ownerId], IDS.slice(0, 2)] },
    ],
    ['duplicates', { statement: ALIKE, values: [ownerId, ...DAYS, AMOUNTS, AMOUNTS, 10] }],
    ['references', { statement: OF_REFERENCES, values: [ownerId, AMOUNTS, 10] }],
    [
      'the profit and loss',
      profitAndLossOf(ownerId, { groupBy: 'property,month', from: DAYS[0], to: DAYS[1] }),
    ],
    ['the tax year', taxYearOf(ownerId, { year: '2026' })],
    ['the cash flow', cashFlowOf(ownerId, {})],
  ]);
  for (const mediaType of FILE_TYPES) {
    const query = readQuery(TransactionExportQuery, {}) as TransactionExportQuery;
    const statement = linesStatement(mediaType, query, 'transactions', transactions.view, true);
    statements.set(`the lines of ${mediaType}`, { statement, values: [ownerId, IDS] });
  }
  for (const page of [0, 3]) {
    for (const field of TRANSACTION_SORT_FIELDS) {
      const list = transactions.list(OWNER, [{ field, direction: 'DESC' }]);
      const inProperty = ofProperty([{ field, direction: 'ASC' }]);
      statements.set(`page ${page} of the list by ${field}`, pageOf(list, page));
      statements.set(`page ${page} of a property by ${field}`, pageOf(inProperty, page));
    }
    for (const fields of SEARCHES)
      statements.set(`page ${page} of ${JSON.stringify(fields)}`, pageOf(searchOf(OWNER, fields), page));
  }
  let stale: pg.Client;

  beforeAll(async () => {
    stale = await openConnection(await createDatabase());
    await stale.query(`
      INSERT INTO users (id, email, username, password_hash)
      SELECT n, n || '@example.com', 'owner-' || n, '$2b$10$' || repeat('a', 53) FROM generate_series(1, 500) n;
      INSERT INTO properties (owner_id, id, name, address, base_price, max_guests, bedrooms, bathrooms, active)
      SELECT n, n - 1, 'House', 'Street', 1, 1, 1, 1, true FROM generate_series(1, 500) n;
      ALTER TABLE transactions SET (autovacuum_enabled = false)`);
    await load(known, `${known} - 1`, numbers);
    await stale.query('ANALYZE');
    await load(ownerId, PROPERTY_ID, 'generate_series(501, 10500) n');
  });

  async function load(owner: string, property: string, numbers: string): Promise<void> {
    await stale.query(`INSERT INTO transactions (owner_id, id, property_id, property_name, type, category,
        description, amount, date, status, recurring, vendor)
      SELECT ${owner}, n, ${property}, 'House', 'INCOME', 'TAXES', 'Row ' || n, n,
             '2026-01-01'::timestamptz + n * interval '1 hour', 'PAID', false, 'Vendor ' || n % 200 FROM ${numbers}`);
  }

  it('updates many rows by the primary key', () => expectLookUps(stale, [OWNER]));

  it('has his rows written in one moment by their keys', () => expectKeys(stale, [OWNER, OWNER]));

  // The entries of every other index by which an owner's rows are found would be read once for each row: of a single one that
  // is no matter until its plan is the generic one.
  it('has his rows looked up by their primary key, whatever index is the youngest', async () => {
    await stale.query('BEGIN');
    await stale.query(WORN);
    const others: Record<string, string[]> = {};
    for (const [name, bound] of statements)
      for (const mode of name === 'a single row' ? (['generic'] as const) : MODES) {
        const nodes = await planOf(stale, bound, mode);
        const ofKeys = nodes.filter((node) => /\bid = /.test(node['Index Cond'] ?? ''));
        const names = ofKeys.flatMap((node) => node['Index Name'] ?? []);
        const wrong = names.filter(
          (index) => index.startsWith('transactions') && index !== 'transactions_pkey',
        );
        if (wrong.length > 0) others[`${name}, ${mode}`] = wrong;
      }
    await stale.query('ROLLBACK');
    expect(others).toEqual({});
  });

  it('is read in at most twice the pages that a statement takes with statistics, or to pass once over the rows', async () => {
    const read = async (): Promise<Record<string, number>> => {
      const pages: Record<string, number> = {};
      for (const [name, bound] of statements)
        for (const mode of bound.statement.name === undefined ? (['custom'] as const) : MODES)
          pages[`${name}, ${mode}`] = await pagesReadBy(stale, bound, mode);
      return pages;
    };
    const before = await read();
    await stale.query('ANALYZE');
    const after = await read();
    const allRows = after['page 0 of the list by dueDate, generic']!;
    const worse = Object.keys(before).filter((name) => before[name]! > 2 * Math.max(after[name]!, allRows));
    expect(worse.map((name) => [name, before[name], after[name]])).toEqual([]);
  });
});
