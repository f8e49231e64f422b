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
const LONGEST = 65_536;

/** With a connection for each. */
const agent = new http.Agent({ keepAlive: true });
afterEach(() => agent.destroy());

/** Texts of each length in UTF-8 and in JSON, the longest that may be among them. */
const TEXTS = ['\u0001', 'x', '"', 'é', '房', '🏠'].map((char) => char.repeat(LONGEST));

/** The same in short, each long run as its character and its length: what a failing test prints. */
const brief = (json: string): string =>
  json.replace(/(\\u0001|\\"|.)\1{99,}/gsu, (run, unit: string) => `${unit} × ${run.length / unit.length}`);

/** So many properties with two texts of the longest, past the service. */
async function fill(service: Service, owner: Account, rows: number): Promise<void> {
  await service.sql(
    `INSERT INTO properties (owner_id, name, address, base_price, max_guests, bedrooms, bathrooms, active,
                             house_rules, check_in_instructions)
     SELECT $1, 'House ' || n, 'A street', 1, 1, 1, 1, true, $3, $3 FROM generate_series(1, $2) n`,
    [owner.id, rows, 'x'.repeat(LONGEST)],
  );
}

/** Asks and reads nothing of the answer but its head, until it is told to. */
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
  let service: Service;
  let owner: Account;
  let admin: Account;

  beforeAll(async () => {
    service = await startService();
    [owner, admin] = [await service.account(), await service.account('ADMIN')];
    const other = await service.account();
    for (const text of TEXTS) {
      await createProperty(owner, { houseRules: text, checkInInstructions: text });
      await createProperty(other, { checkInInstructions: text });
      await createProperty(owner);
    }
  });

  it.each(['id,asc', 'createdAt,desc'])(
    'has each property as it is when it is read alone, in the order of %s',
    async (sort) => {
      for (const account of [owner, admin]) {
        const page = await account.get(`${PAGE}&sort=${sort}`);
        expect(page.status).toBe(200);
        expect(page.headers.get('content-type')).toBe('application/json; charset=utf-8');
        const ids = contentOf(page).map(({ id }) => id);
        const alone = await Promise.all(
          ids.map(async (id) => (await account.get(`/api/properties/${id}`)).text),
        );
        const total = account === owner ? 12 : 18;
        const expected = `{"content":[${alone.join(',')}],"page":0,"size":100,"totalElements":${total},"totalPages":1,"last":true}`;
        expect(brief(page.text)).toBe(brief(expected));
        const short = await account.get(`/api/properties?size=1&page=${total - 1}&sort=${sort}`);
        expect(contentOf(short)[0]?.id).toBe(ids.at(-1));
      }
    },
  );

  it('answers HEAD with its head', async () => {
    const response = await ask(owner, PAGE, 'HEAD');
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(await textOf(response)).toBe('');
  });

  it('leaves out what is deleted while its client takes its time, and stays well-formed', async () => {
    const slow = await service.account();
    await fill(service, slow, 100);
    const response = await ask(slow);
    await service.sql('DELETE FROM properties WHERE owner_id = $1', [slow.id]);
    const page = JSON.parse(await textOf(response)) as { content: unknown[]; totalElements: number };
    expect(page.totalElements).toBe(100);
    expect(page.content.length).toBeLessThan(100);
  });

  it('is broken off, never ended, when the rest of it cannot be read', async () => {
    const slow = await service.account();
    await fill(service, slow, 100);
    const response = await ask(slow);
    await service.sql('ALTER TABLE properties RENAME COLUMN house_rules TO gone');
    await expect(textOf(response)).rejects.toThrow(/aborted|ECONNRESET/);
    await service.sql('ALTER TABLE properties RENAME COLUMN gone TO house_rules');
    expect((await slow.get('/api/properties?size=1')).status).toBe(200);
    await service.sql('DELETE FROM properties WHERE owner_id = $1', [slow.id]);
  });
});

describe('pages that are not read', () => {
  it('hold no connection to the database, and no more memory than is set aside for them', async () => {
    const log = new LogLines();
    const service = await startService({ LOG_LEVEL: 'warn', DB_POOL_SIZE: '1', RESPONSE_MEMORY: '2MiB' });
    const owner = await service.account();
    await fill(service, owner, 100);
    const unread = [await ask(owner)];
    expect((await owner.get('/api/users/me')).status).toBe(200);
    const refused = await owner.get(PAGE);
    expectDocument(refused, 'service-unavailable', '/api/properties');
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(log.at('warn')).toEqual([
      expect.objectContaining({
        correlationId: (refused.json as { correlationId: string }).correlationId,
        msg: 'Too many large answers are under way.',
      }),
    ]);
    expect((await owner.get('/api/properties?size=1')).status).toBe(200);
    unread.forEach((response) => response.destroy());
    expect(contentOf(await owner.get(PAGE))).toHaveLength(100);
  });

  it('give back what they held, however they end', async () => {
    const service = await startService({ RESPONSE_MEMORY: '2MiB', RESPONSE_TIMEOUT: '500ms' });
    const owner = await service.account();
    await fill(service, owner, 100);
    await ask(owner, PAGE, 'HEAD');
    (await ask(owner)).destroy(); // the client has gone
    await ask(owner); // and is closed, because it is never read
    expect((await owner.get(PAGE)).status).toBe(200);
  });
});

describe('an answer that is whole', () => {
  it('is refused when clients who do not read hold what is set aside, and served again when they have gone', async () => {
    const service = await startService({ RESPONSE_MEMORY: '2MiB' });
    const owner = await service.account();
    const { id } = await createProperty(owner, { houseRules: TEXTS[0], checkInInstructions: TEXTS[1] });
    const path = `/api/properties/${id}`;
    const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${owner.token}\r\n\r\n`;
    const unread = Array.from({ length: 6 }, () => {
      const socket = http.globalAgent.createConnection({ port: Number(new URL(owner.url).port) });
      return socket!.on('error', () => undefined).pause();
    });
    // Those that come at the same time as others are refused, and leave nothing unread.
    for (const socket of unread) socket.write(request.repeat(100));
    let refused: Answer | undefined;
    await until(async () => (refused = await owner.get(path)).status === 503);
    expectDocument(refused!, 'service-unavailable', path);
    expect(refused!.headers.get('etag')).toBeNull();
    expect((await owner.get('/api/users/me')).status).toBe(200);
    unread.forEach((socket) => socket.destroy());
    await until(async () => (await owner.get(path)).status === 200);
  });
});

describe('RESPONSE_TIMEOUT', () => {
  let service: Service;
  let owner: Account;
  beforeAll(async () => {
    service = await startService({ RESPONSE_TIMEOUT: '1s' });
    owner = await service.account();
    await fill(service, owner, 100);
  });

  it('ends the connection of a client who takes nothing of its answer', async () => {
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
      if (size < 2_000_000) await sleep(100); // 64 KiB at most each time
    }
    expect(response.complete).toBe(true);
    expect(size).toBeGreaterThan(100 * 2 * LONGEST);
  });

  it('leaves alone a client who has taken everything and says nothing', async () => {
    const response = await ask(owner, '/api/users/me');
    await textOf(response);
    await sleep(2500);
    expect(await connectionsOf(service)).toBe(1);
    agent.destroy();
  });
});
