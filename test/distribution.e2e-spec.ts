import { OWNED_TABLES } from '../src/database/citus.js';
import type { Statement } from '../src/database/database.js';
import { IdempotencyKeyCleaner } from '../src/database/idempotency-keys.js';
import { OwnedTable } from '../src/database/owned-table.js';
import { pageOf } from './support/answers.js';
import { PROPERTY_SORT_FIELDS, TRANSACTION_SORT_FIELDS } from './support/contract.js';
import { walk } from './support/cursor-walk.js';
import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from './support/factories.js';
import { loadParser, ownedTablesIn, type SentStatement, unscopedTables } from './support/owner-predicates.js';
import { API_DOCUMENT } from './support/api-document.js';
import { type SentStatements, watchStatements } from './support/sent-statements.js';
import { type Account, type Service, startService } from './support/service.js';
import { signIn, signUp, signUpRequest } from './support/sign-up.js';
import { statementsNaming } from './support/source-statements.js';
import { sources } from './support/sources.js';
import { PARTS, SpreadTables } from './support/spread-tables.js';
import { breachesOf } from './support/statement-rules.js';

/** An operator's, which takes the owners one by one, and is told what it looks into by test/recount.e2e-spec.ts. */
const ASKED_ELSEWHERE = ['src/cli/recount.ts'];
const SEARCHES = [
  {},
  { type: 'INCOME', startDate: '2020-01-01T00:00:00Z', minAmount: 1 },
  { minAmount: 1 },
  { overdue: true },
  { overdue: false, sortBy: 'vendor' },
  { searchTerm: 'deal' },
  { searchTerm: 'a\u001fb', sortBy: 'amount', sortDirection: 'desc' },
  { vendor: 'North', approvalStatus: 'APPROVED', page: 2 },
  {
    ...{ startDate: '2020-01-01T00:00Z', endDate: '2030-01-01T00:00Z', minAmount: 1, maxAmount: 2 },
    ...{
      type: 'INCOME',
      category: 'TAXES',
      propertyId: 1,
      status: 'PAID',
      paymentMethod: 'CASH',
      vendor: 'x',
    },
    ...{ recurring: true, frequency: 'DAILY', approvalStatus: 'y', overdue: true, searchTerm: 'a%\u001fb' },
  },
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
  for (let index = 0; index < 8; index++) await createProperty(owner);
  const { id } = await createProperty(owner);
  for (const values of [
    {},
    {},
    { vendor: 'North', dueDate: '2026-01-01T00:00Z', paidAt: '2026-01-01T00:00Z' },
  ])
    await createTransaction(owner, id, values);
  sent = watchStatements();
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
    for (const sort of ['id', 'name,desc', 'active&sort=name,desc'])
      await walk(caller, `/api/properties?size=3&sort=${sort}`);
  },
  createProperty: (caller) => twicePlainAndUnderKey(caller, '/api/properties', propertyRequest()),
  getProperty: async (caller) => caller.get(`/api/properties/${(await createProperty(owner)).id}`),
  updateProperty: async (caller) => {
    const { id } = await createProperty(owner);
    await caller.put(`/api/properties/${id}`, propertyRequest());
    await caller.put(`/api/properties/${id}`, propertyRequest(), { 'if-match': '"2"' });
  },
  deleteProperty: async (caller) => {
    for (const headers of [undefined, { 'if-match': '"1"' }, { 'if-match': '"2"' }])
      await caller.delete(`/api/properties/${(await createProperty(owner)).id}`, headers);
  },
  listTransactions: async (caller) => {
    for (const [field, direction] of sorts(TRANSACTION_SORT_FIELDS))
      for (const page of [0, 1])
        await caller.get(`/api/transactions?sort=${field},${direction}&page=${page}`);
    for (const [field, direction] of sorts(TRANSACTION_SORT_FIELDS))
      await walk(caller, `/api/transactions?sort=${field},${direction}&size=2`);
    await walk(caller, '/api/transactions?sort=type&sort=vendor,desc&size=2');
  },
  createTransaction: async (caller) =>
    twicePlainAndUnderKey(caller, '/api/transactions', transactionRequest((await createProperty(owner)).id)),
  createTransactionBatch: async (caller) =>
    twicePlainAndUnderKey(caller, '/api/transactions/batch', {
      transactions: [transactionRequest((await createProperty(owner)).id)],
    }),
  importTransactions: async (caller) => {
    const body = JSON.stringify(transactionRequest((await createProperty(owner)).id));
    const type = { 'content-type': 'application/x-ndjson' };
    for (const key of [undefined, { 'idempotency-key': `import-${caller.id}` }])
      for (const rule of ['refuse&dryRun=true', 'allow', 'allow'])
        await caller.send('POST', `/api/transactions/import?duplicates=${rule}`, {
          body,
          headers: { ...type, ...key },
        });
  },
  searchTransactions: async (caller) => {
    for (const search of SEARCHES) await caller.post('/api/transactions/search', search);
    for (const search of SEARCHES)
      await walk(caller, '/api/transactions/search', { ...search, page: undefined, size: 2 });
  },
  listPropertyTransactions: async (caller) => {
    const { id } = await createProperty(owner);
    for (const [field, direction] of sorts(TRANSACTION_SORT_FIELDS))
      await caller.get(`/api/transactions/property/${id}?sort=${field},${direction}`);
    await caller.get(`/api/transactions/property/${id}?page=1`);
    const [ofMany] = pageOf<{ propertyId: number }>(await owner.get('/api/transactions?sort=id')).content;
    await walk(caller, `/api/transactions/property/${ofMany!.propertyId}?size=1`);
  },
  getProfitAndLoss: async (caller) => {
    const groups = 'groupBy=property,month&basis=cash&from=2026-01-01';
    for (const query of ['', 'groupBy=property', groups, `${groups}&${await ofProperty()}`])
      await caller.get(`/api/reports/profit-and-loss?${query}`);
  },
  getTaxYear: async (caller) => {
    for (const query of ['', `&${await ofProperty()}`])
      await caller.get(`/api/reports/tax-year?year=2026${query}`);
  },
  getCashFlow: async (caller) => {
    for (const query of ['', `&${await ofProperty()}`])
      await caller.get(`/api/reports/cash-flow?months=24${query}`);
  },
  exportTransactions: async (caller) => {
    await newTransaction();
    for (const search of SEARCHES) await caller.post('/api/transactions/export', search);
    await caller.post('/api/transactions/export', {}, { accept: 'application/x-ndjson' });
  },
  exportProperties: async (caller) => {
    for (const [field, direction] of sorts(PROPERTY_SORT_FIELDS))
      await caller.get(`/api/properties/export?sort=${field},${direction}`, {
        accept: 'application/x-ndjson',
      });
    await caller.get('/api/properties/export');
  },
  getTransaction: async (caller) => caller.get(`/api/transactions/${await newTransaction()}`),
  updateTransaction: async (caller) => {
    const [id, { id: target }] = [await newTransaction(), await createProperty(owner)];
    await caller.put(`/api/transactions/${id}`, transactionRequest(target));
    await caller.put(`/api/transactions/${id}`, transactionRequest(target), { 'if-match': '"7"' });
    await caller.put(`/api/transactions/${id}`, transactionRequest((await createProperty(other)).id));
  },
  deleteTransaction: async (caller) => {
    for (const headers of [undefined, { 'if-match': '"1"' }, { 'if-match': '"2"' }])
      await caller.delete(`/api/transactions/${await newTransaction()}`, headers);
  },
};

/** Each in one direction, so that there are both. */
function sorts(fields: readonly string[]): (readonly [string, string])[] {
  return fields.map((field, index) => [field, index % 2 === 0 ? 'asc' : 'desc']);
}

function isStatement(value: unknown): value is Statement {
  return typeof value === 'object' && value !== null && 'text' in value;
}

async function twicePlainAndUnderKey(caller: Account, path: string, request: object): Promise<void> {
  for (const headers of [undefined, { 'idempotency-key': `key-${caller.id}` }])
    for (let times = 0; times < 2; times++) await caller.post(path, request, headers);
}

const ofProperty = async (): Promise<string> => `propertyId=${(await createProperty(owner)).id}`;

async function newTransaction(): Promise<number> {
  return (await createTransaction(owner, (await createProperty(owner)).id)).id;
}

/** What the work sends about the owners' tables, each statement once. */
async function statementsOf(work: () => Promise<unknown>): Promise<SentStatement[]> {
  sent.clear();
  await work();
  const different = new Map(sent.all().map((statement) => [statement.text, statement]));
  return [...different.values()].filter((statement) => ownedTablesIn(statement).length > 0);
}

const asked = new Map<string, Promise<SentStatement[]>>();

/** The same, of work that is done once, whichever test is the first to ask. */
async function sentIn(name: string, work: () => Promise<unknown>): Promise<SentStatement[]> {
  const statements = asked.get(name) ?? statementsOf(work);
  asked.set(name, statements);
  return statements;
}

const sentBy = (operation: string, caller: Account): Promise<SentStatement[]> =>
  sentIn(`${operation} ${caller.id}`, () => OPERATIONS[operation]!(caller));

const sentByCleaning = (): Promise<SentStatement[]> =>
  sentIn('cleaning', async () => {
    const kept = await owner.post('/api/properties', propertyRequest(), { 'idempotency-key': 'yesterday' });
    expect(kept.status).toBe(200);
    await service.sql(`UPDATE idempotency_keys SET created_at = now() - interval '2 days'`);
    sent.clear();
    await service.app.get(IdempotencyKeyCleaner).clean();
  });

/** What several servers can answer, where the rows may be of any owner. */
async function expectAnswerable(statement: SentStatement): Promise<void> {
  // A move names both owners, each by parameter.
  const scope = (await spread.partsOf(statement)).length === PARTS ? 'every-owner' : 'one-owner';
  expect({ ...statement, breaches: breachesOf(statement.text, scope) }).toEqual({
    ...statement,
    breaches: [],
  });
}

it('is asked for everything that the API has, but for what is told without the database', () => {
  const operations = Object.entries(API_DOCUMENT.paths)
    .filter(([path]) => path.startsWith('/api/'))
    .flatMap(([, methods]) => Object.values(methods as Record<string, { operationId?: string }>))
    .flatMap(({ operationId }) => operationId ?? []);
  expect(Object.keys(OPERATIONS).sort()).toEqual(operations.sort());
});

describe.each(Object.keys(OPERATIONS))('where the tables are spread by owner, %s', (operation) => {
  it('looks for an owner in one part of each table, by the key that the caller has', async () => {
    for (const statement of await sentBy(operation, owner)) {
      const parts = await spread.partsOf(statement);
      expect({
        ...statement,
        parts: parts.length > 1 ? parts : 'one',
        breaches: breachesOf(statement.text, 'one-owner'),
        unscoped: unscopedTables(statement, owner.id),
      }).toEqual({ ...statement, parts: 'one', breaches: [], unscoped: [] });
    }
  });

  it('asks for ADMIN what several servers can answer', async () => {
    for (const statement of await sentBy(operation, admin)) await expectAnswerable(statement);
  });
});

it('has not the key of an ADMIN on every table: the check can tell', async () => {
  const tables = (await sentBy('listTransactions', admin)).flatMap((it) => unscopedTables(it, admin.id));
  expect(tables).toContain('transactions');
});

it('forgets old keys with what several servers can answer', async () => {
  const statements = await sentByCleaning();
  expect(statements).toHaveLength(2);
  for (const statement of statements) await expectAnswerable(statement);
});

describe('no statement is forgotten', () => {
  const files = sources().filter(({ path }) => path.startsWith('src/') && !ASKED_ELSEWHERE.includes(path));

  const texts = new Set<string>();

  beforeAll(async () => {
    const statements = [...(await sentByCleaning())];
    for (const operation of Object.keys(OPERATIONS))
      for (const caller of [owner, admin]) statements.push(...(await sentBy(operation, caller)));
    for (const { text } of statements) texts.add(text);
  });

  it('of those in the text of a source', () => {
    const forgotten = files
      .flatMap((source) => statementsNaming(OWNED_TABLES, source))
      .filter((statement) => ![...texts].some((text) => statement.isPartOf(text)));
    expect(forgotten.map(({ place }) => place)).toEqual([]);
  });

  it('on any table but the one of the triggers', () => {
    const named = [...texts].flatMap((text) => ownedTablesIn({ text, values: [] }));
    expect(new Set(named)).toEqual(new Set(OWNED_TABLES));
  });

  it('of those that a module makes', async () => {
    const modules = files.filter(({ path }) => /\.(?:queries|writes)\.ts$/.test(path));
    const exported = await Promise.all(modules.map(({ path }) => import(`../${path}`) as Promise<object>));
    const made = exported
      .flatMap((module) => Object.values(module) as unknown[])
      .flatMap((value) => (value instanceof OwnedTable ? (Object.values(value) as unknown[]) : [value]))
      .filter(isStatement)
      .filter(({ name }) => name?.endsWith('.get_each') !== true) // for one server alone: test/shared-look-ups
      .filter(({ text }) => ownedTablesIn({ text, values: [] }).length > 0);
    expect(made.length).toBeGreaterThan(10);
    expect(made.filter(({ text }) => !texts.has(text))).toEqual([]);
  });
});

describe('the check of the parts', () => {
  const parts = async (text: string): Promise<number> =>
    (await spread.partsOf({ text, values: [owner.id, '7'] })).length;

  it('finds one where all tables have the key, and several where one has not', async () => {
    const text = 'SELECT t.id FROM transactions t, properties p WHERE t.owner_id = $1 AND p.id = $2';
    expect(await parts(`${text} AND p.owner_id = t.owner_id`)).toBe(1);
    expect(await parts(text)).toBeGreaterThan(1);
  });
});
