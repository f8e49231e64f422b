import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { stop, stopOnSignals } from '../src/shutdown.js';
import { Client } from './support/client.js';
import { createProperty, propertyRequest } from './support/factories.js';
import { Launched } from './support/launched.js';
import { Lock } from './support/locks.js';
import { Build, type ServiceProcess } from './support/process.js';
import { type Account, type Service, startService } from './support/service.js';
import { until } from './support/until.js';
import { requestText, Wire } from './support/wire.js';

/** How long the service says here that it leaves and takes requests, and what a busy machine takes on top. */
const DRAIN = 600;
const MARGIN = 10_000;

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

async function timed(work: Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work;
  return performance.now() - started;
}

/** Until it fails. */
async function repeat(work: () => Promise<void>): Promise<never> {
  for (;;) await work();
}

describe('a service that stops', () => {
  let service: Launched;
  let caller: Client;

  beforeEach(async () => {
    service = await Launched.at(direct.settings.database.url, {
      SHUTDOWN_DELAY: `${DRAIN}ms`,
      SHUTDOWN_TIMEOUT: '1500ms',
      DB_STATEMENT_TIMEOUT: '2500ms',
    });
    await service.ready();
    caller = new Client(service.anonymous.url, user.token);
  });

  const stopping = (): Promise<void> => service.stop(() => stop(service.app, service.settings));

  it('answers the request under way, and says that the connection ends', async () => {
    const { id } = await createProperty(user);
    const lock = await rowLock(id);
    const writing = caller.put(`/api/properties/${id}`, propertyRequest({ name: 'just in time' }));
    await lock.waitedForBy(1);
    const stopped = stopping();
    await sleep(DRAIN + 200); // it has stopped listening by now
    await expect(caller.get('/api/users/me')).rejects.toThrow(/^connect ECONN(REFUSED|RESET)/);
    await lock.release();
    const answer = await writing;
    expect({ status: answer.status, connection: answer.headers.get('connection') }).toEqual({
      status: 200,
      connection: 'close',
    });
    await stopped;
    expect((await user.get(`/api/properties/${id}`)).json).toMatchObject({ name: 'just in time' });
  });

  it('turns its readiness at once, stays alive, and answers what still comes in', async () => {
    const open = await Wire.open(caller.url);
    const stopped = stopping();
    const readiness = await caller.get('/actuator/health/readiness');
    expect([readiness.status, readiness.text]).toEqual([503, '{"status":"OUT_OF_SERVICE"}']);
    expect((await caller.get('/actuator/health/liveness')).status).toBe(200);
    const refused = await service.anonymous.get('/api/users/me');
    expect([refused.status, refused.headers.get('connection')]).toEqual([401, 'close']);
    const late = await open.send(getText('/api/users/me')).answer();
    expect([late.status, late.headers.get('connection')]).toEqual([200, 'close']);
    await open.closed();
    await stopped;
  });

  it('is not ready, and answers every request on a new connection, until the delay is over', async () => {
    const started = performance.now();
    const stopped = stopping();
    const answers: number[][] = [];
    const ask = async (): Promise<void> => {
      const paths = ['/actuator/health/readiness', '/api/users/me'];
      const both = paths.map((path) => caller.get(path).then(({ status }) => status));
      answers.push(await Promise.all(both));
    };
    await expect(repeat(ask)).rejects.toThrow(/^connect ECONN(REFUSED|RESET)/);
    expect(performance.now() - started).toBeGreaterThan(DRAIN - 1);
    expect(new Set(answers.map(String))).toEqual(new Set(['503,200']));
    await stopped;
  });

  it('is not held by connections that are kept alive, or on which nothing was ever said', async () => {
    const silent = await Wire.open(caller.url);
    const idle = await Wire.open(caller.url);
    const answer = await idle.send(getText('/api/users/me')).answer();
    expect(answer.headers.get('connection')).toBe('keep-alive');
    expect(await timed(stopping())).toBeLessThan(DRAIN + 2000);
    await Promise.all([silent, idle].map((wire) => wire.closed()));
  });

  it('cuts off what is not done when its time is over', async () => {
    const { id } = await createProperty(user);
    const lock = await rowLock(id);
    const wire = await Wire.open(caller.url);
    const body = JSON.stringify(propertyRequest({ name: 'too late' }));
    const headers = [`Authorization: Bearer ${user.token!}`, 'Content-Type: application/json'];
    wire.send(requestText(`PUT /api/properties/${id} HTTP/1.1`, headers, body));
    await lock.waitedForBy(1);
    const took = await timed(stopping());
    expect(took).toBeGreaterThan(1500);
    expect(took).toBeLessThan(DRAIN + 2500 + MARGIN); // the statement ends by its own timeout
    await wire.closed();
    expect(wire.unread).toBe('');
    await lock.release();
  });

  it('leaves no connection to the database behind', async () => {
    await caller.get('/api/properties');
    await service.anonymous.get('/actuator/health/readiness');
    const connections = async (): Promise<number> => {
      const [row] = await direct.sql<{ n: number }>(
        `SELECT count(*)::int AS n FROM pg_stat_activity
          WHERE datname = current_database() AND application_name LIKE 'property-finance%'`,
      );
      return row!.n;
    };
    const before = await connections();
    await stopping();
    await until(async () => (await connections()) <= before - 2);
  });
});

describe('a stop that takes for ever', () => {
  const SHUTDOWN_DELAY = 100;
  const SHUTDOWN_TIMEOUT = 1000;
  const CLOSING = 5000;
  const LONGEST = SHUTDOWN_DELAY + SHUTDOWN_TIMEOUT + CLOSING;
  let service: Launched;
  let hanging: NestFastifyApplication;
  let finish: () => void;
  const exits: unknown[] = [];

  beforeAll(async () => {
    service = await Launched.at(direct.settings.database.url, {
      SHUTDOWN_DELAY: `${SHUTDOWN_DELAY}ms`,
      SHUTDOWN_TIMEOUT: `${SHUTDOWN_TIMEOUT}ms`,
    });
    await service.ready();
    const closed = new Promise<void>((resolve) => (finish = resolve));
    jest.spyOn(process, 'exit').mockImplementation((code) => exits.push({ code, at: Date.now() }) as never);
    hanging = {
      get: (token: string): unknown => service.app.get(token),
      getHttpServer: () => createServer(),
      close: () => closed,
    } as unknown as NestFastifyApplication;
  });
  afterAll(async () => {
    exits.length = 0;
    finish();
    await until(() => exits.length === 5); // what hangs no longer ends by itself
    jest.restoreAllMocks();
  });
  afterEach(() => jest.useRealTimers());

  /** What it does when it gets a signal. */
  function handlersOf(app: NestFastifyApplication): ReadonlyMap<unknown, () => void> {
    exits.length = 0;
    const handlers = new Map<unknown, () => void>();
    const on = jest.spyOn(process, 'on').mockImplementation((signal, handler) => {
      handlers.set(signal, handler);
      return process;
    });
    stopOnSignals(app, service.settings);
    on.mockRestore();
    return handlers;
  }

  it.each([
    { signals: ['SIGTERM'], pause: 0, end: LONGEST },
    { signals: ['SIGINT', 'SIGTERM'], pause: 0, end: 0 },
    { signals: ['SIGINT', 'SIGINT'], pause: 500, end: LONGEST }, // npm passes on one Ctrl-C
    { signals: ['SIGINT', 'SIGINT'], pause: 501, end: 501 },
    { signals: ['SIGTERM', 'SIGHUP'], pause: 501, end: LONGEST }, // as systemd sends them
  ])('ends with 1 after $end ms of $signals with $pause ms between', async ({ signals, pause, end }) => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    const start = Date.now();
    const handlers = handlersOf(hanging);
    for (const [index, signal] of signals.entries()) {
      if (index > 0) await jest.advanceTimersByTimeAsync(pause);
      handlers.get(signal)!();
    }
    await jest.advanceTimersByTimeAsync(LONGEST);
    expect(exits[0]).toEqual({ code: 1, at: start + end });
  });

  it('ends with 1, and says why, when it fails', async () => {
    const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const close = () => Promise.reject(new Error('the pool is stuck'));
    const handlers = handlersOf({ ...hanging, close });
    handlers.get('SIGTERM')!();
    await until(() => exits.length > 0);
    expect(said.mock.calls.flat().join('')).toContain('The shutdown failed: Error: the pool is stuck');
    said.mockRestore();
    expect(exits).toEqual([expect.objectContaining({ code: 1 })]);
  });
});

describe('a process', () => {
  let build: Build;
  let running: ServiceProcess;
  let caller: Client;

  beforeAll(() => void (build = Build.make()));

  beforeEach(async () => {
    running = build.start({
      DB_URL: direct.settings.database.url,
      SHUTDOWN_DELAY: `${DRAIN}ms`,
      SHUTDOWN_TIMEOUT: '10s',
    });
    caller = await running.client(user.token);
    await running.says(/the database is ready/);
  });

  it('ends with code 0 once the request under way is answered, idle connections or not', async () => {
    const { id } = await createProperty(user);
    const idle = await Wire.open(caller.url);
    await idle.send(getText('/api/users/me')).answer();
    const lock = await rowLock(id);
    const writing = caller.put(`/api/properties/${id}`, propertyRequest());
    await lock.waitedForBy(1);
    running.signal('SIGTERM');
    await sleep(DRAIN + 200);
    expect(running.isRunning).toBe(true);
    await lock.release();
    const answer = await writing;
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    const started = performance.now();
    expect(await running.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - started).toBeLessThan(MARGIN);
    expect(running.lines.filter(({ level }) => level === 'error')).toEqual([]);
    const said = (msg: string): object[] => running.lines.filter((line) => line.msg === msg);
    expect(said('stopping')).toEqual([
      expect.objectContaining({
        level: 'info',
        delay: DRAIN,
        underWay: { requests: 1, connections: 2 },
      }),
    ]);
    const [stopped] = said('stopped') as { milliseconds: number }[];
    expect(stopped!.milliseconds).toBeGreaterThan(DRAIN + 190);
    expect(stopped!.milliseconds).toBeLessThan(DRAIN + 200 + 2 * MARGIN);
  });
});

it('a process without its database ends with code 0, on SIGHUP as well', async () => {
  const build = Build.make();
  const running = build.start({ DB_URL: 'postgres://u@127.0.0.1:1/none' });
  const anonymous = await running.client();
  expect((await anonymous.get('/actuator/health/liveness')).status).toBe(200);
  await running.says(/the database is not usable yet/);
  const started = performance.now();
  running.signal('SIGHUP');
  expect(await running.exited).toEqual({ code: 0, signal: null });
  expect(performance.now() - started).toBeLessThan(MARGIN);
});
