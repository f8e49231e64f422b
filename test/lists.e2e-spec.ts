import { expectFaults, expectProblem, idsOf, pageOf } from './support/answers.js';
import type { Answer } from './support/client.js';
import {
  ENVELOPE_FIELDS,
  PROPERTY_FIELDS,
  PROPERTY_SORT_FIELDS,
  SUMMARY_FIELDS,
  TRANSACTION_SORT_FIELDS,
} from './support/contract.js';
import { createEmptyDatabase } from './support/database.js';
import { createProperty, createTransaction } from './support/factories.js';
import { inOrder, keysOf, type Sortable } from './support/ordering.js';
import { Random } from './support/random.js';
import { valueOf } from './support/search-oracle.js';
import { someTransactions, store, type StoredTransaction } from './support/search-rows.js';
import { type Account, type Service, startService } from './support/service.js';

const DIRECTIONS = ['asc', 'desc'] as const;
const NAMES = ['', 'a', 'B', 'Z', 'a b', 'ä', '\ufb00', '😀', 'ab', 'A'];
const TIMES = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', '2025-06-01T00:00:00.000Z'];

/** A row of the table `properties`, as far as lists sort by it. */
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
let homeId: number;

beforeAll(async () => {
  service = await startService({}, await createEmptyDatabase('en')); // texts come by code point all the same
  [owner, admin] = await Promise.all([service.account(), service.account('ADMIN')]);
  properties = await storeProperties(owner, 60);
  homeId = properties[0]!.id;
  const other = await service.account();
  const foreign = (await createProperty(other)).id;
  rows = someTransactions(new Random(7), 130, [
    { id: homeId, ownerId: owner.id },
    { id: properties[1]!.id, ownerId: owner.id },
    { id: foreign, ownerId: other.id },
  ]);
  await store(service, rows);
});

const ownRows = (): StoredTransaction[] => rows.filter((row) => row.owner_id === owner.id);
const homeRows = (): StoredTransaction[] => rows.filter((row) => row.property_id === homeId);
const ids = (found: readonly { id: number }[]): number[] => found.map(({ id }) => id);

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

/** Every page of a list, one after the other. */
async function walk(path: string, query: string, size: number): Promise<number[]> {
  const all: number[] = [];
  for (let page = 0; ; page++) {
    const answer = await owner.get(`${path}?${query}&size=${size}&page=${page}`);
    all.push(...idsOf(answer));
    if (pageOf(answer).last) return all;
  }
}

describe.each([
  { list: 'properties', path: () => '/api/properties', all: () => properties, element: PROPERTY_FIELDS },
  { list: 'transactions', path: () => '/api/transactions', all: ownRows, element: SUMMARY_FIELDS },
  {
    list: "a property's transactions",
    path: () => `/api/transactions/property/${homeId}`,
    all: homeRows,
    element: SUMMARY_FIELDS,
  },
])('the list of $list', ({ list, path, all, element }) => {
  const get = (query: string): Promise<Answer> => owner.get(`${path()}?${query}`);

  it('has pages of 20 from page 0 on, in an envelope of exactly the documented fields', async () => {
    const page = pageOf(await owner.get(path()));
    const totalElements = all().length;
    const totalPages = Math.ceil(totalElements / 20);
    expect(page).toEqual({
      content: page.content,
      page: 0,
      size: 20,
      totalElements,
      totalPages,
      last: false,
    });
    expect(page.content).toHaveLength(20);
    expect(Object.keys(page).sort()).toEqual([...ENVELOPE_FIELDS].sort());
    for (const row of page.content) expect(Object.keys(row).sort()).toEqual([...element].sort());
  });

  it.each([
    ['page=0&size=1', 0, 1],
    ['size=100', 0, 100],
    ['page=1&size=7', 1, 7],
    ['page=-0&size=20', 0, 20],
    ['unknown=x&page=2', 2, 20],
  ])('with %s has the elements of that page', async (query, page, size) => {
    const answer = pageOf(await get(query));
    const [totalElements, totalPages] = [all().length, Math.ceil(all().length / size)];
    expect(answer).toMatchObject({ page, size, totalElements, totalPages, last: page + 1 >= totalPages });
    expect(answer.content).toHaveLength(Math.max(0, Math.min(size, totalElements - page * size)));
  });

  it.each([1000, 2147483647])('is empty on page %i, with true totals', async (page) => {
    const [totalElements, totalPages] = [all().length, Math.ceil(all().length / 100)];
    const answer = await get(`page=${page}&size=100`);
    expect(answer.json).toEqual({ content: [], page, size: 100, totalElements, totalPages, last: true });
  });

  it('gives each element once when its pages are walked', async () => {
    for (const size of [7, 100]) {
      const walked = await walk(path(), list === 'properties' ? 'sort=name' : 'sort=status', size);
      expect(walked).toHaveLength(all().length);
      expect(new Set(walked)).toEqual(new Set(ids(all())));
    }
  });

  const malformed = ['', '-1', '2147483648', '%2B1', '01', '1e1', '1%20', '1.5', 'one', '%D9%A1'];

  it.each(malformed)('refuses page=%s', async (page) => {
    expectFaults(await get(`page=${page}`), 'page');
  });

  it.each(['0', '101', ...malformed])('refuses size=%s', async (size) => {
    expectFaults(await get(`size=${size}`), 'size');
  });

  it('refuses page and size that are given twice, be it with one value', async () => {
    expectFaults(await get('page=0&page=0&size=20&size=20'), 'page', 'size');
  });

  it('tells all faults at once', async () => {
    expectFaults(await get('page=-1&size=101&sort=nope'), 'page', 'size', 'sort');
  });

  it.each([
    ...['', 'nope', 'ID', 'id,', 'id,up', 'id,asc,desc', ',asc', 'id%20asc', '1', 'toString', '__proto__'],
    ...['owner_id', 't.id', "id'%20OR%201=1--", 'id,desc%20NULLS%20LAST'],
  ])('refuses sort=%s, alone or behind another, and names what is allowed', async (sort) => {
    const allowed = list === 'properties' ? PROPERTY_SORT_FIELDS : TRANSACTION_SORT_FIELDS;
    for (const query of [`sort=${sort}`, `sort=id&sort=${sort}`]) {
      const { sort: message } = expectFaults(await get(query), 'sort');
      for (const field of [...allowed, 'asc', 'desc']) expect(message).toMatch(new RegExp(`\\b${field}\\b`));
    }
  });
});

describe('properties', () => {
  it('come by ascending id unless the request says otherwise', async () => {
    expect(idsOf(await owner.get('/api/properties?size=100'))).toEqual(ids(inOrder(properties, [])));
  });

  it.each(
    PROPERTY_SORT_FIELDS.flatMap((field) => DIRECTIONS.map((direction) => [field, direction] as const)),
  )('come by %s %s, those that tie by id in the same direction', async (field, direction) => {
    const expected = ids(inOrder(properties, [[propertyValue(field), direction]]));
    expect(idsOf(await owner.get(`/api/properties?size=100&sort=${field},${direction}`))).toEqual(expected);
    if (direction === 'desc') return;
    expect(idsOf(await owner.get(`/api/properties?size=100&sort=${field}`))).toEqual(expected);
  });

  it.each([
    'sort=active&sort=name,desc',
    'sort=bedrooms,desc&sort=bathrooms&sort=id,desc',
    'sort=active,desc&sort=active,asc&sort=address',
    'sort=amount&sort=date,desc',
  ])('come by several fields: %s', async (query) => {
    const expected = inOrder(properties, keysOf(query, propertyValue));
    expect(idsOf(await owner.get(`/api/properties?size=100&${query}`))).toEqual(ids(expected));
  });
});

describe('transactions', () => {
  it('come by descending date, those that tie by descending id, unless the request says otherwise', async () => {
    const expected = (found: StoredTransaction[]): number[] =>
      ids(inOrder(found, [[valueOf('date'), 'desc']]));
    expect(idsOf(await owner.get('/api/transactions?size=100'))).toEqual(expected(ownRows()).slice(0, 100));
    const ofProperty = await owner.get(`/api/transactions/property/${homeId}?size=100`);
    expect(idsOf(ofProperty)).toEqual(expected(homeRows()));
  });

  it.each(
    TRANSACTION_SORT_FIELDS.flatMap((field) => DIRECTIONS.map((direction) => [field, direction] as const)),
  )('come by %s %s, those that tie by id in the same direction', async (field, direction) => {
    const sorted = (found: StoredTransaction[]): number[] =>
      ids(inOrder(found, [[valueOf(field), direction]]));
    const query = `size=100&sort=${field},${direction}`;
    const inShortPages = await Promise.all(
      Array.from({ length: Math.ceil(ownRows().length / 13) }, (_, page) =>
        owner.get(`/api/transactions?size=13&page=${page}&sort=${field},${direction}`),
      ),
    );
    expect(inShortPages.flatMap(idsOf)).toEqual(sorted(ownRows()));
    expect(idsOf(await owner.get(`/api/transactions?${query}`))).toEqual(sorted(ownRows()).slice(0, 100));
    expect(idsOf(await owner.get(`/api/transactions/property/${homeId}?${query}`))).toEqual(
      sorted(homeRows()),
    );
    const stored = new Set(ids(rows)); // other tests store more
    const pages = await Promise.all(
      [0, 1].map((page) => admin.get(`/api/transactions?${query}&page=${page}`)),
    );
    expect(pages.flatMap(idsOf).filter((id) => stored.has(id))).toEqual(sorted(rows));
  });

  it.each([
    'sort=type&sort=amount,desc',
    'sort=dueDate,desc&sort=vendor&sort=id,desc',
    'sort=id,desc&sort=date',
    'sort=status,desc&sort=status',
  ])('come by several fields: %s', async (query) => {
    const expected = inOrder(homeRows(), keysOf(query, valueOf));
    expect(idsOf(await owner.get(`/api/transactions/property/${homeId}?size=100&${query}`))).toEqual(
      ids(expected),
    );
  });
});

describe('a list', () => {
  const EMPTY = { content: [], page: 0, size: 20, totalElements: 0, totalPages: 0, last: true };

  it('of somebody who has nothing has no pages, and its page is the last', async () => {
    const nobody = await service.account();
    expect((await nobody.get('/api/properties')).json).toEqual(EMPTY);
    expect((await nobody.get('/api/transactions')).json).toEqual(EMPTY);
    const { id } = await createProperty(nobody);
    expect((await nobody.get(`/api/transactions/property/${id}`)).json).toEqual(EMPTY);
    expect((await nobody.get('/api/transactions?page=3')).json).toEqual({ ...EMPTY, page: 3 });
  });

  it('shows an ADMIN everything', async () => {
    const countOf = async (table: string): Promise<number | undefined> =>
      (await service.sql<{ count: number }>(`SELECT count(*)::int FROM ${table}`))[0]?.count;
    expect(pageOf(await admin.get('/api/transactions')).totalElements).toBe(await countOf('transactions'));
    const seen = pageOf<{ ownerId: number }>(await admin.get('/api/properties?size=100'));
    expect(seen.totalElements).toBe(await countOf('properties'));
    expect(new Set(seen.content.map(({ ownerId }) => ownerId)).size).toBeGreaterThan(1);
    expect(idsOf(await admin.get(`/api/transactions/property/${homeId}?size=100&sort=id`))).toEqual(
      ids(homeRows()).sort((a, b) => a - b),
    );
  });

  it("of the transactions of a property that is not there or not the caller's is 404", async () => {
    const stranger = await service.account();
    for (const [caller, id] of [
      [stranger, homeId],
      [owner, Number.MAX_SAFE_INTEGER],
      [admin, Number.MAX_SAFE_INTEGER],
    ] as const) {
      expectProblem(await caller.get(`/api/transactions/property/${id}`), 404, 'not-found');
    }
  });

  it('of a property has exactly its transactions', async () => {
    const alone = await service.account();
    const [first, second] = [await createProperty(alone), await createProperty(alone)];
    const transaction = await createTransaction(alone, first.id);
    expect(idsOf(await alone.get(`/api/transactions/property/${first.id}`))).toEqual([transaction.id]);
    expect(idsOf(await alone.get(`/api/transactions/property/${second.id}`))).toEqual([]);
  });
});
