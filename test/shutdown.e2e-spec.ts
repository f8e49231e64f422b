import { once } from 'node:events';
import http from 'node:http';
import { stop } from '../src/shutdown.js';
import { Client } from './support/client.js';
import { createProperty, propertyRequest } from './support/factories.js';
import { Lock } from './support/locks.js';
import { startProcess } from './support/process.js';
import { type Account, type Service, startService } from './support/service.js';
import { until } from './support/until.js';
import { requestText, Wire } from './support/wire.js';

/** Milliseconds: SHUTDOWN_DELAY here. */
const DRAIN = 600;

let direct: Service;
let user: Account;

beforeAll(async () => {
  direct = await startService();
  user = await direct.account();
});

const rowLock = (id: number): Promise<Lock> =>
  Lock.take(direct, 'SELECT FROM properties WHERE owner_id = $1 AND id = $2 FOR UPDATE', [user.id, id]);

const getText = (path: string): string =>
  requestText(`GET ${path} HTTP/1.1`, [`Authorization: Bearer ${user.token!}`]);

/** By the system, or by the service before it has read the request. */
const CLOSED_PORT = /ECONN(REFUSED|RESET)|socket hang up/;

/** Repeats until it fails. */
const repeat = (work: () => Promise<unknown>): Promise<void> => until(() => work().then(() => false));

describe('a service that stops', () => {
  let service: Service;
  let caller: Client;

  beforeEach(async () => {
    service = await startService({ DB_STATEMENT_TIMEOUT: '2500ms' }, direct.settings.database.url);
    caller = new Client(service.anonymous.url, user.token);
  });

  const stopping = (shutdownDelay = DRAIN, shutdownTimeout = 1500): Promise<void> =>
    service.stop(() => stop(service.app, { shutdownDelay, shutdownTimeout }));

  it('answers liveness and requests, but readiness 503, until the delay is over', async () => {
    const open = await Wire.open(caller.url);
    const started = performance.now();
    const delay = 3000; // a busy machine needs some of it
    const stopped = stopping(delay);
    const readiness = await caller.get('/actuator/health/readiness');
    expect([readiness.status, readiness.text]).toEqual([503, '{"status":"OUT_OF_SERVICE"}']);
    expect((await caller.get('/actuator/health/liveness')).status).toBe(200);
    const late = await open.send(getText('/api/users/me')).response();
    expect([late.status, late.headers.get('connection')]).toEqual([200, 'close']);
    await open.closed();
    const seen = new Set<string>();
    const ask = async (): Promise<void> => {
      for (const path of ['/actuator/health/readiness', '/api/users/me'])
        seen.add(`${path} ${(await caller.get(path)).status}`);
    };
    await expect(repeat(ask)).rejects.toThrow(CLOSED_PORT);
    expect(performance.now() - started).toBeGreaterThan(delay - 1);
    expect([...seen]).toEqual(['/actuator/health/readiness 503', '/api/users/me 200']);
    await stopped;
  });

  it('ends a request that is under way when SHUTDOWN_TIMEOUT is over', async () => {
    const { id } = await createProperty(user);
    const lock = await rowLock(id);
    const wire = await Wire.open(caller.url);
    const body = JSON.stringify(propertyRequest({ name: 'too late' }));
    const headers = [`Authorization: Bearer ${user.token!}`, 'Content-Type: application/json'];
    wire.send(requestText(`PUT /api/properties/${id} HTTP/1.1`, headers, body));
    await lock.waitedForBy(1);
    const started = performance.now();
    await stopping(); // the statement ends by its own timeout
    expect(performance.now() - started).toBeGreaterThan(1500);
    await wire.closed();
    expect(wire.unread).toBe('');
    await lock.release();
  });
});

it('a service that stops lets a client read what is left of its response', async () => {
  const service = await startService({}, direct.settings.database.url);
  const { id } = await createProperty(user);
  const length = 12_000_000; // more than the system takes at once
  await service.sql(
    `INSERT INTO transactions (owner_id, property_id, property_name, type, category, description, amount, date,
                               status, recurring, metadata)
     VALUES ($1, $2, 'House', 'INCOME', 'CLEANING', 'Long', 1, '2026-01-01', 'PAID', false,
             jsonb_build_object('a', repeat('x', $3)))`,
    [user.id, id, length],
  );
  const list = await user.get(`/api/transactions/property/${id}?size=1`);
  const long = list.json as { content: { id: number }[] };
  const url = `${service.url}/api/transactions/${long.content[0]!.id}`;
  const request = http.get(url, { headers: { authorization: `Bearer ${user.token!}` } });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const stopped = service.stop(() => stop(service.app, { shutdownDelay: 0, shutdownTimeout: 60_000 }));
  await expect(repeat(() => new Client(service.url).get('/actuator/health/liveness'))).rejects.toThrow(
    CLOSED_PORT,
  );
  let size = 0;
  for await (const part of response) size += (part as Buffer).length;
  expect(size).toBeGreaterThan(length);
  await stopped;
});

describe('a process', () => {
  it('ends with code 0 after the response to the request under way, and closes idle and silent connections', async () => {
    const DB_URL = direct.settings.database.url;
    const running = startProcess({ DB_URL, SHUTDOWN_DELAY: `${DRAIN}ms`, SHUTDOWN_TIMEOUT: '1h' });
    const caller = await running.client(user.token);
    await running.says(/the database is ready/);
    const { id } = await createProperty(user);
    const [silent, idle] = [await Wire.open(caller.url), await Wire.open(caller.url)];
    const { headers } = await idle.send(getText('/api/users/me')).response();
    expect(headers.get('connection')).toBe('keep-alive');
    const lock = await rowLock(id);
    const writing = caller.put(`/api/properties/${id}`, propertyRequest({ name: 'just in time' }));
    await lock.waitedForBy(1);
    running.signal('SIGTERM');
    await running.says(/"stopping"/);
    await expect(repeat(() => caller.get('/api/users/me'))).rejects.toThrow(CLOSED_PORT);
    expect(running.isRunning).toBe(true);
    await lock.release();
    const response = await writing;
    expect([response.status, response.headers.get('connection')]).toEqual([200, 'close']);
    expect((await user.get(`/api/properties/${id}`)).json).toMatchObject({ name: 'just in time' });
    expect(await running.exited).toBe(0);
    expect(running.lines.filter(({ level }) => level === 'error')).toEqual([]);
    const logged = (msg: string): unknown[] => running.lines.filter((line) => line.msg === msg);
    await Promise.all([silent.closed(), idle.closed()]);
    const underWay = { requests: 1, connections: 3 };
    expect(logged('stopping')).toMatchObject([{ level: 'info', delay: DRAIN, underWay }]);
    expect(logged('stopped')).toMatchObject([{ milliseconds: expect.any(Number) as unknown }]);
  });

  it('without its database ends with code 0, on SIGHUP as well', async () => {
    const running = startProcess({ DB_URL: 'postgres://u@127.0.0.1:1/none' });
    expect((await (await running.client()).get('/actuator/health/liveness')).status).toBe(200);
    await running.says(/the database is not usable/);
    running.signal('SIGHUP');
    expect(await running.exited).toBe(0);
  });
});
