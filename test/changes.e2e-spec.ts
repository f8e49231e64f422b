import { randomUUID } from 'node:crypto';
import { Changes } from '../src/database/changes.js';
import { Database } from '../src/database/database.js';
import { migrate, withDataSource } from '../src/database/migrate.js';
import { changesPage, cursorFrom, follow, partsOf } from './support/changes.js';
import { Client } from './support/client.js';
import { clock } from './support/clock.js';
import { openConnection } from './support/connect.js';
import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from './support/factories.js';
import { PostgresServer } from './support/postgres-server.js';
import { bodyOf, expectFaults, expectProblem } from './support/responses.js';
import { type Account, type Service, startService } from './support/service.js';
import { testSettings } from './support/settings.js';

const PATH = '/api/transactions/changes';
const PROPERTIES = '/api/properties/changes?';
const MEBIBYTE = 1024 ** 2;

let server: PostgresServer;
let service: Service;
let owner: Account;
let admin: Account;
let home: number;

beforeAll(async () => {
  server = await PostgresServer.start({ settings: { max_prepared_transactions: '5' } });
  await withDataSource(testSettings(server.url).database, migrate);
  service = await startService({}, server.url);
  admin = await service.account('ADMIN');
});
beforeEach(async () => {
  owner = await service.account();
  home = (await createProperty(owner)).id;
});

const idsOf = ({ changes }: Awaited<ReturnType<typeof follow>>): unknown[] =>
  changes.map(({ id, transaction, property }) => id ?? (transaction ?? property)?.id);
const kindsOf = ({ changes }: Awaited<ReturnType<typeof follow>>): string[] =>
  changes.map(({ change }) => change);

describe('changes', () => {
  it('are the rows from the beginning, each as it is now with version and time, and later what has changed since', async () => {
    const created = [await createTransaction(owner, home), await createTransaction(owner, home)];
    const first = await follow(owner);
    for (const [index, { id }] of created.entries()) {
      const transaction = bodyOf(await owner.get(`/api/transactions/${id}`));
      const { updatedAt: at } = transaction;
      expect(first.changes[index]).toEqual({ change: 'written', at, version: 1, transaction });
    }
    const [kept, gone] = created as [{ id: number }, { id: number }];
    await owner.delete(`/api/transactions/${gone.id}`);
    await owner.put(`/api/transactions/${kept.id}`, transactionRequest(home, { amount: 2 }));
    const { changes } = await follow(owner, first.next);
    const at = expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) as string;
    expect(changes).toEqual([
      { change: 'deleted', at, id: gone.id },
      {
        change: 'written',
        at,
        version: 2,
        transaction: expect.objectContaining({ id: kept.id, amount: 2 }) as object,
      },
    ]);
  });

  it('of properties come in their own list', async () => {
    const before = await follow(owner, '', PROPERTIES);
    expect(before.changes).toMatchObject([{ change: 'written', version: 1, property: { id: home } }]);
    await owner.put(`/api/properties/${home}`, propertyRequest({ name: 'Attic' }));
    const { id } = await createProperty(owner);
    await owner.delete(`/api/properties/${id}`);
    expect((await follow(owner, before.next, PROPERTIES)).changes).toMatchObject([
      { change: 'written', version: 2, property: { id: home, name: 'Attic' } },
      { change: 'deleted', id },
    ]);
    expect((await follow(owner)).changes).toEqual([]);
  });

  it('begin without what was gone before, and name it to those who have begun', async () => {
    const { next } = await follow(owner);
    await owner.delete(`/api/transactions/${(await createTransaction(owner, home)).id}`);
    expect(kindsOf(await follow(owner, next))).toEqual(['deleted']);
    expect((await follow(owner)).changes).toEqual([]);
  });

  it('tell the former owner of a move that the row is gone, and the new one that it is written, there and back', async () => {
    const other = await service.account();
    const place = (await createProperty(other)).id;
    const { id } = await createTransaction(owner, home);
    const cursors = [(await follow(owner)).next, (await follow(other)).next];
    await admin.put(`/api/transactions/${id}`, transactionRequest(place));
    const [left, come] = [await follow(owner, cursors[0]), await follow(other, cursors[1])];
    expect([kindsOf(left), kindsOf(come)]).toEqual([['deleted'], ['written']]);
    await admin.put(`/api/transactions/${id}`, transactionRequest(home));
    expect(kindsOf(await follow(owner, cursors[0]))).toEqual(['written']);
    expect(kindsOf(await follow(other, come.next))).toEqual(['deleted']);
  });

  it.each([
    ['a DELETE of many rows', 'DELETE FROM transactions WHERE owner_id = $1'],
    [
      'a DELETE within WITH',
      'WITH g AS (DELETE FROM transactions WHERE owner_id = $1 RETURNING id) SELECT id FROM g',
    ],
  ])('name what %s past the service takes', async (_, statement) => {
    const created = [await createTransaction(owner, home), await createTransaction(owner, home)];
    const { next } = await follow(owner);
    await service.sql(statement, [owner.id]);
    const gone = await follow(owner, next);
    expect([kindsOf(gone), idsOf(gone)]).toEqual([['deleted', 'deleted'], created.map(({ id }) => id)]);
  });

  it('come in pages of a size, and without a fault between them', async () => {
    const created: unknown[] = [];
    for (let left = 5; left > 0; left--) created.push((await createTransaction(owner, home)).id);
    await service.sql('UPDATE transactions SET updated_at = now() WHERE owner_id = $1', [owner.id]); // a tie
    const whole = await follow(owner, '', `${PATH}?size=2`);
    expect(idsOf(whole)).toEqual(created);
    expect((await changesPage(owner, `${PATH}?size=2`)).changes).toHaveLength(2);
  });

  it('end a page at 1 MiB, whatever a row holds', async () => {
    const tags = Array.from({ length: 700 }, () => '\u0001'.repeat(200)); // six octets each
    const notes = '€'.repeat(10_000);
    await service.sql(
      `INSERT INTO transactions (owner_id, property_id, property_name, type, category, description, amount, date, status,
                                 recurring, notes, tags)
       SELECT $1, $2, 'House', 'INCOME', 'CLEANING', n, 1, '2026-01-01', 'PAID', false, $3, CASE WHEN n % 20 = 0 THEN $4::text[] END
         FROM generate_series(1, 60) n`,
      [owner.id, home, notes, tags],
    );
    await follow(owner);
    const listed: number[] = [];
    for (let cursor = ''; listed.length < 60;) {
      const { text } = await owner.get(`${PATH}?cursor=${cursor}`);
      const page = JSON.parse(text) as { changes: unknown[]; next: string };
      expect(Buffer.byteLength(text) < MEBIBYTE + 1024 || page.changes.length === 1).toBe(true);
      listed.push(...page.changes.map((_, index) => index));
      cursor = page.next;
    }
    expect(listed).toHaveLength(60);
  });
});

describe('a page of changes', () => {
  const insert = `INSERT INTO transactions (owner_id, property_id, type, category, description, amount, date, status, recurring)
    VALUES ($1, $2, 'INCOME', 'CLEANING', 'Late', 1, '2026-01-01', 'PAID', false) RETURNING id`;

  it('ends before the oldest open transaction, whoever has it and whether or not it has written', async () => {
    const late = await openConnection(server.url);
    await late.query('BEGIN');
    await late.query('SELECT 1');
    const { id } = await createTransaction(owner, home);
    const { rows } = await late.query<{ now: Date }>('SELECT now()');
    const page = await changesPage(owner, PATH);
    expect([page.changes, partsOf(page.next)[2]! < rows[0]!.now.toISOString()]).toEqual([[], true]);
    const written = await late.query<{ id: string }>(insert, [owner.id, home]);
    await late.query('COMMIT');
    expect(idsOf(await follow(owner, page.next))).toEqual([Number(written.rows[0]!.id), id]);
  });

  it('goes nowhere while a transaction is prepared, which may have begun long before', async () => {
    const { id } = await createTransaction(owner, home);
    const { next } = await follow(owner);
    const late = await openConnection(server.url);
    await late.query('BEGIN');
    await late.query('UPDATE transactions SET updated_at = now(), version = 2 WHERE id = $1', [id]);
    await late.query(`PREPARE TRANSACTION 'late'`);
    await createTransaction(owner, home);
    const pages = [await changesPage(owner, `${PATH}?cursor=${next}`), await changesPage(owner, PATH)];
    const exported = await owner.post('/api/transactions/export', {});
    await late.query(`COMMIT PREPARED 'late'`);
    expect(pages).toEqual([next, ''].map((cursor) => ({ changes: [], next: cursor })));
    expect(exported.headers.get('changes-cursor')).toBeNull();
    expect((await follow(owner, next)).changes).toMatchObject([{ version: 2 }, { version: 1 }]);
  });

  it('is not held back by an export', async () => {
    await createTransaction(owner, home);
    const held = service.app.get(Database).snapshot({ id: owner.id }, 60_000, async function* (run) {
      yield await run({ text: 'SELECT 1' }, []);
    });
    await held.next();
    expect((await follow(owner)).changes).toHaveLength(1);
    await held.return();
  });
});

it('an export names the cursor with which its changes go on', async () => {
  const { id } = await createTransaction(owner, home);
  const cursors = [
    await owner.get('/api/properties/export'),
    await owner.get('/api/transactions/export'),
    await owner.post('/api/transactions/export', {}),
  ].map(({ headers }) => headers.get('changes-cursor') ?? 'none');
  await owner.delete(`/api/transactions/${id}`);
  for (const cursor of cursors) expect(idsOf(await follow(owner, cursor))).toEqual([id]);
});

describe('a cursor', () => {
  const get = (cursor: string) => owner.get(`${PATH}?cursor=${cursor}`);
  const changed = async (part: number, text: string): Promise<string> =>
    cursorFrom(partsOf((await changesPage(owner, PATH)).next).with(part, text));
  const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

  it.each<[string, () => Promise<string>]>([
    ['of another timeline', async () => changed(0, '7-00000002-1-2')],
    ['ahead of the clock', () => changed(2, daysAgo(-1))],
    [
      'older than CHANGES_RETENTION',
      async () => cursorFrom(partsOf(await changed(1, daysAgo(91))).with(2, daysAgo(91))),
    ],
  ])('%s is 410', async (_, make) => {
    expectProblem(await get(await make()), 'cursor-expired');
  });

  it('that has begun lately does not expire over old rows', async () => {
    await createTransaction(owner, home);
    await service.sql(`UPDATE transactions SET updated_at = now() - interval '2 years' WHERE owner_id = $1`, [
      owner.id,
    ]);
    await createTransaction(owner, home);
    await follow(owner);
    const { next } = await changesPage(owner, `${PATH}?size=1`);
    expect((await get(next)).json).toMatchObject({ changes: [{ change: 'written' }] });
  });

  it('expires with TRUNCATE, which leaves no lines, as with a restored dump', async () => {
    const url = new URL(server.url);
    const database = `copy_${randomUUID().replaceAll('-', '')}`;
    await server.sql(`CREATE DATABASE ${database}`);
    url.pathname = `/${database}`;
    await withDataSource(testSettings(url.href).database, migrate);
    const copy = await startService({}, url.href);
    const account = await copy.account();
    const { next } = await changesPage(account, PATH);
    expect((await account.get(`${PATH}?cursor=${next}`)).status).toBe(200);
    expectProblem(await get(next), 'cursor-expired');
    await copy.sql('TRUNCATE transactions');
    expectProblem(await account.get(`${PATH}?cursor=${next}`), 'cursor-expired');
  });

  it.each([
    ['no base64url', '***'],
    ['a list’s', Buffer.from('1\0').toString('base64url')],
  ])('that is %s is 400', async (_, cursor) => {
    expectFaults(await get(cursor), 'cursor');
  });

  it.each([
    [1, '2026-02-30T00:00:00.000Z'],
    [2, '2026-02-30T00:00:00.000Z'],
    [3, '9'.repeat(19)],
  ])('whose part %i is %s is 400', async (part, text) => {
    expectFaults(await get(await changed(part, text)), 'cursor');
  });
});

it('sizes are 1 to 1,000', async () => {
  for (const size of ['0', '1001', 'x']) expectFaults(await owner.get(`${PATH}?size=${size}`), 'size');
});

it('an ADMIN names the owner, and nobody else another one', async () => {
  const { id } = await createTransaction(owner, home);
  expect(idsOf(await follow(admin, '', `${PATH}?ownerId=${owner.id}`))).toEqual([id]);
  expect((await changesPage(admin, PATH)).changes).toEqual([]);
  expect((await owner.get(`${PATH}?ownerId=${owner.id}`)).status).toBe(200);
  expectProblem(await (await service.account()).get(`${PATH}?ownerId=${owner.id}`), 'not-found');
});

it('old deletions are forgotten in slices, and no others', async () => {
  clock()(-3_600_000); // so that the service's own round is not due
  const changes = service.app.get(Changes);
  const line = `INSERT INTO deletions SELECT 1, 'properties', n, now() - $1::interval FROM generate_series(1, $2) n`;
  await service.sql(line, ['91 days', 1500]);
  await service.sql(line, ['89 days', 1]);
  const left = async (): Promise<unknown> =>
    (await service.sql('SELECT count(*)::int AS count FROM deletions WHERE owner_id = 1'))[0]!['count'];
  const seen: unknown[] = [];
  for (let more = true; more;) {
    more = await changes.forget();
    seen.push(await left());
  }
  expect(seen).toEqual([501, 1, 1]);
});

it('a role that may not see the sessions of others answers 503 while there are any, and exports without a cursor', async () => {
  const role = await PostgresServer.start({ role: 'ledger' });
  const limited = await startService({}, role.url);
  const account = await limited.account();
  expect((await account.get(PATH)).status).toBe(200);
  const other = await openConnection(role.adminUrl);
  expectProblem(await account.get(PATH), 'service-unavailable');
  const exported = await account.post('/api/transactions/export', {});
  expect([exported.status, exported.headers.get('changes-cursor')]).toEqual([200, null]);
  await other.query('GRANT pg_read_all_stats TO ledger');
  expect((await account.get(PATH)).status).toBe(200);
  await other.query('SET track_activities = off');
  expectProblem(await account.get(PATH), 'service-unavailable');
});

it('a key that only reads follows the changes', async () => {
  const { key } = bodyOf(await owner.post('/api/keys', { name: 'Sync', access: 'READ' }));
  const reader = new Client(service.url, key as string);
  expect((await reader.get(PATH)).status).toBe(200);
});
