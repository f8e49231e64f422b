import { once } from 'node:events';
import http from 'node:http';
import { connect, Socket } from 'node:net';
import { Connections } from '../src/database/connections.js';
import { PART_OCTETS } from '../src/database/lists/list-lines.js';
import { ClientMemory } from '../src/http/client-memory.js';
import { expectProblem } from './support/responses.js';
import { Client } from './support/client.js';
import { clock } from './support/clock.js';
import { createProperty } from './support/factories.js';
import { Lock } from './support/locks.js';
import { LogLines } from './support/log-lines.js';
import { opened } from './support/opened.js';
import { watchStatements } from './support/sent-statements.js';
import { type Account, type Service, startService } from './support/service.js';
import { until } from './support/until.js';
import { requestText, Wire } from './support/wire.js';

const PATH = '/api/transactions/export';
const NDJSON = 'application/x-ndjson';
/** More than the buffers between the service and a client take. */
const ROWS = 1700;
const NOTES = 'x'.repeat(10_000);
const SOME = { searchTerm: 'Row 17' };
const LOCKED = 'LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE';
const OPEN = `FROM pg_stat_activity
  WHERE datname = current_database() AND application_name LIKE 'property-finance%' AND state <> 'idle'`;

let service: Service;
let account: Account;
let log: LogLines;

beforeAll(async () => {
  log = new LogLines();
  const timeouts = { DB_STATEMENT_TIMEOUT: '1s', DB_ACQUIRE_TIMEOUT: '1s', SHARE_TIMEOUT: '1s' };
  service = (await startService({ LOG_LEVEL: 'info', DB_POOL_SHARE: '2', ...timeouts })).patient();
  account = await withRows(ROWS, NOTES);
});
beforeEach(() => log.clear());
afterEach(() => until(() => connectionsInUse() === 0));

/** Another service on the same database, with the token of the account. */
async function another(env: Record<string, string>): Promise<[Service, Client]> {
  const other = await startService(env, service.settings.database.url);
  return [other, new Client(other.url, account.token)];
}

/** A new account with rows, written past the service. */
async function withRows(rows: number, notes: string): Promise<Account> {
  const owner = await service.account();
  const { id } = await createProperty(owner);
  await service.sql(
    `INSERT INTO transactions (owner_id, property_id, property_name, type, category, description, amount, date,
                               status, recurring, notes)
     SELECT $1, $2, 'House', 'INCOME', 'CLEANING', 'Row ' || n, 1, '2026-01-01', 'PAID', false, $4
       FROM generate_series(1, $3) n`,
    [owner.id, id, rows, notes],
  );
  return owner;
}

/** Sends the request, and reads the head of the response alone. */
async function begin({ url, token = '' }: Client = account): Promise<http.IncomingMessage> {
  const headers = { authorization: `Bearer ${token}`, accept: NDJSON, 'content-type': 'application/json' };
  const sent = http.request(url + PATH, { agent: false, method: 'POST', headers }).end('{}');
  sent.on('error', () => undefined); // the response has it, too
  const [response] = (await once(sent, 'response')) as [http.IncomingMessage];
  return response.on('error', () => undefined);
}

async function linesOf(response: http.IncomingMessage): Promise<string[]> {
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part as string;
  return text.split('\n').slice(0, -1);
}

function connectionsInUse({ app } = service): number {
  const { totalCount, idleCount } = app.get(Connections).pool;
  return totalCount - idleCount;
}

/** How many milliseconds each transaction of the service is old. */
async function transactions(): Promise<number[]> {
  const age = 'extract(epoch FROM clock_timestamp() - xact_start)::float';
  return (await service.sql<{ age: number }>(`SELECT ${age} * 1000 AS age ${OPEN}`)).map((row) => row.age);
}

const request = (line: string): string =>
  requestText(line, [`Authorization: Bearer ${account.token}`, 'Content-Type: application/json'], '{}');

const loseConnection = (): Promise<unknown> => service.sql(`SELECT pg_terminate_backend(pid) ${OPEN}`);

describe('an export', () => {
  it('is a snapshot of one moment while its client takes its time', async () => {
    const response = await begin();
    await service.sql(`UPDATE transactions SET vendor = 'later' WHERE owner_id = $1`, [account.id]);
    // Longer than a statement may run, and than a transaction may be idle otherwise.
    await until(async () => (await transactions()).some((age) => age > 1500));
    const lines = await linesOf(response);
    const rows = lines.map((line) => JSON.parse(line) as { id: number; vendor: unknown });
    const ids = rows.map(({ id }) => id);
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    expect([new Set(ids).size, new Set(rows.map(({ vendor }) => vendor))]).toEqual([ROWS, new Set([null])]);
    expect(log.at('warn')).toEqual([]);
  });

  it('is no failure when its client leaves before the first byte', async () => {
    const METRICS_TOKEN = 'a-token-for-the-metrics-0123456789abcdef';
    const [other] = await another({ LOG_LEVEL: 'info', METRICS_TOKEN });
    const counted = /^http_server_requests_seconds_count\{.*export.*$/gm;
    const metrics = new Client(other.url, METRICS_TOKEN);
    const outcomes = async (): Promise<string[]> =>
      (await metrics.get('/actuator/prometheus')).text.match(counted) ?? [];
    const lock = await Lock.take(service, LOCKED, []);
    const wire = (await Wire.open(other.url)).send(request(`POST ${PATH} HTTP/1.1`));
    await lock.waitedForBy(1);
    wire.reset();
    await until(async () => (await outcomes()).length > 0);
    await lock.release();
    await until(() => connectionsInUse(other) === 0);
    expect((await outcomes()).filter((line) => /status="5|SERVER_ERROR/.test(line))).toEqual([]);
    expect([log.at('error'), log.at('warn')]).toEqual([[], []]);
  });

  it('breaks off when its connection to the database is lost, and the log says so', async () => {
    const response = await begin();
    await loseConnection();
    await expect(linesOf(response)).rejects.toThrow(/aborted|ECONNRESET/);
    const [warning, ...others] = log.at('warn');
    expect([others, log.at('error')]).toEqual([[], []]);
    expect(warning).toMatchObject({
      ...{ route: `POST ${PATH}`, msg: 'The response was cut off before its end.' },
      correlationId: expect.stringMatching(/^[\da-f-]{36}$/) as string,
      requestId: response.headers['x-request-id'],
    });
  });

  // Seen from the service: a client may read all that came before the reset, and then take it for an end like any other.
  it('breaks off by a reset in HTTP/1.0, where a closed connection is the end of the file', async () => {
    const reset = jest.spyOn(Socket.prototype, 'resetAndDestroy');
    const client = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => undefined);
    client.write(request(`POST ${PATH} HTTP/1.0`));
    opened(() => void client.destroy());
    await once(client, 'readable'); // before the first rows it would be a problem
    await loseConnection();
    client.resume();
    await until(() => reset.mock.calls.length > 0);
  });

  it('answers 503 when its first rows cannot be read, and leaves room for the next', async () => {
    const lock = await Lock.take(service, LOCKED, []);
    for (let times = 0; times < 2; times++)
      expectProblem(await account.post(PATH, {}), 'service-unavailable', PATH);
    await lock.release();
    expect((await account.post(PATH, SOME)).status).toBe(200);
  });

  it('waits until the client of an earlier one of its account has left, as a search does, and no short request', async () => {
    const other = await service.account();
    const first = await begin();
    expectProblem(await account.post(PATH, {}), 'too-many-requests', PATH);
    expectProblem(await account.get('/api/properties/export'), 'too-many-requests');
    expectProblem(await account.post('/api/transactions/search', SOME), 'too-many-requests');
    expect((await account.get('/api/transactions')).status).toBe(200);
    expect((await other.get('/api/properties/export')).status).toBe(200);
    const next = account.post(PATH, SOME);
    first.destroy();
    expect((await next).status).toBe(200);
    await until(() => connectionsInUse() === 0);
    expect([await transactions(), log.at('warn')]).toEqual([[], []]);
  });

  it('answers 503 while others have the memory, and 200 once they have given it back', async () => {
    const [other, client] = await another({ CLIENT_MEMORY: '14MiB', DB_ACQUIRE_TIMEOUT: '2s' });
    const release = await other.app.get(ClientMemory).hold({ id: 'others' }, 10 * 2 ** 20);
    expectProblem(await client.post(PATH, SOME), 'service-unavailable', PATH);
    expect((await client.get('/api/transactions')).status).toBe(200);
    release();
    expect((await client.post(PATH, SOME)).status).toBe(200);
    expect((await client.get('/api/properties/export')).status).toBe(200); // with the same room
  });

  it('takes the place of one whose client is slow, which ends as a slow reader does, and of no other', async () => {
    const [other, client] = await another({ DB_POOL_SIZE: '4' });
    const second = new Client(other.url, (await withRows(ROWS, NOTES)).token);
    const later = clock();
    const unread = [await begin(client), await begin(second)];
    later(20_000);
    expect((await (await other.account()).post(PATH, {})).status).toBe(200);
    await expect(linesOf(unread[0]!)).rejects.toThrow(/aborted|ECONNRESET/);
    expect(await linesOf(unread[1]!)).toHaveLength(ROWS);
  });

  it.each([
    ['on a connection of its own', {}],
    ['behind a pooler of transactions', { DB_POOLER: 'transaction' }],
  ])('has each row once, %s, and reads no more than PART_OCTETS at once', async (_, env) => {
    const [{ url }] = await another(env);
    const { id: owner, token } = await withRows(600, '');
    await service.sql(
      `UPDATE transactions SET notes = repeat('\u0001', CASE WHEN id % 7 = 0 THEN 10000 WHEN id % 7 = 1 THEN 9000 ELSE 1 END)
        WHERE owner_id = $1 AND id % 50 < 7`,
      [owner],
    );
    const found = await service.sql<{ id: string; length: number }>(
      `SELECT id, octet_length(notes) AS length FROM transactions WHERE owner_id = $1
        ORDER BY description COLLATE "C", id`,
      [owner],
    );
    const lengths = new Map(found.map(({ id, length }) => [id, length]));
    const sent = watchStatements();
    const { text } = await new Client(url, token).post(PATH, { sortBy: 'description' }, { accept: NDJSON });
    const rows = text.match(/.+/g)!.map((line) => JSON.parse(line) as { id: number; notes: string });
    expect(rows.map(({ id, notes }) => [String(id), notes.length])).toEqual([...lengths]);
    const reads = sent.all().filter((statement) => statement.text.includes('unnest($2'));
    const parts = reads.map(({ values }) => values[1] as string[]);
    expect(parts.flat()).toHaveLength(found.length);
    for (const ids of parts.filter(({ length }) => length > 1))
      expect(ids.reduce((sum, id) => sum + lengths.get(id)!, 0)).toBeLessThanOrEqual(PART_OCTETS);
  });
});
