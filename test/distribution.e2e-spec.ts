import { OWNED_TABLES } from '../src/database/citus.js';
import { IdempotencyKeyCleaner } from '../src/database/idempotency-keys.js';
import { operationOf, OPERATIONS } from './support/api-document.js';
import { createProperty, propertyRequest, transactionRequest } from './support/factories.js';
import { type Request, requestsFor, sendEach } from './support/requests.js';
import { type SentStatement, watchStatements } from './support/sent-statements.js';
import { type Account, type Service, startService } from './support/service.js';
import { sources } from './support/sources.js';
import { PARTS, spreadTables } from './support/spread-tables.js';
import { breachesOf, loadParser } from './support/statement-rules.js';

const OWNED = new RegExp(`\\b(${OWNED_TABLES.join('|')})\\b`);
/** An operator's, which takes the owners one by one: test/recount.e2e-spec.ts. */
const ASKED_ELSEWHERE = ['src/cli/recount.ts'];
const NDJSON = { 'content-type': 'application/x-ndjson' };
const KEY = { 'idempotency-key': 'b' };

/** Requests that send further statements than those in the `.sql` files. */
function furtherRequests(property: number, transaction: number): Request[] {
  const row = transactionRequest(property);
  return [
    ['GET /api/users/me'],
    ['GET /api/properties?sort=active&sort=name,desc&page=1'],
    ['GET /api/properties/export'],
    [`PUT /api/properties/${property}`, propertyRequest(), { 'if-match': '"9"' }],
    ['GET /api/transactions?sort=dueDate&sort=vendor,desc&page=1'],
    [`GET /api/transactions/property/${property}?sort=amount&size=1`],
    ['POST /api/transactions/search', {}],
    ['POST /api/transactions/search', { minAmount: 1 }],
    ['POST /api/transactions/search', { type: 'INCOME', startDate: '2020-01-01T00:00:00Z', minAmount: 1 }],
    ['POST /api/transactions/search', { overdue: false, sortBy: 'vendor', propertyId: property, size: 1 }],
    ['POST /api/transactions/search', { searchTerm: 'deal', vendor: 'North' }],
    ['POST /api/transactions', row, KEY],
    ['POST /api/transactions', row, KEY],
    [`PUT /api/transactions/${transaction}`, transactionRequest(foreign)],
    [`DELETE /api/transactions/${transaction}`],
    ['POST /api/transactions/batch', { transactions: [row] }, { 'idempotency-key': 'c' }],
    ...['refuse&dryRun=true', 'allow', 'allow'].map((rule): Request => [
      `POST /api/transactions/import?duplicates=${rule}`,
      JSON.stringify(row),
      { ...NDJSON, 'idempotency-key': 'd' },
    ]),
    [`GET /api/reports/profit-and-loss?groupBy=property,month&basis=cash&propertyId=${property}`],
    ['GET /api/reports/profit-and-loss'],
    [`GET /api/reports/tax-year?year=2026&propertyId=${property}`],
    [`GET /api/reports/cash-flow?months=24&propertyId=${property}`],
  ];
}
const requests = (...ids: [number, number]): Request[] => [
  ...Object.values(requestsFor(...ids)).flat(),
  ...furtherRequests(...ids),
];

let service: Service;
let owner: Account;
let foreign = 0;
/** Those about the owners' tables, each once. */
const sentByUser: SentStatement[] = [];
const sentByOthers: SentStatement[] = [];
let partsOf: (statement: SentStatement) => Promise<number[]>;

beforeAll(async () => {
  await loadParser();
  service = await startService();
  partsOf = await spreadTables(service.settings.database.url);
  owner = await service.account();
  const admin = await service.account('ADMIN');
  foreign = (await createProperty(await service.account())).id;
  const sent = watchStatements();
  const keep = async (kept: SentStatement[], send: () => Promise<unknown>): Promise<void> => {
    sent.clear();
    await send();
    for (const statement of sent.all())
      if (OWNED.test(statement.text) && !kept.some(({ text }) => text === statement.text))
        kept.push(statement);
  };
  for (const [caller, kept] of [
    [owner, sentByUser],
    [admin, sentByOthers],
  ] as const)
    await sendEach(requests, { owner, caller }, (_, send) => keep(kept, send));
  await service.sql(`UPDATE idempotency_keys SET created_at = now() - interval '2 days'`);
  await keep(sentByOthers, () => service.app.get(IdempotencyKeyCleaner).clean());
});

it('each operation of the API document is among the requests', () => {
  const asked = requests(1, 1).map(([line]) => {
    const [method = '', path = ''] = line.split(' ');
    return operationOf(method, path)?.operation.operationId;
  });
  const ofApi = OPERATIONS.filter(({ path }) => path.startsWith('/api/'));
  const missing = ofApi.filter(({ operation }) => !asked.includes(operation.operationId));
  expect(missing.map(({ path }) => path)).toEqual([]);
});

it("each statement of a USER looks for rows in that owner's partition alone, and several servers can run it", async () => {
  const [own] = await partsOf({
    text: 'SELECT id FROM transactions WHERE owner_id = $1',
    values: [owner.id],
  });
  for (const statement of sentByUser) {
    const elsewhere = (await partsOf(statement)).filter((part) => part !== own);
    const breaches = breachesOf(statement.text, 'one-owner');
    expect({ ...statement, elsewhere, breaches }).toEqual({ ...statement, elsewhere: [], breaches: [] });
  }
});

it('each statement of an ADMIN, and of the cleaning of keys, can be run by several servers', async () => {
  for (const statement of sentByOthers) {
    // A move names both owners, each by parameter.
    const scope = (await partsOf(statement)).length === PARTS ? 'every-owner' : 'one-owner';
    const breaches = breachesOf(statement.text, scope);
    expect({ ...statement, breaches }).toEqual({ ...statement, breaches: [] });
  }
});

it('the requests send every statement that the text of a source names', () => {
  const files = sources().filter(({ path }) => path.startsWith('src/') && !ASKED_ELSEWHERE.includes(path));
  const sent = [...sentByUser, ...sentByOthers].map(({ text }) => text);
  const naming = new RegExp(
    `[^'\`{}\\n]*\\b(?:FROM|JOIN|INTO|UPDATE) (?:${OWNED_TABLES.join('|')})\\b(?:[^'\`$\\n]|\\$\\d)*`,
    'g',
  );
  const named = files.flatMap(({ text }) => text.replace(/^ *(\/\/|\/?\*).*$/gm, '').match(naming) ?? []);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((part) => !sent.some((text) => text.includes(part.trim())))).toEqual([]);
});
