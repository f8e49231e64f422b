import { bodyOf, expectProblem } from './support/answers.js';
import type { Answer } from './support/client.js';
import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from './support/factories.js';
import { Lock } from './support/locks.js';
import { type Account, type Service, startService } from './support/service.js';

const ROUNDS = 40;

let service: Service;
let owner: Account;
let admin: Account;

beforeAll(async () => {
  service = await startService({ DB_POOL_SHARE: '10' });
  [owner, admin] = await Promise.all([service.account(), service.account('ADMIN')]);
});

const statusesOf = (answers: Answer[]): number[] => answers.map(({ status }) => status);

/**
 * Sends the requests one after the other while another transaction holds the row: all of them have read it before
 * any writes, and they then write in this order.
 */
async function overlapping(table: string, id: number, send: (() => Promise<Answer>)[]): Promise<Answer[]> {
  const lock = await Lock.take(
    service,
    `SELECT id FROM ${table} WHERE owner_id = $1 AND id = $2 FOR UPDATE`,
    [owner.id, id],
  );
  const answers: Promise<Answer>[] = [];
  try {
    for (const request of send) {
      answers.push(request());
      await lock.waitedForBy(answers.length);
    }
  } finally {
    await lock.release();
  }
  return Promise.all(answers);
}

async function orphans(): Promise<unknown[]> {
  return service.sql(
    `SELECT t.id FROM transactions t LEFT JOIN properties p ON p.owner_id = t.owner_id AND p.id = t.property_id
      WHERE p.id IS NULL`,
  );
}

describe.each([
  {
    table: 'properties',
    path: '/api/properties',
    create: () => createProperty(owner),
    request: (name: string) => propertyRequest({ name }),
    written: 'name',
  },
  {
    table: 'transactions',
    path: '/api/transactions',
    create: async () => createTransaction(owner, (await createProperty(owner)).id),
    request: (description: string) => ({ description }),
    written: 'description',
  },
])('overlapping writes of $table', ({ table, path, create, request, written }) => {
  let target: string;
  let id: number;
  let put: (text: string, headers?: Record<string, string>, caller?: Account) => Promise<Answer>;

  beforeEach(async () => {
    const created = (await create()) as { id: number; propertyId?: number };
    id = created.id;
    target = `${path}/${id}`;
    put = (text, headers = {}, caller = owner) => {
      const body = request(text);
      return caller.put(
        target,
        created.propertyId === undefined ? body : transactionRequest(created.propertyId, body),
        headers,
      );
    };
  });

  it.each([2, 5])('let exactly one of %i updates pass: the others are conflicts', async (count) => {
    const texts = Array.from({ length: count }, (_, index) => `update ${index}`);
    const sends = texts.map((text) => () => put(text));
    const [first, ...others] = await overlapping(table, id, sends);
    expect([first!.status, first!.headers.get('etag'), bodyOf(first!)[written]]).toEqual([
      200,
      '"2"',
      'update 0',
    ]);
    for (const answer of others) expectProblem(answer, 409, 'concurrent-modification');
    const read = await owner.get(target);
    expect([read.json, read.headers.get('etag')]).toEqual([first!.json, '"2"']);
  });

  it("let one pass when both hold the current ETag, and when one of them is an ADMIN's", async () => {
    const current = { 'if-match': '"1"' };
    const answers = await overlapping(table, id, [
      () => put('one', current),
      () => put('other', current, admin),
    ]);
    expect(statusesOf(answers)).toEqual([200, 409]);
  });

  it('are a conflict with what another transaction wrote meanwhile', async () => {
    const lock = await Lock.take(
      service,
      `UPDATE ${table} SET version = version + 1 WHERE owner_id = $1 AND id = $2`,
      [owner.id, id],
    );
    const answer = put('late');
    await lock.waitedForBy(1).finally(() => lock.release());
    expectProblem(await answer, 409, 'concurrent-modification');
    expect((await owner.get(target)).headers.get('etag')).toBe('"2"');
  });

  it('of a row that is deleted meanwhile are 404', async () => {
    const lock = await Lock.take(service, `DELETE FROM ${table} WHERE owner_id = $1 AND id = $2`, [
      owner.id,
      id,
    ]);
    const answers = [put('late'), owner.delete(target), owner.delete(target, { 'if-match': '"1"' })];
    await lock.waitedForBy(3).finally(() => lock.release());
    for (const answer of await Promise.all(answers)) expectProblem(answer, 404, 'not-found');
  });

  const PLAIN = {};
  const CURRENT = { 'if-match': '"1"' };
  it.each([
    { first: 'an update', second: 'a deletion', headers: PLAIN, statuses: [200, 200] },
    { first: 'a deletion', second: 'an update', headers: PLAIN, statuses: [200, 404] },
    // the deletion was meant for what the update has replaced
    { first: 'an update', second: 'a conditional deletion', headers: CURRENT, statuses: [200, 409] },
    { first: 'a conditional deletion', second: 'an update', headers: CURRENT, statuses: [200, 404] },
    { first: 'a deletion', second: 'a deletion', headers: PLAIN, statuses: [200, 404] },
    { first: 'a conditional deletion', second: 'a deletion', headers: CURRENT, statuses: [200, 404] },
  ])('of $first and then $second answer $statuses', async ({ first, second, headers, statuses }) => {
    const send = (what: string): Promise<Answer> =>
      what === 'an update' ? put('text') : owner.delete(target, what === 'a deletion' ? {} : headers);
    const answers = await overlapping(table, id, [() => send(first), () => send(second)]);
    expect(statusesOf(answers)).toEqual(statuses);
    expect((await owner.get(target)).status).toBe(statuses[1] === 409 ? 200 : 404);
  });

  it('never lose an update without a word', async () => {
    let succeeded = 0;
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(Array.from({ length: 6 }, (_, index) => put(`${round} ${index}`)));
      for (const { status } of answers) expect([200, 409]).toContain(status);
      succeeded += answers.filter(({ status }) => status === 200).length;
      const { headers } = await owner.get(target);
      expect(headers.get('etag')).toBe(`"${succeeded + 1}"`);
    }
  });
});

describe('a property that is deleted while', () => {
  it('a transaction is created: one of the two loses, and there is never an orphan', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { id } = await createProperty(owner);
      const remove = (): Promise<Answer> => owner.delete(`/api/properties/${id}`);
      const create = (): Promise<Answer> => owner.post('/api/transactions', transactionRequest(id));
      const pair = round % 2 === 0 ? [remove(), create()] : [create(), remove()].reverse();
      const [removed, created] = await Promise.all(pair);
      expect([
        [200, 404],
        [409, 200],
      ]).toContainEqual([removed!.status, created!.status]);
      expectProblemOf(removed!.status === 200 ? created! : removed!);
      expect((await owner.get(`/api/properties/${id}`)).status).toBe(removed!.status === 200 ? 404 : 200);
    }
    expect(await orphans()).toEqual([]);
  });

  it('a transaction is created waits for it, and is refused', async () => {
    const { id } = await createProperty(owner);
    // The creation holds the property's key until the owner's total, which it waits for, is free.
    const lock = await Lock.take(service, 'SELECT FROM owner_totals WHERE owner_id = $1 FOR UPDATE', [
      owner.id,
    ]);
    const created = owner.post('/api/transactions', transactionRequest(id));
    await lock.waitedForBy(1);
    const removed = owner.delete(`/api/properties/${id}`);
    await lock.waitedForBy(2).finally(() => lock.release());
    expect((await created).status).toBe(200);
    expectProblem(await removed, 409, 'resource-in-use');
  });

  it('a transaction is created makes that wait, and then 404', async () => {
    const { id } = await createProperty(owner);
    const lock = await Lock.take(service, 'SELECT FROM owner_totals WHERE owner_id = $1 FOR UPDATE', [
      owner.id,
    ]);
    const removed = owner.delete(`/api/properties/${id}`);
    await lock.waitedForBy(1);
    const created = owner.post('/api/transactions', transactionRequest(id));
    await lock.waitedForBy(2).finally(() => lock.release());
    expect((await removed).status).toBe(200);
    expectProblem(await created, 404, 'not-found');
  });

  it.each(['the owner', 'an ADMIN from another owner'])('a transaction is moved to it by %s', async (who) => {
    const other = who === 'the owner' ? owner : await service.account();
    const home = await createProperty(other);
    for (let round = 0; round < ROUNDS / 2; round++) {
      const { id } = await createProperty(owner);
      const transaction = await createTransaction(other, home.id);
      const mover = who === 'the owner' ? owner : admin;
      const [removed, moved] = await Promise.all([
        owner.delete(`/api/properties/${id}`),
        mover.put(`/api/transactions/${transaction.id}`, transactionRequest(id)),
      ]);
      expect([
        [200, 404],
        [409, 200],
      ]).toContainEqual(statusesOf([removed, moved]));
      const place = bodyOf(await admin.get(`/api/transactions/${transaction.id}`))['propertyId'];
      expect(place).toBe(moved.status === 200 ? id : home.id);
    }
    expect(await orphans()).toEqual([]);
  });

  it('its last transaction is deleted: it is deleted too, or still in use', async () => {
    for (let round = 0; round < ROUNDS / 2; round++) {
      const { id } = await createProperty(owner);
      const transaction = await createTransaction(owner, id);
      const [removed, deleted] = await Promise.all([
        owner.delete(`/api/properties/${id}`),
        owner.delete(`/api/transactions/${transaction.id}`),
      ]);
      expect(deleted.status).toBe(200);
      expect([200, 409]).toContain(removed.status);
    }
  });
});

describe('a transaction that two requests move at once', () => {
  it.each([
    ['an ADMIN to another owner', 'an ADMIN within its owner'],
    ['an ADMIN within its owner', 'an ADMIN to another owner'],
    ['an ADMIN to another owner', 'an ADMIN to another owner'],
    ['its owner within', 'an ADMIN to another owner'],
  ])('goes where the first takes it: %s, then %s, who has a conflict', async (...movers) => {
    const other = await service.account();
    const [home, near, far] = [
      await createProperty(owner),
      await createProperty(owner),
      await createProperty(other),
    ];
    const { id } = await createTransaction(owner, home.id);
    const moves = movers.map((mover) => () => {
      const place = mover.endsWith('another owner') ? far.id : near.id;
      return (mover.startsWith('its owner') ? owner : admin).put(
        `/api/transactions/${id}`,
        transactionRequest(place),
      );
    });
    const [first, second] = await overlapping('transactions', id, moves);
    expect(first!.status).toBe(200);
    expectProblem(second!, 409, 'concurrent-modification');
    expect(bodyOf(await admin.get(`/api/transactions/${id}`))).toEqual(first!.json);
    expect(await service.sql('SELECT version FROM transactions WHERE id = $1', [id])).toEqual([
      { version: 2 },
    ]);
  });

  it('is not missing for an ADMIN who deletes it meanwhile', async () => {
    const [home, far] = [await createProperty(owner), await createProperty(await service.account())];
    const { id } = await createTransaction(owner, home.id);
    const target = `/api/transactions/${id}`;
    const [, deleted] = await overlapping('transactions', id, [
      () => admin.put(target, transactionRequest(far.id)),
      () => admin.delete(target),
    ]);
    expect([
      [200, 404],
      [409, 200],
    ]).toContainEqual([deleted!.status, (await admin.get(target)).status]);
  });

  it('is 404 for its owner once an ADMIN has given it to another', async () => {
    const [home, far] = [await createProperty(owner), await createProperty(await service.account())];
    const { id } = await createTransaction(owner, home.id);
    const target = `/api/transactions/${id}`;
    const [moved, updated] = await overlapping('transactions', id, [
      () => admin.put(target, transactionRequest(far.id)),
      () => owner.put(target, transactionRequest(home.id)),
    ]);
    expect(moved!.status).toBe(200);
    expectProblem(updated!, 404, 'not-found');
  });
});

function expectProblemOf(answer: Answer): void {
  if (answer.status === 404) expectProblem(answer, 404, 'not-found');
  else expectProblem(answer, 409, 'resource-in-use');
}
