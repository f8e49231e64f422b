import { cli, type CliResult } from './support/cli.js';
import { createEmptyDatabase } from './support/database.js';
import { createProperty, createTransaction, transactionRequest } from './support/factories.js';
import { LedgerLoad } from './support/ledger-load.js';
import { Lock } from './support/locks.js';
import { type Account, type Service, startService } from './support/service.js';
import { TEST_SECRET } from './support/settings.js';
import { differencesOf } from './support/totals.js';

let service: Service;

beforeAll(async () => {
  service = await startService();
});

const recount = (args: string[] = [], url = service.settings.database.url): Promise<CliResult> =>
  cli(['db', 'recount', ...args], { env: { DB_URL: url, DB_PASSWORD: 'unused', JWT_SECRET: TEST_SECRET } });

const RIGHT: CliResult = { exitCode: 0, out: ['All totals are right'], err: [] };

interface Ledger {
  readonly owner: Account;
  /** With two transactions. */
  readonly full: number;
  /** With none. */
  readonly empty: number;
}

async function ledger(): Promise<Ledger> {
  const owner = await service.account();
  const [full, empty] = [(await createProperty(owner)).id, (await createProperty(owner)).id];
  await createTransaction(owner, full);
  await createTransaction(owner, full);
  return { owner, full, empty };
}

const FAULTS: [string, (ledger: Ledger) => [string, unknown[]], number][] = [
  [
    'number of transactions of an owner',
    ({ owner }) => ['UPDATE owner_totals SET transactions = 9 WHERE owner_id = $1', [owner.id]],
    1,
  ],
  [
    'number of properties of an owner',
    ({ owner }) => ['UPDATE owner_totals SET properties = -1 WHERE owner_id = $1', [owner.id]],
    1,
  ],
  [
    'pair of numbers whose sum is right',
    ({ owner }) => [
      'UPDATE property_totals SET transactions = 2 - transactions WHERE owner_id = $1',
      [owner.id],
    ],
    2,
  ],
  [
    'missing row of a property with transactions',
    ({ full }) => ['DELETE FROM property_totals WHERE property_id = $1', [full]],
    1,
  ],
  [
    'set of missing rows',
    ({ owner }) => [
      `WITH gone AS (DELETE FROM owner_totals WHERE owner_id = $1)
       DELETE FROM property_totals WHERE owner_id = $1`,
      [owner.id],
    ],
    3,
  ],
  [
    'row of a property that is not there',
    ({ owner }) => [
      'INSERT INTO property_totals (owner_id, property_id, transactions) VALUES ($1, 0, 5)',
      [owner.id],
    ],
    1,
  ],
];

describe('db recount', () => {
  it('has nothing to correct in what the service has written', async () => {
    await ledger();
    await service.account(); // without anything
    expect(await recount()).toEqual(RIGHT);
    expect(await recount(['--check'])).toEqual(RIGHT);
  });

  it.each(FAULTS)('corrects a wrong or left %s; --check tells it only', async (_, fault, rows) => {
    const made = await ledger();
    await service.sql(...fault(made));
    const told = `${rows} row${rows === 1 ? '' : 's'}`;
    const found = `owner ${made.owner.id}: ${told}`;

    expect(await recount(['--check'])).toEqual({ exitCode: 1, out: [found, `Wrong: ${told}`], err: [] });
    expect(await differencesOf(service)).not.toEqual([]);

    expect(await recount()).toEqual({ exitCode: 0, out: [found, `Corrected: ${told}`], err: [] });
    expect(await differencesOf(service)).toEqual([]);
    expect(await recount(['--check'])).toEqual(RIGHT);
    const listed = await made.owner.get('/api/transactions');
    expect(listed.json).toMatchObject({ totalElements: 2 });
  });

  it('corrects the numbers of an owner who has nothing any more', async () => {
    const owner = await service.account();
    await service.sql('INSERT INTO owner_totals VALUES ($1, 1, 2)', [owner.id]);
    expect((await recount()).out).toEqual([`owner ${owner.id}: 1 row`, 'Corrected: 1 row']);
    expect(
      await service.sql('SELECT properties, transactions FROM owner_totals WHERE owner_id = $1', [owner.id]),
    ).toEqual([{ properties: '0', transactions: '0' }]);
  });

  it('removes what is left of an account that is gone', async () => {
    const { id } = await service.account();
    await service.sql('DELETE FROM users WHERE id = $1', [id]);
    await service.sql('INSERT INTO property_totals VALUES ($1, 1, 1), ($1, 2, 0)', [id]);
    expect((await recount(['--check'])).out).toEqual([`owner ${id}: 2 rows`, 'Wrong: 2 rows']);
    expect((await recount()).out).toEqual([`owner ${id}: 2 rows`, 'Corrected: 2 rows']);
    expect(await differencesOf(service)).toEqual([]);
    expect(await service.sql('SELECT FROM owner_totals WHERE owner_id = $1', [id])).toEqual([]);
  });

  it('finds the wrong ones among more owners than it compares at once', async () => {
    const [first] = await service.sql<{ id: string }>(
      `INSERT INTO users (email, username, password_hash)
       SELECT n || '@many', 'many ' || n, '$2b$10$' || repeat('.', 53) FROM generate_series(1, 1200) n RETURNING id`,
    );
    await service.sql('INSERT INTO owner_totals SELECT id, id % 2, 0 FROM users WHERE id >= $1', [first!.id]);
    const { out } = await recount();
    expect([out.length, out.at(-1)]).toEqual([601, 'Corrected: 600 rows']);
    expect(await recount(['--check'])).toEqual(RIGHT);
  });

  it('looks at one owner alone when told so', async () => {
    const [one, other] = [await ledger(), await ledger()];
    await service.sql('UPDATE owner_totals SET transactions = 0 WHERE owner_id IN ($1, $2)', [
      one.owner.id,
      other.owner.id,
    ]);
    const only = ['--owner', one.owner.id];
    expect((await recount([...only, '--check'])).exitCode).toBe(1);
    expect((await recount(only)).out).toEqual([`owner ${one.owner.id}: 1 row`, 'Corrected: 1 row']);
    expect(await recount([...only, '--check'])).toEqual(RIGHT);
    expect((await recount()).out).toEqual([`owner ${other.owner.id}: 1 row`, 'Corrected: 1 row']);
  });

  it.each(['0', '1.0', '9'.repeat(19)])('takes no "%s" for an id', async (id) => {
    const { exitCode, err } = await recount([`--owner=${id}`]);
    expect([exitCode, err[0]]).toEqual([2, expect.stringContaining('It takes the id of an account.')]);
  });

  it('knows nobody of an id that no account has', async () => {
    const result = await recount(['--owner', '9'.repeat(18)]);
    expect(result).toEqual({ exitCode: 1, out: [], err: ['There is no such user.'] });
  });

  it('leaves a schema alone that is not up to date', async () => {
    expect(await recount([], await createEmptyDatabase())).toEqual({
      exitCode: 1,
      out: [],
      err: ['The schema is not up to date: run "npm run cli -- db migrate".'],
    });
  });

  it('says when it was stopped before the end', async () => {
    const made = await ledger();
    await service.sql('UPDATE owner_totals SET transactions = 0 WHERE owner_id = $1', [made.owner.id]);
    const env = { DB_URL: service.settings.database.url, DB_PASSWORD: 'unused', JWT_SECRET: TEST_SECRET };
    const result = await cli(['db', 'recount'], { env, stop: AbortSignal.abort() });
    expect(result).toMatchObject({
      exitCode: 130,
      err: ['Stopped: not every owner has been looked at.'],
    });
    await recount();
  });
});

describe('db recount beside writers', () => {
  /** As the service's own statement would have it, but not committed yet. */
  const INSERTION = `INSERT INTO transactions (owner_id, property_id, property_name, type, category, description, amount, date, status, recurring)
    SELECT owner_id, id, name, 'INCOME', 'OTHER_INCOME', '', 1, now(), 'PAID', false FROM properties WHERE id = $1`;

  it.each([
    ['a wrong number', 'UPDATE owner_totals SET transactions = 9 WHERE owner_id = $1'],
    ['no row to wait for', 'DELETE FROM owner_totals WHERE owner_id = $1'],
  ])('waits for a write under way, and counts it, where it finds %s', async (_, fault) => {
    const { owner, full } = await ledger();
    await service.sql(fault, [owner.id]);
    const write = await Lock.take(service, INSERTION, [full]);
    const running = recount();
    await write.waitedForBy(1).finally(() => write.release());
    expect((await running).exitCode).toBe(0);
    expect(await differencesOf(service)).toEqual([]);
    expect((await owner.get('/api/transactions')).json).toMatchObject({ totalElements: 3 });
  });

  it.each([
    ['there', 'SELECT 1'],
    ['missing', 'DELETE FROM owner_totals'],
  ])("lets the writes of an owner wait while it corrects, where the owner's row is %s", async (_, fault) => {
    const { owner, full, empty } = await ledger();
    await service.sql(fault);
    await service.sql('UPDATE property_totals SET transactions = 7 WHERE property_id = $1', [full]);
    // It has counted by the time it comes to this row, the first of the two.
    const brake = await Lock.take(
      service,
      'SELECT FROM property_totals WHERE owner_id = $1 AND property_id = $2 FOR UPDATE',
      [owner.id, full],
    );
    const running = recount();
    await brake.waitedForBy(1);
    const created = owner.post('/api/transactions', transactionRequest(empty));
    await brake.waitedForBy(2).finally(() => brake.release());
    expect([(await running).exitCode, (await created).status]).toEqual([0, 200]);
    expect(await differencesOf(service)).toEqual([]);
    expect((await owner.get('/api/transactions')).json).toMatchObject({ totalElements: 3 });
  });

  it('gives up, in one line, on an owner whom something else keeps locked', async () => {
    const { owner } = await ledger();
    await service.sql('UPDATE owner_totals SET transactions = 9 WHERE owner_id = $1', [owner.id]);
    const lock = await Lock.take(service, 'SELECT FROM owner_totals WHERE owner_id = $1 FOR UPDATE', [
      owner.id,
    ]);
    const env = {
      DB_URL: service.settings.database.url,
      DB_PASSWORD: 'unused',
      JWT_SECRET: TEST_SECRET,
      DB_STATEMENT_TIMEOUT: '100ms',
    };
    const result = await cli(['db', 'recount'], { env }).finally(() => lock.release());
    expect(result).toEqual({
      exitCode: 1,
      out: [],
      err: [`Something else keeps the rows of owner ${owner.id} locked: run this again later.`],
    });
    expect((await recount()).exitCode).toBe(0);
  });

  it('brings every total in order while clients create, delete and move without a pause', async () => {
    const load = await LedgerLoad.on(service, 5);
    const owners = new Set(load.properties.map(({ owner }) => owner.id));
    let over = false;
    const running = load.run(6, () => !over);
    for (const fault of [
      'UPDATE owner_totals SET transactions = transactions + 3, properties = properties - 1 WHERE owner_id = ANY ($1)',
      'UPDATE property_totals SET transactions = transactions - 2 WHERE owner_id = ANY ($1)',
      'DELETE FROM owner_totals WHERE owner_id = ANY ($1)',
      'DELETE FROM property_totals WHERE owner_id = ANY ($1)',
    ]) {
      await service.sql(fault, [[...owners]]);
      const { exitCode, out } = await recount();
      expect([exitCode, out.at(-1)]).toEqual([0, expect.stringMatching(/^Corrected: \d+ rows$/)]);
      // A statement sees writes whole: totals that were corrected in the middle of them stay right.
      expect(await differencesOf(service)).toEqual([]);
    }
    over = true;
    await running;
    expect(await differencesOf(service)).toEqual([]);
    expect(await recount(['--check'])).toEqual(RIGHT);
  });
});
