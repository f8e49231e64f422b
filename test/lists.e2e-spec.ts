import { expectFaults, expectProblem, idsOf, pageOf } from './support/answers.js';
import type { Answer } from './support/client.js';
import {
  ENVELOPE_FIELDS,
  PROPERTY_FIELDS,
  PROPERTY_SORT_FIELDS,
  SUMMARY_FIELDS,
  TRANSACTION_SORT_FIELDS,
} from './support/contract.js';
import { cursorIn, nextOf, pagesFrom, walk } from './support/cursor-walk.js';
import { createEmptyDatabase } from './support/database.js';
import { createProperty } from './support/factories.js';
import { inOrder, keysOf, type Sortable } from './support/ordering.js';
import { Random } from './support/random.js';
import { expectedMatches, type SearchFields, valueOf } from './support/search-oracle.js';
import { someTransactions, store, type StoredTransaction } from './support/search-rows.js';
import { type Account, type Service, startService } from './support/service.js';

const ALL = '/api/transactions';
const SEARCH = '/api/transactions/search';
const PROPERTIES = '/api/properties';
const NDJSON = { accept: 'application/x-ndjson' };
const DIRECTIONS = ['asc', 'desc'] as const;
const TIMES = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', '2025-06-01T00:00:00.000Z'];
const NAMES = ['', 'a', 'B', 'Z', 'a b', 'ä', '\ufb00', '😀', 'ab', 'A'];

type StoredProperty = Readonly<Record<string, string | number | boolean>> & { readonly id: number };
const ALIASES: Readonly<Record<string, string>> = { date: 'created_at', amount: 'base_price' };
const propertyValue =
  (field: string) =>
  (row: StoredProperty): Sortable =>
    row[ALIASES[field] ?? field.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`)]!;

let service: Service;
let owner: Account;
let admin: Account;
let properties: StoredProperty[];
let rows: StoredTransaction[];
let ownRows: StoredTransaction[];
let homeRows: StoredTransaction[];
let home: string;

beforeAll(async () => {
  service = await startService({}, await createEmptyDatabase('en')); // texts come by code point all the same
  [owner, admin] = [await service.account(), await service.account('ADMIN')];
  properties = await storeProperties(owner, 45);
  const other = await service.account();
  const [homeId, next] = [properties[0]!.id, properties[1]!.id];
  rows = someTransactions(new Random(7), 110, [
    { id: homeId, ownerId: owner.id },
    { id: next, ownerId: owner.id },
    { id: (await createProperty(other)).id, ownerId: other.id },
  ]);
  await store(service, rows);
  ownRows = rows.filter((row) => row.owner_id === owner.id);
  homeRows = rows.filter((row) => row.property_id === homeId);
  home = `${ALL}/property/${homeId}`;
});

async function storeProperties({ id: ownerId }: Account, count: number): Promise<StoredProperty[]> {
  const random = new Random(42);
  const stored = random.shuffled(Array.from({ length: count }, (_, index) => 5000 + index)).map((id) => ({
    id,
    owner_id: ownerId,
    name: random.pick(NAMES),
    address: random.pick(NAMES),
    base_price: random.pick([0, 0.01, 9, 10, 99_999_999.99]),
    max_guests: random.pick([1, 2, 10, 100]),
    bedrooms: random.below(4),
    bathrooms: random.below(3),
    active: random.chance(0.5),
    created_at: random.pick(TIMES),
    updated_at: random.pick(TIMES),
  }));
  const columns = Object.keys(stored[0]!).join(', ');
  await service.sql(
    `INSERT INTO properties (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::properties, $1)`,
    [JSON.stringify(stored)],
  );
  return stored;
}

const ids = (found: readonly { id: number }[]): number[] => found.map(({ id }) => id);

/** Each field in each direction, the given orders, and some of several fields, each in a direction of its own. */
function orders(fields: readonly string[], ...given: string[]): string[] {
  const random = new Random(5);
  const several = Array.from({ length: 8 }, () => random.shuffled(fields).slice(0, 2 + random.below(3)));
  return [
    ...fields.flatMap((field) => DIRECTIONS.map((direction) => `sort=${field},${direction}`)),
    ...given,
    ...several.map((keys) => keys.map((field) => `sort=${field},${random.pick(DIRECTIONS)}`).join('&')),
  ];
}

async function byNumber(caller: Account, target: string): Promise<number[]> {
  const all: number[] = [];
  for (let page = 0; ; page++) {
    const answer = await caller.get(`${target}&page=${page}`);
    all.push(...idsOf(answer));
    if (pageOf(answer).last) return all;
  }
}

function inFile({ text }: Answer): number[] {
  const lines = text.trim().split('\n');
  return lines.map((line) => (JSON.parse(line) as { id: number }).id);
}

describe.each(
  orders(
    TRANSACTION_SORT_FIELDS,
    '',
    'sort=amount',
    'sort=status,desc&sort=status',
    'sort=id,desc&sort=date',
  ),
)('transactions in the order %j', (query) => {
  const keys = query === '' ? keysOf('sort=date,desc', valueOf) : keysOf(query, valueOf);
  const sorted = (all: readonly StoredTransaction[]): number[] => ids(inOrder(all, keys));

  it('are the same on pages by number and behind cursors, for their owner and for an ADMIN', async () => {
    for (const [caller, all] of [
      [owner, sorted(ownRows)],
      [admin, sorted(rows)],
    ] as const) {
      expect(await byNumber(caller, `${ALL}?${query}&size=37`)).toEqual(all);
      expect(await walk(caller, `${ALL}?${query}&size=19`)).toEqual(all);
    }
  });

  it('of one property are the same on pages by number and behind cursors', async () => {
    for (const caller of [owner, admin]) {
      expect(await byNumber(caller, `${home}?${query}&size=15`)).toEqual(sorted(homeRows));
      expect(await walk(caller, `${home}?${query}&size=13`)).toEqual(sorted(homeRows));
    }
  });
});

it.each(orders(PROPERTY_SORT_FIELDS, '', 'sort=name', 'sort=active,desc&sort=active,asc&sort=address'))(
  'properties in the order %j are the same on pages by number, behind cursors and in a file',
  async (query) => {
    const expected = ids(inOrder(properties, keysOf(query, propertyValue)));
    expect(await byNumber(owner, `${PROPERTIES}?${query}&size=23`)).toEqual(expected);
    expect(await walk(owner, `${PROPERTIES}?${query}&size=11`)).toEqual(expected);
    const file = (caller: Account): Promise<Answer> => caller.get(`${PROPERTIES}/export?${query}`, NDJSON);
    expect(inFile(await file(owner))).toEqual(expected);
    const own = new Set(expected);
    for (const all of [await walk(admin, `${PROPERTIES}?${query}&size=20`), inFile(await file(admin))])
      expect(all.filter((id) => own.has(id))).toEqual(expected);
  },
);

it.each<SearchFields>([
  {},
  ...TRANSACTION_SORT_FIELDS.flatMap((sortBy) =>
    DIRECTIONS.map((sortDirection) => ({ sortBy, sortDirection, searchTerm: 'cl' })),
  ),
  { overdue: false, sortBy: 'status' },
  { type: 'INCOME', sortBy: 'dueDate', sortDirection: 'desc' },
  { type: 'EXPENSE', sortBy: 'amount', startDate: '2000-01-01T00:00:00Z' },
  { vendor: 'a', sortBy: 'paidAt', sortDirection: 'desc' },
  { approvalStatus: 'APPROVED' },
])('the search %j finds the same behind cursors, in its body or beside it, and in a file', async (search) => {
  for (const [caller, all] of [
    [owner, ownRows],
    [admin, rows],
  ] as const) {
    const expected = ids(expectedMatches(all, search));
    expect(await walk(caller, SEARCH, { ...search, size: 15 })).toEqual(expected);
    const found: number[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const answer = await caller.post(SEARCH, { ...search, size: 25, cursor });
      found.push(...idsOf(answer));
      cursor = nextOf(answer) && cursorIn(nextOf(answer));
    }
    expect(found).toEqual(expected);
    expect(inFile(await caller.post(`${ALL}/export`, search, NDJSON))).toEqual(expected);
  }
});

describe.each([
  { path: () => PROPERTIES, all: () => properties, element: PROPERTY_FIELDS, fields: PROPERTY_SORT_FIELDS },
  { path: () => ALL, all: () => ownRows, element: SUMMARY_FIELDS, fields: TRANSACTION_SORT_FIELDS },
  { path: () => home, all: () => homeRows, element: SUMMARY_FIELDS, fields: TRANSACTION_SORT_FIELDS },
])('a page of a list with the elements $element', ({ path, all, element, fields }) => {
  const get = (query: string): Promise<Answer> => owner.get(`${path()}?${query}`);

  it.each([
    ['', 0, 20],
    ['page=0&size=1', 0, 1],
    ['size=100', 0, 100],
    ['page=1&size=7', 1, 7],
    ['page=-0&size=20', 0, 20],
    ['unknown=x&page=2', 2, 20],
    ['page=1000&size=100', 1000, 100],
    ['page=2147483647&size=100', 2147483647, 100],
  ])('with the query %j has the documented fields and true totals', async (query, page, size) => {
    const [totalElements, totalPages] = [all().length, Math.ceil(all().length / size)];
    const answer = pageOf(await get(query));
    expect(answer).toMatchObject({ page, size, totalElements, totalPages, last: page + 1 >= totalPages });
    expect(answer.content).toHaveLength(Math.max(0, Math.min(size, totalElements - page * size)));
    expect(Object.keys(answer).sort()).toEqual([...ENVELOPE_FIELDS].sort());
    for (const row of answer.content) expect(Object.keys(row).sort()).toEqual([...element].sort());
  });

  const malformed = ['', '-1', '2147483648', '%2B1', '01', '1e1', '1%20', '1.5', 'one', '%D9%A1'];

  it.each([
    ...malformed.flatMap((value) => [
      { query: `page=${value}`, faults: ['page'] },
      { query: `size=${value}`, faults: ['size'] },
    ]),
    { query: 'size=0', faults: ['size'] },
    { query: 'size=101', faults: ['size'] },
    { query: 'page=0&page=0&size=20&size=20', faults: ['page', 'size'] },
    { query: 'page=-1&size=101&sort=nope', faults: ['page', 'size', 'sort'] },
  ])('with the query $query is 400 for $faults', async ({ query, faults }) => {
    expectFaults(await get(query), ...faults);
  });

  it.each([
    ...['', 'nope', 'ID', 'id,', 'id,up', 'id,asc,desc', ',asc', 'id%20asc', '1', 'toString', '__proto__'],
    ...['owner_id', 't.id', "id'%20OR%201=1--", 'id,desc%20NULLS%20LAST'],
  ])('with sort=%s, alone or behind another, is 400 and names the fields allowed', async (sort) => {
    for (const query of [`sort=${sort}`, `sort=id&sort=${sort}`]) {
      const { sort: message } = expectFaults(await get(query), 'sort');
      for (const field of [...fields, 'asc', 'desc']) expect(message).toMatch(new RegExp(`\\b${field}\\b`));
    }
  });

  it('is the same by its number as behind a cursor', async () => {
    let page = 0;
    for await (const answer of pagesFrom(owner, `${path()}?size=15&cursor=`))
      expect(answer.text).toBe((await get(`size=15&page=${page++}`)).text);
    expect(page).toBe(Math.ceil(all().length / 15));
  });
});

describe('a list', () => {
  it('of an account without rows is empty, and its page the last', async () => {
    const empty = { content: [], page: 0, size: 20, totalElements: 0, totalPages: 0, last: true };
    const nobody = await service.account();
    const { id } = await createProperty(nobody);
    for (const path of [ALL, `${ALL}/property/${id}`]) expect((await nobody.get(path)).json).toEqual(empty);
    expect((await nobody.get(`${ALL}?page=3`)).json).toEqual({ ...empty, page: 3 });
    await nobody.delete(`${PROPERTIES}/${id}`);
    expect((await nobody.get(PROPERTIES)).json).toEqual(empty);
  });

  it("of a property that is not there or not the caller's answers 404", async () => {
    const none = `${ALL}/property/${Number.MAX_SAFE_INTEGER}`;
    for (const answer of [
      await (await service.account()).get(home),
      await owner.get(none),
      await admin.get(none),
    ])
      expectProblem(answer, 404, 'not-found');
  });

  it.each([
    ['?x=1&page=0', 'size=20&sort=date,desc'],
    ['?size=3&sort=vendor&sort=id,DESC', 'size=3&sort=vendor,asc&sort=id,desc'],
  ])('%s links to its next page with the size and the order', async (query, linked) => {
    const link = (await owner.get(ALL + query)).headers.get('link')!;
    expect(link.replace(/=[\w-]+>/, '=…>')).toBe(`<${ALL}?${linked}&cursor=…>; rel="next"`);
  });

  it('goes on from a page by number in pages of another size', async () => {
    const next = await owner.get(
      nextOf(await owner.get(`${ALL}?size=5&page=2`))!.replace('size=5', 'size=8'),
    );
    expect(idsOf(next)).toEqual(ids(inOrder(ownRows, keysOf('sort=date,desc', valueOf))).slice(15, 23));
    expect(pageOf(next)).toMatchObject({ page: 3, size: 8, totalElements: ownRows.length, last: false });
  });

  it('exposes its link to a page of another origin where a cursor was given', async () => {
    const origin = 'https://app.example.com';
    const open = await startService({ CORS_ALLOWED_ORIGINS: origin });
    const caller = await open.account();
    const exposed = async (target: string): Promise<string | null> =>
      (await caller.get(target, { origin })).headers.get('access-control-expose-headers');
    expect(await exposed(`${ALL}?cursor=`)).toBe('Location, ETag, X-Request-Id, Link');
    expect(await exposed(ALL)).toBe('Location, ETag, X-Request-Id');
  });
});

describe('rows that come and go during a walk', () => {
  let restless: Account;
  let place: { id: number; ownerId: string };
  let base: number;
  const some = (seed: number, count: number, from = 0): StoredTransaction[] =>
    someTransactions(new Random(seed), count, [place]).map((row) => ({ ...row, id: base + from + row.id }));

  beforeEach(async () => {
    restless = await service.account();
    place = { id: (await createProperty(restless)).id, ownerId: restless.id };
    base = 100_000 + Number(restless.id) * 10_000;
  });
  afterEach(async () => {
    for (const table of ['transactions', 'properties'])
      // an ADMIN would find them in other tests
      await service.sql(`DELETE FROM ${table} WHERE owner_id = $1`, [restless.id]);
  });

  // Half of the rows stay as they are; the others are deleted, changed and joined by more, while each page is read.
  it.each(TRANSACTION_SORT_FIELDS.map((field, index) => [field, DIRECTIONS[index % 2]!]))(
    'hide and repeat no row that stays, by %s %s',
    async (field, direction) => {
      const random = new Random(field.length);
      const all = some(1, 40);
      await store(service, all);
      const [staying, others] = [
        all.filter((_, index) => index % 2 === 0),
        all.filter((_, index) => index % 2 === 1),
      ];
      const seen: number[] = [];
      let turn = 0;
      for (
        let target: string | undefined = `${ALL}?sort=${field},${direction}&size=7`;
        target !== undefined;
      ) {
        const reading: Promise<Answer> = restless.get(target);
        const [deleted, changed] = [random.pick(others).id, random.pick(others).id];
        await service.sql('DELETE FROM transactions WHERE id = ANY ($1)', [[deleted, changed]]);
        const [change, ...fresh] = some(++turn, 4, 1000 * turn);
        await store(service, [{ ...change!, id: changed }, ...fresh]);
        seen.push(...idsOf(await reading));
        target = turn > 40 ? undefined : nextOf(await reading);
      }
      const stays = new Set(ids(staying));
      const expected = ids(inOrder(staying, keysOf(`sort=${field},${direction}`, valueOf)));
      expect(seen.filter((id) => stays.has(id))).toEqual(expected);
    },
  );

  it('leave the walk where it was, until the property itself is deleted', async () => {
    const path = `${ALL}/property/${place.id}`;
    await store(service, some(1, 6));
    const first = await restless.get(`${path}?sort=id&size=2`);
    for (const last of idsOf(first)) await restless.delete(`${ALL}/${last}`);
    const second = await restless.get(nextOf(first)!);
    expect(idsOf(second)).toEqual([2, 3].map((index) => base + 1000 + index));
    await service.sql('DELETE FROM transactions WHERE owner_id = $1', [restless.id]);
    expect(pageOf(await restless.get(nextOf(second)!))).toMatchObject({
      content: [],
      totalElements: 0,
      last: true,
    });
    await restless.delete(`${PROPERTIES}/${place.id}`);
    expectProblem(await restless.get(nextOf(second)!), 404, 'not-found');
  });

  // Without a filter it is the list of all, whose total is known.
  it.each([
    [{ minAmount: 0.01 }, 0],
    [{ searchTerm: ' ' }, 500],
  ])('add on the second page of the search %j %d to the total', async (search, added) => {
    await store(service, some(1, 5));
    const first = await restless.post(SEARCH, { ...search, size: 2 });
    await store(service, some(2, 500, 2000));
    const second = await restless.post(nextOf(first)!, { ...search, size: 2 });
    expect(pageOf(second).totalElements).toBe(5 + added);
  });
});

describe('a cursor', () => {
  const cursorOf = async (target: string): Promise<string> => cursorIn(nextOf(await owner.get(target)));
  const written = (...mark: unknown[]): string => Buffer.from(JSON.stringify(mark)).toString('base64url');

  it('beside a page is 400', async () => {
    const cursor = await cursorOf(`${ALL}?size=2`);
    for (const [value, page] of [
      [cursor, 1],
      [cursor, 0],
      ['', 0],
    ] as const) {
      expectFaults(await owner.get(`${ALL}?cursor=${value}&page=${page}`), 'cursor');
      expectFaults(await owner.post(SEARCH, { page, cursor: value }), 'cursor');
      expectFaults(await owner.post(`${SEARCH}?cursor=${value}`, { page }), 'cursor');
    }
  });

  it('of an order with other keys is 400', async () => {
    const cursor = await cursorOf(`${ALL}?size=2`);
    expect((await owner.get(`${ALL}?cursor=${cursor}`)).status).toBe(200);
    for (const sort of ['sort=date,desc&sort=amount', 'sort=amount,desc', 'sort=id'])
      expectFaults(await owner.get(`${ALL}?${sort}&cursor=${cursor}`), 'cursor');
    expectFaults(await owner.post(SEARCH, { sortBy: 'amount', cursor }), 'cursor');
  });

  it('of one caller shows another caller own rows only', async () => {
    const other = await service.account();
    const cursor = await cursorOf(`${ALL}?size=2`);
    expect(pageOf(await other.get(`${ALL}?cursor=${cursor}`)).content).toEqual([]);
    const { id } = await createProperty(other);
    const last = {
      ...rows[0]!,
      id: 1,
      property_id: id,
      owner_id: other.id,
      date: '0001-01-01T00:00:00.000Z',
    };
    await store(service, [last]);
    expect(idsOf(await other.get(`${ALL}?cursor=${cursor}`))).toEqual([1]);
    await service.sql('DELETE FROM transactions WHERE owner_id = $1', [other.id]);
  });

  // Page, total, and a text for each sort key.
  it.each<[string, ...unknown[]]>([
    ['id', 1, 40, '9223372036854775807'],
    ['date', 2147483647, 9007199254740991, '2026-01-15 10:30:00+00', '-1'],
    ['date', 1, 0, '2026-01-15T10:30:00.123+02:00', '7'],
    ['amount', 1, 40, '99999999999999999.99', '7'],
    ['vendor', 1, 40, 'true', '', '7'],
    ['vendor', 1, 40, 'false', `' OR 1=1 --`, '7'],
    ['dueDate', 1, 40, 'infinity', '7'],
    ['type', 1, 40, '2147483647', '7'],
  ])('by %s that anybody may write is read: %j, %j, %j', async (field, ...mark) => {
    expect((await owner.get(`${ALL}?sort=${field}&cursor=${written(...mark)}`)).status).toBe(200);
  });

  it.each<[string, ...unknown[]]>([
    ['id', 1, 40],
    ['id', 1, 40, '7', '7'],
    ['id', 1, 40, null],
    ['id', 1, 40, 7],
    ['id', 1, 40, ['7']],
    ['id', 1, 40, '9223372036854775808'],
    ['id', 1, 40, '7.0'],
    ['id', 1, 40, ''],
    ['id', -1, 40, '7'],
    ['id', 2147483648, 40, '7'],
    ['id', '1', 40, '7'],
    ['id', 1, -1, '7'],
    ['id', 1, 1e300, '7'],
    ['date', 1, 40, 'soon', '7'],
    ['date', 1, 40, '2026-02-30 10:30:00', '7'],
    ['amount', 1, 40, '1,5', '7'],
    ['type', 1, 40, '2147483648', '7'],
    ['description', 1, 40, null, '7'],
    ['vendor', 1, 40, 'a', '7'],
    ['vendor', 1, 40, 'none', 'a', '7'],
    ['vendor', 1, 40, 'false', 'a\u0000', '7'],
  ])('by %s that fits no key of the order is 400: %j, %j, %j', async (field, ...mark) => {
    expectFaults(await owner.get(`${ALL}?sort=${field}&cursor=${written(...mark)}`), 'cursor');
  });

  it('that is no JSON, too long or given twice is 400', async () => {
    const cursor = await cursorOf(`${ALL}?size=2`);
    for (const value of [cursor.slice(1), `${cursor}=`, `${cursor}%20`, 'A', 'next', '%00', 'bnVsbA', 'e30'])
      expectFaults(await owner.get(`${ALL}?cursor=${value}`), 'cursor');
    expectFaults(await owner.get(`${ALL}?cursor=${'A'.repeat(5121)}`), 'cursor');
    expectFaults(await owner.get(`${ALL}?cursor=${cursor}&cursor=${cursor}`), 'cursor');
    expectFaults(await owner.post(SEARCH, { cursor: 7 }), 'cursor');
    expectFaults(await owner.post(`${SEARCH}?cursor=${cursor}`, { cursor }), 'cursor');
  });

  // The latter is six characters of JSON.
  it.each(['😀', '\u0001'])(
    'of the longest texts of %j in all sort keys is short enough',
    async (character) => {
      const verbose = await service.account();
      const long = character.repeat(255);
      for (let index = 0; index < 3; index++) await createProperty(verbose, { name: long, address: long });
      const fields = PROPERTY_SORT_FIELDS.toSorted((a, b) => Number(b === 'name') - Number(a === 'name'));
      const query = fields.map((field) => `sort=${field}`).join('&');
      expect(await walk(verbose, `${PROPERTIES}?size=1&${query}`)).toHaveLength(3);
    },
  );
});
