import { bodyOf, idsOf, pageOf } from './support/answers.js';
import type { Answer } from './support/client.js';
import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from './support/factories.js';
import { loadParser, unscopedTables } from './support/owner-predicates.js';
import { type SentStatements, watchStatements } from './support/sent-statements.js';
import { type Account, type Service, startService } from './support/service.js';

const MISSING = { property: 9_007_199_254_740_991, transaction: 9_007_199_254_740_991 };

let service: Service;
let owner: Account;
let stranger: Account;
let admin: Account;
let property: { id: number };
let transaction: { id: number };
let own: Ids;
let sent: SentStatements;

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
  await loadParser();
  sent = watchStatements();
});

const foreignIds = (): Ids => ({ property: property.id, transaction: transaction.id });

/** All of an answer that could tell one resource from another, but the path that was asked for. */
function tellable(answer: Answer): unknown {
  const untold = ['date', 'x-request-id', 'content-length'];
  const headers = [...answer.headers].filter(([name]) => !untold.includes(name));
  const body = answer.json === undefined ? answer.text : { ...bodyOf(answer), instance: '', timestamp: '' };
  return { status: answer.status, headers, body };
}

type Ids = Readonly<Record<'property' | 'transaction', number>>;
interface Options {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}
type Attempt = readonly [status: number, method: string, path: string, options?: (ids: Ids) => Options];

const at = (version: string): Record<string, string> => ({ 'if-match': version });

const ATTEMPTS: readonly Attempt[] = [
  [404, 'GET', '/api/properties/{property}'],
  [404, 'GET', '/api/properties/{property}', () => ({ headers: { 'if-none-match': '"1"' } })],
  [404, 'PUT', '/api/properties/{property}', () => ({ body: propertyRequest({ name: 'Mine' }) })],
  [400, 'PUT', '/api/properties/{property}', () => ({ body: { name: 1 } })],
  [404, 'PUT', '/api/properties/{property}', () => ({ body: propertyRequest(), headers: at('"1"') })],
  [404, 'PUT', '/api/properties/{property}', () => ({ body: propertyRequest(), headers: at('"9"') })],
  [404, 'DELETE', '/api/properties/{property}'],
  [404, 'DELETE', '/api/properties/{property}', () => ({ headers: at('"1"') })],
  [405, 'PATCH', '/api/properties/{property}', () => ({ body: {} })],
  [404, 'GET', '/api/transactions/property/{property}?page=7&sort=amount'],
  [400, 'GET', '/api/transactions/property/{property}?size=0'],
  [404, 'POST', '/api/transactions', (ids) => ({ body: transactionRequest(ids.property) })],
  [404, 'PUT', '/api/transactions/{own}', (ids) => ({ body: transactionRequest(ids.property) })],
  [
    404,
    'POST',
    '/api/transactions/batch',
    (ids) => ({
      body: { transactions: [transactionRequest(own.property), transactionRequest(ids.property)] },
    }),
  ],
  [
    422,
    'POST',
    '/api/transactions/import',
    (ids) => ({
      body: JSON.stringify(transactionRequest(ids.property)),
      headers: { 'content-type': 'application/x-ndjson' },
    }),
  ],
  [200, 'POST', '/api/transactions/search', (ids) => ({ body: { propertyId: ids.property } })],
  [404, 'GET', '/api/transactions/{transaction}'],
  [404, 'GET', '/api/transactions/{transaction}', () => ({ headers: { 'if-none-match': '*' } })],
  [404, 'PUT', '/api/transactions/{transaction}', () => ({ body: transactionRequest(own.property) })],
  [404, 'PUT', '/api/transactions/{transaction}', (ids) => ({ body: transactionRequest(ids.property) })],
  [
    404,
    'PUT',
    '/api/transactions/{transaction}',
    () => ({ body: transactionRequest(own.property), headers: at('"1"') }),
  ],
  [404, 'DELETE', '/api/transactions/{transaction}'],
  [404, 'DELETE', '/api/transactions/{transaction}', () => ({ headers: at('"1"') })],
  [404, 'GET', '/api/reports/profit-and-loss?propertyId={property}&groupBy=property'],
  [404, 'GET', '/api/reports/tax-year?year=2026&propertyId={property}'],
  [404, 'GET', '/api/reports/cash-flow?propertyId={property}'],
];

/** The stranger makes the attempt on these. */
function attempt([, method, path, options]: Attempt, ids: Ids): Promise<Answer> {
  const target = path
    .replace('{property}', String(ids.property))
    .replace('{transaction}', String(ids.transaction))
    .replace('{own}', String(own.transaction));
  return stranger.send(method, target, options?.(ids));
}

describe("another owner's row", () => {
  const named = ATTEMPTS.map((tried): [string, Attempt] => {
    const [status, method, path] = tried;
    return [`${status} ${method} ${path}`, tried];
  });

  it.each(named)('answers a stranger as a missing row does: %s', async (_, tried) => {
    sent.clear();
    const [foreign, missing] = [await attempt(tried, foreignIds()), await attempt(tried, MISSING)];
    expect(foreign.status).toBe(tried[0]);
    expect(tellable(foreign)).toEqual(tellable(missing));
    expect(foreign.text).not.toContain('Secret');
    for (const statement of sent.all())
      expect({ ...statement, unscoped: unscopedTables(statement, stranger.id) }).toEqual({
        ...statement,
        unscoped: [],
      });
  });

  it('is unchanged after all of these requests', async () => {
    const paths = [`/api/properties/${property.id}`, `/api/transactions/${transaction.id}`];
    const before = await Promise.all(paths.map((path) => owner.get(path)));
    for (const tried of ATTEMPTS) await attempt(tried, foreignIds());
    const after = await Promise.all(paths.map((path) => owner.get(path)));
    expect(after.map(({ text, headers }) => [text, headers.get('etag')])).toEqual(
      before.map(({ text }) => [text, '"1"']),
    );
    expect(idsOf(await owner.get(`/api/transactions/property/${property.id}`))).toEqual([transaction.id]);
  });

  it.each<[string, keyof Ids]>([
    ['/api/properties', 'property'],
    ['/api/transactions', 'transaction'],
  ])('is on no page of the list %s', async (path, kind) => {
    const answer = await stranger.get(`${path}?size=100`);
    expect([idsOf(answer), pageOf(answer).totalElements]).toEqual([[own[kind]], 1]);
    expect(idsOf(await stranger.get(`${path}?page=1&size=1`))).toEqual([]);
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
  ])('is on no page of a search for %j', async (body) => {
    const answer = await stranger.post('/api/transactions/search', body);
    expect(idsOf(answer).filter((id) => id !== own.transaction)).toEqual([]);
    expect(pageOf(answer).totalElements).toBeLessThan(2);
  });

  it('answers an ADMIN 200', async () => {
    expect(bodyOf(await admin.get(`/api/properties/${property.id}`))['name']).toBe('Secret cottage');
    expect(bodyOf(await admin.get(`/api/transactions/${transaction.id}`))['description']).toBe('Secret deal');
    expect(idsOf(await admin.get('/api/transactions?size=100&sort=id,desc'))).toContain(transaction.id);
  });
});
