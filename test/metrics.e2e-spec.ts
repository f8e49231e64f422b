import fs from 'node:fs';
import os from 'node:os';
import { performance } from 'node:perf_hooks';
import v8 from 'node:v8';
import { Registry } from 'prom-client';
import { type Logger, LOGGER } from '../src/config/logger.js';
import { Connections } from '../src/database/connections.js';
import { Database } from '../src/database/database.js';
import { NOBODY } from '../src/database/shares.js';
import { type Client } from './support/client.js';
import { type Families, type Labels, parseExposition, valueOf } from './support/exposition.js';
import { collectGarbage } from './support/garbage.js';
import { Lock } from './support/locks.js';
import { type Account, Service, startService } from './support/service.js';
import { until } from './support/until.js';
import { Wire } from './support/wire.js';

const PATH = '/actuator/prometheus';

const scrape = async (admin: Client): Promise<Families> => parseExposition((await admin.get(PATH)).text);

/** The metrics without a scrape, which takes a connection itself. */
async function peek({ app }: Pick<Service, 'app'>): Promise<Families> {
  return parseExposition(await app.get<Registry>(Registry).metrics());
}

const readFrom = async (service: Service, name: string, labels: Labels = {}): Promise<number> =>
  valueOf(await peek(service), name, labels) ?? 0;

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

const OLD_SPACE = { area: 'heap', id: 'old_space' };
const CODE = { area: 'nonheap', id: 'code' };
const EXTERNAL = { area: 'nonheap', id: 'external' };

const space = (name: string): v8.HeapSpaceInfo =>
  v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === name)!;
const disk = (): fs.StatsFs => fs.statfsSync('.');
const entries = (folder: string) => (): number => fs.readdirSync(folder).length;
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

  const read = (name: string, labels?: Labels): Promise<number> => readFrom(service, name, labels);

  describe('a scrape', () => {
    let families: Families;
    beforeAll(async () => {
      await service.anonymous.get('/actuator/health');
      const response = await admin.get(PATH);
      expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
      families = parseExposition(response.text);
    });

    it.each(NAMES)('has $name, a $type, with the labels $labels', ({ name, type, labels }) => {
      const { samples = [], ...family } = families.get(name) ?? {};
      expect([family, samples.length > 0]).toEqual([{ type }, true]);
      for (const all of samples.map((sample) => new Set(Object.keys(sample.labels)).add('le')))
        expect([...all].sort()).toEqual(['application', 'le', ...labels].sort());
    });

    it('has the name of the application in every series', () => {
      const samples = [...families.values()].flatMap((family) => family.samples);
      expect(new Set(samples.map(({ labels }) => labels['application']))).toEqual(new Set(['ledger "one"']));
    });

    it('has every log level, both kinds of collection, the loaded modules and the times of hashes from the start', () => {
      const values = (name: string, label: string): unknown[] =>
        families.get(name)!.samples.map(({ labels }) => labels[label]);
      expect(values('logback_events_total', 'level')).toEqual(['error', 'warn', 'info', 'debug', 'trace']);
      expect(values('jvm_gc_pause_seconds_max', 'action')).toEqual(
        expect.arrayContaining(['end of minor GC', 'end of major GC']),
      );
      expect(valueOf(families, 'jvm_classes_loaded_classes')).toBeGreaterThan(300);
      const bounds = words('0.025 0.05 0.075 0.1 0.15 0.25 0.5 1 2.5 +Inf');
      expect(values('bcrypt_hash_seconds', 'le').filter((bound) => bound !== undefined)).toEqual(bounds);
    });
  });

  it('have the event loop lag in simultaneous scrapes', async () => {
    for (const families of await Promise.all([scrape(admin), scrape(admin), scrape(admin)])) {
      expect(valueOf(families, 'nodejs_eventloop_lag_min_seconds')).toBeLessThan(60);
      expect(valueOf(families, 'nodejs_eventloop_lag_mean_seconds')).toBeGreaterThan(0);
    }
  });

  it.each<[name: string, labels: Labels, expected: () => number, tolerance: number]>([
    ['jvm_memory_used_bytes', OLD_SPACE, () => space('old_space').space_used_size, 0.2],
    ['jvm_memory_committed_bytes', OLD_SPACE, () => space('old_space').space_size, 0.2],
    ['jvm_memory_max_bytes', OLD_SPACE, () => v8.getHeapStatistics().heap_size_limit, 0],
    ['jvm_memory_max_bytes', { area: 'heap', id: 'new_space' }, () => -1, 0],
    ['jvm_memory_used_bytes', CODE, () => space('code_space').space_used_size, 0.3],
    ['jvm_memory_committed_bytes', CODE, () => v8.getHeapStatistics().total_heap_size_executable, 0.3],
    ['jvm_memory_used_bytes', EXTERNAL, () => process.memoryUsage().external, 0.3],
    ['jvm_memory_committed_bytes', EXTERNAL, () => process.memoryUsage().external, 0.3],
    ['jvm_threads_live_threads', {}, entries('/proc/self/task'), 0.3],
    ['tomcat_threads_config_max_threads', {}, () => 1 + service.settings.threadPoolSize, 0],
    ['tomcat_threads_current_threads', {}, () => 1 + service.settings.threadPoolSize, 0],
    ['process_files_open_files', {}, entries('/proc/self/fd'), 0.3],
    ['process_files_max_files', {}, softLimitOfFiles, 0],
    ['process_uptime_seconds', {}, () => process.uptime(), 0.1],
    ['system_cpu_count', {}, () => os.availableParallelism(), 0],
    ['system_load_average_1m', {}, () => os.loadavg()[0]!, 0.2],
    ['disk_total_bytes', {}, () => disk().blocks * disk().bsize, 0],
    ['disk_free_bytes', {}, () => disk().bavail * disk().bsize, 0.1],
  ])('have %s %j as the system reports it', async (name, labels, expected, tolerance) => {
    const before = expected();
    const value = await read(name, labels);
    const bounds = [before, expected()].flatMap((real) => [real * (1 - tolerance), real * (1 + tolerance)]);
    expect(value).toBeGreaterThanOrEqual(Math.min(...bounds));
    expect(value).toBeLessThanOrEqual(Math.max(...bounds));
  });

  it('have no sizes of a disk that cannot be read any more', async () => {
    expect(await read('disk_free_bytes')).toBeGreaterThan(0);
    jest.spyOn(fs.promises, 'statfs').mockRejectedValue(new Error('EIO'));
    expect(valueOf(await peek(service), 'disk_free_bytes')).toBeUndefined();
  });

  it('have the load of processors and event loop since the last scrape', async () => {
    const [start, cpu, loop, past] = [
      performance.now(),
      process.cpuUsage(),
      performance.eventLoopUtilization(),
      1e12,
    ];
    let passed = 0; // milliseconds of a clock that stands still while the counters are read
    const share = (part: number): number => passed * part;
    const own = (): number => share(125) * os.availableParallelism(); // microseconds
    const times = (): os.CpuInfo['times'] => ({
      ...{ user: share(0.1), nice: share(0.1), sys: share(0.1), irq: share(0.1), idle: past + share(0.6) },
    });
    const busyLoop = () => ({
      active: loop.active + share(0.5),
      idle: loop.idle + share(0.5),
      utilization: 0.5,
    });
    jest.spyOn(performance, 'now').mockImplementation(() => start + passed);
    jest
      .spyOn(process, 'cpuUsage')
      .mockImplementation(() => ({ user: cpu.user + own(), system: cpu.system + own() }));
    jest.spyOn(os, 'cpus').mockImplementation(() => [{ model: '', speed: 0, times: times() }]);
    jest.spyOn(performance, 'eventLoopUtilization').mockImplementation(busyLoop);
    let families: Families = new Map();
    for (const wait of [110, 110, 0]) {
      passed += wait; // at once, a scrape repeats the last
      families = await peek(service);
    }
    const shares = { process_cpu_usage: 0.25, system_cpu_usage: 0.4, nodejs_eventloop_utilization: 0.5 };
    for (const [name, value] of Object.entries({ ...shares, tomcat_threads_busy_threads: 0.5 }))
      expect([name, valueOf(families, name)]).toEqual([name, expect.closeTo(value, 6)]);
  });

  it('count a collection of garbage', async () => {
    const forced = { action: 'end of major GC', cause: 'forced' };
    const pauses = async (what: string): Promise<number> => read(`jvm_gc_pause_seconds_${what}`, forced);
    const before = { count: await pauses('count'), sum: await pauses('sum') };
    const start = performance.now();
    collectGarbage();
    const seconds = (performance.now() - start) / 1000;
    await until(async () => (await pauses('count')) > before.count);
    const pause = (await pauses('sum')) - before.sum;
    expect(pause).toBeGreaterThan(seconds / 1000);
    expect(pause).toBeLessThanOrEqual(seconds);
    expect(await pauses('max')).toBeGreaterThan(pause * 0.999); // an earlier one may have been longer
  });

  it.each([
    ['user GET /api/users/me', 'GET /api/users/me 200 SUCCESS none'],
    ['user GET /api/properties/999999', 'GET /api/properties/{id} 404 CLIENT_ERROR not-found'],
    ['user GET /no/such/path', 'GET /** 404 CLIENT_ERROR not-found'],
    ['user PATCH /api/properties', 'PATCH /** 405 CLIENT_ERROR method-not-allowed'],
    ['user PROPFIND /api/properties', 'OTHER /** 405 CLIENT_ERROR method-not-allowed'],
    ['anonymous GET /api/users/me', 'GET /api/users/me 401 CLIENT_ERROR authentication-required'],
    ['anonymous HEAD /actuator/health/liveness', 'HEAD /actuator/health/liveness 200 SUCCESS none'],
  ])('count and time the request %s as %s', async (request, series) => {
    const [who, sentMethod = '', path = ''] = request.split(' ');
    const [method = '', uri = '', status = '', outcome = '', exception = ''] = series.split(' ');
    const labels = { method, uri, status, outcome, exception, error: exception }; // as Micrometer has it
    const requests = (what: string): Promise<number> => read(`http_server_requests_seconds_${what}`, labels);
    const [count, sum] = [await requests('count'), await requests('sum')];
    await (who === 'user' ? user : service.anonymous).send(sentMethod, path);
    expect((await requests('count')) - count).toBe(1);
    expect((await requests('sum')) - sum).toBeGreaterThan(0);
    expect(await requests('max')).toBeGreaterThan(0);
  });

  it('count a request that cannot be read under the method UNKNOWN', async () => {
    const labels = { method: 'UNKNOWN', uri: 'UNKNOWN', status: '400', outcome: 'CLIENT_ERROR' };
    const wire = (await Wire.open(service.url)).send('nonsense\r\n\r\n');
    expect((await wire.response()).status).toBe(400);
    await until(async () => (await read('http_server_requests_seconds_count', labels)) === 1);
  });

  it('time requests in seconds, in cumulative buckets from 5 ms to 10 s', async () => {
    const path = '/api/users/me';
    const active = { method: 'GET' };
    /** Bound → count of the requests that have been answered. */
    const buckets = async (): Promise<Map<string, number>> => {
      const { samples } = (await peek(service)).get('http_server_requests_seconds')!;
      const found = samples.filter(({ labels }) => labels['uri'] === path && labels['status'] === '200');
      return new Map(
        found.map(({ labels, name, value }) => [labels['le'] ?? name.replace(/.*_/, ''), value]),
      );
    };
    const slow = await service.account(); // whom no look-up has found yet
    await user.get(path);
    const before = await buckets();
    const start = performance.now();
    const expectSeconds = (seconds: number): void => {
      expect(seconds).toBeGreaterThanOrEqual(0.3);
      expect(seconds).toBeLessThan((performance.now() - start) / 1000);
    };
    const lock = await Lock.take(service, 'LOCK TABLE users IN ACCESS EXCLUSIVE MODE', []);
    const response = slow.get(path);
    await lock.waitedForBy(1);
    await until(async () => (await read('http_server_requests_active_seconds_sum', active)) > 0.3);
    expectSeconds(await read('http_server_requests_active_seconds_max', active));
    await lock.release();
    expect((await response).status).toBe(200);
    const after = await buckets();
    const added = (bound: string): number => after.get(bound)! - before.get(bound)!;
    expectSeconds(added('sum'));
    await slow.get(path); // a quick one, which leaves the maximum
    expectSeconds(await read('http_server_requests_seconds_max', { uri: path, status: '200' }));
    expect([...after.keys()].join(' ')).toBe('0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10 +Inf sum count');
    expect(['0.005', '0.25', '10', '+Inf', 'count'].map(added)).toEqual([0, 0, 1, 1, 1]);
  });

  it('have no more series after requests with other paths, ids and methods', async () => {
    const traffic = async (round: number): Promise<void> => {
      for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'PROPFIND', 'MKCOL', 'REPORT'])
        for (const path of [`/api/properties/${round}`, `/nothing/${round}/${method}?q=${round}`]) {
          await user.send(method, path);
          await service.anonymous.send(method, path);
        }
    };
    /** Those that depend on requests, and not on handles and collections of the process. */
    const series = async (): Promise<string[]> =>
      [...(await scrape(admin)).values()]
        .flatMap(({ samples }) => samples.map(({ name, labels }) => name + JSON.stringify(labels)))
        .filter((one) => !/^(nodejs_active|nodejs_gc|jvm_gc)_/.test(one))
        .sort();
    await traffic(1000);
    await scrape(admin);
    const before = await series();
    for (const round of [1001, 1002]) await traffic(round);
    expect(await series()).toEqual(before);
  });

  it('count the lines that the log level admits', async () => {
    const lines = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    const logging = await startService({ LOG_LEVEL: 'warn' }, service.settings.database.url);
    const logger = logging.app.get<Logger>(LOGGER);
    for (const level of ['fatal', 'error', 'info'] as const) logger[level](level);
    logger.child({ request: 1 }).warn('warn');
    const written = lines.mock.calls.length;
    lines.mockRestore();
    const { samples } = (await peek(logging)).get('logback_events_total')!;
    const counts = Object.fromEntries(samples.map(({ labels, value }) => [labels['level']!, value]));
    expect([written, counts]).toEqual([3, { error: 2, warn: 1, info: 0, debug: 0, trace: 0 }]);
  });
});

describe('metrics of the pool', () => {
  let service: Service;
  let user: Account;
  let startedAt: number;

  beforeEach(async () => {
    startedAt = performance.now();
    service = await startService({ DB_POOL_SIZE: '2' });
    user = await service.account('USER');
  });

  /** The values of these metrics together. */
  const pool = async (...names: string[]): Promise<(number | undefined)[]> => {
    const families = await peek(service);
    return names.map((name) => valueOf(families, `hikaricp_connections${name}`));
  };
  const requests = (name: string, labels: Labels): Promise<number> =>
    readFrom(service, `http_server_requests_${name}`, labels);
  /** Takes both connections of the pool, and returns what gives them back. */
  const exhaust = async (): Promise<() => void> => {
    const { pool } = service.app.get(Connections);
    const taken = [await pool.connect(), await pool.connect()];
    return () => taken.forEach((client) => client.release());
  };

  it('count open, taken and awaited connections', async () => {
    const giveBack = await exhaust();
    const waiting = [1, 2, 3].map(() => user.get('/api/properties'));
    await until(async () => (await pool('_pending'))[0] === 1); // the others wait for the account's share
    await until(async () => (await requests('active_seconds_count', { method: 'GET' })) === 3);
    expect(await pool('', '_active', '_idle', '_max', '_min')).toEqual([2, 2, 0, 2, 0]);
    let busy = 0;
    // The event loop is busy for a part of its time, once that has been measured.
    await until(
      async () => !Number.isInteger((busy = await readFrom(service, 'tomcat_threads_busy_threads'))),
    );
    expect(Math.floor(busy)).toBe(2);
    giveBack();
    for (const response of waiting) expect((await response).status).toBe(200);
    expect(await pool('', '_active', '_idle', '_pending')).toEqual([2, 0, 2, 0]);
    await until(async () => (await requests('active_seconds_count', { method: 'GET' })) === 0);
  });

  it('count and time connections that the service holds', async () => {
    await user.get('/api/properties');
    const [before] = await pool('_acquire_seconds_count');
    expect(before).toBeGreaterThan(0);
    await service.app.get(Database).read(NOBODY, { text: 'SELECT pg_sleep(0.05)' }, []);
    const counts = ['_acquire_seconds_count', '_usage_seconds_count', '_creation_seconds_count', ''];
    const [acquired, used, created, open] = await pool(...counts);
    expect([acquired, used, created]).toEqual([before! + 1, acquired, open]);
    for (const [what, least] of Object.entries({ acquire: 0.0001, usage: 0.05, creation: 0.0001 })) {
      const [max, sum] = await pool(`_${what}_seconds_max`, `_${what}_seconds_sum`);
      expect(max).toBeGreaterThanOrEqual(least);
      expect(sum).toBeGreaterThanOrEqual(max!);
      expect(sum).toBeLessThan((2 * (performance.now() - startedAt)) / 1000);
    }
  });

  it('count waits that time out', async () => {
    const giveBack = await exhaust();
    service.app.get(Connections).pool.options.connectionTimeoutMillis = 50;
    const [timeouts, acquired] = await pool('_timeout_total', '_acquire_seconds_count');
    expect((await user.get('/api/properties')).status).toBe(503);
    giveBack();
    expect([timeouts, ...(await pool('_timeout_total', '_acquire_seconds_count'))]).toEqual([0, 1, acquired]);
  });

  it('are zero while the database is away', async () => {
    const families = await peek(await Service.at('postgres://nobody@127.0.0.1:1/nothing'));
    for (const { name } of NAMES.filter((metric) => metric.name.startsWith('hikaricp_'))) {
      const values = new Set(families.get(name)!.samples.map(({ value }) => value));
      expect([name, ...values]).toEqual([name, name === 'hikaricp_connections_max' ? 10 : 0]);
    }
  });

  it('count a request whose client left under the status UNKNOWN', async () => {
    const giveBack = await exhaust();
    const controller = new AbortController();
    const headers = { authorization: `Bearer ${user.token!}` };
    const left = fetch(`${service.url}/api/properties`, { headers, signal: controller.signal });
    await until(async () => (await pool('_pending'))[0] === 1);
    controller.abort();
    await expect(left).rejects.toThrow();
    const gone = { uri: '/api/properties', status: 'UNKNOWN', outcome: 'UNKNOWN' };
    await until(async () => (await requests('seconds_count', gone)) === 1);
    giveBack();
  });
});
