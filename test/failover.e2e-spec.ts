import { Tokens } from '../src/auth/tokens.js';
import { LedgerClient, connectTo } from '../src/database/client.js';
import { migrate } from '../src/database/migrate.js';
import { Servers } from '../src/database/servers.js';
import { cli } from './support/cli.js';
import { Client } from './support/client.js';
import { DatabaseProxy } from './support/database-proxy.js';
import { propertyRequest } from './support/factories.js';
import { LogLines } from './support/log-lines.js';
import { PostgresServer } from './support/postgres-server.js';
import { type Service, startService } from './support/service.js';
import { TEST_SECRET, testSettings } from './support/settings.js';
import { until } from './support/until.js';

const ACCOUNT = `INSERT INTO users (id, email, username, password_hash, role)
                 VALUES (1, 'ada@example.com', 'ada', '$2b$10$' || repeat('.', 53), 'USER')`;

/** Both by way of a proxy, with the ports that a list of hosts tells apart. */
function listOf(...proxies: string[]): string {
  const hosts = proxies.map((url) => new URL(url).host).join(',');
  return `postgres://postgres:unused@${hosts}/ledger`;
}

describe('two servers, one of which takes writes', () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  let toPrimary: DatabaseProxy;
  let toStandby: DatabaseProxy;
  let log: LogLines;
  let service: Service;
  let owner: Client;

  beforeAll(async () => {
    primary = await PostgresServer.start();
    await migrate(testSettings(primary.url).database);
    await primary.sql(ACCOUNT);
    standby = await primary.follower('second');
    [toPrimary, toStandby] = [await DatabaseProxy.open(), await DatabaseProxy.open()];
    log = new LogLines();
    const env = { DB_URL: list(), DB_POOL_SIZE: '4', LOG_LEVEL: 'info' };
    service = await startService(env, primary.url);
    owner = new Client(service.url, service.app.get(Tokens).issue({ id: '1', role: 'USER' }));
  });

  /** The standby comes first. */
  const list = (): string => listOf(toStandby.url(standby.url), toPrimary.url(primary.url));
  /** The standby was promoted: each test begins with a primary and a standby that follows it. */
  const changeRoles = async (): Promise<void> => {
    await standby.adopt(primary, 'second');
    [primary, standby] = [standby, primary];
    [toPrimary, toStandby] = [toStandby, toPrimary];
  };
  const connectionsTo = async (server: PostgresServer): Promise<number> =>
    (
      await server.sql(
        `SELECT FROM pg_stat_activity WHERE application_name IN ('property-finance', 'property-finance health')`,
      )
    ).length;
  const readiness = async (): Promise<number> =>
    (await service.anonymous.get('/actuator/health/readiness')).status;
  const create = async (): Promise<number> => (await owner.post('/api/properties', propertyRequest())).status;
  const createEight = (): Promise<number[]> => Promise.all(Array.from({ length: 8 }, create));

  const doctor = async (url = list()): Promise<string> =>
    (
      await cli(['doctor'], { env: { DB_URL: url, DB_PASSWORD: 'unused', JWT_SECRET: TEST_SECRET } })
    ).out.join('\n');

  it('writes to the one that does, wherever it stands in the list', async () => {
    expect(await createEight()).toEqual(Array(8).fill(200));
    expect(await readiness()).toBe(200);
    expect(await connectionsTo(standby)).toBe(0);
    expect(await connectionsTo(primary)).toBeGreaterThan(1);
  });

  it('is told by the doctor with what each is', async () => {
    const found = await doctor();
    expect(found).toMatch(
      /^ok +servers +127\.0\.0\.1:\d+: a standby, 0 s behind\nok +servers +127\.0\.0\.1:\d+: the primary$/m,
    );
    expect(found).toMatch(/^ok +database +PostgreSQL/m);
    expect(found).not.toMatch(/^FAIL/m);
  });

  it('is told by the doctor with what is wrong with each', async () => {
    const found = await doctor(listOf(toStandby.url(standby.url), 'http://127.0.0.1:1'));
    expect(found).toMatch(/^warn +servers +127\.0\.0\.1:1: connection-refused\n +→ start PostgreSQL/m);
    expect(found).toMatch(
      /^FAIL +database +no server takes writes: 127\.0\.0\.1:\d+ read-only, 127\.0\.0\.1:1 connection-refused$/m,
    );
    expect(found).not.toContain('unused');
  });

  it('works with the command-line tool and the migration', async () => {
    const env = { DB_URL: list(), DB_PASSWORD: 'unused', JWT_SECRET: TEST_SECRET };
    expect((await cli(['db', 'migrate'], { env })).out).toEqual(['The schema is up to date']);
    expect((await cli(['db', 'recount', '--check'], { env })).out).toEqual(['All totals are right']);
    expect((await cli(['user', 'list'], { env })).out.join('\n')).toContain('ada');
  });

  it('tries the next one in time when the first one is a black hole', async () => {
    const servers = new Servers(testSettings(list()).database.url, 1000);
    toStandby.swallow();
    try {
      const begin = performance.now();
      const client = await connectTo(servers, () => new LedgerClient({ servers }));
      expect(performance.now() - begin).toBeLessThan(1000);
      expect(client.server?.name).toBe(new URL(toPrimary.url(primary.url)).host);
      await client.end();
    } finally {
      toStandby.heal();
    }
  });

  it('waits for the standby to take over, moves there, and leaves none behind', async () => {
    log.clear();
    process.kill(primary.postmaster!, 'SIGKILL');
    const waiting = owner.get('/api/properties');
    const errors = await cli(['db', 'status'], { env: { DB_URL: list(), DB_PASSWORD: 'unused' } });
    expect(errors.err.join('\n')).toMatch(
      /no server takes writes: .* read-only, .* connection-(refused|lost)/,
    );
    await standby.sql('SELECT pg_promote()');
    await until(async () => (await create()) === 200);
    expect([200, 503]).toContain((await waiting).status);
    await until(async () => (await readiness()) === 200);
    const moved = log.at('info').filter(({ msg }) => msg?.includes('another server'));
    expect(moved).toMatchObject([{ server: new URL(toStandby.url(standby.url)).host }]);

    await changeRoles();
    expect(await createEight()).toEqual(Array(8).fill(200));
    expect(await connectionsTo(standby)).toBe(0);
    expect(log.at('error')).toEqual([]);
  });

  it('leaves a server that only reads from now on, without waiting for a write', async () => {
    await createEight();
    await until(async () => (await connectionsTo(primary)) > 1);
    await standby.sql('SELECT pg_promote()'); // both take writes for a moment
    await primary.sql('ALTER SYSTEM SET default_transaction_read_only = on');
    await primary.sql('SELECT pg_reload_conf()');
    await until(async () => (await create()) === 200);
    await until(async () => (await readiness()) === 200 && (await connectionsTo(primary)) === 0);
    expect(await doctor()).toMatch(/a primary that only reads/);
    await primary.sql('ALTER SYSTEM RESET default_transaction_read_only');
    await primary.sql('SELECT pg_reload_conf()');
    await until(async () => /FAIL +servers +.* both take writes/.test(await doctor()));
    await primary.stop();
    await changeRoles();
  });
});

describe('the choice among servers', () => {
  const [A, B, C] = ['a:5432', 'b:5432', 'c:5432'];
  const servers = (): Servers =>
    new Servers(
      'postgres://localhost/n?host=a,b,c&port=5432,5432,5432&target_session_attrs=read-write',
      3000,
    );
  const refused = (): Error => Object.assign(new Error('x'), { code: 'ECONNREFUSED' });

  it('gives each its part of the time', () => {
    expect(servers().connectTimeout).toBe(1000);
  });

  it('begins with the first, and stays with the one that was good', () => {
    const all = servers();
    const [a, b] = [all.next()!, all.next()!];
    expect([a.name, b.name]).toEqual([A, A]); // nothing speaks against it
    all.failed(a, refused());
    const next = all.next()!;
    expect(next.name).toBe(B);
    all.succeeded(next);
    expect(all.next()?.name).toBe(B);
    expect(all.isCurrent(a)).toBe(false);
  });

  it('tries every one before one again, and one that was of no use one at a time', () => {
    jest.useFakeTimers({ doNotFake: ['nextTick'] });
    const all = servers();
    for (const name of [A, B, C]) {
      const server = all.next()!;
      expect(server.name).toBe(name);
      all.failed(server, refused());
      jest.advanceTimersByTime(10);
    }
    expect(all.next()).toBeUndefined();
    expect(all.none().message).toBe(
      `no server takes writes: ${[A, B, C].map((name) => `${name} connection-refused`).join(', ')}`,
    );
    jest.advanceTimersByTime(100);
    expect([all.next()?.name, all.next()?.name, all.next()?.name, all.next()]).toEqual([A, B, C, undefined]);
    jest.useRealTimers();
  });
});
