import { once } from 'node:events';
import http from 'node:http';
import { connect, Socket } from 'node:net';
import { Connections } from '../src/database/connections.js';
import { PART_OCTETS } from '../src/database/lists/whole-list.js';
import { Client } from './support/client.js';
import { createProperty } from './support/factories.js';
import { Lock } from './support/locks.js';
import { LogLines } from './support/log-lines.js';
import { expectDocument } from './support/problem-document.js';
import { watchStatements } from './support/sent-statements.js';
import { type Account, type Service, startService } from './support/service.js';
import { until } from './support/until.js';

const PATH = '/api/transactions/export';
const NDJSON = 'application/x-ndjson';
/** More than the buffers between the service and a client take. */
const ROWS = 1700;
const NOTES = 'x'.repeat(10_000);

const agent = new http.Agent({ keepAlive: true });
afterEach(() => agent.destroy());

/** The database that the services of all tests share, and the token of an account with long rows in it. */
let database: string;
let token: string | undefined;

beforeAll(async () => {
  const service = await startService();
  database = service.settings.database.url;
  ({ token } = await withRows(service));
});

const accountAt = ({ url }: Service): Client => new Client(url, token);

/** A new account with rows, written past the service. */
async function withRows(service: Service, rows = ROWS, notes = NOTES): Promise<Account> {
  const account = await service.account();
  const { id } = await createProperty(account);
  await service.sql(
    `INSERT INTO transactions (owner_id, property_id, property_name, type, category, description, amount, date,
                               status, recurring, notes)
     SELECT $1, $2, 'House', 'INCOME', 'CLEANING', 'Row ' || n, 1, '2026-01-01', 'PAID', false, $4
       FROM generate_series(1, $3) n`,
    [account.id, id, rows, notes],
  );
  return account;
}

/** Asks, and reads the head of the response alone. */
async function ask({ url, token = '' }: Client): Promise<http.IncomingMessage> {
  const headers = { authorization: `Bearer ${token}`, accept: NDJSON, 'content-type': 'application/json' };
  const request = http.request(url + PATH, { agent, method: 'POST', headers }).end('{}');
  request.on('error', () => undefined); // the response has it, too
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  response.on('error', () => undefined);
  return response;
}

/** Asks on a connection of its own, and reads nothing. */
function askOnSocket({ url, token = '' }: Client, version: '1.0' | '1.1'): Socket {
  const head = `POST ${PATH} HTTP/${version}\r\nHost: x\r\nAuthorization: Bearer ${token}`;
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
  socket.write(`${head}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`);
  return socket;
}

async function linesOf(response: http.IncomingMessage): Promise<string[]> {
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part as string;
  return text.split('\n').slice(0, -1);
}

function connectionsInUse({ app }: Service): number {
  const { totalCount, idleCount } = app.get(Connections).pool;
  return totalCount - idleCount;
}

const OPEN = `FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'property-finance' AND state <> 'idle'`;

/** How many milliseconds each transaction of the service is old. */
async function transactionsOf(service: Service): Promise<number[]> {
  const age = 'extract(epoch FROM clock_timestamp() - xact_start)::float';
  return (await service.sql<{ age: number }>(`SELECT ${age} * 1000 AS age ${OPEN}`)).map((row) => row.age);
}

describe('an export under way', () => {
  let service: Service;
  let log: LogLines;
  let account: Client;

  beforeAll(async () => {
    log = new LogLines();
    service = await startService(
      { LOG_LEVEL: 'info', DB_STATEMENT_TIMEOUT: '1s', DB_POOL_SIZE: '2' },
      database,
    );
    account = accountAt(service);
  });
  beforeEach(() => log.clear());
  afterEach(() => until(() => connectionsInUse(service) === 0));

  it('is a snapshot of one moment while its client takes its time', async () => {
    const owner = await withRows(service);
    const response = await ask(owner);
    await service.sql('DELETE FROM transactions WHERE owner_id = $1', [owner.id]);
    // Longer than a statement may run, and than a transaction may be idle otherwise.
    await until(async () => (await transactionsOf(service)).some((age) => age > 1500));
    const ids = (await linesOf(response)).map((line) => (JSON.parse(line) as { id: number }).id);
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    expect(new Set(ids).size).toBe(ROWS);
    expect(log.at('warn')).toEqual([]);
  });

  it('frees its connection and transaction when its client leaves', async () => {
    const response = await ask(account);
    expect([connectionsInUse(service), (await transactionsOf(service)).length]).toEqual([1, 1]);
    response.destroy();
    await until(() => connectionsInUse(service) === 0);
    expect(await transactionsOf(service)).toEqual([]);
    expect(log.at('warn')).toEqual([]);
  });

  it('breaks off when its connection to the database is lost, and the log says so', async () => {
    const response = await ask(account);
    await service.sql(`SELECT pg_terminate_backend(pid) ${OPEN}`);
    await expect(linesOf(response)).rejects.toThrow(/aborted|ECONNRESET/);
    const warning = { route: `POST ${PATH}`, msg: 'The response was cut off before its end.' };
    expect(log.at('warn')).toEqual([expect.objectContaining(warning)]);
    expect(log.at('warn')[0]?.['correlationId']).toMatch(/^[\da-f-]{36}$/);
    expect(log.at('warn')[0]?.['requestId']).toBe(response.headers['x-request-id']);
    expect(log.at('error')).toEqual([]);
  });

  // Seen from the service: a client may read all that came before the reset, and then take it for an end like any other.
  it('breaks off by a reset in HTTP/1.0, where a closed connection is the end of the file', async () => {
    const reset = jest.spyOn(Socket.prototype, 'resetAndDestroy');
    const client = askOnSocket(account, '1.0');
    try {
      await once(client, 'readable'); // before the first rows it would be a problem
      await service.sql(`SELECT pg_terminate_backend(pid) ${OPEN}`);
      client.resume();
      await until(() => reset.mock.calls.length > 0);
    } finally {
      reset.mockRestore();
      client.destroy();
    }
  });

  it('answers 503 when its first rows cannot be read, and leaves room for the next', async () => {
    const lock = await Lock.take(service, 'LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE', []);
    for (let times = 0; times < 2; times++)
      expectDocument(await account.post(PATH, {}), 'service-unavailable', PATH);
    await lock.release();
    expect((await account.post(PATH, { searchTerm: 'Row 17' })).status).toBe(200);
  });
});

describe('exports', () => {
  it('of one account run one after the other; its other requests and other accounts do not wait', async () => {
    const service = await startService({ DB_ACQUIRE_TIMEOUT: '500ms' }, database);
    const [account, other] = [accountAt(service), await service.account()];
    const first = await ask(account);
    expectDocument(await account.post(PATH, {}), 'too-many-requests', PATH);
    expectDocument(await account.get('/api/properties/export'), 'too-many-requests');
    expect((await account.get('/api/transactions')).status).toBe(200);
    expect((await other.get('/api/properties/export')).status).toBe(200);
    const next = account.post(PATH, { searchTerm: 'Row 17' });
    first.destroy();
    expect((await next).status).toBe(200);
  });

  it.each<[string, Record<string, string>]>([
    ['half of the pool', { DB_POOL_SIZE: '2', DB_ACQUIRE_TIMEOUT: '500ms' }],
    ['the memory set aside for responses', { RESPONSE_MEMORY: '6MiB' }],
  ])('of all accounts together take no more than %s', async (_, env) => {
    const service = await startService(env, database);
    const other = await service.account();
    const unread = await ask(accountAt(service));
    expectDocument(await other.post(PATH, {}), 'service-unavailable', PATH);
    expect((await other.get('/api/transactions')).status).toBe(200);
    unread.destroy();
    await until(async () => (await other.post(PATH, {})).status === 200);
  });

  it('are closed after RESPONSE_TIMEOUT when nobody reads them', async () => {
    const service = await startService({ RESPONSE_TIMEOUT: '1s' }, database);
    const response = await ask(accountAt(service));
    await until(() => connectionsInUse(service) === 0);
    await expect(linesOf(response)).rejects.toThrow(/aborted|ECONNRESET/);
  });

  it('are closed when they are read too slowly, and the log says so', async () => {
    const log = new LogLines();
    const service = await startService({ LOG_LEVEL: 'warn' }, database);
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const response = await ask(accountAt(service));
    const deadlines = timers.mock.calls.filter(([, delay = 0]) => delay > 25_000 && delay <= 30_000);
    timers.mockRestore();
    deadlines.at(-1)![0](); // as if that time had passed
    await expect(linesOf(response)).rejects.toThrow(/aborted|ECONNRESET/);
    await until(() => connectionsInUse(service) === 0);
    const reason = 'its client takes less than 64 KiB a second';
    expect(log.at('warn')).toEqual([expect.objectContaining({ reason })]);
  });

  it('are no failure when their clients leave before the first byte', async () => {
    const log = new LogLines();
    const METRICS_TOKEN = 'a-token-for-the-metrics-0123456789abcdef';
    const service = await startService({ LOG_LEVEL: 'info', METRICS_TOKEN }, database);
    const account = accountAt(service);
    const lock = await Lock.take(service, 'LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE', []);
    const client = askOnSocket(account, '1.1');
    await lock.waitedForBy(1);
    client.resetAndDestroy();
    const counted = /^http_server_requests_seconds_count\{.*export.*$/gm;
    const metrics = new Client(service.url, METRICS_TOKEN);
    const outcomes = async (): Promise<string[]> =>
      (await metrics.get('/actuator/prometheus')).text.match(counted) ?? [];
    await until(async () => (await outcomes()).length > 0);
    await lock.release();
    await until(() => connectionsInUse(service) === 0);
    expect((await account.post(PATH, { searchTerm: 'Row 17' })).status).toBe(200);
    expect((await outcomes()).filter((line) => /status="5|SERVER_ERROR/.test(line))).toEqual([]);
    expect([log.at('error'), log.at('warn')]).toEqual([[], []]);
  });

  it.each([
    ['on a connection of their own', {}],
    ['behind a pooler of transactions', { DB_POOLER: 'transaction' }],
  ])('have each row once, %s, and read no more than PART_OCTETS at once', async (_, env) => {
    const service = await startService(env, database);
    const account = await withRows(service, 600, '');
    await service.sql(
      `UPDATE transactions SET notes = repeat('\u0001', CASE WHEN id % 7 = 0 THEN 10000 WHEN id % 7 = 1 THEN 9000 ELSE 1 END)
        WHERE owner_id = $1 AND id % 50 < 7`,
      [account.id],
    );
    const found = await service.sql<{ id: string; length: number }>(
      `SELECT id, octet_length(notes) AS length FROM transactions WHERE owner_id = $1
        ORDER BY description COLLATE "C", id`,
      [account.id],
    );
    const sent = watchStatements();
    const file = await account.post(PATH, { sortBy: 'description' }, { accept: NDJSON });
    const lines = file.text.split('\n').slice(0, -1);
    const rows = lines.map((line) => JSON.parse(line) as { id: number; notes: string });
    expect(rows.map(({ id, notes }) => `${id} ${notes.length}`)).toEqual(
      found.map(({ id, length }) => `${id} ${length}`),
    );
    const lengths = new Map(found.map(({ id, length }) => [id, length]));
    const reads = sent.all().filter(({ text }) => text.includes('unnest($2'));
    const parts = reads.map(({ values }) => values[1] as string[]);
    expect(parts.flat()).toHaveLength(found.length);
    const sums = parts
      .filter(({ length }) => length > 1)
      .map((ids) => ids.reduce((sum, id) => sum + lengths.get(id)!, 0));
    expect(Math.max(...sums)).toBeLessThanOrEqual(PART_OCTETS);
  });
});
