import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
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

/** The metrics without a scrape, which takes a connection itself. */
async function peek(service: Pick<Service, 'app'>): Promise<Families> {
  return parseExposition(await service.app.get<Registry>(Registry).metrics());
}

function seriesOf(families: Families): string[] {
  return [...families.values()]
    .flatMap(({ samples }) => samples.map(({ name, labels }) => `${name}${JSON.stringify(labels)}`))
    .sort();
}

/** Series that do not depend on the process itself, its collections and its handles. */
const isOfTraffic = (series: string): boolean => !/^(nodejs_active|nodejs_gc|jvm_gc)_/.test(series);

const HTTP_LABELS = 'method uri status outcome exception error';
const GC_LABELS = 'action cause gc';

/** The contract's list: type, labels beside `application`, names. */
const METRICS: readonly (readonly [type: string, labels: string, prefix: string, names: string])[] = [
  ['histogram', HTTP_LABELS, 'http_server_requests_', 'seconds'],
  ['gauge', HTTP_LABELS, 'http_server_requests_', 'seconds_max'],
  ['summary', 'method', 'http_server_requests_', 'active_seconds'],
  ['gauge', 'method', 'http_server_requests_', 'active_seconds_max'],
  ['gauge', 'area id', 'jvm_memory_', 'used_bytes committed_bytes max_bytes'],
  ['summary', GC_LABELS, 'jvm_', 'gc_pause_seconds'],
  ['gauge', GC_LABELS, 'jvm_', 'gc_pause_seconds_max'],
  ['gauge', '', 'jvm_', 'threads_live_threads threads_peak_threads classes_loaded_classes'],
  ['gauge', 'version vendor runtime', 'jvm_', 'info'],
  ['gauge', 'pool', 'hikaricp_', 'connections'],
  ['gauge', 'pool', 'hikaricp_connections_', 'active idle pending max min'],
  ['summary', 'pool', 'hikaricp_connections_', 'acquire_seconds usage_seconds creation_seconds'],
  ['gauge', 'pool', 'hikaricp_connections_', 'acquire_seconds_max usage_seconds_max creation_seconds_max'],
  ['counter', 'pool', 'hikaricp_connections_', 'timeout_total'],
  ['gauge', 'name', 'tomcat_threads_', 'busy_threads current_threads config_max_threads'],
  ['gauge', '', 'process_', 'cpu_usage uptime_seconds start_time_seconds resident_memory_bytes'],
  ['gauge', '', 'process_', 'files_open_files files_max_files'],
  ['gauge', '', 'system_', 'cpu_usage cpu_count load_average_1m'],
  ['gauge', 'path', 'disk_', 'free_bytes total_bytes'],
  ['counter', 'level', 'logback_', 'events_total'],
  ['gauge', '', 'nodejs_', 'eventloop_utilization eventloop_lag_p99_seconds heap_size_used_bytes'],
  ['counter', '', 'process_', 'cpu_seconds_total'],
  ['gauge', '', 'bcrypt_', 'queue_depth'],
  ['histogram', '', 'bcrypt_', 'hash_seconds'],
];
const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');
const NAMES = METRICS.flatMap(([type, labels, prefix, names]) =>
  words(names).map((name) => ({ name: prefix + name, type, labels: words(labels) })),
);

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

    it.each(NAMES)('has $name, a $type, with the labels $labels', ({ name, type, labels }) => {
      const { samples = [], ...family } = families.get(name) ?? {};
      expect(family).toMatchObject({ type });
      expect(samples).not.toHaveLength(0);
      for (const { labels: all } of samples)
        expect(
          Object.keys(all)
            .filter((label) => label !== 'le')
            .sort(),
        ).toEqual(['application', ...labels].sort());
    });

    it('has the name of the application in every series', () => {
      const samples = [...families.values()].flatMap((family) => family.samples);
      expect(samples.length).toBeGreaterThan(150);
      expect(new Set(samples.map(({ labels }) => labels['application']))).toEqual(new Set(['ledger "one"']));
    });

    it('has every log level, both kinds of collection and the loaded modules from the start', () => {
      const values = (name: string, label: string): unknown[] =>
        families.get(name)!.samples.map(({ labels }) => labels[label]);
      expect(values('logback_events_total', 'level')).toEqual(['error', 'warn', 'info', 'debug', 'trace']);
      expect(values('jvm_gc_pause_seconds_max', 'action')).toEqual(
        expect.arrayContaining(['end of minor GC', 'end of major GC']),
      );
      expect(valueOf(families, 'jvm_classes_loaded_classes')).toBeGreaterThan(300);
    });
  });

  it('has the event loop lag in simultaneous scrapes', async () => {
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
  ])('has %s %j as the system reports it', async (name, labels, expected, tolerance) => {
    const before = expected();
    const told = valueOf(await peek(service), name, labels)!;
    const bounds = [before, expected()].flatMap((value) => [
      value * (1 - tolerance),
      value * (1 + tolerance),
    ]);
    expect(told).toBeGreaterThanOrEqual(Math.min(...bounds));
    expect(told).toBeLessThanOrEqual(Math.max(...bounds));
  });

  it('has the load of processors and event loop since the last scrape', async () => {
    const spin = (milliseconds: number): void => {
      for (const end = performance.now() + milliseconds; performance.now() < end;);
    };
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
    spin(110); // a reading within 100 ms of another repeats it
    await peek(service);
    const before = clocks();
    spin(300);
    const shares = (): number[] =>
      clocks().map(([busy, total], i) => (busy - before[i]![0]) / (total - before[i]![1]));
    const earliest = shares();
    const families = await peek(service);
    const latest = shares(); // the machine may have been busy with something else meanwhile
    const names = ['process_cpu_usage', 'system_cpu_usage', 'nodejs_eventloop_utilization'];
    for (const [i, name] of names.entries()) {
      expect(valueOf(families, name)).toBeGreaterThan(Math.min(earliest[i]!, latest[i]!) - 0.2);
      expect(valueOf(families, name)).toBeLessThan(Math.max(earliest[i]!, latest[i]!) + 0.2);
    }
    const busy = valueOf(families, 'tomcat_threads_busy_threads', {
      name: `http-${new URL(service.url).port}`,
    });
    expect(busy).toBe(valueOf(families, 'nodejs_eventloop_utilization'));
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
    const [count, sum] = [await read('count'), await read('sum')];
    await send();
    expect((await read('count')) - count).toBe(1);
    expect((await read('sum')) - sum).toBeGreaterThan(0);
    expect(await read('max')).toBeGreaterThan(0);
    const families = await peek(service);
    for (const { labels: all } of families.get('http_server_requests_seconds')!.samples)
      expect(all['error']).toBe(all['exception']); // as Micrometer does
  });

  it('times requests in seconds', async () => {
    const slow = await service.account();
    const path = '/api/users/me';
    const labels = { uri: path, status: '200' };
    const read = async (name: string, of: Labels = labels): Promise<number> =>
      valueOf(await peek(service), `http_server_requests_${name}`, of) ?? 0;
    const within = async (seconds: string): Promise<number> =>
      read('seconds_bucket', { ...labels, le: seconds });
    const [before, quick, all] = [await read('seconds_sum'), await within('0.25'), await within('10')];
    const startedAt = performance.now();
    const elapsed = (): number => (performance.now() - startedAt) / 1000;
    const expectSeconds = (seconds: number): void => {
      expect(seconds).toBeGreaterThanOrEqual(0.3);
      expect(seconds).toBeLessThan(elapsed());
    };
    const lock = await Lock.take(service, 'LOCK TABLE users IN ACCESS EXCLUSIVE MODE', []);
    const answer = slow.get(path);
    await lock.waitedForBy(1);
    await until(async () => (await read('active_seconds_sum', { method: 'GET' })) > 0.3);
    expectSeconds(await read('active_seconds_max', { method: 'GET' }));
    await lock.release();
    expect((await answer).status).toBe(200);
    expectSeconds((await read('seconds_sum')) - before);
    expectSeconds(await read('seconds_max'));
    expect([(await within('0.25')) - quick, (await within('10')) - all]).toEqual([0, 1]);
  });

  it('has cumulative buckets from 5 ms to 10 s', async () => {
    await user.get('/api/users/me');
    const samples = (await peek(service))
      .get('http_server_requests_seconds')!
      .samples.filter(({ labels }) => labels['uri'] === '/api/users/me' && labels['status'] === '200');
    const buckets = samples.filter(({ labels }) => labels['le'] !== undefined);
    const bounds = '0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10 +Inf';
    expect(buckets.map(({ labels }) => labels['le']).join(' ')).toBe(bounds);
    const values = buckets.map(({ value }) => value);
    expect(values).toEqual(values.toSorted((a, b) => a - b));
    expect(values.at(-1)).toBe(samples.find(({ name }) => name.endsWith('_count'))?.value);
  });

  it('has no more series after more requests with other paths, ids and methods', async () => {
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

  it('counts the lines that the log level admits', async () => {
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

  const start = async (acquireTimeout: string): Promise<void> => {
    startedAt = performance.now();
    service = await startService({ DB_POOL_SIZE: '2', DB_ACQUIRE_TIMEOUT: acquireTimeout });
    user = await service.account('USER');
  };

  const secondsOfTest = (): number => (performance.now() - startedAt) / 1000;
  const pool = async (name: string): Promise<number | undefined> =>
    valueOf(await peek(service), `hikaricp_connections${name}`);

  it('count open, taken and awaited connections', async () => {
    await start('30s');
    const pg = service.app.get(Database).pool;
    const taken = [await pg.connect(), await pg.connect()];
    const waiting = user.get('/api/properties');
    await until(async () => (await pool('_pending')) === 1);
    expect(await Promise.all(['', '_active', '_idle', '_max', '_min'].map(pool))).toEqual([2, 2, 0, 2, 0]);
    const active = async (): Promise<number> =>
      valueOf(await peek(service), 'http_server_requests_active_seconds_count', { method: 'GET' })!;
    expect(await active()).toBe(1);
    for (const client of taken) client.release();
    expect((await waiting).status).toBe(200);
    expect(await Promise.all(['', '_active', '_idle', '_pending'].map(pool))).toEqual([2, 0, 2, 0]);
    await until(async () => (await active()) === 0);
  });

  it('count and time connections that the service and TypeORM hold', async () => {
    await start('30s');
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

  it('count waits that time out', async () => {
    await start('50ms');
    const pg = service.app.get(Database).pool;
    const taken = [await pg.connect(), await pg.connect()];
    expect(await pool('_timeout_total')).toBe(0);
    const before = await pool('_acquire_seconds_count');
    expect((await user.get('/api/properties')).status).toBe(503);
    for (const client of taken) client.release();
    expect(await pool('_timeout_total')).toBe(1);
    expect(await pool('_acquire_seconds_count')).toBe(before);
  });

  it('are zero while the database is away', async () => {
    const app = await createApp(testSettings('postgres://nobody@127.0.0.1:1/nothing'));
    const families = await peek({ app });
    await app.close();
    for (const { name } of NAMES.filter((metric) => metric.name.startsWith('hikaricp_'))) {
      expect(families.get(name)?.samples).not.toHaveLength(0);
      for (const { value } of families.get(name)?.samples ?? [])
        expect(value).toBe(name === 'hikaricp_connections_max' ? 10 : 0);
    }
  });

  it('count a request whose client left under the status UNKNOWN', async () => {
    await start('30s');
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
  it('share those of the process alone', async () => {
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
