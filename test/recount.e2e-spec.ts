import { cli, type CliResult } from './support/cli.js';
import { createProperty, createTransaction, transactionRequest } from './support/factories.js';
import { Lock } from './support/locks.js';
import { type Account, type Service, startService } from './support/service.js';
import { differencesOf } from './support/totals.js';
import { environmentFor } from './support/settings.js';

let service: Service;
let owner: Account;
/** A property with two transactions, and one without. */
let [full, empty] = [0, 0];

beforeAll(async () => void (service = await startService()));
beforeEach(async () => {
  owner = await service.account();
  [full, empty] = [(await createProperty(owner)).id, (await createProperty(owner)).id];
  await createTransaction(owner, full);
  await createTransaction(owner, full);
});
afterEach(async () => expect(await differencesOf(service)).toEqual([]));

const recount = (...args: string[]): Promise<CliResult> =>
  cli(['db', 'recount', ...args], { env: environmentFor(service.settings.database.url) });
const result = (exitCode: number, out: string[], err: string[] = []): CliResult => ({ exitCode, out, err });
const RIGHT = result(0, ['All totals are right']);
const totalOf = async (): Promise<unknown> => (await owner.get('/api/transactions')).json;

describe('db recount', () => {
  const BOTH =
    'WITH gone AS (DELETE FROM owner_totals WHERE owner_id = $1) DELETE FROM property_totals WHERE';
  const WITHOUT_PROPERTY = 'INSERT INTO property_totals SELECT owner_id, 0, 5 FROM owner_totals';
  it.each([
    ['wrong number of transactions', 1, 'UPDATE owner_totals SET transactions = 9 WHERE'],
    ['wrong number of properties', 1, 'UPDATE owner_totals SET properties = -1 WHERE'],
    ['wrong pair of the right sum', 2, 'UPDATE property_totals SET transactions = 2 - transactions WHERE'],
    ['missing row', 1, 'DELETE FROM property_totals WHERE transactions = 2 AND'],
    ['set of missing rows', 3, BOTH],
    ['row without a property', 1, `${WITHOUT_PROPERTY} WHERE`],
  ])('corrects a %s; --check only reports it', async (_, count, fault) => {
    expect(await recount('--check')).toEqual(RIGHT);
    await service.sql(`${fault} owner_id = $1`, [owner.id]);
    const rows = `${count} row${count === 1 ? '' : 's'}`;
    const found = `owner ${owner.id}: ${rows}`;
    expect(await recount('--check')).toEqual(result(1, [found, `Wrong: ${rows}`]));
    expect(await differencesOf(service)).not.toEqual([]);
    expect(await recount()).toEqual(result(0, [found, `Corrected: ${rows}`]));
    expect(await recount('--check')).toEqual(RIGHT);
    expect(await totalOf()).toMatchObject({ totalElements: 2 });
  });

  it('reports an error of the database as it is', async () => {
    await service.sql('UPDATE owner_totals SET transactions = 9 WHERE owner_id = $1', [owner.id]);
    await service.sql(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no such thing'; END $$;
      CREATE TRIGGER refuse BEFORE UPDATE ON owner_totals FOR EACH ROW EXECUTE FUNCTION refuse()`);
    const { exitCode, err } = await recount().finally(() => service.sql('DROP FUNCTION refuse CASCADE'));
    expect([exitCode, err[0]]).toEqual([1, expect.stringContaining('no such thing')]);
    await recount();
  });

  it('corrects the numbers of an account without rows, and removes those of a deleted account', async () => {
    const [{ id: idle }, { id: gone }] = [await service.account(), await service.account()];
    await service.sql('INSERT INTO owner_totals VALUES ($1, 1, 2)', [idle]);
    await service.sql('DELETE FROM users WHERE id = $1', [gone]);
    await service.sql('INSERT INTO property_totals VALUES ($1, 1, 1), ($1, 2, 0)', [gone]);
    const found = [`owner ${idle}: 1 row`, `owner ${gone}: 2 rows`];
    expect(await recount()).toEqual(result(0, [...found, 'Corrected: 3 rows']));
    expect(await service.sql('SELECT * FROM owner_totals WHERE owner_id IN ($1, $2)', [idle, gone])).toEqual([
      { owner_id: idle, properties: '0', transactions: '0' },
    ]);
  });

  it('ends with code 130 when it is stopped', async () => {
    await service.sql('UPDATE owner_totals SET transactions = 0');
    const env = environmentFor(service.settings.database.url);
    const stopped = await cli(['db', 'recount'], { env, stop: AbortSignal.abort() });
    expect(stopped).toMatchObject({ exitCode: 130, err: ['Stopped: not every owner has been looked at.'] });
    await recount();
  });
});

describe('db recount beside writers', () => {
  /** As the service's own statement would write it, but not committed yet. */
  const INSERTION = `INSERT INTO transactions (owner_id, property_id, type, category, description, amount, date, status, recurring)
    SELECT owner_id, id, 'INCOME', 'OTHER_INCOME', '', 1, now(), 'PAID', false FROM properties WHERE id = $1`;

  it.each([
    ['a wrong number', 'UPDATE owner_totals SET transactions = 9 WHERE owner_id = $1'],
    ['no row to wait for', 'DELETE FROM owner_totals WHERE owner_id = $1'],
  ])('waits for a write under way, and counts it, where it finds %s', async (_, fault) => {
    await service.sql(fault, [owner.id]);
    const write = await Lock.take(service, INSERTION, [full]);
    const running = recount();
    await write.waitedForBy(1).finally(() => write.release());
    expect((await running).exitCode).toBe(0);
    expect(await totalOf()).toMatchObject({ totalElements: 3 });
  });

  it.each([
    ['there', 'SELECT 1'],
    ['missing', 'DELETE FROM owner_totals'],
  ])('holds back the writes of an owner whose row is %s while it corrects', async (_, fault) => {
    await service.sql(fault);
    await service.sql('UPDATE property_totals SET transactions = 7 WHERE property_id = $1', [full]);
    // It has counted by the time it comes to this row.
    const held = 'SELECT FROM property_totals WHERE property_id = $1 FOR UPDATE';
    const brake = await Lock.take(service, held, [full]);
    const running = recount();
    await brake.waitedForBy(1);
    const created = owner.post('/api/transactions', transactionRequest(empty));
    await brake.waitedForBy(2).finally(() => brake.release());
    expect([(await running).exitCode, (await created).status]).toEqual([0, 200]);
    expect(await totalOf()).toMatchObject({ totalElements: 3 });
  });

  it('gives up in one line on an owner whose rows stay locked', async () => {
    await service.sql('UPDATE owner_totals SET transactions = 9 WHERE owner_id = $1', [owner.id]);
    const held = 'SELECT FROM owner_totals WHERE owner_id = $1 FOR UPDATE';
    const lock = await Lock.take(service, held, [owner.id]);
    const env = { ...environmentFor(service.settings.database.url), DB_STATEMENT_TIMEOUT: '1s' };
    const gaveUp = await cli(['db', 'recount'], { env }).finally(() => lock.release());
    const err = [`Something else keeps the rows of owner ${owner.id} locked: run this again later.`];
    expect(gaveUp).toEqual(result(1, [], err));
    await recount();
  });
});
