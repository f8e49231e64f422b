import { bodyOf, expectFaults, expectProblem, idsOf, pageOf } from './support/responses.js';
import type { HttpResponse } from './support/client.js';
import { PROPERTY_SORT_FIELDS, TRANSACTION_SORT_FIELDS } from './support/contract.js';
import { cursorIn, exportedIds, nextOf, pagesFrom, walk } from './support/cursor-walk.js';
import { createEmptyDatabase } from './support/database.js';
import { createProperty } from './support/factories.js';
import { inOrder } from './support/list-oracle.js';
import { Random } from './support/random.js';
import {
  someProperty,
  someTransactions,
  store,
  type StoredProperty,
  type StoredTransaction,
} from './support/random-ledger.js';
import { type Account, type Service, startService } from './support/service.js';

const ALL = '/api/transactions';
const SEARCH = '/api/transactions/search';
const EXPORT = '/api/transactions/export';
const PROPERTIES = '/api/properties';
const DIRECTIONS = ['asc', 'desc'] as const;

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
  const random = new Random(42);
  const propertyIds = random.shuffled(Array.from({ length: 45 }, (_, index) => 5000 + index));
  properties = propertyIds.map((id) => someProperty(random, id, owner.id));
  await store(service, properties);
  const other = await service.account();
  const [homeId, next] = [properties[0]!.id, properties[1]!.id];
  rows = someTransactions(new Random(7), 110, [
    { id: homeId, ownerId: owner.id },
    { id: next, ownerId: owner.id },
    { id: (await createProperty(other)).id, ownerId: other.id },
  ]);
  await store(service, rows);
  ownRows = rows.filter(({ ownerId }) => ownerId === owner.id);
  homeRows = rows.filter(({ propertyId }) => propertyId === homeId);
  home = `${ALL}/property/${homeId}`;
});

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

/** The ids on all pages, which are the same by their number as by a cursor. */
async function onPages(caller: Account, target: string): Promise<number[]> {
  const all: number[] = [];
  let page = 0;
  for await (const response of pagesFrom(caller, `${target}&cursor=`)) {
    expect(response.text).toBe((await caller.get(`${target}&page=${page++}`)).text);
    all.push(...idsOf(response));
  }
  return all;
}

const FURTHER = ['', 'sort=amount', 'sort=status,desc&sort=status', 'sort=id,desc&sort=date'];
const TRANSACTION_ORDERS = orders(TRANSACTION_SORT_FIELDS, ...FURTHER);
it.each(TRANSACTION_ORDERS)(
  'transactions by "%s" are alike on pages, in searches and in files',
  async (query) => {
    const order = query === '' ? 'sort=date,desc' : query;
    const [sortBy, sortDirection = 'asc'] = new URLSearchParams(order).get('sort')!.split(',');
    for (const [caller, all] of [
      [owner, ownRows],
      [admin, rows],
    ] as const) {
      const expected = ids(inOrder(all, order));
      expect(await onPages(caller, `${ALL}?${query}&size=40`)).toEqual(expected);
      if (order.includes('&')) continue; // a search has one key
      expect(await walk(caller, SEARCH, { sortBy, sortDirection, size: 40 })).toEqual(expected);
      expect(await exportedIds(caller, EXPORT, { sortBy, sortDirection })).toEqual(expected);
    }
    expect(await onPages(owner, `${home}?${query}&size=17`)).toEqual(ids(inOrder(homeRows, order)));
  },
);

const PROPERTY_ORDERS = orders(
  PROPERTY_SORT_FIELDS,
  '',
  'sort=name',
  'sort=active,desc&sort=active&sort=address',
);
it.each(PROPERTY_ORDERS)('properties by "%s" are alike on pages and in files', async (query) => {
  const expected = ids(inOrder(properties, query));
  expect(await onPages(owner, `${PROPERTIES}?${query}&size=23`)).toEqual(expected);
  expect(await exportedIds(owner, `${PROPERTIES}/export?${query}`)).toEqual(expected);
  const own = new Set(expected);
  for (const all of [
    await walk(admin, `${PROPERTIES}?${query}&size=30`),
    await exportedIds(admin, `${PROPERTIES}/export?${query}`),
  ])
    expect(all.filter((id) => own.has(id))).toEqual(expected);
});

describe.each([
  { name: 'properties', path: () => PROPERTIES, all: () => properties, fields: PROPERTY_SORT_FIELDS },
  { name: 'transactions', path: () => ALL, all: () => ownRows, fields: TRANSACTION_SORT_FIELDS },
  {
    name: "a property's transactions",
    path: () => home,
    all: () => homeRows,
    fields: TRANSACTION_SORT_FIELDS,
  },
])('a list of $name', ({ path, all, fields }) => {
  const get = (query: string): Promise<HttpResponse> => owner.get(`${path()}?${query}`);

  it.each([
    ['', 0, 20],
    ['page=0&size=1', 0, 1],
    ['size=100', 0, 100],
    ['page=1&size=7', 1, 7],
    ['page=-0&size=20', 0, 20],
    ['unknown=x&page=2', 2, 20],
    ['page=1000&size=100', 1000, 100],
    ['page=2147483647&size=100', 2147483647, 100],
  ])('with the query "%s" has the documented fields and true totals', async (query, page, size) => {
    const [totalElements, totalPages] = [all().length, Math.ceil(all().length / size)];
    const response = pageOf(await get(query));
    expect(response).toMatchObject({ page, size, totalElements, totalPages, last: page + 1 >= totalPages });
    expect(response.content).toHaveLength(Math.max(0, Math.min(size, totalElements - page * size)));
  });

  const malformed = ['', '-1', '2147483648', '%2B1', '01', '1e1', '1%20', '1.5', 'one', '%D9%A1'];

  it.each([
    ...malformed.map((value) => [`page=${value}&size=${value}`, ['page', 'size']] as const),
    ['size=0', ['size']],
    ['size=101', ['size']],
    ['page=0&page=0&size=20&size=20', ['page', 'size']],
    ['page=-1&size=101&sort=nope', ['page', 'size', 'sort']],
  ] as const)('with the query "%s" answers 400 for %j', async (query, faults) => {
    expectFaults(await get(query), ...faults);
  });

  it.each([
    ...['', 'nope', 'ID', 'id,', 'id,up', 'id,asc,desc', ',asc', 'id%20asc', '1', 'toString', '__proto__'],
    ...['owner_id', 't.id', "id'%20OR%201=1--", 'id,desc%20NULLS%20LAST'],
  ])('with sort=%s, alone or behind another, answers 400 and names the fields allowed', async (sort) => {
    for (const query of [`sort=${sort}`, `sort=id&sort=${sort}`]) {
      const { sort: message } = expectFaults(await get(query), 'sort');
      for (const field of [...fields, 'asc', 'desc']) expect(message).toMatch(new RegExp(`\\b${field}\\b`));
    }
  });
});

describe('a list', () => {
  it('of an account without rows is empty, and its page the last', async () => {
    const empty = { content: [], page: 0, size: 20, totalElements: 0, totalPages: 0, last: true };
    const newcomer = await service.account();
    const { id } = await createProperty(newcomer);
    for (const path of [ALL, `${ALL}/property/${id}`]) expect((await newcomer.get(path)).json).toEqual(empty);
    expect((await newcomer.get(`${ALL}?page=3`)).json).toEqual({ ...empty, page: 3 });
    await newcomer.delete(`${PROPERTIES}/${id}`);
    expect((await newcomer.get(PROPERTIES)).json).toEqual(empty);
  });

  it("of a property that is not there or not the caller's answers 404", async () => {
    const none = `${ALL}/property/${Number.MAX_SAFE_INTEGER}`;
    const stranger = await service.account();
    for (const response of [await stranger.get(home), await owner.get(none), await admin.get(none)])
      expectProblem(response, 'not-found');
  });

  it.each([
    ['?x=1&page=0', 'size=20&sort=date,desc'],
    ['?size=3&sort=vendor&sort=id,DESC', 'size=3&sort=vendor,asc&sort=id,desc'],
  ])('%s links to its next page with the size and the order', async (query, linked) => {
    const link = (await owner.get(ALL + query)).headers.get('link')!;
    expect(link.replace(/=[\w-]+>/, '=…>')).toBe(`<${ALL}?${linked}&cursor=…>; rel="next"`);
  });

  it('goes on from a page by number in pages of another size', async () => {
    const link = nextOf(await owner.get(`${ALL}?size=5&page=2`))!;
    const next = await owner.get(link.replace('size=5', 'size=8'));
    expect(idsOf(next)).toEqual(ids(inOrder(ownRows, 'sort=date,desc')).slice(15, 23));
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

describe('a walk by cursor while rows come and go', () => {
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

  // Half of the rows stay as they are; the others are deleted, changed and joined by more, behind each page.
  const ORDERS = ['sort=date,desc', 'sort=amount', 'sort=dueDate,desc', 'sort=vendor'];
  it.each(ORDERS)('with %s hides and repeats no row that stays', async (sort) => {
    const random = new Random(sort.length);
    const all = some(1, 40);
    await store(service, all);
    const staying = all.filter((_, index) => index % 2 === 0);
    const others = all.filter((_, index) => index % 2 === 1);
    const seen: number[] = [];
    let turn = 0;
    for await (const page of pagesFrom(restless, `${ALL}?${sort}&size=7`)) {
      seen.push(...idsOf(page));
      const [deleted, changed] = [random.pick(others).id, random.pick(others).id];
      await service.sql('DELETE FROM transactions WHERE id = ANY ($1)', [[deleted, changed]]);
      const [change, ...fresh] = some(++turn, 4, 1000 * turn);
      await store(service, [{ ...change!, id: changed }, ...fresh]);
    }
    const stays = new Set(ids(staying));
    expect(seen.filter((id) => stays.has(id))).toEqual(ids(inOrder(staying, sort)));
  });

  it('goes on behind a deleted row, and answers 404 once the property is deleted', async () => {
    const path = `${ALL}/property/${place.id}`;
    await store(service, some(1, 6));
    const first = await restless.get(`${path}?sort=id&size=2`);
    for (const last of idsOf(first)) await restless.delete(`${ALL}/${last}`);
    const second = await restless.get(nextOf(first)!);
    expect(idsOf(second)).toEqual([2, 3].map((index) => base + 1000 + index));
    await service.sql('DELETE FROM transactions WHERE owner_id = $1', [restless.id]);
    const third = pageOf(await restless.get(nextOf(second)!));
    expect(third).toMatchObject({ content: [], totalElements: 0, last: true });
    await restless.delete(`${PROPERTIES}/${place.id}`);
    expectProblem(await restless.get(nextOf(second)!), 'not-found');
  });

  // Without a filter it is the list of all, whose total is known.
  it.each([
    [{ minAmount: 0.01 }, 0],
    [{ searchTerm: ' ' }, 500],
  ])('of the search %j counts %d of 500 new rows on its second page', async (search, counted) => {
    await store(service, some(1, 5));
    const first = await restless.post(SEARCH, { ...search, size: 2 });
    await store(service, some(2, 500, 2000));
    const second = await restless.post(nextOf(first)!, { ...search, size: 2 });
    expect(pageOf(second).totalElements).toBe(5 + counted);
  });
});

it.each<[string, (caller: Account, cursor: string) => Promise<HttpResponse>]>([
  ['a list', (caller, cursor) => caller.get(`${ALL}?size=2&cursor=${cursor}`)],
  ['a search', (caller, cursor) => caller.post(`${SEARCH}?cursor=${cursor}`, { size: 2, minAmount: 0 })],
])('numbers that a client puts into a cursor of %s are no larger than what there is', async (_, send) => {
  const next = cursorIn(nextOf(await send(owner, '')));
  const [, , ...position] = Buffer.from(next, 'base64url').toString().split('\0');
  const forged = [999_999_999, 999_999_999_999_999, ...position].join('\0');
  const response = await send(owner, Buffer.from(forged).toString('base64url'));
  const { page, totalElements, totalPages } = bodyOf(response) as Record<string, number>;
  const { totalElements: all } = bodyOf(await owner.get(ALL)) as Record<string, number>;
  expect(totalElements).toBeLessThanOrEqual(all!);
  expect(page).toBeLessThan(totalPages!);
});

describe('a cursor', () => {
  let cursor: string;
  beforeAll(async () => {
    cursor = cursorIn(nextOf(await owner.get(`${ALL}?size=2`)));
  });
  const written = (...parts: unknown[]): string => Buffer.from(parts.join('\0')).toString('base64url');

  it('beside page 0, the default, answers as without it; beside another page 400', async () => {
    for (const value of [cursor, '']) {
      const wanted = idsOf(await owner.get(`${ALL}?cursor=${value}`));
      const send = (page: number): Promise<HttpResponse>[] => [
        owner.get(`${ALL}?cursor=${value}&page=${page}`),
        owner.post(SEARCH, { page, cursor: value }),
        owner.post(`${SEARCH}?cursor=${value}`, { page }),
      ];
      for (const response of await Promise.all(send(0))) expect(idsOf(response)).toEqual(wanted);
      for (const response of await Promise.all(send(1))) expectFaults(response, 'cursor');
      expectFaults(await owner.post(SEARCH, { page: 1, cursor: value, size: 0 }), 'cursor', 'size');
    }
  });

  it('of an order with other keys answers 400', async () => {
    expect((await owner.get(`${ALL}?cursor=${cursor}`)).status).toBe(200);
    for (const sort of ['sort=date,desc&sort=amount', 'sort=amount,desc', 'sort=id'])
      expectFaults(await owner.get(`${ALL}?${sort}&cursor=${cursor}`), 'cursor');
    expectFaults(await owner.post(SEARCH, { sortBy: 'amount', cursor }), 'cursor');
  });

  it('in the body of a search is that of its link', async () => {
    const link = nextOf(await owner.post(SEARCH, { type: 'INCOME', size: 9 }))!;
    expect(link).toBe(`${SEARCH}?cursor=${cursorIn(link)}`); // the order and the size are in the body
    const inBody = await owner.post(SEARCH, { type: 'INCOME', size: 9, cursor: cursorIn(link) });
    expect(inBody.text).toBe((await owner.post(link, { type: 'INCOME', size: 9 })).text);
  });

  it("of one caller shows another caller's own rows to that caller", async () => {
    const other = await service.account();
    expect(pageOf(await other.get(`${ALL}?cursor=${cursor}`)).content).toEqual([]);
    const place = { propertyId: (await createProperty(other)).id, ownerId: other.id };
    await store(service, [{ ...rows[0]!, ...place, id: 1, date: '0001-01-01T00:00:00.000Z' }]);
    expect(idsOf(await other.get(`${ALL}?cursor=${cursor}`))).toEqual([1]);
    await service.sql('DELETE FROM transactions WHERE owner_id = $1', [other.id]);
  });

  // Page, total, and a text for each sort key.
  it.each<[string, ...unknown[]]>([
    ['id', 1, 40, '9223372036854775807'],
    ['date', 999_999_999, 999_999_999_999_999, '2026-01-15 10:30:00+00', '-1'],
    ['date', 1, 0, '2026-01-15T10:30:00.123+02:00', '7'],
    ['amount', 1, 40, '99999999999999999.99', '7'],
    ['vendor', 1, 40, 'true', '', '7'],
    ['vendor', 1, 40, 'false', `' OR 1=1 --`, '7'],
    ['dueDate', 1, 40, 'infinity', '7'],
    ['type', 1, 40, '2147483647', '7'],
  ])('by %s that a client has written answers 200: %j, %j, %j', async (field, ...parts) => {
    expect((await owner.get(`${ALL}?sort=${field}&cursor=${written(...parts)}`)).status).toBe(200);
  });

  it.each<[string, ...unknown[]]>([
    ['id', 1, 40],
    ['id', 1, 40, '7', '7'],
    ['id', 1, 40, '9223372036854775808'],
    ['id', 1, 40, '7.0'],
    ['id', 1, 40, ''],
    ['id', -1, 40, '7'],
    ['id', 1e9, 40, '7'],
    ['id', 1, -1, '7'],
    ['id', 1, 1e15, '7'],
    ['date', 1, 40, 'soon', '7'],
    ['date', 1, 40, '2026-02-30 10:30:00', '7'],
    ['amount', 1, 40, '1,5', '7'],
    ['type', 1, 40, '2147483648', '7'],
    ['vendor', 1, 40, 'a', '7'],
    ['vendor', 1, 40, 'none', 'a', '7'],
  ])('by %s that fits no key of the order answers 400: %j, %j, %j', async (field, ...parts) => {
    expectFaults(await owner.get(`${ALL}?sort=${field}&cursor=${written(...parts)}`), 'cursor');
  });

  it('that is malformed, too long or given twice answers 400', async () => {
    for (const value of [cursor.slice(1), `${cursor}=`, `${cursor}%20`, 'A', 'next', '%00'])
      expectFaults(await owner.get(`${ALL}?cursor=${value}`), 'cursor');
    expectFaults(await owner.get(`${ALL}?cursor=${'A'.repeat(5121)}`), 'cursor');
    expectFaults(await owner.get(`${ALL}?cursor=${cursor}&cursor=${cursor}`), 'cursor');
    expectFaults(await owner.post(SEARCH, { cursor: 7 }), 'cursor');
    expectFaults(await owner.post(`${SEARCH}?cursor=${cursor}`, { cursor }), 'cursor');
  });

  it('of the longest texts in all sort keys is short enough', async () => {
    const verbose = await service.account();
    const long = '😀'.repeat(255);
    for (let index = 0; index < 3; index++) await createProperty(verbose, { name: long, address: long });
    const fields = PROPERTY_SORT_FIELDS.toSorted((a, b) => Number(b === 'name') - Number(a === 'name'));
    const query = fields.map((field) => `sort=${field}`).join('&');
    expect(await walk(verbose, `${PROPERTIES}?size=1&${query}`)).toHaveLength(3);
  });
});
