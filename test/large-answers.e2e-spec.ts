import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './support/client.js';
import { createProperty } from './support/factories.js';
import { LogLines } from './support/log-lines.js';
import { expectDocument } from './support/problem-document.js';
import { type Account, type Service, startService } from './support/service.js';
import { until } from './support/until.js';

const PAGE = '/api/properties?size=100';
const LONGEST = 10_000;

/** With a connection for each. */
const agent = new http.Agent({ keepAlive: true });
afterEach(() => agent.destroy());

/** The longest texts, of characters of every length in UTF-8 and in JSON. */
const TEXTS = ['\u0001', 'x', '"', 'é', '房', '🏠'].map((char) => char.repeat(LONGEST));

/** The same in short, each long run as its character and its length: what a failing test prints. */
const brief = (json: string): string =>
  json.replace(/(\\u0001|\\"|.)\1{99,}/gsu, (run, unit: string) => `${unit} × ${run.length / unit.length}`);

/** A page of 12 MB, stored past the service: control characters take six bytes of JSON. */
async function fill(service: Service, owner: Account): Promise<void> {
  await service.sql(
    `INSERT INTO properties (owner_id, name, address, base_price, max_guests, bedrooms, bathrooms, active,
                             house_rules, check_in_instructions)
     SELECT $1, 'House ' || n, 'A street', 1, 1, 1, 1, true, $2, $2 FROM generate_series(1, 100) n`,
    [owner.id, '\u0001'.repeat(LONGEST)],
  );
}

/** Reads nothing of the response but its head, until the test does. */
async function ask({ url, token = '' }: Account, path = PAGE, method = 'GET'): Promise<http.IncomingMessage> {
  const headers = { authorization: `Bearer ${token}` };
  const request = http.request(url + path, { agent, method, headers }).end();
  request.on('error', () => undefined); // the response has it, too
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  response.on('error', () => undefined);
  return response;
}

async function connectionsOf({ app }: Service): Promise<number> {
  return new Promise((resolve, reject) => {
    app.getHttpServer().getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
}

function contentOf({ json }: Answer): { id: number }[] {
  return (json as { content: { id: number }[] }).content;
}

async function textOf(response: http.IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part as string;
  return text;
}

describe('a page of long texts', () => {
  it.each(['owner', 'ADMIN'])('has each property of an %s as it is when read alone', async (who) => {
    const service = await startService();
    const owner = await service.account();
    for (const text of TEXTS) await createProperty(owner, { houseRules: text, checkInInstructions: text });
    const caller = who === 'ADMIN' ? await service.account('ADMIN') : owner;
    const page = await caller.get(PAGE);
    expect(page.status).toBe(200);
    const alone = await Promise.all(
      contentOf(page).map(async ({ id }) => (await caller.get(`/api/properties/${id}`)).text),
    );
    const expected = `{"content":[${alone.join(',')}],"page":0,"size":100,"totalElements":6,"totalPages":1,"last":true}`;
    expect(brief(page.text)).toBe(brief(expected));
  });
});

describe('a page that nobody reads', () => {
  it('leaves no room for what RESPONSE_MEMORY does not hold beside it', async () => {
    const log = new LogLines();
    const service = await startService({ LOG_LEVEL: 'warn', DB_POOL_SIZE: '1', RESPONSE_MEMORY: '12100000' });
    const owner = await service.account();
    await fill(service, owner);
    const [{ id }] = contentOf(await owner.get('/api/properties?size=1')) as [{ id: number }];
    const unread = await ask(owner);
    expect((await owner.get('/api/users/me')).status).toBe(200);
    const refused = await owner.get(PAGE);
    expectDocument(refused, 'service-unavailable', '/api/properties');
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(log.at('warn')).toEqual([
      expect.objectContaining({
        correlationId: (refused.json as { correlationId: string }).correlationId,
        msg: 'Too many large responses are under way.',
      }),
    ]);
    const single = await owner.get(`/api/properties/${id}`);
    expectDocument(single, 'service-unavailable', `/api/properties/${id}`);
    expect(single.headers.get('etag')).toBeNull();
    unread.destroy();
    await until(async () => (await owner.get(PAGE)).status === 200);
  });

  it('gives its memory back, however it ends', async () => {
    const service = await startService({ RESPONSE_MEMORY: '20MiB', RESPONSE_TIMEOUT: '500ms' });
    const owner = await service.account();
    await fill(service, owner);
    await textOf(await ask(owner, PAGE, 'HEAD'));
    (await ask(owner)).destroy(); // the client has gone
    await until(async () => (await ask(owner)).statusCode === 200); // is never read, and closed for that
    await until(async () => (await owner.get(PAGE)).status === 200);
  });
});

describe('RESPONSE_TIMEOUT', () => {
  let service: Service;
  let owner: Account;
  beforeAll(async () => {
    service = await startService({ RESPONSE_TIMEOUT: '1s' });
    owner = await service.account();
    await fill(service, owner);
  });

  it('ends the connection of a client that takes nothing of its response', async () => {
    const response = await ask(owner);
    await sleep(900);
    expect(await connectionsOf(service)).toBe(1);
    await until(async () => (await connectionsOf(service)) === 0);
    await expect(textOf(response)).rejects.toThrow(/aborted|ECONNRESET/);
  });

  it('ends nothing while its client takes a little now and then', async () => {
    const response = await ask(owner);
    let size = 0;
    for await (const part of response) {
      size += (part as Buffer).length;
      if (size < 10_000_000) await sleep(10); // 64 KiB at most each time
    }
    expect(response.complete).toBe(true);
    expect(size).toBeGreaterThan(100 * 2 * 6 * LONGEST);
  });

  it('leaves alone a client that has taken everything and says nothing', async () => {
    const response = await ask(owner, '/api/users/me');
    await textOf(response);
    await sleep(2500);
    expect(await connectionsOf(service)).toBe(1);
    agent.destroy();
  });
});
