import { OWNED_TABLES } from '../src/database/citus.js';
import type { Statement } from '../src/database/database.js';
import { IdempotencyKeyCleaner } from '../src/database/idempotency-keys.js';
import { type ByScope, OwnedTable } from '../src/database/owned-table.js';
import { API_DOCUMENT } from './support/api-document.js';
import { propertyRequest } from './support/factories.js';
import { type Operations, operationsFor } from './support/operations.js';
import { type SentStatement, type SentStatements, watchStatements } from './support/sent-statements.js';
import { type Account, type Service, startService } from './support/service.js';
import { sources } from './support/sources.js';
import { PARTS, spreadTables } from './support/spread-tables.js';
import { breachesOf, loadParser } from './support/statement-rules.js';

const TABLES = OWNED_TABLES.join('|');
const OPERATIONS = Object.entries(API_DOCUMENT.paths)
  .filter(([path]) => path.startsWith('/api/'))
  .flatMap(([, methods]) => Object.values(methods as Record<string, { operationId?: string }>))
  .flatMap(({ operationId }) => operationId ?? []);
/** An operator's, which takes the owners one by one: test/recount.e2e-spec.ts. */
const ASKED_ELSEWHERE = ['src/cli/recount.ts'];

let service: Service;
let owner: Account;
let admin: Account;
let operations: Operations;
let sent: SentStatements;
let partsOf: (statement: SentStatement) => Promise<number[]>;

beforeAll(async () => {
  await loadParser();
  service = await startService();
  partsOf = await spreadTables(service.settings.database.url);
  [owner, admin] = [await service.account(), await service.account('ADMIN')];
  operations = await operationsFor(service, owner);
  sent = watchStatements();
});

const cache = new Map<string, Promise<SentStatement[]>>();

/** The statements about the owners' tables that the work sends, each once; the work is done once. */
function sentIn(name: string, work: () => Promise<unknown>): Promise<SentStatement[]> {
  const run = async (): Promise<SentStatement[]> => {
    sent.clear();
    await work();
    const different = new Map(sent.all().map((statement) => [statement.text, statement]));
    return [...different.values()].filter(({ text }) => new RegExp(`\\b(${TABLES})\\b`).test(text));
  };
  const statements = cache.get(name) ?? run();
  cache.set(name, statements);
  return statements;
}

const sentBy = (operation: string, caller: Account): Promise<SentStatement[]> =>
  sentIn(`${operation} ${caller.id}`, () => operations[operation]!(caller));

const sentByCleaning = (): Promise<SentStatement[]> =>
  sentIn('cleaning', async () => {
    await owner.post('/api/properties', propertyRequest(), { 'idempotency-key': 'yesterday' });
    await service.sql(`UPDATE idempotency_keys SET created_at = now() - interval '2 days'`);
    sent.clear();
    await service.app.get(IdempotencyKeyCleaner).clean();
  });

/** Fails unless several servers can run the statement, whoever the rows belong to. */
async function expectDistributable(statement: SentStatement): Promise<void> {
  // A move names both owners, each by parameter.
  const scope = (await partsOf(statement)).length === PARTS ? 'every-owner' : 'one-owner';
  expect({ ...statement, breaches: breachesOf(statement.text, scope) }).toEqual({
    ...statement,
    breaches: [],
  });
}

it('every operation of the API document is asked for, and no other', () => {
  expect(Object.keys(operations).sort()).toEqual([...OPERATIONS].sort());
});

describe.each(OPERATIONS)('%s', (operation) => {
  it("looks for a USER's rows in that owner's partition alone", async () => {
    const own = await partsOf({
      text: 'SELECT id FROM transactions WHERE owner_id = $1',
      values: [owner.id],
    });
    for (const statement of await sentBy(operation, owner)) {
      const parts = await partsOf(statement);
      const breaches = breachesOf(statement.text, 'one-owner');
      expect({ ...statement, parts, breaches }).toEqual({
        ...statement,
        parts: parts.length === 0 ? [] : own,
        breaches: [],
      });
    }
  });

  it('sends statements for an ADMIN that several servers can run', async () => {
    for (const statement of await sentBy(operation, admin)) await expectDistributable(statement);
  });
});

it('old keys are deleted by statements that several servers can run', async () => {
  expect(await sentByCleaning()).toHaveLength(2);
  for (const statement of await sentByCleaning()) await expectDistributable(statement);
});

describe('the requests above send every statement', () => {
  const files = sources().filter(({ path }) => path.startsWith('src/') && !ASKED_ELSEWHERE.includes(path));
  let texts: string[];

  beforeAll(async () => {
    const statements = [...(await sentByCleaning())];
    for (const operation of OPERATIONS)
      for (const caller of [owner, admin]) statements.push(...(await sentBy(operation, caller)));
    texts = [...new Set(statements.map(({ text }) => text))];
  });

  it('that the text of a source names', () => {
    const naming = new RegExp(
      `[^'\`{}\\n]*\\b(?:FROM|JOIN|INTO|UPDATE) (?:${TABLES})\\b(?:[^'\`$\\n]|\\$\\d)*`,
      'g',
    );
    const named = files.flatMap(({ text }) => text.replace(/^ *(\/\/|\/?\*).*$/gm, '').match(naming) ?? []);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((part) => !texts.some((text) => text.includes(part.trim())))).toEqual([]);
  });

  it('on every table', () => {
    for (const table of OWNED_TABLES) expect(texts.join()).toMatch(new RegExp(`\\b${table}\\b`));
  });

  it('that a module exports', async () => {
    const modules = files.filter(({ path }) => /\.(?:queries|writes)\.ts$/.test(path));
    const exported = await Promise.all(modules.map(({ path }) => import(`../${path}`) as Promise<object>));
    const statements = exported
      .flatMap((module) => Object.values(module) as unknown[])
      .flatMap((value) => (value instanceof OwnedTable ? (Object.values(value) as unknown[]) : [value]))
      .flatMap((value) => (isByScope(value) ? [value.ofOwner, value.ofAnybody] : [value]))
      .filter((value): value is Statement => typeof value === 'object' && value !== null && 'text' in value)
      .filter(({ name }) => name?.endsWith('.get_each') !== true) // for one server alone: test/shared-look-ups
      .filter(({ text }) => new RegExp(`\\b(${TABLES})\\b`).test(text));
    expect(statements.length).toBeGreaterThan(10);
    expect(statements.filter(({ text }) => !texts.includes(text))).toEqual([]);
  });
});

function isByScope(value: unknown): value is ByScope {
  return typeof value === 'object' && value !== null && 'ofOwner' in value;
}
