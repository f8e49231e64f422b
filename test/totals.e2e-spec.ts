import type pg from 'pg';
import { idsOf, pageOf } from './support/responses.js';
import type { HttpResponse } from './support/client.js';
import { openConnection } from './support/connect.js';
import { createProperty, createTransaction, transactionRequest } from './support/factories.js';
import { Lock } from './support/locks.js';
import { watchStatements } from './support/sent-statements.js';
import { type Account, type Service, startService } from './support/service.js';
import { differencesOf } from './support/totals.js';

let service: Service;
let admin: Account;
let owner: Account;

beforeAll(async () => {
  service = await startService();
  admin = await service.account('ADMIN');
});
beforeEach(async () => void (owner = await service.account()));
afterEach(async () => expect(await differencesOf(service)).toEqual([]));

/** The totals of the lists: properties, transactions, and the transactions of each property, as `2/3/1`. */
async function totalsOf(caller: Account, ...propertyIds: number[]): Promise<string> {
  const paths = ['properties', 'transactions', ...propertyIds.map((id) => `transactions/property/${id}`)];
  const responses = await Promise.all(paths.map((path) => caller.get(`/api/${path}`)));
  return responses.map((response) => pageOf(response).totalElements).join('/');
}

const create = async (account = owner): Promise<number> => (await createProperty(account)).id;

describe('the totals of the lists', () => {
  it('follow every write, and no refused one', async () => {
    const [first, second, foreign] = [await create(), await create(), await create(await service.account())];
    const path = `/api/transactions/${(await createTransaction(owner, first)).id}`;
    const writes: [string, () => Promise<unknown>][] = [
      ['2/1/1/0', () => Promise.resolve()],
      ['2/2/2/0', () => createTransaction(owner, first)],
      ['2/2/2/0', () => owner.put(path, transactionRequest(first))],
      ['2/2/1/1', () => owner.put(path, transactionRequest(second))],
      ['2/2/1/1', () => owner.put(path, transactionRequest(foreign))],
      ['2/2/1/1', () => owner.delete(`/api/properties/${second}`)],
      ['2/1/1/0', () => admin.put(path, transactionRequest(foreign))],
    ];
    for (const [totals, write] of writes) {
      await write();
      expect(await totalsOf(owner, first, second)).toBe(totals);
    }
  });

  it('are the sums of all owners for an ADMIN, and those of a search without filters', async () => {
    const [properties = 0, transactions = 0] = (await totalsOf(admin)).split('/').map(Number);
    const id = await create();
    await Promise.all([createTransaction(owner, id), createTransaction(owner, id), create()]);
    expect(await totalsOf(admin, id)).toBe(`${properties + 2}/${transactions + 2}/2`);
    for (const [caller, total] of [[admin, transactions + 2] as const, [owner, 2] as const])
      for (const body of [{}, { minAmount: 0 }])
        expect(pageOf(await caller.post('/api/transactions/search', body)).totalElements).toBe(total);
  });

  it('go with a deleted account', async () => {
    await owner.delete(`/api/properties/${await create()}`);
    expect((await admin.delete(`/api/users/${owner.id}`)).status).toBe(200);
    expect(await service.sql('SELECT FROM owner_totals WHERE owner_id = $1', [owner.id])).toEqual([]);
  });

  it('are counted for a property whose total is missing', async () => {
    const id = await create();
    await createTransaction(owner, id);
    await service.sql('DELETE FROM property_totals WHERE property_id = $1', [id]);
    await createTransaction(owner, id); // adds to no number
    for (const query of ['', '?page=1', '?sort=amount']) {
      const response = await owner.get(`/api/transactions/property/${id}${query}`);
      expect([pageOf(response).totalElements, idsOf(response).length]).toEqual([
        2,
        query === '?page=1' ? 0 : 2,
      ]);
    }
    await service.sql('INSERT INTO property_totals VALUES ($1, $2, 2)', [owner.id, id]);
  });
});

describe('the totals after SQL past the service', () => {
  const ROW = `'Home', 'INCOME', 'OTHER_INCOME', '', 1, now(), 'PAID', false`;
  const COLUMNS = `owner_id, property_id, property_name, type, category, description, amount, date, status, recurring`;
  let client: pg.Client;
  let other: Account;
  let first: number;

  beforeAll(async () => void (client = await openConnection(service.settings.database.url)));
  beforeEach(async () => {
    other = await service.account();
    first = await create();
    await createTransaction(owner, first);
    await create();
    await createTransaction(other, await create(other));
  });

  /** Rows in turn for all properties of both owners. */
  const insertion = (rows: number, owners = 'one, two'): string =>
    `INSERT INTO transactions (${COLUMNS}) SELECT p.owner_id, p.id, ${ROW}
       FROM properties p, generate_series(1, ${rows}) g WHERE p.owner_id IN (${owners}) ORDER BY g`;
  const ONE_ROW = `INSERT INTO transactions (${COLUMNS}) VALUES (one, home, ${ROW})`;
  const run = async (...statements: string[]): Promise<void> => {
    const words: Record<string, string> = { one: owner.id, two: other.id, home: String(first) };
    for (const text of statements)
      await client.query(text.replace(/\b(one|two|home)\b/g, (word) => words[word]!));
  };

  const EMPTIED = 'DELETE FROM transactions WHERE owner_id IN (one, two)';
  const MOVED = 'UPDATE transactions SET property_id = home WHERE owner_id = one';
  const GONE = 'DELETE FROM properties WHERE id = home';
  const BACK = `INSERT INTO properties (owner_id, id, name, address, base_price, max_guests, bedrooms, bathrooms, active)
     VALUES (one, home, 'Home', '', 1, 1, 1, 1, true)`;

  /** Before each, one has two properties and a transaction, and two has one of each. */
  it.each<[string, string, string, ...string[]]>([
    ['one INSERT for several owners', '2/21', '1/11', insertion(10)],
    ['one DELETE for several owners', '2/0', '1/0', insertion(10), EMPTIED],
    ['statements without a row', '2/1', '1/1', insertion(0), 'DELETE FROM transactions WHERE owner_id = 0'],
    ['a move of many rows', '2/21', '1/1', insertion(10, 'one'), MOVED],
    ['a savepoint that is undone', '2/2', '1/1', ONE_ROW, 'SAVEPOINT a', insertion(9), 'ROLLBACK TO a'],
    ['a property that comes back', '2/1', '1/0', EMPTIED, GONE, BACK, ONE_ROW],
  ])('are right after %s, committed or rolled back', async (_, ofOne, ofOther, ...statements) => {
    await run('BEGIN', ...statements, 'ROLLBACK');
    expect([await totalsOf(owner), await totalsOf(other)]).toEqual(['2/1', '1/1']);
    expect(await differencesOf(service)).toEqual([]);
    await run('BEGIN', ...statements, 'COMMIT');
    expect([await totalsOf(owner), await totalsOf(other)]).toEqual([ofOne, ofOther]);
  });

  it.each([
    ['INSERT', insertion(200)],
    ['DELETE', EMPTIED],
  ])('are written once for each property by one %s of many rows', async (_, statement) => {
    const UPDATES = `SELECT sum(n_tup_upd)::int AS updates FROM pg_stat_xact_user_tables
                      WHERE relname IN ('owner_totals', 'property_totals')`;
    await run(insertion(200), 'BEGIN');
    const counted = async (): Promise<number> =>
      (await client.query<{ updates: number }>(UPDATES)).rows[0]!.updates;
    const before = await counted();
    await run(statement);
    expect((await counted()) - before).toBe(2 * 3);
    await run('COMMIT');
  });
});

describe('the totals under simultaneous requests', () => {
  it('begin with the first properties of an owner', async () => {
    await Promise.all(Array.from({ length: 12 }, () => create()));
    expect(await totalsOf(owner)).toBe('12/0');
  });

  it('let two moves in opposite directions pass without a deadlock that would repeat one', async () => {
    const places = [await create(), await create()] as const;
    const rows = [await createTransaction(owner, places[0]), await createTransaction(owner, places[1])];
    // Time between the two steps of a move, in which each would hold the row that the other wants.
    await service.sql(`CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_sleep(0.15); RETURN NULL; END $$;
      CREATE TRIGGER pause AFTER UPDATE ON property_totals FOR EACH ROW EXECUTE FUNCTION pause()`);
    const sent = watchStatements();
    const notes = 'n'.repeat(10_000); // too long for a statement that the two would share
    const moves = rows.map(({ id }, index) =>
      owner.put(`/api/transactions/${id}`, transactionRequest(places[1 - index]!, { notes })),
    );
    expect((await Promise.all(moves)).map(({ status }) => status)).toEqual([200, 200]);
    expect(sent.all().filter(({ text }) => text.includes('UPDATE "transactions"'))).toHaveLength(2);
    await service.sql('DROP FUNCTION pause CASCADE');
  });

  it.each<[write: string, send: (id: number, transactionId: number) => Promise<HttpResponse>]>([
    ['a creation', (id) => owner.post('/api/transactions', transactionRequest(id))],
    ['a deletion', (_, transactionId) => owner.delete(`/api/transactions/${transactionId}`)],
    ["a property's deletion", (id) => owner.delete(`/api/properties/${id}`)],
  ])('lock the owner before the property in %s', async (write, send) => {
    const id = await create();
    const transactionId = write === 'a deletion' ? (await createTransaction(owner, id)).id : 0;
    const held = 'SELECT FROM property_totals WHERE property_id = $1 FOR UPDATE';
    const lock = await Lock.take(service, held, [id]);
    const response = send(id, transactionId);
    await lock.waitedForBy(1);
    const unlocked = 'SELECT FROM owner_totals WHERE owner_id = $1 FOR UPDATE SKIP LOCKED';
    expect(await service.sql(unlocked, [owner.id])).toEqual([]);
    await lock.release();
    expect((await response).status).toBe(200);
  });

  it('do not hold up a PUT that leaves its transaction with its property', async () => {
    const id = await create();
    const transaction = await createTransaction(owner, id);
    const held = 'SELECT FROM owner_totals WHERE owner_id = $1 FOR UPDATE';
    const lock = await Lock.take(service, held, [owner.id]);
    const response = await owner.put(`/api/transactions/${transaction.id}`, transactionRequest(id));
    await lock.release();
    expect(response.status).toBe(200);
  });
});
