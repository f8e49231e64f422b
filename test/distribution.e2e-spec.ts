import { PROPERTY_SORT_FIELDS, TRANSACTION_SORT_FIELDS } from './support/contract.js';
import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from './support/factories.js';
import { loadParser, ownedTablesIn, type SentStatement } from './support/owner-predicates.js';
import { API_DOCUMENT } from './support/api-document.js';
import { type SentStatements, watchStatements } from './support/sent-statements.js';
import { type Account, type Service, startService } from './support/service.js';
import { signIn, signUp, signUpRequest } from './support/sign-up.js';
import { PARTS, SpreadTables } from './support/spread-tables.js';
import { type Breach, breachesOf } from './support/statement-rules.js';

/** Whose texts together are more than is read at once. */
const HEAVY = 'x'.repeat(20_000);
const DIRECTIONS = ['asc', 'desc'];
const SEARCHES = [
  {},
  { type: 'INCOME', startDate: '2020-01-01T00:00:00Z', minAmount: 1 },
  { minAmount: 1 },
  { overdue: true },
  { overdue: false, sortBy: 'vendor' },
  { searchTerm: 'deal' },
  { searchTerm: 'a\u001fb', sortBy: 'amount', sortDirection: 'desc' },
  { vendor: 'North', approvalStatus: 'APPROVED', page: 2 },
];

let service: Service;
let owner: Account;
let other: Account;
let admin: Account;
let spread: SpreadTables;
let sent: SentStatements;

beforeAll(async () => {
  await loadParser();
  service = await startService();
  spread = await SpreadTables.in(service.settings.database.url);
  [owner, other, admin] = [await service.account(), await service.account(), await service.account('ADMIN')];
  for (let index = 0; index < 8; index++)
    await createProperty(owner, { houseRules: HEAVY, checkInInstructions: HEAVY });
  sent = watchStatements();
});
afterAll(async () => {
  sent.stop();
  await spread.close();
  await service.stop();
});

/** Everything that a caller can ask for, of the rows of `owner`; by the name that the API document has for it. */
const OPERATIONS: Record<string, (caller: Account) => Promise<unknown>> = {
  signUp: async ({ id }) => {
    const request = signUpRequest({ username: `new-${id}`, email: `${id}@example.org` });
    for (const body of [request, request, { ...request, username: `newer-${id}` }])
      await signUp(service.anonymous, body);
  },
  signIn: ({ username }) => signIn(service.anonymous, { username, password: 'not this one' }),
  listUsers: (caller) => caller.get('/api/users'),
  getCurrentUser: (caller) => caller.get('/api/users/me'),
  getUser: (caller) => caller.get(`/api/users/${owner.id}`),
  deleteUser: async (caller) => {
    for (const { id } of [await service.account(), owner]) await caller.delete(`/api/users/${id}`);
  },
  listProperties: async (caller) => {
    for (const [field, direction] of sorts(PROPERTY_SORT_FIELDS))
      for (const page of [0, 1]) await caller.get(`/api/properties?sort=${field},${direction}&page=${page}`);
    await caller.get('/api/properties?sort=active&sort=name,desc');
  },
  createProperty: (caller) => caller.post('/api/properties', propertyRequest()),
  getProperty: async (caller) => caller.get(`/api/properties/${(await createProperty(owner)).id}`),
  updateProperty: async (caller) => {
    const { id } = await createProperty(owner);
    await caller.put(`/api/properties/${id}`, propertyRequest());
    await caller.put(`/api/properties/${id}`, propertyRequest(), { 'if-match': '"2"' });
  },
  deleteProperty: async (caller) => {
    for (const headers of [undefined, { 'if-match': '"1"' }])
      await caller.delete(`/api/properties/${(await createProperty(owner)).id}`, headers);
  },
  listTransactions: async (caller) => {
    for (const [field, direction] of sorts(TRANSACTION_SORT_FIELDS))
      for (const page of [0, 1])
        await caller.get(`/api/transactions?sort=${field},${direction}&page=${page}`);
    await caller.get('/api/transactions?sort=type&sort=vendor,desc');
  },
  createTransaction: async (caller) => {
    const request = transactionRequest((await createProperty(owner)).id);
    for (const headers of [undefined, { 'idempotency-key': `key-${caller.id}` }])
      for (let times = 0; times < 2; times++) await caller.post('/api/transactions', request, headers);
  },
  searchTransactions: async (caller) => {
    for (const search of SEARCHES) await caller.post('/api/transactions/search', search);
  },
  listPropertyTransactions: async (caller) => {
    const { id } = await createProperty(owner);
    for (const [field, direction] of sorts(TRANSACTION_SORT_FIELDS))
      await caller.get(`/api/transactions/property/${id}?sort=${field},${direction}`);
    await caller.get(`/api/transactions/property/${id}?page=1`);
  },
  getProfitAndLoss: async (caller) => {
    for (const query of ['', '?groupBy=property', `?propertyId=${(await createProperty(owner)).id}`])
      await caller.get(`/api/reports/profit-and-loss${query}`);
  },
  getTaxYear: (caller) => caller.get('/api/reports/tax-year?year=2025'),
  getCashFlow: (caller) => caller.get('/api/reports/cash-flow'),
  getTransaction: async (caller) => caller.get(`/api/transactions/${await newTransaction()}`),
  updateTransaction: async (caller) => {
    const [id, { id: target }] = [await newTransaction(), await createProperty(owner)];
    await caller.put(`/api/transactions/${id}`, transactionRequest(target));
    await caller.put(`/api/transactions/${id}`, transactionRequest(target), { 'if-match': '"7"' });
    await caller.put(`/api/transactions/${id}`, transactionRequest((await createProperty(other)).id));
  },
  deleteTransaction: async (caller) => {
    for (const headers of [undefined, { 'if-match': '"1"' }])
      await caller.delete(`/api/transactions/${await newTransaction()}`, headers);
  },
};

function sorts(fields: readonly string[]): (readonly [string, string])[] {
  return fields.flatMap((field) => DIRECTIONS.map((direction) => [field, direction] as const));
}

async function newTransaction(): Promise<number> {
  return (await createTransaction(owner, (await createProperty(owner)).id)).id;
}

/** What the operation sends about the owners' tables, each statement once. */
async function statementsOf(operation: string, caller: Account): Promise<SentStatement[]> {
  sent.clear();
  await OPERATIONS[operation]!(caller);
  const touching = sent.all().filter((statement) => ownedTablesIn(statement).length > 0);
  return [...new Map(touching.map((statement) => [statement.text, statement])).values()];
}

it('is asked for everything that the API has, but for what is told without the database', () => {
  const operations = Object.entries(API_DOCUMENT.paths)
    .filter(([path]) => path.startsWith('/api/'))
    .flatMap(([, methods]) => Object.values(methods as Record<string, { operationId?: string }>))
    .flatMap(({ operationId }) => operationId ?? []);
  expect(Object.keys(OPERATIONS).sort()).toEqual(operations.sort());
});

describe.each(Object.keys(OPERATIONS))('where the tables are spread by owner, %s', (operation) => {
  it('looks for an owner in one part of each table', async () => {
    for (const statement of await statementsOf(operation, owner)) {
      const parts = await spread.partsOf(statement);
      expect({ ...statement, parts: parts.length > 1 ? parts : 'one' }).toEqual({
        ...statement,
        parts: 'one',
      });
      expect({ ...statement, breaches: breachesOf(statement.text, 'one-owner') }).toEqual({
        ...statement,
        breaches: [],
      });
    }
  });

  it('asks for ADMIN what several servers can answer', async () => {
    for (const statement of await statementsOf(operation, admin)) {
      // A move names both owners, each by parameter.
      const scope = (await spread.partsOf(statement)).length === PARTS ? 'every-owner' : 'one-owner';
      expect({ ...statement, breaches: breachesOf(statement.text, scope) }).toEqual({
        ...statement,
        breaches: [],
      });
    }
  });
});

describe('the check of the parts', () => {
  const parts = (text: string, values: unknown[] = [owner.id, '7']): Promise<number[]> =>
    spread.partsOf({ text, values });

  it.each([
    'SELECT t.id FROM transactions t WHERE t.owner_id = $1 AND t.id = $2',
    'SELECT t.id FROM transactions t, properties p WHERE t.owner_id = $1 AND p.owner_id = t.owner_id AND p.id = $2',
  ])('finds one for %s', async (text) => expect(await parts(text)).toHaveLength(1));

  it.each([
    'SELECT t.id FROM transactions t WHERE t.id = $2 AND $1 = $1',
    'SELECT t.id FROM transactions t, properties p WHERE t.owner_id = $1 AND p.id = $2',
    `SELECT (SELECT t.version FROM transactions t WHERE t.owner_id = k.owner_id AND t.id = k.id)
       FROM (SELECT p.owner_id, p.id FROM properties p WHERE p.owner_id = $1 LIMIT $2) k`,
    'DELETE FROM property_totals WHERE owner_id > $1 AND property_id = $2',
  ])('finds several for %s', async (text) => expect((await parts(text)).length).toBeGreaterThan(1));
});

describe('the check of the texts', () => {
  it.each<[Breach, string]>([
    ['selects no column', 'SELECT FROM properties'],
    ['selects no column', 'SELECT 1 WHERE EXISTS (SELECT FROM properties p WHERE p.id = $1)'],
    ['selects no column', 'SELECT 1 FROM properties UNION ALL (SELECT FROM properties)'],
    [
      'leaves the id of an INSERT … SELECT to its sequence',
      'INSERT INTO transactions (owner_id) SELECT p.owner_id FROM properties p',
    ],
    [
      'leaves the id of an INSERT … SELECT to its sequence',
      'WITH w AS (INSERT INTO properties (owner_id) SELECT $1 RETURNING id) SELECT w.id FROM w',
    ],
    ['has a subquery without FROM', 'SELECT (SELECT t.id) FROM transactions t'],
    ['has a subquery without FROM', 'SELECT v.id FROM (SELECT t.id FROM (SELECT 1 AS id) t) v'],
    [
      'has a correlated subquery',
      'SELECT (SELECT p.name FROM properties p WHERE p.id = t.property_id) FROM transactions t',
    ],
    [
      'has a correlated subquery',
      'SELECT t.id FROM transactions t WHERE EXISTS (SELECT 1 FROM (SELECT p.id FROM properties p WHERE p.id = t.id) q)',
    ],
    [
      'has a correlated subquery',
      'SELECT v.id FROM transactions t CROSS JOIN LATERAL (SELECT p.id FROM properties p WHERE p.id = t.id) v',
    ],
    [
      'makes JSON of rows without LIMIT',
      'SELECT row_to_json(v)::text FROM (SELECT t.id FROM transactions t) v',
    ],
    ['makes JSON of rows without LIMIT', 'SELECT row_to_json(t) FROM transactions t LIMIT 1'],
    ['makes JSON of rows without LIMIT', 'SELECT row_to_json(ROW(t.id)) FROM transactions t LIMIT 1'],
  ])('sees what %s: %s', (breach, text) => expect(breachesOf(text, 'every-owner')).toContain(breach));

  it.each([
    'SELECT row_to_json(v)::text FROM (SELECT t.id FROM transactions t LIMIT 9) v',
    'INSERT INTO transactions (owner_id, id) SELECT p.owner_id, $1 FROM properties p',
    'INSERT INTO transactions (owner_id, property_id) VALUES ($1, $2)',
    'SELECT 1 FROM properties p WHERE EXISTS (SELECT 1 FROM transactions t WHERE t.id = $1)',
    'SELECT (SELECT count(*) FROM transactions t), t.id FROM (SELECT p.id FROM properties p) t',
    'SELECT t.id FROM transactions t WHERE t.id = ANY (ARRAY(SELECT k.id FROM (SELECT t.id FROM transactions t) k))',
  ])('passes %s', (text) => expect(breachesOf(text, 'every-owner')).toEqual([]));

  it("takes of one owner's statement what goes to a server as it is", () => {
    const text =
      'SELECT (SELECT row_to_json(v) FROM (SELECT t.id) v) FROM transactions t WHERE t.owner_id = $1';
    expect([breachesOf(text, 'one-owner'), breachesOf(text, 'every-owner')]).toEqual([
      [],
      ['has a subquery without FROM', 'has a correlated subquery', 'makes JSON of rows without LIMIT'],
    ]);
  });
});
