import { expectFaults, expectProblem, idsOf, pageOf } from './support/answers.js';
import type { Answer } from './support/client.js';
import { PROPERTY_SORT_FIELDS, TRANSACTION_SORT_FIELDS } from './support/contract.js';
import { cursorIn, nextOf, pagesFrom, walk } from './support/cursor-walk.js';
import { createProperty } from './support/factories.js';
import { type Direction, inOrder } from './support/ordering.js';
import { Random } from './support/random.js';
import { expectedMatches, type SearchFields, valueOf } from './support/search-oracle.js';
import { someTransactions, store, type StoredTransaction } from './support/search-rows.js';
import { type Account, type Service, startService } from './support/service.js';

const APP = 'https://app.example.com';
const ROWS = 40;
const DIRECTIONS: readonly Direction[] = ['asc', 'desc'];
const ALL = '/api/transactions';
const SEARCH = '/api/transactions/search';
/** What may place a row elsewhere in an order, beside its amount. */
const CHANGED = [
  ...(['vendor', 'description', 'date', 'due_date', 'paid_at'] as const),
  ...(['type', 'status', 'category', 'created_at', 'updated_at'] as const),
];

let service: Service;
let owner: Account;
let admin: Account;
let rows: StoredTransaction[];
let homeId: number;

beforeAll(async () => {
  service = await startService({ CORS_ALLOWED_ORIGINS: APP });
  [owner, admin] = [await service.account(), await service.account('ADMIN')];
  for (let index = 0; index < 13; index++)
    await createProperty(owner, { name: `House ${index % 4}`, active: index % 2 === 0, bedrooms: index % 3 });
  [homeId] = idsOf(await owner.get('/api/properties?size=2')) as [number];
  rows = someTransactions(new Random(11), ROWS, [
    { id: homeId, ownerId: owner.id },
    { id: homeId + 1, ownerId: owner.id },
  ]);
  await store(service, rows);
});
afterEach(async () => {
  for (const table of ['transactions', 'properties'])
    // which ADMIN would find in the next test
    await service.sql(`DELETE FROM ${table} WHERE owner_id <> $1`, [owner.id]);
});

const ids = (found: readonly { id: number }[]): number[] => found.map(({ id }) => id);
const sorts = (fields: readonly string[]): [string, Direction][] =>
  fields.flatMap((field) => DIRECTIONS.map((direction): [string, Direction] => [field, direction]));
const randomSort = (random: Random, fields: readonly string[]): [string, Direction][] =>
  random
    .shuffled(fields)
    .slice(0, 2 + random.below(3))
    .map((field) => [field, random.pick(DIRECTIONS)]);
const inQuery = (sort: readonly [string, Direction][]): string =>
  sort.map(([field, direction]) => `sort=${field},${direction}`).join('&');

describe('a walk by cursor', () => {
  it.each(sorts(TRANSACTION_SORT_FIELDS))(
    'gives all transactions by %s %s in their order',
    async (field, direction) => {
      const expected = (all: readonly StoredTransaction[]): number[] =>
        ids(inOrder(all, [[valueOf(field), direction]]));
      const home = rows.filter((row) => row.property_id === homeId);
      const query = `?sort=${field},${direction}`;
      expect(await walk(owner, `${ALL}${query}&size=3`)).toEqual(expected(rows));
      expect(await walk(owner, `${ALL}/property/${homeId}${query}&size=4`)).toEqual(expected(home));
      expect(await walk(admin, `${ALL}${query}&size=7`)).toEqual(expected(rows));
    },
  );

  it('gives them in an order by several keys, each in a direction of its own', async () => {
    const random = new Random(5);
    for (let times = 0; times < 15; times++) {
      const sort = randomSort(random, TRANSACTION_SORT_FIELDS);
      const expected = inOrder(
        rows,
        sort.map(([field, direction]) => [valueOf(field), direction]),
      );
      const target = `${ALL}?${inQuery(sort)}&size=${5 + random.below(10)}`;
      expect({ target, ids: await walk(random.pick([owner, admin]), target) }).toEqual({
        target,
        ids: ids(expected),
      });
    }
  });

  it('gives all properties as their pages do', async () => {
    const random = new Random(3);
    const several = Array.from({ length: 5 }, () => randomSort(random, PROPERTY_SORT_FIELDS));
    for (const sort of [...sorts(PROPERTY_SORT_FIELDS).map((key) => [key]), ...several]) {
      const target = `/api/properties?${inQuery(sort)}`;
      const expected = idsOf(await owner.get(`${target}&size=100`));
      for (const caller of [owner, admin])
        expect({ target, ids: await walk(caller, `${target}&size=4`) }).toEqual({ target, ids: expected });
    }
  });

  it.each<SearchFields>([
    { overdue: false, sortBy: 'status' },
    {},
    { type: 'INCOME', startDate: '2000-01-01T00:00:00Z' },
    { type: 'EXPENSE', sortBy: 'amount', sortDirection: 'DESC' },
    { searchTerm: 'clean' },
    { searchTerm: 'cl', sortBy: 'vendor', sortDirection: 'desc' },
    { searchTerm: 'ing', sortBy: 'dueDate' },
    { vendor: 'a', sortBy: 'paidAt', sortDirection: 'desc' },
    { approvalStatus: 'APPROVED' },
  ])('gives what a search finds: %j', async (search) => {
    const expected = ids(expectedMatches(rows, search));
    for (const caller of [owner, admin])
      expect(await walk(caller, SEARCH, { ...search, size: 6 })).toEqual(expected);
  });

  it('takes the cursor of a search in its body as well', async () => {
    const found: number[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const answer = await owner.post(SEARCH, { sortBy: 'amount', size: 15, cursor });
      found.push(...idsOf(answer));
      cursor = nextOf(answer) && cursorIn(nextOf(answer));
    }
    expect(found).toEqual(ids(expectedMatches(rows, { sortBy: 'amount' })));
  });

  it('tells in the envelope what pages by number tell', async () => {
    for (const target of [`${ALL}?size=15`, '/api/properties?size=5', `${ALL}/property/${homeId}?size=8`]) {
      let page = 0;
      for await (const answer of pagesFrom(owner, `${target}&cursor=`))
        expect(answer.text).toBe((await owner.get(`${target}&page=${page++}`)).text);
      expect(page).toBe(3);
    }
  });

  it('goes on from a page by number, and may take other sizes on the way', async () => {
    const third = await owner.get(`${ALL}?size=5&page=2`);
    const expected = ids(inOrder(rows, [[valueOf('date'), 'desc']]));
    const next = await owner.get(nextOf(third)!.replace('size=5', 'size=8'));
    expect(idsOf(next)).toEqual(expected.slice(15, 23));
    expect(pageOf(next)).toMatchObject({ page: 3, size: 8, totalElements: ROWS, last: false });
  });

  it('has a link with the size and the order that hold, for GET', async () => {
    const link = async (query: string): Promise<string | null> =>
      (await owner.get(ALL + query)).headers.get('link');
    expect(await link('?x=1&page=0')).toMatch(
      /^<\/api\/transactions\?size=20&sort=date,desc&cursor=[\w-]+>; rel="next"$/,
    );
    expect(await link('?size=3&sort=vendor&sort=id,DESC')).toMatch(
      /^<\/api\/transactions\?size=3&sort=vendor,asc&sort=id,desc&cursor=[\w-]+>; rel="next"$/,
    );
    expect(await link(`?size=${ROWS / 2}&page=1`)).toBeNull();
    expect(await link('?page=1000')).toBeNull();
  });

  // Without a filter it is the list of all, whose total is known.
  it.each([
    [{ minAmount: 1 }, 0],
    [{ searchTerm: ' ' }, 500],
  ])(
    'of the search %j tells on its second page of %d more that have come meanwhile',
    async (search, news) => {
      const first = await owner.post(SEARCH, { ...search, size: 2 });
      const { totalElements } = pageOf(first);
      const more = someTransactions(new Random(3), 500, [{ id: homeId, ownerId: owner.id }]);
      await store(
        service,
        more.map((row) => ({ ...row, id: row.id + 4000 })),
      );
      const second = await owner.post(nextOf(first)!, { ...search, size: 2 });
      await service.sql('DELETE FROM transactions WHERE id >= 5000 AND owner_id = $1', [owner.id]);
      expect(pageOf(second).totalElements).toBe(totalElements + news);
    },
  );
});

describe('what comes and goes during a walk', () => {
  const alternating = TRANSACTION_SORT_FIELDS.map(
    (field, index) => [field, DIRECTIONS[index % 2]!, index] as const,
  );

  // Half of the rows stay as they are; the others are deleted, changed and joined by more, while each page is read.
  it.each(alternating)('hides and repeats nothing that stays, by %s %s', async (field, direction, seed) => {
    const random = new Random(seed);
    const restless = await service.account();
    const home = { id: (await createProperty(restless)).id, ownerId: restless.id };
    const base = 100_000 + Number(restless.id) * 1000;
    const all = someTransactions(random, 40, [home]).map((row) => ({ ...row, id: base + row.id }));
    await store(service, all);
    const staying = all.filter((_, index) => index % 2 === 0);
    const others = all.filter((_, index) => index % 2 === 1).map(({ id }) => id);
    const unsettle = async (turn: number): Promise<void> => {
      const fresh = someTransactions(random, 4, [home]).map((row, index) => ({
        ...row,
        id: base + 2000 + turn * 10 + index,
      }));
      await store(service, fresh);
      await restless.delete(`${ALL}/${random.pick(others)}`); // or it is gone already
      const other = someTransactions(random, 1, [home])[0]!;
      const changes = CHANGED.map((column, index) => `${column} = $${index + 4}`).join(', ');
      await service.sql(
        `UPDATE transactions SET ${changes}, amount = $3 WHERE owner_id = $1 AND id = ANY ($2)`,
        [
          home.ownerId,
          [random.pick(others), random.pick(others)],
          1 + random.below(1000),
          ...CHANGED.map((column) => other[column]),
        ],
      );
    };
    const seen: number[] = [];
    let turn = 0;
    let target: string | undefined = `${ALL}?sort=${field},${direction}&size=${6 + random.below(6)}`;
    while (target !== undefined) {
      const reading: Promise<Answer> = restless.get(target);
      await unsettle(++turn);
      const answer = await reading;
      seen.push(...idsOf(answer));
      target = turn > 40 ? undefined : nextOf(answer);
    }
    const stays = new Set(ids(staying));
    expect(seen.filter((id) => stays.has(id))).toEqual(ids(inOrder(staying, [[valueOf(field), direction]])));
  });

  it('goes on behind a row that has been deleted, and ends with 404 where the property itself has', async () => {
    const passing = await service.account();
    const { id } = await createProperty(passing);
    const stored = someTransactions(new Random(1), 6, [{ id, ownerId: passing.id }]).map((row) => ({
      ...row,
      id: row.id + 50_000,
    }));
    await store(service, stored);
    const first = await passing.get(`${ALL}/property/${id}?sort=id&size=2`);
    for (const last of idsOf(first)) await passing.delete(`${ALL}/${last}`);
    const second = await passing.get(nextOf(first)!);
    expect(idsOf(second)).toEqual(
      ids(stored)
        .sort((a, b) => a - b)
        .slice(2, 4),
    );
    await service.sql('DELETE FROM transactions WHERE owner_id = $1', [passing.id]);
    expect(pageOf(await passing.get(nextOf(second)!))).toMatchObject({
      content: [],
      totalElements: 0,
      last: true,
    });
    await passing.delete(`/api/properties/${id}`);
    expectProblem(await passing.get(nextOf(second)!), 404, 'not-found');
  });
});

describe('a cursor', () => {
  const cursorOf = async (target: string, caller = owner): Promise<string> =>
    cursorIn(nextOf(await caller.get(target)));
  const cursorOfSearch = async (search: object): Promise<string> =>
    cursorIn(nextOf(await owner.post(SEARCH, { ...search, size: 2 })));

  it('is refused beside a page', async () => {
    const cursor = await cursorOf(`${ALL}?size=2`);
    for (const [value, page] of [
      [cursor, 1],
      [cursor, 0],
      ['', 0],
    ] as const) {
      expectFaults(await owner.get(`${ALL}?size=2&cursor=${value}&page=${page}`), 'cursor');
      expectFaults(await owner.post(SEARCH, { page, cursor: value }), 'cursor');
      expectFaults(await owner.post(`${SEARCH}?cursor=${value}`, { page }), 'cursor');
    }
    expectFaults(await owner.get(`/api/properties?cursor=&page=0`), 'cursor');
  });

  it('is refused by an order with other keys', async () => {
    const cursor = await cursorOf(`${ALL}?size=2`);
    expect((await owner.get(`${ALL}?cursor=${cursor}`)).status).toBe(200);
    for (const sort of ['sort=date,desc&sort=amount', 'sort=amount,desc', 'sort=id'])
      expectFaults(await owner.get(`${ALL}?${sort}&cursor=${cursor}`), 'cursor');
    expectFaults(await owner.post(SEARCH, { sortBy: 'amount', cursor }), 'cursor');
  });

  it('of one caller shows another caller nothing but own rows', async () => {
    const cursor = await cursorOf(`${ALL}?size=2`);
    const other = await service.account();
    expect(pageOf(await other.get(`${ALL}?cursor=${cursor}`)).content).toEqual([]);
    const { id } = await createProperty(other);
    const last = {
      ...rows[0]!,
      id: 1,
      property_id: id,
      owner_id: other.id,
      date: '0001-01-02T00:00:00.000Z',
    };
    await store(service, [last]);
    expect(idsOf(await other.get(`${ALL}?cursor=${cursor}`))).toEqual([1]);
    expect(idsOf(await admin.get(`${ALL}?size=100&cursor=${cursor}`))).toHaveLength(ROWS - 2 + 1);
  });

  const written = (...mark: unknown[]): string => Buffer.from(JSON.stringify(mark)).toString('base64url');
  const DATE = '2026-01-15 10:30:00';

  // Page, total, and a value for each sort key.
  it.each<[string, unknown[]]>([
    ['sort=id', [1, 40, '9223372036854775807']],
    ['sort=date', [2147483647, 9007199254740991, DATE, '-1']],
    ['sort=date', [1, 0, '2026-01-15T10:30:00.123+02:00', '7']],
    ['sort=amount', [1, 40, '99999999999999999.99', '7']],
    ['sort=vendor', [1, 40, null, '7']],
    ['sort=vendor', [1, 40, `' OR 1=1 --`, '7']],
    ['sort=dueDate', [1, 40, null, '7']],
    ['sort=type', [1, 40, '2147483647', '7']],
  ])('by %s is taken as anybody may write it: %j', async (sort, mark) => {
    expect((await owner.get(`${ALL}?${sort}&cursor=${written(...mark)}`)).status).toBe(200);
  });

  it.each<[string, unknown[]]>([
    ['sort=id', [1, 40]],
    ['sort=id', [1, 40, '7', '7']],
    ['sort=id', [1, 40, null]],
    ['sort=id', [1, 40, 7]],
    ['sort=id', [1, 40, ['7']]],
    ['sort=id', [1, 40, '9223372036854775808']],
    ['sort=id', [1, 40, '7.0']],
    ['sort=id', [1, 40, '']],
    ['sort=id', [-1, 40, '7']],
    ['sort=id', [2147483648, 40, '7']],
    ['sort=id', ['1', 40, '7']],
    ['sort=id', [1, -1, '7']],
    ['sort=id', [1, 1e300, '7']],
    ['sort=date', [1, 40, null, '7']],
    ['sort=date', [1, 40, 'now', '7']],
    ['sort=date', [1, 40, 'infinity', '7']],
    ['sort=date', [1, 40, '2026-02-30 10:30:00', '7']],
    ['sort=amount', [1, 40, 'NaN', '7']],
    ['sort=amount', [1, 40, '1e9', '7']],
    ['sort=amount', [1, 40, '0.001', '7']],
    ['sort=type', [1, 40, '2147483648', '7']],
    ['sort=description', [1, 40, null, '7']],
    ['sort=vendor', [1, 40, 'a\u0000', '7']],
    ['sort=vendor', [1, 40, '\ud800', '7']],
  ])('by %s is refused with what does not fit its keys: %j', async (sort, mark) => {
    expectFaults(await owner.get(`${ALL}?${sort}&cursor=${written(...mark)}`), 'cursor');
  });

  it('is refused when it is no JSON, too long or given twice', async () => {
    const cursor = await cursorOf(`${ALL}?size=2`);
    const wrong = [cursor.slice(1), `${cursor}=`, `${cursor}%20`, 'A', 'next', '%00', 'bnVsbA', 'e30'];
    for (const value of wrong) expectFaults(await owner.get(`${ALL}?size=2&cursor=${value}`), 'cursor');
    expectFaults(await owner.get(`${ALL}?cursor=${'A'.repeat(5121)}`), 'cursor');
    expectFaults(await owner.get(`${ALL}?cursor=${cursor}&cursor=${cursor}`), 'cursor');
    expectFaults(await owner.post(SEARCH, { cursor: 7 }), 'cursor');
    const ofSearch = await cursorOfSearch({});
    expectFaults(await owner.post(`${SEARCH}?cursor=${ofSearch}`, { cursor: ofSearch }), 'cursor');
  });

  // The latter is six characters of JSON.
  it.each(['😀', '\u0001'])('fits, with the longest texts of %j in all sort keys', async (character) => {
    const verbose = await service.account();
    const long = character.repeat(255);
    for (let index = 0; index < 3; index++) await createProperty(verbose, { name: long, address: long });
    const sort = PROPERTY_SORT_FIELDS.toSorted((a, b) => Number(b === 'name') - Number(a === 'name')).map(
      (field) => `sort=${field}`,
    );
    const target = `/api/properties?size=1&${sort.join('&')}`;
    expect(await walk(verbose, target)).toHaveLength(3);
  });

  it('lets a page of another origin read the link, which else is not in the list', async () => {
    const exposed = async (target: string): Promise<string | null> =>
      (await owner.get(target, { origin: APP })).headers.get('access-control-expose-headers');
    expect(await exposed(`${ALL}?cursor=`)).toBe('Location, ETag, X-Request-Id, Link');
    expect(await exposed(ALL)).toBe('Location, ETag, X-Request-Id');
  });
});
