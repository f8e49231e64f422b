import { execFile } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { createServer, Server } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { banner } from '../src/quickstart/banner.js';
import { historyOf } from '../src/quickstart/demo/history.js';
import { HOMES } from '../src/quickstart/demo/homes.js';
import { seedDemo } from '../src/quickstart/demo/seed.js';
import { readPostmaster } from '../src/quickstart/embedded-postgres/postmaster.js';
import { type Quickstart, startQuickstart } from '../src/quickstart/quickstart.js';
import { STATUSES } from '../src/transactions/transaction.enums.js';
import { pageOf } from './support/responses.js';
import { cli } from './support/cli.js';
import { Client } from './support/client.js';
import { opened } from './support/opened.js';
import { runBuilt, type ServiceProcess } from './support/process.js';
import { signedIn } from './support/sign-up.js';

const DAY = 86_400_000;
const PATH = process.env['PATH']!;
const OTHER = 'postgres://127.0.0.1:1/other';
const ADDRESS = ['DB_URL', 'DB_HOST', 'DB_NAME', 'DB_USERNAME', 'DB_PASSWORD', 'DB_PASSWORD_FILE'];
/** What the quickstart's own database and secret replace, with values that no service could start with. */
const REPLACED = [
  ...[...ADDRESS, 'DB_PORT', 'DB_MIGRATE', 'DB_SSLMODE', 'DB_SSL_CA'],
  ...['JWT_SECRET', 'JWT_SECRET_FILE', 'JWT_SECRET_PREVIOUS', 'JWT_SECRET_PREVIOUS_FILE'],
];
const ENVIRONMENT = { PATH, PORT: '0', ...Object.fromEntries(REPLACED.map((name) => [name, '/no/such'])) };

interface Running extends Quickstart {
  readonly stop: () => Promise<void>;
}

async function start(folder: string): Promise<Running> {
  const quickstart = await startQuickstart(folder, ENVIRONMENT);
  const stop = opened(async () => {
    await quickstart.app.close();
    await quickstart.database.stop();
  });
  return { ...quickstart, stop };
}

function scratch(): string {
  const folder = fs.mkdtempSync(join(process.env['TEST_FOLDER']!, 'quickstart test '));
  opened(() => fs.rmSync(folder, { recursive: true }));
  return folder;
}

describe('the quickstart', () => {
  let folder: string;
  let first: Running;

  const clientOf = async (username: string, { accounts, url } = first): Promise<Client> => {
    const account = accounts!.find((candidate) => candidate.username === username)!;
    return signedIn(new Client(url), account);
  };
  const count = async (client: Client, path: string): Promise<number> =>
    pageOf(await client.get(path)).totalElements;

  beforeAll(async () => {
    folder = join(scratch(), '.data');
    first = await start(folder);
  });

  it('serves on this machine alone, with a secret of its own that only its owner may read', async () => {
    expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await new Client(first.url).get('/docs')).status).toBe(200);
    const file = join(folder, 'secret');
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(fs.readFileSync(file, 'utf8')).toBe(first.settings.jwt.secret);
    expect(first.settings.jwt.secret).toMatch(/^[\w-]{64}$/);
  });

  it('makes one ADMIN and two owners with three properties and a year of transactions', async () => {
    const roles = first.accounts!.map(({ username, role }) => `${username} ${role}`);
    expect(roles).toEqual(['admin ADMIN', 'olivia USER', 'marco USER']);
    expect(new Set(first.accounts!.map(({ password }) => password)).size).toBe(3);
    const [cottage = 0, loft = 0, lodge = 0] = HOMES.map((home) => historyOf(home, new Date()).length);
    const [olivia, marco] = [await clientOf('olivia'), await clientOf('marco')];
    expect([await count(olivia, '/api/properties'), await count(marco, '/api/properties')]).toEqual([2, 1]);
    expect(await count(olivia, '/api/transactions')).toBe(cottage + loft);
    expect(await count(marco, '/api/transactions')).toBe(lodge);
  });

  it('has rows for every filter that a newcomer tries', async () => {
    const olivia = await clientOf('olivia');
    const filters = [
      { recurring: true },
      { category: 'SECURITY_DEPOSIT' },
      { searchTerm: 'zoë' },
      { overdue: true },
    ];
    for (const filter of [...filters, ...STATUSES.map((status) => ({ status }))]) {
      const { totalElements } = pageOf(await olivia.post('/api/transactions/search', filter));
      expect([filter, totalElements > 0]).toEqual([filter, true]);
    }
  });

  it('prints requests that work in a shell as they are', async () => {
    const script = /^TOKEN=.*\n.*\n.*$/m.exec(banner(first))![0];
    const { stdout } = await promisify(execFile)('sh', ['-c', script]);
    const responses = stdout.split('\n', 3).map((line) => JSON.parse(line) as Record<string, number>);
    const { id, propertyId } = responses[0]!;
    expect(responses[1]).toMatchObject({ content: [{ id, description: 'Our first guests' }] });
    expect(responses[2]).toMatchObject({ content: [{ id, propertyName: 'Garden House' }] });
    const olivia = await clientOf('olivia');
    for (const path of [`/api/transactions/${id}`, `/api/properties/${propertyId}`])
      expect((await olivia.delete(path)).status).toBe(200);
  });

  it('prints where everything is, the passwords at the first start alone, and never the secret', () => {
    const [text, later] = [banner(first), banner({ ...first, accounts: undefined }, '/a b')];
    for (const part of [first.url, `${first.url}/docs`, first.database.socketDir, 'CORS        off'])
      expect(text).toContain(part);
    for (const { password } of first.accounts!) {
      expect(text).toContain(password);
      expect(later).not.toContain(password);
    }
    expect(text).not.toContain(first.settings.jwt.secret);
    const command = `npm --prefix '/a b' run --silent cli -- --quickstart`;
    expect(later).toContain(`${command} user set-password olivia`);
    expect(later).toContain(`TOKEN=$(${command} token mint --user olivia)`);
  });

  it('gives its database to the command line, unless the environment names another', async () => {
    const minted = await cli(['token', 'mint', '--user', 'marco'], { env: { PATH }, dataFolder: folder });
    expect(minted.err).toEqual([expect.stringContaining("On the quickstart's database")]);
    const me = await new Client(first.url, minted.out[0]).get('/api/users/me');
    expect(me.json).toMatchObject({ username: 'marco' });
    const other = { env: { PATH, DB_URL: OTHER, DB_PASSWORD: 'x' }, dataFolder: folder };
    expect((await cli(['user', 'list'], other)).err[0]).toContain('connection-refused');
    for (const name of ADDRESS) {
      const { err } = await cli(['user', 'list'], {
        env: { PATH, PORT: 'x', [name]: 'x' },
        dataFolder: folder,
      });
      expect([name, err[0]]).toEqual([name, 'The configuration is not usable:']);
    }
    expect((await cli(['--quickstart', 'user', 'list'], other)).out).toHaveLength(4);
    expect((await new Client(first.url).get('/actuator/health/readiness')).status).toBe(200);
  });

  it('refuses to delete data that another process uses', async () => {
    const marker = join(folder, 'demo');
    fs.rmSync(marker); // as an interrupted first start leaves it
    await expect(startQuickstart(folder, ENVIRONMENT)).rejects.toThrow('Another process uses the database');
    expect(fs.existsSync(join(folder, 'secret'))).toBe(true);
    fs.writeFileSync(marker, '');
  });
});

it('two first starts at once serve one demo, whose passwords one of them has, and a later start keeps it', async () => {
  const folder = join(scratch(), '.data');
  const both = await Promise.all([start(folder), start(folder)]);
  const admins = both.flatMap(({ accounts = [] }) => accounts.filter(({ role }) => role === 'ADMIN'));
  expect(admins).toHaveLength(1);
  const seen: unknown[] = [];
  const look = async ({ url }: Running): Promise<void> => {
    const admin = await signedIn(new Client(url), admins[0]!);
    expect((await admin.get('/api/users')).json).toHaveLength(3);
    seen.push(pageOf(await admin.get('/api/transactions')).totalElements);
  };
  for (const one of both) {
    await look(one);
    await one.stop(); // the database stays for the other
  }
  const later = await start(folder);
  await look(later);
  expect([later.accounts, new Set(seen).size]).toEqual([undefined, 1]);
});

describe('the quickstart as a process', () => {
  let folder: string;
  const postmaster = (): number | undefined => {
    const cluster = fs.readdirSync(folder).find((name) => /^pg\d+$/.test(name))!;
    return readPostmaster(join(folder, cluster))?.pid;
  };
  const secret = (): string => fs.readFileSync(join(folder, 'secret'), 'utf8');
  const spawn = (options: string[] = [], env = {}): ServiceProcess =>
    runBuilt('quickstart/main.js', { PATH, PORT: '0', ...env }, join(folder, '..'), ...options);
  /** One that sends itself signals when it says a text: nobody from outside is in time for sure. */
  function spawnInterrupted(text: string, signals: string, ...options: string[]): ServiceProcess {
    const preload = `const write = process.stderr.write.bind(process.stderr);
      process.stderr.write = (said) => {
        if (said.includes('${text}')) for (const name of '${signals}'.split(' ')) process.kill(process.pid, name);
        return write(said);
      };`;
    return spawn(options, { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(preload)}` });
  }

  beforeAll(() => void (folder = join(scratch(), '.data')));

  it('takes over the database of a killed one, and stops it when its terminal is closed', async () => {
    const killed = spawn();
    await killed.says(/Ctrl-C stops everything/);
    expect(killed.output).toContain('A demo is filled in.');
    const pid = postmaster();
    killed.signal('SIGKILL');
    await killed.exited;
    expect(postmaster()).toBe(pid);
    const next = spawn();
    await next.says(/Ctrl-C stops everything/);
    expect(postmaster()).toBe(pid);
    next.closeTerminal();
    expect(await next.exited).toBe(0);
    expect(postmaster()).toBeUndefined();
  });

  it('makes another secret and another demo with --reset, and this anew when the first was interrupted', async () => {
    const before = secret();
    const interrupted = spawnInterrupted('Filling in the demo', 'SIGINT SIGTERM', '--reset');
    expect(await interrupted.exited).toBe(130);
    expect(interrupted.output).toContain('Interrupted: nothing is left running.');
    expect(postmaster()).toBeUndefined();
    const half = secret();
    expect(half).not.toBe(before);
    const again = await start(folder);
    const olivia = await signedIn(new Client(again.url), again.accounts![1]!);
    expect(pageOf(await olivia.get('/api/properties')).totalElements).toBe(2);
    await again.stop();
    expect(secret()).toBe(half);
  });

  it('leaves neither the service nor PostgreSQL running when it is interrupted, or its start fails', async () => {
    const interruption = new AbortController();
    const closed = jest.spyOn(Server.prototype, 'close'); // of the look at the port, and of the service
    const say = (text: string): void => {
      if (text.startsWith('Bringing')) interruption.abort();
    };
    const start = startQuickstart(folder, ENVIRONMENT, { say, signal: interruption.signal });
    await expect(start).rejects.toThrow('aborted');
    expect([closed.mock.calls.length > 1, postmaster()]).toEqual([true, undefined]);
    fs.rmSync(join(folder, 'secret'));
    fs.mkdirSync(join(folder, 'secret'));
    await expect(startQuickstart(folder, ENVIRONMENT)).rejects.toThrow('EISDIR');
    expect(postmaster()).toBeUndefined();
    fs.rmdirSync(join(folder, 'secret'));
  });
});

it('the quickstart names a port in use before it deletes or makes anything', async () => {
  const folder = scratch();
  const other = createServer().listen(0, '127.0.0.1');
  opened(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  fs.mkdirSync(join(folder, 'pg14'));
  const start = startQuickstart(folder, { ...ENVIRONMENT, PORT: String(port) }, { reset: true });
  await expect(start).rejects.toThrow(`The service cannot listen on port ${port} of 127.0.0.1 (EADDRINUSE)`);
  expect(fs.readdirSync(folder)).toEqual(['pg14']);
});

it('the quickstart names data of another PostgreSQL and the ways to go on, and deletes nothing', async () => {
  const folder = scratch();
  fs.mkdirSync(join(folder, 'pg14'));
  await expect(startQuickstart(folder, ENVIRONMENT)).rejects.toThrow(
    /pg14 holds the data of a PostgreSQL 14, which PostgreSQL \d+ cannot read[^]*PG_BIN=[^]*--reset$/,
  );
  fs.writeFileSync(join(folder, 'demo'), '');
  const listed = await cli(['user', 'list'], { env: {}, dataFolder: folder });
  expect([listed.exitCode, listed.err[0]]).toEqual([1, expect.stringContaining('pg14 holds the data')]);
  expect(fs.readdirSync(folder).sort()).toEqual(['demo', 'pg14']);
});

const MOMENTS = ['2026-03-18T09:00:00Z', '2027-09-02T21:00:00Z'];
const YEARS = HOMES.flatMap((home) => MOMENTS.map((now) => [home.property.name, now, home] as const));

it.each(YEARS)('the demo of %s is a year of a likely business up to %s', (_, moment, home) => {
  const now = Date.parse(moment);
  const entries = historyOf(home, new Date(now));
  const paid = (wanted: string): number =>
    entries
      .filter(({ type, status }) => type === wanted && status === 'PAID')
      .reduce((sum, { amount }) => sum + Number(amount), 0);
  expect(paid('INCOME')).toBeGreaterThan(paid('EXPENSE'));
  expect(paid('INCOME')).toBeLessThan(Number(home.property.basePrice) * 366 + 5000);
  for (const { amount, status, paidAt, date, recurring, frequency } of entries) {
    const days = (Date.parse(date) - now) / DAY;
    expect([days > -370, days < 45, recurring]).toEqual([true, true, frequency !== null]);
    expect(amount).toMatch(/^[1-9]\d*\.\d\d$/);
    if (status === 'PAID') expect(Date.parse(paidAt!)).toBeLessThanOrEqual(now);
    if (status === 'PENDING' || status === 'OVERDUE') expect(paidAt).toBeNull();
    if (days > 0) expect(['PENDING', 'CANCELLED']).toContain(status);
  }
});

it('the demo is given up at its next row once it is interrupted', async () => {
  const interruption = new AbortController();
  const create = jest.fn(async () => {
    if (create.mock.calls.length === 3) interruption.abort();
    return Promise.resolve({ id: '1' });
  });
  const app = { get: () => ({ register: create, create }) } as unknown as Quickstart['app'];
  await expect(seedDemo(app, new Date(), interruption.signal)).rejects.toThrow('aborted');
  expect(create).toHaveBeenCalledTimes(3); // of some 700
});

it('the demo is the same for the same moment, with every kind of payment', () => {
  const tally: Record<string, number[]> = {};
  for (const { category, status, amount } of historyOf(HOMES[0]!, new Date(MOMENTS[0]!))) {
    const [count = 0, sum = 0] = tally[`${category} ${status}`] ?? [];
    tally[`${category} ${status}`] = [count + 1, Number((sum + Number(amount)).toFixed(2))];
  }
  expect(tally).toEqual({
    'BOOKING_PAYMENT CANCELLED': [1, 812],
    'BOOKING_PAYMENT PAID': [55, 33640],
    'BOOKING_PAYMENT PENDING': [6, 3625],
    'CLEANING PAID': [54, 3523.5],
    'CLEANING PENDING': [1, 65.25],
    'FURNISHING PAID': [1, 438],
    'INSURANCE PAID': [1, 681.5],
    'LEGAL_PROFESSIONAL PAID': [1, 390],
    'MAINTENANCE PAID': [1, 129],
    'MARKETING PENDING': [1, 275],
    'MORTGAGE PAID': [12, 11310],
    'OTHER_EXPENSE PENDING': [1, 85],
    'OTHER_INCOME DISPUTED': [1, 220],
    'PERMITS_LICENSES PAID': [1, 150],
    'PLATFORM_FEES PAID': [55, 5046],
    'PROPERTY_TAX PAID': [2, 1740],
    'REPAIRS OVERDUE': [1, 310],
    'REPAIRS PAID': [1, 184.6],
    'SECURITY_DEPOSIT PAID': [1, 400],
    'SECURITY_DEPOSIT REFUNDED': [1, 250],
    'SUPPLIES PAID': [1, 41.2],
    'TAXES PAID': [4, 696],
    'UTILITIES PAID': [35, 2472.25],
    'UTILITIES PENDING': [1, 50.75],
  });
});
