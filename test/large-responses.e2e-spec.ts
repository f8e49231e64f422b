import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Requests } from '../src/http/requests.js';
import { expectProblem } from './support/responses.js';
import { Lock } from './support/locks.js';
import { LogLines } from './support/log-lines.js';
import { type Account, type Service, startService } from './support/service.js';
import { until } from './support/until.js';
import { requestText, Wire } from './support/wire.js';

const PAGE = '/api/properties?size=100';
const SEARCH = '/api/transactions/search';
const LONGEST = 10_000;

/** With a connection for each request. */
const agent = new http.Agent({ keepAlive: true });
afterEach(() => agent.destroy());

/** An owner with a page of 12 MB, stored past the service: control characters take six bytes of JSON. */
async function ownerOfLongTexts(service: Service): Promise<Account> {
  const owner = await service.account();
  await service.sql(
    `INSERT INTO properties (owner_id, name, address, base_price, max_guests, bedrooms, bathrooms, active,
                             house_rules, check_in_instructions)
     SELECT $1, 'House ' || n, 'A street', 1, 1, 1, 1, true, $2, $2 FROM generate_series(1, 100) n`,
    [owner.id, '\u0001'.repeat(LONGEST)],
  );
  return owner;
}

/** Reads nothing of the response but its head, until the test does. */
async function ask({ url, token = '' }: Account, path = PAGE, method = 'GET'): Promise<http.IncomingMessage> {
  const headers = { authorization: `Bearer ${token}` };
  const request = http.request(url + path, { agent, method, headers }).end();
  request.on('error', () => undefined); // the response has it, too
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  return response.on('error', () => undefined);
}

async function sizeOf(response: http.IncomingMessage, pause = 0): Promise<number> {
  let size = 0;
  for await (const part of response) {
    size += (part as Buffer).length;
    if (size < 10_000_000) await sleep(pause); // 64 KiB at most each time
  }
  return size;
}

/** The path of a transaction of 12 MB, stored past the service. */
async function longTransaction(service: Service, owner: Account): Promise<string> {
  const [row] = await service.sql<{ id: string }>(
    `INSERT INTO transactions (owner_id, property_id, property_name, type, category, description, amount, date,
                               status, recurring, metadata)
     SELECT owner_id, id, 'House', 'INCOME', 'CLEANING', 'Long', 1, '2026-01-01', 'PAID', false,
            jsonb_build_object('a', repeat('x', 12000000))
       FROM properties WHERE owner_id = $1 LIMIT 1 RETURNING id`,
    [owner.id],
  );
  return `/api/transactions/${row!.id}`;
}

describe('a response that nobody reads', () => {
  it('leaves no room for others that the part of CLIENT_MEMORY does not hold beside it, and pages go on', async () => {
    const service = await startService({ CLIENT_MEMORY: '42685714', SHARE_TIMEOUT: '600ms' });
    const owner = await ownerOfLongTexts(service);
    const path = await longTransaction(service, owner);
    await service.sql(
      `INSERT INTO transactions (owner_id, property_id, property_name, type, category, description, amount, date,
                                 status, recurring)
       SELECT owner_id, id, 'House', 'INCOME', 'CLEANING', $2, 1, '2026-01-01', 'PAID', false
         FROM properties WHERE owner_id = $1`,
      [owner.id, '\u0001'.repeat(255)],
    );
    const unread = await ask(owner, path);
    const pages = await Promise.all([ask(owner), ask(owner), ask(owner)]); // of which a part, 128 KiB, is in memory
    const refused = await owner.get(path);
    expectProblem(refused, 'too-many-requests', path);
    expect(refused.headers.get('etag')).toBeNull();
    expectProblem(await owner.get(PAGE), 'too-many-requests');
    expectProblem(await owner.post(SEARCH, { size: 100 }), 'too-many-requests', SEARCH);
    unread.destroy();
    await until(async () => (await owner.get(path)).status === 200);
    for (const page of pages) expect(await sizeOf(page)).toBeGreaterThan(100 * 2 * 6 * LONGEST);
  });

  it('lets few others wait for its room, because these are made already', async () => {
    const service = await startService({ CLIENT_MEMORY: '47000000', SHARE_TIMEOUT: '60s' });
    const owner = await ownerOfLongTexts(service);
    const path = await longTransaction(service, owner);
    const unread = await ask(owner, path);
    const statuses: number[] = [];
    const others = Array.from({ length: 10 }, async () => statuses.push((await owner.get(path)).status));
    await until(() => statuses.length > 0, 30_000);
    expect(new Set(statuses)).toEqual(new Set([429]));
    unread.destroy();
    await Promise.all(others);
    expect(statuses).toContain(200);
  });

  it('gives its memory back, however it ends', async () => {
    const service = await startService({ CLIENT_MEMORY: '50MiB', RESPONSE_TIMEOUT: '500ms' });
    const owner = await ownerOfLongTexts(service);
    const path = await longTransaction(service, owner);
    const lock = await Lock.take(service, 'LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE', []);
    const wire = await Wire.open(service.url);
    wire.send(requestText(`GET ${path} HTTP/1.1`, [`Authorization: Bearer ${owner.token}`]));
    await lock.waitedForBy(1);
    wire.reset(); // before there is a response
    await until(() => service.app.get(Requests).connections.size === 0);
    await lock.release();
    await sizeOf(await ask(owner, path, 'HEAD'));
    (await ask(owner, path)).destroy(); // the client has gone
    await until(async () => (await ask(owner, path)).statusCode === 200); // is never read, and closed for that
    await until(async () => (await owner.get(path)).status === 200);
  });
});

it('a client that ends its side while it takes a long page is no failure in the log', async () => {
  const log = new LogLines();
  const service = await startService({ LOG_LEVEL: 'warn' });
  const owner = await ownerOfLongTexts(service);
  for (let clients = 0; clients < 8; clients++) {
    const wire = await Wire.open(service.url, { allowHalfOpen: true });
    wire.send(requestText(`GET ${PAGE} HTTP/1.1`, [`Authorization: Bearer ${owner.token}`]));
    await until(() => wire.unread.length > 0);
    wire.end();
    await until(() => service.app.get(Requests).connections.size === 0);
  }
  expect([log.at('warn'), log.at('error')]).toEqual([[], []]);
});

describe('RESPONSE_TIMEOUT', () => {
  let service: Service;
  let owner: Account;
  beforeAll(async () => {
    service = await startService({ RESPONSE_TIMEOUT: '1s' });
    owner = await ownerOfLongTexts(service);
  });
  const connections = (): number => service.app.get(Requests).connections.size;

  it('ends the connection of a client that takes nothing of its response', async () => {
    const response = await ask(owner);
    await until(() => connections() === 0);
    await expect(sizeOf(response)).rejects.toThrow(/aborted|ECONNRESET/);
  });

  it('ends the connection of a client that goes on sending, but takes nothing', async () => {
    const response = await ask(owner);
    const sending = setInterval(() => response.socket.write('x'), 100);
    await until(() => connections() === 0, 20_000).finally(() => clearInterval(sending));
    await expect(sizeOf(response)).rejects.toThrow(/aborted|ECONNRESET/);
  });

  it('ends nothing while its client takes a little now and then', async () => {
    const response = await ask(owner);
    expect(await sizeOf(response, 10)).toBeGreaterThan(100 * 2 * 6 * LONGEST);
    expect(response.complete).toBe(true);
  });

  it('leaves alone a client that has taken everything and says nothing', async () => {
    await sizeOf(await ask(owner, '/api/users/me'));
    await sleep(2500);
    expect(connections()).toBe(1);
  });
});
