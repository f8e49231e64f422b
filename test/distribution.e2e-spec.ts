import { parseSync, type SelectStmt, loadModule } from 'libpg-query';
import type pg from 'pg';
import { OWNED_TABLES, TABLES } from '../src/database/citus.js';
import { Changes } from '../src/database/changes.js';
import { Database } from '../src/database/database.js';
import { forgetKeys } from '../src/database/idempotency-keys.js';
import { openConnection } from './support/connect.js';
import { createProperty, propertyRequest, transactionRequest } from './support/factories.js';
import { planOf } from './support/plan.js';
import { type Request, requestsFor, sendEach } from './support/requests.js';
import { type SentStatement, watchStatements } from './support/sent-statements.js';
import { type Account, type Service, startService } from './support/service.js';
import { signUp, signUpRequest } from './support/sign-up.js';
import { sources } from './support/sources.js';

const OF_A_TABLE = new RegExp(`\\b(${TABLES.join('|')})\\b`);
/** An operator's, which takes the owners one by one (test/recount), and those of several owners on one server (test/group-commit). */
const ASKED_ELSEWHERE = ['src/cli/recount.ts', 'src/transactions/group-commit.ts'];
const NDJSON = { 'content-type': 'application/x-ndjson' };
const KEY = { 'idempotency-key': 'b' };

/** Requests that send further statements than those in the `.sql` files. */
function furtherRequests(property: number, transaction: number): Request[] {
  const row = transactionRequest(property);
  return [
    ['GET /api/users/me'],
    ['GET /api/properties?sort=active&sort=name,desc&page=1'],
    ['GET /api/properties/export'],
    ['GET /api/transactions/export?timeZone=Europe/Lisbon'],
    ['GET /api/transactions/export?timeZone=Europe/Lisbon', undefined, { accept: NDJSON['content-type'] }],
    [`PUT /api/properties/${property}`, propertyRequest(), { 'if-match': '"9"' }],
    ['GET /api/transactions?sort=dueDate&sort=vendor,desc&page=1'],
    [`GET /api/transactions/property/${property}?sort=amount&size=1`],
    ['POST /api/transactions/search', {}],
    ['POST /api/transactions/search', { minAmount: 1 }],
    ['POST /api/transactions/search', { type: 'INCOME', startDate: '2020-01-01T00:00:00Z', minAmount: 1 }],
    ['POST /api/transactions/search', { overdue: false, sortBy: 'vendor', propertyId: property, size: 1 }],
    ['POST /api/transactions/search', { searchTerm: 'deal', vendor: 'North', bookingReference: 'HB-1' }],
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

/** Partitions of each table. */
const PARTS = 4;

/** The tables of owners' rows once more, empty and partitioned by owner_id, without the indexes that only slow planning. */
const SPREAD = `
  CREATE SCHEMA spread;
  SET search_path = spread, public;
  DO $$ DECLARE name text; BEGIN
    FOREACH name IN ARRAY '{${OWNED_TABLES.join(',')}}'::text[] LOOP
      EXECUTE format('CREATE TABLE spread.%1$I (LIKE public.%1$I INCLUDING ALL) PARTITION BY HASH (owner_id)', name);
      FOR part IN 0..${PARTS - 1} LOOP
        EXECUTE format('CREATE TABLE spread.%1$s__%2$s PARTITION OF spread.%1$s
                          FOR VALUES WITH (MODULUS ${PARTS}, REMAINDER %2$s)', name, part);
      END LOOP;
    END LOOP;
    FOR name IN SELECT indexrelid::regclass FROM pg_index JOIN pg_class c ON c.oid = indrelid
                 WHERE c.relnamespace = 'spread'::regnamespace AND c.relkind = 'p' AND NOT indisunique
    LOOP EXECUTE 'DROP INDEX ' || name; END LOOP;
  END $$`;

/** The partitions in which PostgreSQL would look for the rows of a statement, by number. */
async function chunksOf(sent: SentStatement): Promise<number[]> {
  const plan = await planOf(spread, { statement: sent, values: [...sent.values] }, 'custom');
  const parts = plan.flatMap((node) => /__(\d+)$/.exec(node['Relation Name'] ?? '')?.[1] ?? []);
  return [...new Set(parts.map(Number))];
}

/**
 * Breaches of the rules of Citus that no plan of PostgreSQL shows. A statement of one owner goes to a server as it is; a
 * statement of all owners is taken apart: its subqueries run first, each by itself, and its rows lose the names of their
 * columns.
 */
function breachesOf(text: string, scope: 'one-owner' | 'every-owner'): string[] {
  const tree = parseSync(text);
  const selects = valuesOf<SelectStmt>(tree, 'SelectStmt');
  const nested = selects.flatMap((select) => valuesOf<SelectStmt>(select, 'SelectStmt'));
  const withoutId =
    /INTO (?:users|properties|transactions)(?: AS \w+)?\s*\((?![^)]*\bid\b)[^)]*\)\s*SELECT\b/;
  const ofAll = scope === 'every-owner';
  const rules: [breach: string, isBroken: boolean][] = [
    ['selects no column', /\bSELECT\s+(?:FROM|WHERE)\b/.test(text)],
    ['returns more than columns', valuesOf(tree, 'returningClause').some(hasCall)],
    ['leaves the id of an INSERT … SELECT to its sequence', withoutId.test(text)],
    [
      'has a subquery in an INSERT',
      valuesOf(tree, 'valuesLists').some((rows) => valuesOf(rows, 'SubLink').length > 0),
    ],
    ['has a subquery without FROM', ofAll && nested.some((one) => one.targetList && !one.fromClause)],
    ['has a correlated subquery', ofAll && nested.some(isCorrelated)],
    ['makes JSON of rows without LIMIT', ofAll && selects.some(makesJsonWithoutLimit)],
  ];
  return rules.filter(([, isBroken]) => isBroken).map(([breach]) => breach);
}

/** Citus returns no more from the table of accounts, which is on every server. */
function hasCall(returning: unknown): boolean {
  return valuesOf(returning, 'FuncCall').length > 0;
}

/** The values of all members of this name, however deep. */
function valuesOf<Value>(tree: unknown, name: string): Value[] {
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([key, value]) => [
    ...(key === name ? [value as Value] : []),
    ...valuesOf<Value>(value, name),
  ]);
}

/** Whether it names a table that is not in its own FROM. */
function isCorrelated(select: SelectStmt): boolean {
  const tables = valuesOf<{ relname?: string }>(select, 'RangeVar').map(({ relname }) => relname);
  const aliases = valuesOf<{ aliasname: string }>(select, 'alias').map(({ aliasname }) => aliasname);
  return valuesOf<{ fields: { String?: { sval: string } }[] }>(select, 'ColumnRef')
    .filter(({ fields }) => fields.length === 2)
    .some(({ fields: [table] }) => ![...tables, ...aliases].includes(table?.String?.sval));
}

/** Citus makes one query of a subquery without LIMIT and its surroundings, and calls the columns f1, f2 and so on. */
function makesJsonWithoutLimit({ targetList, fromClause }: SelectStmt): boolean {
  const own = JSON.stringify(targetList ?? [], (key, value: unknown) =>
    key === 'SelectStmt' ? null : value,
  );
  const [source] = valuesOf<SelectStmt>(fromClause, 'SelectStmt');
  return own.includes('"row_to_json"') && source?.limitCount === undefined;
}

let service: Service;
let owner: Account;
let spread: pg.Client;
let foreign = 0;
/** Each once. */
const sentByUser: SentStatement[] = [];
const sentByOthers: SentStatement[] = [];

beforeAll(async () => {
  await loadModule();
  service = await startService();
  spread = await openConnection(service.settings.database.url);
  await spread.query(SPREAD);
  owner = await service.account();
  const admin = await service.account('ADMIN');
  foreign = (await createProperty(await service.account())).id;
  const keep = async (
    kept: SentStatement[],
    send: () => Promise<unknown>,
    withCleaning = false,
  ): Promise<void> => {
    const sent = watchStatements({ withCleaning });
    sent.clear();
    await send();
    for (const statement of sent.all())
      if (OF_A_TABLE.test(statement.text) && !kept.some(({ text }) => text === statement.text))
        kept.push(statement);
  };
  for (const [caller, kept] of [
    [owner, sentByUser],
    [admin, sentByOthers],
  ] as const)
    await sendEach(requests, { owner, caller }, (_, send) => keep(kept, send));
  await keep(sentByOthers, () => signUp(service.anonymous, signUpRequest()));
  await service.sql(`UPDATE idempotency_keys SET created_at = now() - interval '2 days'`);
  await keep(sentByOthers, () => forgetKeys(service.app.get(Database)), true);
  await keep(sentByOthers, () => service.app.get(Changes).forget(), true);
});

it("each statement of a USER looks for rows in that owner's partition alone, and several servers can run it", async () => {
  const [own] = await chunksOf({
    text: 'SELECT id FROM transactions WHERE owner_id = $1',
    values: [owner.id],
  });
  for (const statement of sentByUser) {
    const elsewhere = (await chunksOf(statement)).filter((part) => part !== own);
    const breaches = breachesOf(statement.text, 'one-owner');
    expect({ ...statement, elsewhere, breaches }).toEqual({ ...statement, elsewhere: [], breaches: [] });
  }
});

it('each statement of an ADMIN, and of the cleaning of keys, can be run by several servers', async () => {
  for (const statement of sentByOthers) {
    // A move names both owners, each by parameter.
    const scope = (await chunksOf(statement)).length === PARTS ? 'every-owner' : 'one-owner';
    const breaches = breachesOf(statement.text, scope);
    expect({ ...statement, breaches }).toEqual({ ...statement, breaches: [] });
  }
});

it('no function compares a column by CASE … WHEN, of which Citus makes other SQL', async () => {
  const simple = `SELECT proname FROM pg_proc WHERE prosrc ~ 'UPDATE[^;]* CASE [a-z_.]+ WHEN'`;
  expect(await service.sql(simple)).toEqual([]);
});

it('the requests send every statement that the text of a source names', () => {
  const files = sources().filter(({ path }) => path.startsWith('src/') && !ASKED_ELSEWHERE.includes(path));
  const unnamed = (text: string): string => text.replaceAll(/\$\d+|(?<!:):[a-z]\w*/gi, '$');
  const sent = [...sentByUser, ...sentByOthers].map(({ text }) => unnamed(text));
  const naming = new RegExp(
    `[^'\`{}\\n]*\\b(?:FROM|JOIN|INTO|UPDATE) (?:${OWNED_TABLES.join('|')})\\b(?:[^'\`$\\n]|\\$\\d)*`,
    'g',
  );
  const named = files.flatMap(({ text }) => text.replace(/^ *(\/\/|\/?\*).*$/gm, '').match(naming) ?? []);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((part) => !sent.some((text) => text.includes(unnamed(part.trim()))))).toEqual([]);
});
