import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Registry } from 'prom-client';
import { createApp } from '../src/app.js';
import type { Logger } from '../src/config/logger.js';
import { LOGGER } from '../src/config/settings.js';
import { Database } from '../src/database/database.js';
import { NOBODY } from '../src/database/shares.js';
import { Client } from './support/client.js';
import { type Family, parseExposition, valueOf } from './support/exposition.js';
import { createProperty } from './support/factories.js';
import { Lock } from './support/locks.js';
import { hashAtFullCost } from './support/quick-hashes.js';
import { type Account, type Service, startService } from './support/service.js';
import { testSettings } from './support/settings.js';
import { until } from './support/until.js';

const PATH = '/actuator/prometheus';

type Families = ReadonlyMap<string, Family>;

async function scrape(admin: Client): Promise<Families> {
  const answer = await admin.get(PATH);
  expect(answer.status).toBe(200);
  return parseExposition(answer.text);
}

/** What the service has counted without being asked over HTTP, which takes a connection of its own. */
async function peek(service: Pick<Service, 'app'>): Promise<Families> {
  return parseExposition(await service.app.get<Registry>(Registry).metrics());
}

function seriesOf(families: Families): string[] {
  return [...families.values()]
    .flatMap(({ samples }) => samples.map(({ name, labels }) => `${name}${JSON.stringify(labels)}`))
    .sort();
}

/** Not of what the process happens to do meanwhile: kinds of collections and of handles, all few. */
const isOfTraffic = (series: string): boolean => !/^(nodejs_active|nodejs_gc|jvm_gc)_/.test(series);

const HTTP_LABELS = ['method', 'uri', 'status', 'outcome', 'exception', 'error'];
const GC_LABELS = ['action', 'cause', 'gc'];

/** The contract's list: name, type, and its labels beside `application`. */
const METRICS: readonly (readonly [name: string, type: string, labels: readonly string[]])[] = [
  ['http_server_requests_seconds', 'histogram', HTTP_LABELS],
  ['http_server_requests_seconds_max', 'gauge', HTTP_LABELS],
  ['http_server_requests_active_seconds', 'summary', ['method']],
  ['http_server_requests_active_seconds_max', 'gauge', ['method']],
  ['jvm_memory_used_bytes', 'gauge', ['area', 'id']],
  ['jvm_memory_committed_bytes', 'gauge', ['area', 'id']],
  ['jvm_memory_max_bytes', 'gauge', ['area', 'id']],
  ['jvm_gc_pause_seconds', 'summary', GC_LABELS],
  ['jvm_gc_pause_seconds_max', 'gauge', GC_LABELS],
  ['jvm_threads_live_threads', 'gauge', []],
  ['jvm_threads_peak_threads', 'gauge', []],
  ['jvm_classes_loaded_classes', 'gauge', []],
  ['jvm_info', 'gauge', ['version', 'vendor', 'runtime']],
  ['hikaricp_connections', 'gauge', ['pool']],
  ['hikaricp_connections_active', 'gauge', ['pool']],
  ['hikaricp_connections_idle', 'gauge', ['pool']],
  ['hikaricp_connections_pending', 'gauge', ['pool']],
  ['hikaricp_connections_max', 'gauge', ['pool']],
  ['hikaricp_connections_min', 'gauge', ['pool']],
  ['hikaricp_connections_acquire_seconds', 'summary', ['pool']],
  ['hikaricp_connections_acquire_seconds_max', 'gauge', ['pool']],
  ['hikaricp_connections_usage_seconds', 'summary', ['pool']],
  ['hikaricp_connections_usage_seconds_max', 'gauge', ['pool']],
  ['hikaricp_connections_creation_seconds', 'summary', ['pool']],
  ['hikaricp_connections_creation_seconds_max', 'gauge', ['pool']],
  ['hikaricp_connections_timeout_total', 'counter', ['pool']],
  ['tomcat_threads_busy_threads', 'gauge', ['name']],
  ['tomcat_threads_current_threads', 'gauge', ['name']],
  ['tomcat_threads_config_max_threads', 'gauge', ['name']],
  ['process_cpu_usage', 'gauge', []],
  ['system_cpu_usage', 'gauge', []],
  ['system_cpu_count', 'gauge', []],
  ['system_load_average_1m', 'gauge', []],
  ['process_uptime_seconds', 'gauge', []],
  ['process_start_time_seconds', 'gauge', []],
  ['process_files_open_files', 'gauge', []],
  ['process_files_max_files', 'gauge', []],
  ['disk_free_bytes', 'gauge', ['path']],
  ['disk_total_bytes', 'gauge', ['path']],
  ['logback_events_total', 'counter', ['level']],
  ['nodejs_eventloop_utilization', 'gauge', []],
  ['nodejs_eventloop_lag_p99_seconds', 'gauge', []],
  ['nodejs_heap_size_used_bytes', 'gauge', []],
  ['process_cpu_seconds_total', 'counter', []],
  ['process_resident_memory_bytes', 'gauge', []],
  ['bcrypt_queue_depth', 'gauge', []],
  ['bcrypt_hash_seconds', 'histogram', []],
];

type Labels = Readonly<Record<string, string>>;

const OLD_SPACE = { area: 'heap', id: 'old_space' };
const CODE = { area: 'nonheap', id: 'code' };
const EXTERNAL = { area: 'nonheap', id: 'external' };

const space = (name: string): v8.HeapSpaceInfo =>
  v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === name)!;

const disk = (): fs.StatsFs => fs.statfsSync('.');

const softLimitOfFiles = (): number =>
  Number(/^Max open files +(\d+)/m.exec(fs.readFileSync('/proc/self/limits', 'utf8'))![1]);

describe('metrics', () => {
  let service: Service;
  let user: Account;
  let admin: Account;

  beforeAll(async () => {
    service = await startService({ APPLICATION_NAME: 'ledger "one"' });
    [user, admin] = [await service.account('USER'), await service.account('ADMIN')];
  });

  describe('a scrape', () => {
    let families: Families;
    beforeAll(async () => {
      await service.anonymous.get('/actuator/health');
      families = await scrape(admin);
    });

    it('is in the text format of Prometheus', async () => {
      const answer = await admin.get(PATH);
      expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    });

    it.each(METRICS)('has %s, a %s, with the labels %j', (name, type, labels) => {
      const family = families.get(name);
      expect(family?.type).toBe(type);
      expect(family?.samples).not.toHaveLength(0);
      for (const sample of family?.samples ?? []) {
        const own = Object.keys(sample.labels).filter((label) => label !== 'application' && label !== 'le');
        expect(own.sort()).toEqual([...labels].sort());
      }
    });

    it('labels every series with the name of the application', () => {
      const names = [...families.values()].flatMap(({ samples }) =>
        samples.map(({ labels }) => labels['application']),
      );
      expect(names.length).toBeGreaterThan(150);
      expect(new Set(names)).toEqual(new Set(['ledger "one"']));
    });

    it('counts the events of every log level from the start', () => {
      const levels = families.get('logback_events_total')?.samples.map(({ labels }) => labels['level']);
      expect(levels).toEqual(['error', 'warn', 'info', 'debug', 'trace']);
    });

    it('has pauses of both kinds of collection from the start', () => {
      const actions = families.get('jvm_gc_pause_seconds_max')?.samples.map(({ labels }) => labels['action']);
      expect(actions).toEqual(expect.arrayContaining(['end of minor GC', 'end of major GC']));
    });
  });

  it('tells of the event loop also when two scrape at once', async () => {
    for (const families of await Promise.all([scrape(admin), scrape(admin), scrape(admin)])) {
      expect(valueOf(families, 'nodejs_eventloop_lag_min_seconds')).toBeLessThan(60);
      expect(valueOf(families, 'nodejs_eventloop_lag_mean_seconds')).toBeGreaterThan(0);
    }
  });

  it.each<[name: string, labels: Labels, expected: () => number, tolerance: number]>([
    ['jvm_memory_used_bytes', OLD_SPACE, () => space('old_space').space_used_size, 0.2],
    ['jvm_memory_committed_bytes', OLD_SPACE, () => space('old_space').space_size, 0],
    ['jvm_memory_max_bytes', OLD_SPACE, () => v8.getHeapStatistics().heap_size_limit, 0],
    ['jvm_memory_max_bytes', { area: 'heap', id: 'new_space' }, () => -1, 0],
    ['jvm_memory_used_bytes', CODE, () => space('code_space').space_used_size, 0.3],
    ['jvm_memory_committed_bytes', CODE, () => v8.getHeapStatistics().total_heap_size_executable, 0.3],
    ['jvm_memory_max_bytes', CODE, () => -1, 0],
    ['jvm_memory_used_bytes', EXTERNAL, () => process.memoryUsage().external, 0.3],
    ['jvm_memory_committed_bytes', EXTERNAL, () => process.memoryUsage().external, 0.3],
    ['jvm_memory_max_bytes', EXTERNAL, () => -1, 0],
    ['jvm_threads_live_threads', {}, () => fs.readdirSync('/proc/self/task').length, 0.3],
    ['jvm_threads_peak_threads', {}, () => fs.readdirSync('/proc/self/task').length, 0.3],
    ['tomcat_threads_config_max_threads', {}, () => 1 + service.settings.threadPoolSize, 0],
    ['tomcat_threads_current_threads', {}, () => 1 + service.settings.threadPoolSize, 0],
    ['process_files_open_files', {}, () => fs.readdirSync('/proc/self/fd').length, 0.3],
    ['process_files_max_files', {}, softLimitOfFiles, 0],
    ['process_uptime_seconds', {}, () => process.uptime(), 0.1],
    ['system_cpu_count', {}, () => os.availableParallelism(), 0],
    ['system_load_average_1m', {}, () => os.loadavg()[0]!, 0.2],
    ['disk_total_bytes', {}, () => disk().blocks * disk().bsize, 0],
    ['disk_free_bytes', {}, () => disk().bavail * disk().bsize, 0.1],
  ])('tells %s %j as the system does', async (name, labels, expected, tolerance) => {
    const before = expected();
    const told = valueOf(await peek(service), name, labels)!;
    const bounds = [before, expected()].flatMap((value) => [
      value * (1 - tolerance),
      value * (1 + tolerance),
    ]);
    expect(told).toBeGreaterThanOrEqual(Math.min(...bounds));
    expect(told).toBeLessThanOrEqual(Math.max(...bounds));
  });

  it('tells the load of the processors and of the event loop since the scrape before', async () => {
    const clocks = (): readonly (readonly [busy: number, total: number])[] => {
      const { user, system } = process.cpuUsage();
      const times = os.cpus().map((cpu) => cpu.times);
      const total = times.flatMap((cpu) => Object.values(cpu)).reduce((sum, time) => sum + time, 0);
      const idle = times.reduce((sum, cpu) => sum + cpu.idle, 0);
      const { active, idle: waiting } = performance.eventLoopUtilization();
      return [
        [(user + system) / 1000, performance.now() * os.availableParallelism()],
        [total - idle, total],
        [active, active + waiting],
      ];
    };
    await sleep(200); // a reading within 100 ms of another repeats it
    await peek(service);
    const before = clocks();
    for (const end = performance.now() + 300; performance.now() < end;);
    const shares = (): number[] =>
      clocks().map(([busy, total], i) => (busy - before[i]![0]) / (total - before[i]![1]));
    const earliest = shares();
    const families = await peek(service);
    const latest = shares(); // the machine may have been busy with something else meanwhile
    const told = ['process_cpu_usage', 'system_cpu_usage', 'nodejs_eventloop_utilization'].map((name) =>
      valueOf(families, name)!,
    );
    for (const [i, share] of told.entries()) {
      expect(share).toBeGreaterThan(Math.min(earliest[i]!, latest[i]!) - 0.05);
      expect(share).toBeLessThan(Math.max(earliest[i]!, latest[i]!) + 0.05);
    }
    const { port } = new URL(service.url);
    expect(valueOf(families, 'tomcat_threads_busy_threads', { name: `http-${port}` })).toBe(told[2]);
  });

  it('counts a collection of garbage', async () => {
    const forced = { action: 'end of major GC', cause: 'forced' };
    const told = async (what: string): Promise<number> =>
      valueOf(await peek(service), `jvm_gc_pause_seconds_${what}`, forced) ?? 0;
    const before = { count: await told('count'), sum: await told('sum') };
    v8.setFlagsFromString('--expose-gc');
    const start = performance.now();
    (runInNewContext('gc') as () => void)();
    const seconds = (performance.now() - start) / 1000;
    await until(async () => (await told('count')) > before.count);
    const pause = (await told('sum')) - before.sum;
    expect(pause).toBeGreaterThan(seconds / 10);
    expect(pause).toBeLessThanOrEqual(seconds);
    expect(await told('max')).toBeGreaterThan(pause * 0.999); // of the last minutes, in which there may have been others
  });

  it('counts the CommonJS modules that are loaded, for the choices of dashboards', async () => {
    expect(valueOf(await peek(service), 'jvm_classes_loaded_classes')).toBeGreaterThan(300);
  });

  it.each<[request: string, send: () => Promise<unknown>, labels: Labels]>([
    [
      'a resource that is there',
      async () => user.get(`/api/properties/${(await createProperty(user)).id}`),
      { method: 'GET', uri: '/api/properties/{id}', status: '200', outcome: 'SUCCESS', exception: 'none' },
    ],
    [
      'a resource that is not there',
      () => user.get('/api/transactions/property/999999'),
      { uri: '/api/transactions/property/{propertyId}', status: '404', outcome: 'CLIENT_ERROR' },
    ],
    [
      'a path that nothing is at',
      () => user.get('/no/such/path'),
      { method: 'GET', uri: '/**', status: '404', exception: 'not-found' },
    ],
    [
      'a method that the path has not',
      () => user.send('PATCH', '/api/properties'),
      { method: 'PATCH', uri: '/**', status: '405', exception: 'method-not-allowed' },
    ],
    [
      'a method beyond the usual ones',
      () => user.send('PROPFIND', '/api/properties'),
      { method: 'OTHER', uri: '/**', status: '405' },
    ],
    [
      'a caller without a token',
      () => service.anonymous.get('/api/users/me'),
      { uri: '/api/users/me', status: '401', exception: 'authentication-required' },
    ],
    [
      'a probe by HEAD',
      () => service.anonymous.send('HEAD', '/actuator/health/liveness'),
      { method: 'HEAD', uri: '/actuator/health/liveness', status: '200', outcome: 'SUCCESS' },
    ],
  ])('counts and times %s', async (_, send, labels) => {
    const read = async (what: string): Promise<number> =>
      valueOf(await peek(service), `http_server_requests_seconds_${what}`, labels) ?? 0;
    const before = { count: await read('count'), sum: await read('sum') };
    for (let times = 0; times < 3; times++) await send();
    expect((await read('count')) - before.count).toBe(3);
    const sum = (await read('sum')) - before.sum;
    const max = await read('max');
    expect(max).toBeGreaterThan(0);
    expect(sum).toBeGreaterThan(0);
    if (before.count === 0) expect(max).toBeLessThanOrEqual(sum);
  });

  it('times requests in seconds', async () => {
    const slow = await service.account();
    const path = '/api/users/me';
    const read = async (name: string, labels: Record<string, string>): Promise<number> =>
      valueOf(await peek(service), `http_server_requests_${name}`, labels) ?? 0;
    const answered = { uri: path, status: '200' };
    const before = await read('seconds_sum', answered);
    const within = async (seconds: string): Promise<number> =>
      read('seconds_bucket', { ...answered, le: seconds });
    const quick = await within('0.25');
    const all = await within('10');
    const startedAt = performance.now();
    const elapsed = (): number => (performance.now() - startedAt) / 1000;
    const lock = await Lock.take(service, 'LOCK TABLE users IN ACCESS EXCLUSIVE MODE', []);
    const answer = slow.get(path);
    await lock.waitedForBy(1);
    await sleep(300);
    for (const name of ['active_seconds_sum', 'active_seconds_max']) {
      expect(await read(name, { method: 'GET' })).toBeGreaterThanOrEqual(0.3);
      expect(await read(name, { method: 'GET' })).toBeLessThan(elapsed());
    }
    await lock.release();
    expect((await answer).status).toBe(200);
    for (const seconds of [
      (await read('seconds_sum', answered)) - before,
      await read('seconds_max', answered),
    ]) {
      expect(seconds).toBeGreaterThanOrEqual(0.3);
      expect(seconds).toBeLessThan(elapsed());
    }
    expect([(await within('0.25')) - quick, (await within('10')) - all]).toEqual([0, 1]);
  });

  it('gives the exception also as the error, as Micrometer does', async () => {
    await user.get('/no/such/path');
    const families = await peek(service);
    for (const { labels } of families.get('http_server_requests_seconds')?.samples ?? [])
      expect(labels['error']).toBe(labels['exception']);
  });

  it('adds the requests up in buckets from 5 ms to 10 s', async () => {
    await user.get('/api/users/me');
    const me = (families: Families): { name: string; le: string | undefined; value: number }[] =>
      families
        .get('http_server_requests_seconds')!
        .samples.filter(({ labels }) => labels['uri'] === '/api/users/me' && labels['status'] === '200')
        .map(({ name, labels, value }) => ({ name, le: labels['le'], value }));
    const samples = me(await peek(service));
    const buckets = samples.filter(({ le }) => le !== undefined);
    const bounds = '0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10 +Inf';
    expect(buckets.map(({ le }) => le).join(' ')).toBe(bounds);
    const values = buckets.map(({ value }) => value);
    expect(values).toEqual(values.toSorted((a, b) => a - b));
    expect(values.at(-1)).toBe(samples.find(({ name }) => name.endsWith('_count'))?.value);
  });

  it('has no more series after many different requests than after a few', async () => {
    const METHODS = ['GET', 'PUT', 'DELETE', 'PATCH', 'PROPFIND', 'MKCOL', 'LOCK', 'REPORT', 'SEARCH'];
    const traffic = async (round: number): Promise<void> => {
      for (const method of METHODS) {
        await user.send(method, `/api/properties/${round}${METHODS.indexOf(method)}`);
        await user.send(method, `/nothing/${round}/${method}?q=${round}`);
        await service.anonymous.send(method, `/api/transactions/${round}`);
      }
    };
    await traffic(1000);
    await scrape(admin);
    const before = seriesOf(await scrape(admin)).filter(isOfTraffic);
    for (let round = 1001; round < 1003; round++) await traffic(round);
    const after = seriesOf(await scrape(admin)).filter(isOfTraffic);
    expect(after).toEqual(before);
  });

  it('counts and times password hashes, wrong passwords included', async () => {
    hashAtFullCost();
    const told = async (what: string): Promise<number> =>
      valueOf(await peek(service), `bcrypt_hash_seconds_${what}`)!;
    const before = { count: await told('count'), sum: await told('sum') };
    const start = performance.now();
    const account = { email: 'hash@example.com', username: 'hash', password: 'a long password' };
    expect((await service.anonymous.post('/api/auth/signup', account)).status).toBe(201);
    expect((await service.anonymous.post('/api/auth/signin', account)).status).toBe(200);
    expect((await service.anonymous.post('/api/auth/signin', { ...account, password: 'x' })).status).toBe(
      401,
    );
    expect((await told('count')) - before.count).toBe(3);
    const seconds = (await told('sum')) - before.sum;
    expect(seconds).toBeGreaterThan(0.03);
    expect(seconds).toBeLessThan((performance.now() - start) / 1000);
    const many = Array.from({ length: 6 }, () => service.anonymous.post('/api/auth/signin', account));
    await until(async () => valueOf(await peek(service), 'bcrypt_queue_depth')! > 1);
    await Promise.all(many);
    expect(valueOf(await peek(service), 'bcrypt_queue_depth')).toBe(0);
  });

  it('counts the lines of the log, and none that the level keeps out', async () => {
    const lines = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    const logging = await startService({ LOG_LEVEL: 'warn' }, service.settings.database.url);
    const logger = logging.app.get<Logger>(LOGGER);
    logger.fatal('fatal');
    logger.error('error');
    logger.child({ request: 1 }).warn('warn');
    logger.info('info');
    const written = lines.mock.calls.length;
    lines.mockRestore();
    const families = await peek(logging);
    await logging.stop();
    const values = families
      .get('logback_events_total')!
      .samples.map(({ labels, value }) => [labels['level'], value]);
    expect(Object.fromEntries(values)).toEqual({ error: 2, warn: 1, info: 0, debug: 0, trace: 0 });
    expect(written).toBe(3);
  });
});

describe('metrics of the pool', () => {
  let service: Service;
  let user: Account;
  let startedAt: number;

  beforeEach(async () => {
    startedAt = performance.now();
    service = await startService({ DB_POOL_SIZE: '2', DB_ACQUIRE_TIMEOUT: '500ms' });
    user = await service.account('USER');
  });

  const secondsOfTest = (): number => (performance.now() - startedAt) / 1000;
  const pool = async (name: string): Promise<number | undefined> =>
    valueOf(await peek(service), `hikaricp_connections${name}`);

  it('tell how many connections there are, are taken and are waited for', async () => {
    const pg = service.app.get(Database).pool;
    const taken = [await pg.connect(), await pg.connect()];
    const waiting = user.get('/api/properties');
    await until(async () => (await pool('_pending')) === 1);
    expect(await Promise.all(['', '_active', '_idle', '_max', '_min'].map(pool))).toEqual([2, 2, 0, 2, 0]);
    const active = async (what: string): Promise<number> =>
      valueOf(await peek(service), `http_server_requests_active_seconds_${what}`, { method: 'GET' })!;
    expect(await active('count')).toBe(1);
    for (const what of ['sum', 'max']) expect(await active(what)).toBeLessThan(secondsOfTest());
    for (const client of taken) client.release();
    expect((await waiting).status).toBe(200);
    expect(await Promise.all(['', '_active', '_idle', '_pending'].map(pool))).toEqual([2, 0, 2, 0]);
    await until(async () => (await active('count')) === 0);
  });

  it('count what is taken, and for how long', async () => {
    const acquired = async (): Promise<number> => (await pool('_acquire_seconds_count'))!;
    const before = await acquired();
    await user.get('/api/properties');
    const afterRequest = await acquired();
    expect(afterRequest).toBeGreaterThan(before);
    await service.app.get(Database).read(NOBODY, { text: 'SELECT pg_sleep(0.05)' }, []);
    expect(await acquired()).toBe(afterRequest + 1);
    expect(await pool('_usage_seconds_count')).toBe(await pool('_acquire_seconds_count'));
    expect(await pool('_creation_seconds_count')).toBe(await pool(''));
    for (const [what, least] of Object.entries({ acquire: 0.0001, usage: 0.05, creation: 0.0001 })) {
      const [max, sum] = [(await pool(`_${what}_seconds_max`))!, (await pool(`_${what}_seconds_sum`))!];
      expect(max).toBeGreaterThanOrEqual(least);
      expect(max).toBeLessThan(secondsOfTest());
      expect(sum).toBeGreaterThanOrEqual(max);
      expect(sum).toBeLessThan(2 * secondsOfTest());
    }
  });

  it('count whoever waited in vain', async () => {
    const pg = service.app.get(Database).pool;
    const taken = [await pg.connect(), await pg.connect()];
    expect(await pool('_timeout_total')).toBe(0);
    const before = await pool('_acquire_seconds_count');
    expect((await user.get('/api/properties')).status).toBe(503);
    for (const client of taken) client.release();
    expect(await pool('_timeout_total')).toBe(1);
    expect(await pool('_acquire_seconds_count')).toBe(before);
  });

  it('are there, and zero, before the database is', async () => {
    const app = await createApp(testSettings('postgres://nobody@127.0.0.1:1/nothing'));
    const families = await peek({ app });
    await app.close();
    const names = METRICS.map(([name]) => name).filter((name) => name.startsWith('hikaricp_'));
    for (const name of names) {
      expect(families.get(name)?.samples).not.toHaveLength(0);
      for (const { value } of families.get(name)?.samples ?? [])
        expect(value).toBe(name === 'hikaricp_connections_max' ? 10 : 0);
    }
  });

  it('do not take a request whose client has gone for one that was answered', async () => {
    const pg = service.app.get(Database).pool;
    const taken = [await pg.connect(), await pg.connect()];
    const request = http.get(`${service.url}/api/properties`, {
      headers: { authorization: `Bearer ${user.token!}` },
    });
    request.on('error', () => undefined);
    await until(() => pg.waitingCount === 1);
    request.destroy();
    const gone = { uri: '/api/properties', status: 'UNKNOWN', outcome: 'UNKNOWN' };
    await until(async () => valueOf(await peek(service), 'http_server_requests_seconds_count', gone) === 1);
    for (const client of taken) client.release();
  });
});

describe('metrics of two applications in one process', () => {
  it('are apart, but for those of the process', async () => {
    const one = await startService({ APPLICATION_NAME: 'one' });
    const two = await startService({ APPLICATION_NAME: 'two' }, one.settings.database.url);
    const admin = await one.account('ADMIN');
    for (let times = 0; times < 5; times++) await one.anonymous.get('/actuator/health');
    const ofOne = await scrape(admin);
    const ofTwo = await scrape(new Client(two.url, admin.token));
    const health = { uri: '/actuator/health' };
    expect(valueOf(ofOne, 'http_server_requests_seconds_count', health)).toBe(5);
    expect(valueOf(ofTwo, 'http_server_requests_seconds_count', health)).toBeUndefined();
    for (const [families, name] of [
      [ofOne, 'one'],
      [ofTwo, 'two'],
    ] as const)
      expect(valueOf(families, 'nodejs_version_info', { application: name })).toBe(1);
    await one.stop();
    const after = await scrape(new Client(two.url, admin.token));
    expect(valueOf(after, 'nodejs_version_info', { application: 'two' })).toBe(1);
    await two.stop();
  });
});
