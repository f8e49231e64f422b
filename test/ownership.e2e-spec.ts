import { OWNED_TABLES } from '../src/database/citus.js';
import { bodyOf, expectProblem, idsOf, pageOf } from './support/answers.js';
import type { Answer } from './support/client.js';
import { PROPERTY_SORT_FIELDS, TRANSACTION_SORT_FIELDS } from './support/contract.js';
import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from './support/factories.js';
import { walk } from './support/cursor-walk.js';
import { loadParser, ownedTablesIn, unscopedTables } from './support/owner-predicates.js';
import { type SentStatements, watchStatements } from './support/sent-statements.js';
import { type Account, type Service, startService } from './support/service.js';

const MISSING = 9_007_199_254_740_991;

let service: Service;
let owner: Account;
let stranger: Account;
let admin: Account;
let property: { id: number };
let transaction: { id: number };
let own: { property: number; transaction: number };

beforeAll(async () => {
  service = await startService();
  [owner, stranger, admin] = await Promise.all([
    service.account(),
    service.account(),
    service.account('ADMIN'),
  ]);
  property = await createProperty(owner, { name: 'Secret cottage' });
  transaction = await createTransaction(owner, property.id, {
    description: 'Secret deal',
    vendor: 'Secret vendor',
  });
  const { id } = await createProperty(stranger);
  own = { property: id, transaction: (await createTransaction(stranger, id)).id };
});
afterAll(() => service.stop());

/** All of an answer that could tell one resource from another, but the path that was asked for. */
function tellable(answer: Answer): unknown {
  const untold = ['date', 'x-request-id', 'content-length'];
  const headers = [...answer.headers].filter(([name]) => !untold.includes(name));
  const body = answer.json === undefined ? answer.text : { ...bodyOf(answer), instance: '', timestamp: '' };
  return { status: answer.status, headers, body };
}

interface Attempt {
  readonly name: string;
  readonly status: number;
  readonly on: (ids: { property: number; transaction: number }) => Promise<Answer>;
}

const ATTEMPTS: Attempt[] = [
  { name: 'GET a property', status: 404, on: (ids) => stranger.get(`/api/properties/${ids.property}`) },
  {
    name: 'GET a property if it has changed',
    status: 404,
    on: (ids) => stranger.get(`/api/properties/${ids.property}`, { 'if-none-match': '"1"' }),
  },
  {
    name: 'PUT a property',
    status: 404,
    on: (ids) => stranger.put(`/api/properties/${ids.property}`, propertyRequest({ name: 'Mine' })),
  },
  {
    name: 'PUT a property, wrongly',
    status: 400,
    on: (ids) => stranger.put(`/api/properties/${ids.property}`, { name: 1 }),
  },
  {
    name: 'PUT a property at its version',
    status: 404,
    on: (ids) => stranger.put(`/api/properties/${ids.property}`, propertyRequest(), { 'if-match': '"1"' }),
  },
  {
    name: 'PUT a property at another version',
    status: 404,
    on: (ids) => stranger.put(`/api/properties/${ids.property}`, propertyRequest(), { 'if-match': '"9"' }),
  },
  { name: 'DELETE a property', status: 404, on: (ids) => stranger.delete(`/api/properties/${ids.property}`) },
  {
    name: 'DELETE a property at its version',
    status: 404,
    on: (ids) => stranger.delete(`/api/properties/${ids.property}`, { 'if-match': '"1"' }),
  },
  {
    name: 'PATCH a property',
    status: 405,
    on: (ids) => stranger.send('PATCH', `/api/properties/${ids.property}`, { body: {} }),
  },
  {
    name: 'GET the transactions of a property',
    status: 404,
    on: (ids) => stranger.get(`/api/transactions/property/${ids.property}?page=7&sort=amount`),
  },
  {
    name: 'GET the transactions of a property, wrongly',
    status: 400,
    on: (ids) => stranger.get(`/api/transactions/property/${ids.property}?size=0`),
  },
  {
    name: 'POST a transaction for a property',
    status: 404,
    on: (ids) => stranger.post('/api/transactions', transactionRequest(ids.property)),
  },
  {
    name: 'PUT the own transaction to a property',
    status: 404,
    on: (ids) => stranger.put(`/api/transactions/${own.transaction}`, transactionRequest(ids.property)),
  },
  {
    name: 'record in a property, with others',
    status: 404,
    on: (ids) =>
      stranger.post('/api/transactions/batch', {
        transactions: [transactionRequest(own.property), transactionRequest(ids.property)],
      }),
  },
  {
    name: 'import into a property',
    status: 422,
    on: (ids) =>
      stranger.send('POST', '/api/transactions/import', {
        body: JSON.stringify(transactionRequest(ids.property)),
        headers: { 'content-type': 'application/x-ndjson' },
      }),
  },
  {
    name: 'search in a property',
    status: 200,
    on: (ids) => stranger.post('/api/transactions/search', { propertyId: ids.property }),
  },
  {
    name: 'GET a transaction',
    status: 404,
    on: (ids) => stranger.get(`/api/transactions/${ids.transaction}`),
  },
  {
    name: 'GET a transaction if it has changed',
    status: 404,
    on: (ids) => stranger.get(`/api/transactions/${ids.transaction}`, { 'if-none-match': '*' }),
  },
  {
    name: 'PUT a transaction to the own property',
    status: 404,
    on: (ids) => stranger.put(`/api/transactions/${ids.transaction}`, transactionRequest(own.property)),
  },
  {
    name: 'PUT a transaction to its property',
    status: 404,
    on: (ids) => stranger.put(`/api/transactions/${ids.transaction}`, transactionRequest(ids.property)),
  },
  {
    name: 'PUT a transaction at its version',
    status: 404,
    on: (ids) =>
      stranger.put(`/api/transactions/${ids.transaction}`, transactionRequest(own.property), {
        'if-match': '"1"',
      }),
  },
  {
    name: 'DELETE a transaction',
    status: 404,
    on: (ids) => stranger.delete(`/api/transactions/${ids.transaction}`),
  },
  {
    name: 'DELETE a transaction at its version',
    status: 404,
    on: (ids) => stranger.delete(`/api/transactions/${ids.transaction}`, { 'if-match': '"1"' }),
  },
  {
    name: 'GET the profit and loss of a property',
    status: 404,
    on: (ids) => stranger.get(`/api/reports/profit-and-loss?propertyId=${ids.property}&groupBy=property`),
  },
  {
    name: 'GET the tax year of a property',
    status: 404,
    on: (ids) => stranger.get(`/api/reports/tax-year?year=2026&propertyId=${ids.property}`),
  },
  {
    name: 'GET the cash flow of a property',
    status: 404,
    on: (ids) => stranger.get(`/api/reports/cash-flow?propertyId=${ids.property}`),
  },
];

describe("what is another owner's", () => {
  it.each(ATTEMPTS)("answers a stranger's $name as what is not there at all", async ({ status, on }) => {
    const [foreign, missing] = [
      await on({ property: property.id, transaction: transaction.id }),
      await on({ property: MISSING, transaction: MISSING }),
    ];
    expect(foreign.status).toBe(status);
    expect(tellable(foreign)).toEqual(tellable(missing));
    expect(foreign.text).not.toContain('Secret');
  });

  it('is as it was after all of these', async () => {
    const paths = [`/api/properties/${property.id}`, `/api/transactions/${transaction.id}`];
    const before = await Promise.all(paths.map((path) => owner.get(path)));
    const ids = { property: property.id, transaction: transaction.id };
    for (const { on } of ATTEMPTS) await on(ids);
    const after = await Promise.all(paths.map((path) => owner.get(path)));
    expect(after.map(({ text, headers }) => [text, headers.get('etag')])).toEqual(
      before.map(({ text }) => [text, '"1"']),
    );
    expect(idsOf(await owner.get(`/api/transactions/property/${property.id}`))).toEqual([transaction.id]);
  });

  it('never shows in a list, in any order or page', async () => {
    const lists = [
      ...PROPERTY_SORT_FIELDS.map((field) => ['/api/properties', field, own.property] as const),
      ...TRANSACTION_SORT_FIELDS.map((field) => ['/api/transactions', field, own.transaction] as const),
    ];
    for (const [path, field, id] of lists) {
      for (const direction of ['asc', 'desc']) {
        const answer = await stranger.get(`${path}?size=100&sort=${field},${direction}`);
        expect([idsOf(answer), pageOf(answer).totalElements]).toEqual([[id], 1]);
        expect(idsOf(await stranger.get(`${path}?page=1&size=1&sort=${field},${direction}`))).toEqual([]);
      }
    }
  });

  it.each([
    {},
    { searchTerm: 'e' },
    { searchTerm: '\u001f' },
    { vendor: '' },
    { overdue: true },
    { overdue: false },
    { minAmount: 0 },
    { recurring: false, status: 'PENDING' },
    { sortBy: 'vendor', sortDirection: 'desc', size: 100 },
  ])('never shows in a search for %j', async (body) => {
    const answer = await stranger.post('/api/transactions/search', body);
    expect(idsOf(answer).filter((id) => id !== own.transaction)).toEqual([]);
    expect(pageOf(answer).totalElements).toBeLessThan(2);
  });

  it('is for an ADMIN to read', async () => {
    expect(bodyOf(await admin.get(`/api/properties/${property.id}`))['name']).toBe('Secret cottage');
    expect(bodyOf(await admin.get(`/api/transactions/${transaction.id}`))['description']).toBe('Secret deal');
    expect(idsOf(await admin.get('/api/transactions?size=100&sort=id,desc'))).toContain(transaction.id);
  });
});

describe("every statement of a USER's request", () => {
  let property: { id: number };
  let transaction: { id: number };
  let sent: SentStatements;

  beforeAll(async () => {
    await loadParser();
    sent = watchStatements();
  });
  beforeEach(async () => {
    property = await createProperty(owner);
    transaction = await createTransaction(owner, property.id);
    sent.clear();
  });
  afterAll(() => sent.stop());

  const OPERATIONS: [name: string, run: () => Promise<unknown>][] = [
    ['the list of properties', () => owner.get('/api/properties')],
    [
      'a sorted list of properties',
      () => owner.get('/api/properties?sort=name&sort=active,desc&page=2&size=3'),
    ],
    ['a property', () => owner.get(`/api/properties/${property.id}`)],
    ['a missing property', () => owner.get(`/api/properties/${MISSING}`)],
    ['a new property', () => owner.post('/api/properties', propertyRequest())],
    ['an update of a property', () => owner.put(`/api/properties/${property.id}`, propertyRequest())],
    [
      'a conditional update of a property',
      () => owner.put(`/api/properties/${property.id}`, propertyRequest(), { 'if-match': '*' }),
    ],
    [
      "an update of another's property",
      () => owner.put(`/api/properties/${own.property}`, propertyRequest()),
    ],
    ['a refused deletion of a property', () => owner.delete(`/api/properties/${property.id}`)],
    ["a deletion of another's property", () => owner.delete(`/api/properties/${own.property}`)],
    [
      'a conditional deletion of a property',
      async () => owner.delete(`/api/properties/${(await createProperty(owner)).id}`, { 'if-match': '*' }),
    ],
    ['the list of transactions', () => owner.get('/api/transactions')],
    ['a sorted list of transactions', () => owner.get('/api/transactions?sort=type&sort=vendor,desc&page=1')],
    [
      'the transactions of a property',
      () => owner.get(`/api/transactions/property/${property.id}?sort=amount`),
    ],
    ["the transactions of another's property", () => owner.get(`/api/transactions/property/${own.property}`)],
    ['a transaction', () => owner.get(`/api/transactions/${transaction.id}`)],
    ["another's transaction", () => owner.get(`/api/transactions/${own.transaction}`)],
    ['a new transaction', () => owner.post('/api/transactions', transactionRequest(property.id))],
    [
      'a new transaction under a key, repeated',
      async () => {
        const request = transactionRequest(property.id);
        const headers = { 'idempotency-key': `key-${property.id}` };
        for (let times = 0; times < 2; times++) await owner.post('/api/transactions', request, headers);
      },
    ],
    [
      "a new transaction of another's property",
      () => owner.post('/api/transactions', transactionRequest(own.property)),
    ],
    [
      'an update of a transaction',
      () => owner.put(`/api/transactions/${transaction.id}`, transactionRequest(property.id)),
    ],
    [
      "an update of another's transaction",
      () => owner.put(`/api/transactions/${own.transaction}`, transactionRequest(property.id)),
    ],
    [
      "a move to another's property",
      () => owner.put(`/api/transactions/${transaction.id}`, transactionRequest(own.property)),
    ],
    [
      'a move to another property',
      async () =>
        owner.put(
          `/api/transactions/${transaction.id}`,
          transactionRequest((await createProperty(owner)).id),
        ),
    ],
    [
      'a deletion of a transaction',
      async () => owner.delete(`/api/transactions/${(await createTransaction(owner, property.id)).id}`),
    ],
    [
      'a conditional deletion of a transaction',
      async () =>
        owner.delete(`/api/transactions/${(await createTransaction(owner, property.id)).id}`, {
          'if-match': '"1"',
        }),
    ],
    ["a deletion of another's transaction", () => owner.delete(`/api/transactions/${own.transaction}`)],
    [
      'a batch',
      () => owner.post('/api/transactions/batch', { transactions: [transactionRequest(property.id)] }),
    ],
    [
      'an import',
      () =>
        owner.send('POST', '/api/transactions/import?duplicates=skip', {
          body: JSON.stringify(transactionRequest(property.id)),
          headers: { 'content-type': 'application/x-ndjson' },
        }),
    ],
    ['a search for everything', () => owner.post('/api/transactions/search', {})],
    [
      'a search with every filter',
      () =>
        owner.post('/api/transactions/search', {
          ...{ startDate: '2020-01-01T00:00Z', endDate: '2030-01-01T00:00Z', minAmount: 1, maxAmount: 2 },
          ...{
            type: 'INCOME',
            category: 'TAXES',
            propertyId: property.id,
            status: 'PAID',
            paymentMethod: 'CASH',
          },
          ...{ recurring: true, frequency: 'DAILY', vendor: 'x', approvalStatus: 'y', overdue: true },
          ...{ searchTerm: 'a%\u001fb', page: 1, size: 5, sortBy: 'amount', sortDirection: 'desc' },
        }),
    ],
    ['a walk by cursor', () => walk(owner, '/api/transactions?sort=vendor&size=1')],
    ['a walk through properties', () => walk(owner, '/api/properties?sort=name&size=1')],
    [
      'a walk through a search',
      () => walk(owner, '/api/transactions/search', { searchTerm: 'deal', size: 1 }),
    ],
    ['a search for what is not overdue', () => owner.post('/api/transactions/search', { overdue: false })],
    ['a profit and loss', () => owner.get('/api/reports/profit-and-loss')],
    [
      'a profit and loss of a property in groups',
      () =>
        owner.get(
          `/api/reports/profit-and-loss?groupBy=property,month&basis=cash&from=2026-01-01&propertyId=${property.id}`,
        ),
    ],
    [
      "a profit and loss of another's property",
      () => owner.get(`/api/reports/profit-and-loss?groupBy=year&propertyId=${own.property}`),
    ],
    ['a tax year', () => owner.get(`/api/reports/tax-year?year=2026&propertyId=${property.id}`)],
    ['a cash flow', () => owner.get(`/api/reports/cash-flow?months=24&propertyId=${property.id}`)],
    ['an export of properties', () => owner.get('/api/properties/export?sort=name')],
    ['an export of transactions', () => owner.post('/api/transactions/export', { searchTerm: 'deal' })],
    ['a search by free text', () => owner.post('/api/transactions/search', { searchTerm: 'deal' })],
  ];

  it.each(OPERATIONS)('holds every table to the owner: %s', async (_name, run) => {
    await run();
    const touching = sent.all().filter((statement) => ownedTablesIn(statement).length > 0);
    expect(touching).not.toEqual([]);
    for (const statement of touching) {
      expect({ ...statement, unscoped: unscopedTables(statement, owner.id) }).toEqual({
        ...statement,
        unscoped: [],
      });
    }
  });

  it('is seen on every table', async () => {
    for (const [, run] of OPERATIONS) await run();
    const named = OWNED_TABLES.filter((table) => table !== 'totals_deltas'); // which is the triggers' own
    expect([...new Set(sent.all().flatMap(ownedTablesIn))].sort()).toEqual([...named].sort());
  });

  it("is not what an ADMIN's list is: the check can tell", async () => {
    await admin.get('/api/transactions');
    expect(sent.all().flatMap((statement) => unscopedTables(statement, admin.id))).toContain('transactions');
    expectProblem(await admin.get(`/api/transactions/${MISSING}`), 404, 'not-found');
  });
});
