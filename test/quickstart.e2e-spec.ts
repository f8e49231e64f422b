import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIGRATIONS } from '../migrations/all.js';
import { readPostmaster } from '../src/quickstart/embedded-postgres/postmaster.js';
import { historyOf } from '../src/quickstart/demo/history.js';
import { HOMES } from '../src/quickstart/demo/homes.js';
import { aboutStart, type Quickstart, startQuickstart } from '../src/quickstart/quickstart.js';
import { banner } from '../src/quickstart/banner.js';
import type { Step } from '../src/quickstart/terminal.js';
import { STATUSES } from '../src/transactions/transaction.enums.js';
import { type Page, pageOf } from './support/answers.js';
import { cli } from './support/cli.js';
import { Client } from './support/client.js';
import { Build, type ServiceProcess } from './support/process.js';
import { authIn, signIn } from './support/sign-up.js';

interface Summary {
  readonly status: string;
  readonly date: string;
  readonly dueDate: string | null;
}

const SECOND = 1000;
const DAY = 86_400 * SECOND;
const ENVIRONMENT = {
  PATH: process.env['PATH'],
  PORT: '0',
  // The database and the secret are the quickstart's own, whatever the environment says.
  DB_URL: 'postgres://127.0.0.1:1/other',
  DB_USERNAME: 'somebody',
  JWT_SECRET: 'too short',
};

const stop = async ({ app, database }: Quickstart): Promise<void> => {
  await app.close();
  await database.stop();
};

/** A start, and the titles of its steps. */
async function observed(folder: string): Promise<[Quickstart, string[]]> {
  const steps: string[] = [];
  const step: Step = (title, work) => {
    steps.push(title);
    return work();
  };
  const quickstart = await startQuickstart(folder, ENVIRONMENT, { step });
  return [quickstart, steps];
}

describe('the quickstart', () => {
  let folder: string;
  let first: Quickstart;
  let steps: readonly string[];
  let isStopped = false;

  beforeAll(async () => {
    folder = join(mkdtempSync(join(process.env['TEST_FOLDER']!, 'quickstart test ')), '.data');
    [first, steps] = await observed(folder);
  });
  afterAll(async () => {
    if (!isStopped) await stop(first);
    rmSync(join(folder, '..'), { recursive: true });
  });

  /** With what only the first start tells. */
  const asAtFirst = (later: Quickstart): Quickstart => ({
    ...later,
    accounts: first.accounts,
    migrated: first.migrated,
  });
  const clientOf = async (username: string): Promise<Client> => {
    const account = first.accounts!.find((candidate) => candidate.username === username)!;
    return new Client(first.url, authIn(await signIn(new Client(first.url), account)).accessToken);
  };

  describe('in this process', () => {
    beforeAll(async () => {
      if (!isStopped) return;
      first = asAtFirst(await startQuickstart(folder, ENVIRONMENT));
      isStopped = false;
    });

    it('says what it does at the first start', () => {
      expect(steps).toEqual([
        `Creating a PostgreSQL in ${folder}/ and starting it`,
        'Bringing the schema up to date',
        'Filling in the demo',
      ]);
    });

    it('listens on this machine alone, and keeps its log to warnings', () => {
      expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(first.settings).toMatchObject({ host: '127.0.0.1', logLevel: 'warn' });
    });

    it('keeps its secret in a file that only its owner may read', () => {
      const file = join(folder, 'secret');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readFileSync(file, 'utf8')).toBe(first.settings.jwt.secret);
      expect(first.settings.jwt.secret).toMatch(/^[\w+/]{64}$/);
    });

    it('makes one ADMIN and two owners, each with a password of its own', async () => {
      const accounts = first.accounts!;
      expect(accounts.map(({ username, role }) => `${username} ${role}`)).toEqual([
        'admin ADMIN',
        'olivia USER',
        'marco USER',
      ]);
      expect(new Set(accounts.map(({ password }) => password)).size).toBe(3);
      expect((await (await clientOf('admin')).get('/api/users')).json).toHaveLength(3);
    });

    it('fills in three properties and a year of transactions', async () => {
      const counts = async (username: string): Promise<number[]> => {
        const client = await clientOf(username);
        const lists = ['/api/properties', '/api/transactions'].map((path) => client.get(path));
        return (await Promise.all(lists)).map((answer) => pageOf(answer).totalElements);
      };
      const [cottage = 0, loft = 0, lodge = 0] = HOMES.map((home) => historyOf(home, new Date()).length);
      expect(await counts('olivia')).toEqual([2, cottage + loft]);
      expect(await counts('marco')).toEqual([1, lodge]);
    });

    it('has something for every filter that a newcomer tries', async () => {
      const olivia = await clientOf('olivia');
      const found = async (filters: object): Promise<Page<Summary>> =>
        pageOf(await olivia.post('/api/transactions/search', { ...filters, size: 100 }));
      for (const status of STATUSES) expect((await found({ status })).totalElements).toBeGreaterThan(0);
      expect((await found({ recurring: true, frequency: 'MONTHLY' })).totalElements).toBeGreaterThan(70);
      expect((await found({ category: 'SECURITY_DEPOSIT' })).totalElements).toBeGreaterThan(10);
      expect((await found({ searchTerm: 'zoë' })).totalElements).toBeGreaterThan(0);
      const overdue = await found({ overdue: true });
      expect(new Set(overdue.content.map(({ status }) => status))).toEqual(new Set(['OVERDUE', 'PENDING']));
      for (const { dueDate } of overdue.content) expect(Date.parse(dueDate!)).toBeLessThan(Date.now());
    });

    it('takes the requests that it prints', async () => {
      const about = aboutStart(first, '/a b', new Date('2026-01-15T10:30:00Z'));
      const text = banner(about);
      const lines = text.split('\n').filter((line) => line.includes('curl '));
      expect(lines).toHaveLength(3);
      const bodies = lines.flatMap((line) =>
        [...line.matchAll(/-d '(\{.*?\})' http/g)].map(([, body]) => body!),
      );
      const [credentials, property, transaction, search] = bodies as [string, string, string, string];
      const anonymous = new Client(first.url);
      const signedIn = await anonymous.post('/api/auth/signin', credentials);
      const client = new Client(first.url, authIn(signedIn).accessToken);
      const { id } = (await client.post('/api/properties', property)).json as { id: number };
      const recorded = await client.post('/api/transactions', transaction.replace("'$ID'", String(id)));
      expect(recorded.status).toBe(200);
      const result = pageOf<{ id: number }>(await client.post('/api/transactions/search', search));
      expect(result.content).toMatchObject([{ propertyId: id, date: '2026-01-15T10:30:00.000Z' }]);
      await client.delete(`/api/transactions/${result.content[0]!.id}`);
      expect((await client.delete(`/api/properties/${id}`)).status).toBe(200);

      const later = banner({ ...about, accounts: undefined, migrations: { applied: 5, justNow: 0 } });
      expect(later).toContain('5 applied, none of them just now');
      for (const { password } of first.accounts!) expect(later).not.toContain(password);
      expect(later).toContain(`npm --prefix '/a b' run cli -- --quickstart user set-password olivia`);
      expect(later).toContain(
        `TOKEN=$(npm --prefix '/a b' run --silent cli -- --quickstart token mint --user olivia)`,
      );
    });

    it('says where everything is, what is on and what is off', () => {
      const text = banner(aboutStart(first));
      const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
      expect(text).toMatch(new RegExp(`^\\nProperty Finance Service ${version}: ${first.url}\n`));
      const lines = text.split('\n').map((line) => line.trim().replace(/ {2,}/, ': '));
      expect(lines).toEqual(
        expect.arrayContaining([
          `Reference: ${first.url}/docs`,
          `Health: ${first.url}/actuator/health`,
          `For ADMIN: ${first.url}/api/users, /actuator/info, /actuator/prometheus`,
          `Database: PostgreSQL ${first.database.version} in .data/pg${parseInt(first.database.version)}/, ` +
            `on a socket in ${first.database.socketDir}`,
          `Migrations: ${MIGRATIONS.length} applied, all of them just now`,
          'CORS: off: web pages of other origins may not call (CORS_ALLOWED_ORIGINS)',
          'TLS: off: it belongs in front of the service',
        ]),
      );
      expect(lines.at(-2)).toMatch(/^Ctrl-C stops everything and keeps the data\. .*--reset starts over/);
      expect(text).not.toContain('\u001b');
      expect(text).not.toContain(first.settings.jwt.secret);
      expect(banner(aboutStart(first), (style, part) => `<${style} ${part}>`)).toContain(
        `<cyan ${first.url}>`,
      );
    });

    it.each([
      [{ apiDocs: false, corsAllowedOrigins: [] }, 'Reference   off (API_DOCS)'],
      [{ apiDocs: true, corsAllowedOrigins: ['https://a.example'] }, 'CORS        on for https://a.example'],
    ])('says so of %j', (settings, line) => {
      expect(banner({ ...aboutStart(first), settings })).toContain(`\n  ${line}\n`);
    });

    it('lets the command line work on its database while it runs', async () => {
      const env = { PATH: process.env['PATH'] ?? '' };
      const minted = await cli(['token', 'mint', '--user', 'marco'], { env, dataFolder: folder });
      expect(minted).toMatchObject({
        exitCode: 0,
        err: [expect.stringContaining("the quickstart's database")],
      });
      const me = await new Client(first.url, minted.out[0]).get('/api/users/me');
      expect(me.json).toMatchObject({ username: 'marco' });
      expect((await new Client(first.url).get('/actuator/health/readiness')).status).toBe(200); // it has not stopped it
    });

    it('leaves the command line to the database that is configured, unless it is told otherwise', async () => {
      const options = {
        env: { PATH: process.env['PATH'] ?? '', DB_URL: 'postgres://127.0.0.1:1/other', DB_PASSWORD: 'x' },
        dataFolder: folder,
      };
      expect((await cli(['user', 'list'], options)).err[0]).toContain('connection-refused');
      expect((await cli(['--quickstart', 'user', 'list'], options)).out).toHaveLength(4);
    });

    it('refuses to delete its data while it runs', async () => {
      const env = { ...ENVIRONMENT };
      const marker = join(folder, 'demo');
      const content = readFileSync(marker);
      rmSync(marker); // as if the first start had been interrupted
      await expect(startQuickstart(folder, env)).rejects.toThrow('Another process uses the database');
      expect(existsSync(join(folder, 'secret'))).toBe(true);
      writeFileSync(marker, content);
    });

    it('starts again with what it has, and says no password twice', async () => {
      const before = await countAll();
      await stop(first);
      const [second, said] = await observed(folder);
      expect(said).toEqual(['Starting PostgreSQL', 'Bringing the schema up to date']);
      first = asAtFirst(second);
      expect(await countAll()).toBe(before);
      const again = await startQuickstart(folder, ENVIRONMENT);
      expect(again.accounts).toBeUndefined();
      await stop(again);
      expect(await countAll()).toBe(before); // the one that leaves does not take the database along
    });
  });

  describe('as a process', () => {
    let build: Build;
    const cluster = (): string =>
      join(
        folder,
        readdirSync(folder).find((name) => /^pg\d+$/.test(name))!,
      );
    const serving = async (): Promise<[process: ServiceProcess, postmaster: number]> => {
      const quickstart = build.quickstart(join(folder, '..'), { PATH: process.env['PATH']!, PORT: '0' });
      await quickstart.says(/Ctrl-C stops everything/);
      return [quickstart, readPostmaster(cluster())!.pid];
    };

    beforeAll(async () => {
      build = Build.make();
      await stop(first);
      isStopped = true;
    });

    it('takes over the database of one that was killed, and leaves nothing behind when its terminal is closed', async () => {
      const [killed, postmaster] = await serving();
      killed.signal('SIGKILL');
      await killed.exited;
      expect(readPostmaster(cluster())?.pid).toBe(postmaster);
      const [next, same] = await serving();
      expect(same).toBe(postmaster);
      next.closeTerminal();
      expect(await next.exited).toEqual({ code: 0, signal: null });
      expect(readPostmaster(cluster())).toBeUndefined();
    });

    it('leaves nothing behind when it is stopped while it starts', async () => {
      const quickstart = build.quickstart(join(folder, '..'), { PATH: process.env['PATH']!, PORT: '0' });
      await quickstart.says(/Bringing the schema/);
      quickstart.signal('SIGINT');
      expect(await quickstart.exited).toEqual({ code: 130, signal: null });
      expect(quickstart.output).toContain('Interrupted: nothing is left running.');
      expect(readPostmaster(cluster())).toBeUndefined();
    });
  });

  async function countAll(): Promise<number> {
    return pageOf(await (await clientOf('admin')).get('/api/transactions')).totalElements;
  }
});

describe('a quickstart whose port is in use', () => {
  let folder: string;
  let other: Server;

  beforeAll(async () => {
    folder = join(mkdtempSync(join(tmpdir(), 'quickstart-test-')), '.data');
    other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    other.close();
    rmSync(join(folder, '..'), { recursive: true });
  });

  it('says so before it deletes or makes anything', async () => {
    const { port } = other.address() as { port: number };
    mkdirSync(join(folder, 'pg14'), { recursive: true });
    const start = startQuickstart(folder, { ...ENVIRONMENT, PORT: String(port) }, { reset: true });
    await expect(start).rejects.toThrow(`Port ${port} is in use on 127.0.0.1. Take another one:`);
    expect(readdirSync(folder)).toEqual(['pg14']);
  });
});

describe('a quickstart beside the data of another version of PostgreSQL', () => {
  it('names them and the ways to go on, and deletes nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quickstart-test-'));
    mkdirSync(join(folder, 'pg14'));
    await expect(startQuickstart(folder, ENVIRONMENT)).rejects.toThrow(
      /pg14 holds the data of a PostgreSQL 14, which PostgreSQL \d+ cannot read[^]*PG_BIN=[^]*--reset$/,
    );
    expect(readdirSync(folder)).toEqual(['pg14']);
    writeFileSync(join(folder, 'demo'), 'as if it had been filled in');
    const listed = await cli(['user', 'list'], { env: {}, dataFolder: folder });
    expect([listed.exitCode, listed.err[0]]).toEqual([1, expect.stringContaining('pg14 holds the data')]);
    expect(readdirSync(folder).sort()).toEqual(['demo', 'pg14']);
    rmSync(folder, { recursive: true });
  });
});

describe('the demo', () => {
  const now = new Date('2026-03-18T09:00:00Z');

  it.each(HOMES.map((home) => [home.property.name, home] as const))(
    'is as long at any time, and never stale: %s',
    (_, home) => {
      const later = new Date('2027-09-02T21:00:00Z');
      const [one, two] = [historyOf(home, now), historyOf(home, later)];
      expect(Math.abs(one.length - two.length)).toBeLessThanOrEqual(1); // who leaves today at noon may have paid extra
      for (const [entries, moment] of [
        [one, now],
        [two, later],
      ] as const) {
        const dates = entries.map(({ date }) => Date.parse(date));
        expect(Math.min(...dates)).toBeGreaterThan(moment.getTime() - 370 * DAY);
        expect(Math.max(...dates)).toBeLessThan(moment.getTime() + 45 * DAY);
        expect(dates.some((date) => date > moment.getTime())).toBe(true);
      }
    },
  );

  it.each(HOMES.map((home) => [home.property.name, home] as const))(
    'is a business that could be: %s',
    (_, home) => {
      const entries = historyOf(home, now);
      const sum = (chosen: typeof entries): number =>
        chosen.reduce((total, { amount }) => total + Number(amount), 0);
      const income = sum(entries.filter(({ type, status }) => type === 'INCOME' && status === 'PAID'));
      const expenses = sum(entries.filter(({ type, status }) => type === 'EXPENSE' && status === 'PAID'));
      expect(income).toBeGreaterThan(expenses);
      expect(income).toBeLessThan(Number(home.property.basePrice) * 1.35 * 366 + 5000);
      for (const { amount, status, paidAt, date, recurring, frequency } of entries) {
        expect(amount).toMatch(/^[1-9]\d*\.\d\d$/);
        if (status === 'PAID') expect(Date.parse(paidAt!)).toBeLessThanOrEqual(now.getTime());
        if (status === 'PENDING' || status === 'OVERDUE') expect(paidAt).toBeNull();
        if (Date.parse(date) > now.getTime()) expect(['PENDING', 'CANCELLED']).toContain(status);
        expect(recurring).toBe(frequency !== null);
      }
      const of = (category: string): number => entries.filter((entry) => entry.category === category).length;
      expect([of('MORTGAGE'), of('UTILITIES'), of('PROPERTY_TAX'), of('TAXES'), of('INSURANCE')]).toEqual([
        12, 36, 2, 4, 1,
      ]);
      expect(of('CLEANING')).toBeGreaterThan(40);
      expect(of('BOOKING_PAYMENT')).toBeGreaterThan(of('CLEANING'));
      expect(of('PLATFORM_FEES')).toBeGreaterThan(20);
    },
  );
});
