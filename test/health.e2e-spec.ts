import { type StatsFs, statfsSync } from 'node:fs';
import fs from 'node:fs/promises';
import { Availability } from '../src/actuator/availability.js';
import type { Health } from '../src/actuator/health/health.response.js';
import { Database } from '../src/database/database.js';
import { expectProblem } from './support/answers.js';
import { type Answer, Client } from './support/client.js';
import { createDatabase, createEmptyDatabase } from './support/database.js';
import { DatabaseProxy } from './support/database-proxy.js';
import { Launched } from './support/launched.js';
import { type Account, type Service, startService } from './support/service.js';
import { until } from './support/until.js';

const AGGREGATE = '/actuator/health';
const LIVENESS = '/actuator/health/liveness';
const READINESS = '/actuator/health/readiness';
const PATHS = [AGGREGATE, LIVENESS, READINESS];

const ANY_NUMBER = expect.any(Number) as unknown;
const ANY_TEXT = expect.any(String) as unknown;
const UP = { status: 'UP' };
const DB_UP = {
  status: 'UP',
  details: {
    database: 'PostgreSQL',
    version: expect.stringMatching(/^\d+/) as unknown,
    validationQuery: ANY_TEXT,
  },
};
const COMPONENTS = {
  db: DB_UP,
  diskSpace: {
    status: 'UP',
    details: {
      total: ANY_NUMBER,
      free: ANY_NUMBER,
      threshold: 10 * 1024 * 1024,
      path: process.cwd(),
      exists: true,
    },
  },
  livenessState: UP,
  ping: UP,
  readinessState: UP,
};

/** The longest a probe may take: one second for the database, and something for a busy machine. */
const PROBE_LIMIT = 4000;

function expectState(answer: Answer, status: number, text: string): void {
  expect({ status: answer.status, type: answer.headers.get('content-type'), text: answer.text }).toEqual({
    status,
    type: expect.stringMatching(/^application\/json\b/) as unknown,
    text,
  });
}

async function expectProbes(
  client: Client,
  expected: Record<string, readonly [number, string]>,
): Promise<void> {
  for (const [path, [status, state]] of Object.entries(expected)) {
    const start = performance.now();
    expectState(await client.get(path), status, `{"status":"${state}"}`);
    expect(performance.now() - start).toBeLessThan(PROBE_LIMIT);
  }
}

const ALL_UP = { [AGGREGATE]: [200, 'UP'], [LIVENESS]: [200, 'UP'], [READINESS]: [200, 'UP'] } as const;
const DATABASE_DOWN = {
  [AGGREGATE]: [503, 'DOWN'],
  [LIVENESS]: [200, 'UP'],
  [READINESS]: [503, 'DOWN'],
} as const;

describe('health', () => {
  let service: Service;
  let user: Account;
  let admin: Account;

  beforeAll(async () => {
    service = await startService();
    [user, admin] = [await service.account('USER'), await service.account('ADMIN')];
  });

  describe.each(PATHS)('%s', (path) => {
    it('tells an anonymous caller and a USER the state and nothing else', async () => {
      for (const caller of [service.anonymous, user])
        expectState(await caller.get(path), 200, '{"status":"UP"}');
    });

    it('takes a caller with a token that is not valid for an anonymous one', async () => {
      const gone = await service.account('ADMIN');
      await service.sql('DELETE FROM users WHERE id = $1', [gone.id]);
      for (const token of [gone.token, 'no.such.token', `${admin.token!}x`])
        expectState(await new Client(service.url, token).get(path), 200, '{"status":"UP"}');
    });

    it('answers HEAD as it answers GET, without the body', async () => {
      const [get, head] = [await service.anonymous.get(path), await service.anonymous.send('HEAD', path)];
      expectState(head, 200, '');
      expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
    });
  });

  it.each([
    { path: AGGREGATE, body: { status: 'UP', components: COMPONENTS, groups: ['liveness', 'readiness'] } },
    { path: LIVENESS, body: { status: 'UP', components: { livenessState: UP } } },
    { path: READINESS, body: { status: 'UP', components: { db: DB_UP, readinessState: UP } } },
  ])('shows ADMIN the components of $path', async ({ path, body }) => {
    const answer = await admin.get(path);
    expect(answer.status).toBe(200);
    expect(answer.json).toStrictEqual(body);
  });

  describe('while the process is being stopped', () => {
    beforeAll(() => void (service.app.get(Availability).draining = true));
    afterAll(() => void (service.app.get(Availability).draining = false));

    it('refuses traffic and is alive', async () => {
      await expectProbes(service.anonymous, {
        [AGGREGATE]: [503, 'OUT_OF_SERVICE'],
        [LIVENESS]: [200, 'UP'],
        [READINESS]: [503, 'OUT_OF_SERVICE'],
      });
    });

    it('shows ADMIN that nothing is down', async () => {
      const answer = await admin.get(READINESS);
      expect(answer.status).toBe(503);
      expect(answer.json).toStrictEqual({
        status: 'OUT_OF_SERVICE',
        components: { db: DB_UP, readinessState: { status: 'OUT_OF_SERVICE' } },
      });
    });
  });

  describe('a disk', () => {
    const THRESHOLD = COMPONENTS.diskSpace.details.threshold;
    let statfs: jest.SpiedFunction<typeof fs.statfs>;
    beforeEach(() => void (statfs = jest.spyOn(fs, 'statfs')));
    afterEach(() => {
      statfs.mockRestore();
      service.app.get(Availability).draining = false;
    });
    const leaves = (bytes: number): StatsFs => Object.assign(statfsSync('.'), { bsize: 1, bavail: bytes });
    const state = async (): Promise<unknown> => {
      const { status, components } = (await admin.get(AGGREGATE)).json as Health;
      return { status, disk: components['diskSpace'] };
    };

    it.each([
      { status: 'DOWN', free: THRESHOLD - 1 },
      { status: 'UP', free: THRESHOLD },
    ])('with $free bytes left is $status', async ({ status, free }) => {
      statfs.mockResolvedValue(leaves(free));
      const disk = { status, details: { ...COMPONENTS.diskSpace.details, free } };
      expect(await state()).toEqual({ status, disk });
    });

    it('that cannot be looked at is DOWN, which concerns no probe', async () => {
      statfs.mockRejectedValue(new Error('ENOENT'));
      const details = { threshold: THRESHOLD, path: process.cwd(), exists: false };
      expect(await state()).toEqual({ status: 'DOWN', disk: { status: 'DOWN', details } });
      await expectProbes(service.anonymous, { ...ALL_UP, [AGGREGATE]: [503, 'DOWN'] });
    });

    it('that is full outweighs that the process is being stopped', async () => {
      statfs.mockResolvedValue(leaves(0));
      service.app.get(Availability).draining = true;
      await expectProbes(service.anonymous, {
        [AGGREGATE]: [503, 'DOWN'],
        [READINESS]: [503, 'OUT_OF_SERVICE'],
      });
    });
  });

  describe('the connection of the database check', () => {
    const connections = async ({ url } = service.settings.database): Promise<number[]> => {
      const rows = await service.sql<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE datname = $1 AND application_name = 'property-finance health'`,
        [new URL(url).pathname.slice(1)],
      );
      return rows.map(({ pid }) => pid);
    };

    it('is one, however many ask at once', async () => {
      const before = (await connections()).length;
      const other = await startService({}, service.settings.database.url);
      const answers = await Promise.all(Array.from({ length: 40 }, () => other.anonymous.get(READINESS)));
      for (const answer of answers) expectState(answer, 200, '{"status":"UP"}');
      expect(await connections()).toHaveLength(before + 1);
      await other.stop();
      await until(async () => (await connections()).length === before);
    });

    it('is kept between the checks, and opened anew at once when it has been broken', async () => {
      await expectProbes(service.anonymous, ALL_UP);
      const [kept] = await connections();
      await expectProbes(service.anonymous, ALL_UP);
      expect(await connections()).toEqual([kept]);
      await service.sql('SELECT pg_terminate_backend($1::integer)', [kept]);
      await expectProbes(service.anonymous, ALL_UP);
      const [opened] = await connections();
      expect(opened).not.toBe(kept);
    });

    it('is not kept during the start, for which a pooler may have no other', async () => {
      const starting = await Launched.at(await createEmptyDatabase(), { DB_MIGRATE: 'false' });
      expectState(await starting.anonymous.get(READINESS), 503, '{"status":"DOWN"}');
      await until(async () => (await connections(starting.settings.database)).length === 0);
      await starting.stop();
    });
  });

  it('does not take an exhausted pool for a database that is away', async () => {
    const small = await startService(
      { DB_POOL_SIZE: '1', DB_ACQUIRE_TIMEOUT: '50ms' },
      service.settings.database.url,
    );
    const taken = await small.app.get(Database).pool!.connect();
    expectProblem(await new Client(small.url, user.token).get('/api/properties'), 503, 'service-unavailable');
    await expectProbes(small.anonymous, ALL_UP);
    taken.release();
    await small.stop();
  });
});

describe('health without a database', () => {
  let direct: Service;
  let proxy: DatabaseProxy;
  let service: Service;
  let admin: Client;

  beforeAll(async () => {
    direct = await startService(); // makes accounts where the way through the proxy is closed
    proxy = await DatabaseProxy.to(direct.settings.database.url);
    await proxy.reopen();
    service = await startService({}, proxy.url(direct.settings.database.url));
    admin = new Client(service.url, (await direct.account('ADMIN')).token);
  });

  beforeEach(() => proxy.reopen());

  it('turns aggregate and readiness with the database, there and back', async () => {
    await expectProbes(service.anonymous, ALL_UP);
    await proxy.close();
    await expectProbes(service.anonymous, DATABASE_DOWN);
    const head = await service.anonymous.send('HEAD', READINESS);
    expectState(head, 503, '');
    await proxy.reopen();
    await expectProbes(service.anonymous, ALL_UP);
  });

  it('waits no longer than a second for a database that takes connections and says nothing', async () => {
    await proxy.reopen();
    proxy.hang();
    await expectProbes(service.anonymous, DATABASE_DOWN);
    await proxy.reopen();
    await expectProbes(service.anonymous, ALL_UP);
  });

  it('asks once for all who ask meanwhile', async () => {
    await expectProbes(service.anonymous, ALL_UP);
    const before = proxy.countOf('SHOW server_version');
    proxy.slowDown(400);
    const answers = await Promise.all(Array.from({ length: 30 }, () => service.anonymous.get(READINESS)));
    for (const answer of answers) expectState(answer, 200, '{"status":"UP"}');
    expect(proxy.countOf('SHOW server_version') - before).toBeLessThanOrEqual(2);
  });

  it.each([
    { reason: 'connection-refused', happens: () => proxy.refuse() },
    { reason: 'timeout', happens: () => proxy.hang() },
  ])('tells ADMIN the reason $reason, in no words of the driver', async ({ reason, happens }) => {
    await admin.get(AGGREGATE); // a connection of the pool that stays
    await expectProbes(service.anonymous, ALL_UP);
    happens();
    await direct.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'property-finance health'`,
    );
    const answer = await admin.get(READINESS);
    expect(answer.status).toBe(503);
    expect(answer.json).toStrictEqual({
      status: 'DOWN',
      components: {
        db: {
          status: 'DOWN',
          details: { database: 'PostgreSQL', validationQuery: ANY_TEXT, reason },
        },
        readinessState: UP,
      },
    });
  });
});

describe('health of a service that starts without its database', () => {
  let service: Launched;
  let proxy: DatabaseProxy;

  beforeAll(async () => {
    const url = await createDatabase();
    proxy = await DatabaseProxy.to(url);
    service = await Launched.at(proxy.url(url));
  });

  it('is alive, and ready once the database has come', async () => {
    await expectProbes(service.anonymous, DATABASE_DOWN);
    await proxy.reopen();
    expect((await service.anonymous.get(READINESS)).status).toBe(503); // it answers, but has not been prepared
    await service.ready();
    await expectProbes(service.anonymous, ALL_UP);
  });
});
