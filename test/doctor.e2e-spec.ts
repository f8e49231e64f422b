import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cli, type CliResult, environmentFor } from './support/cli.js';
import { createDatabase } from './support/database.js';
import { DatabaseProxy } from './support/database-proxy.js';
import { FakePooler, type PoolerManners } from './support/fake-pooler.js';
import { Launched } from './support/launched.js';
import { opened } from './support/opened.js';
import { type Service, startService } from './support/service.js';

const SECRET = 'Zk3v9QmT8sLx2pWc7RbY4nHd6GfJ1aKe5UoV0iXq';

const doctor = (url: string, env: Record<string, string> = {}): Promise<CliResult> =>
  cli(['doctor'], { env: { ...environmentFor(url), JWT_SECRET: SECRET, ...env } });

/** The lines about one thing, with the remedies under them. */
const about = ({ out }: CliResult, subject: string): string =>
  out
    .join('\n')
    .split(/\n(?=\S)/)
    .filter((finding) => finding.slice(6).startsWith(`${subject} `))
    .join('\n');

describe('the doctor, while something listens on the port,', () => {
  let service: Service;
  let url: string;
  let port: string;

  beforeAll(async () => {
    service = await startService({ JWT_SECRET: SECRET });
    url = service.settings.database.url;
    port = new URL(service.url).port;
  });

  const onPort = async (database = url, env: Record<string, string> = {}): Promise<string> =>
    about(await doctor(database, { PORT: port, ...env }), 'port');

  it('finds its own service, on this database', async () => {
    expect(await onPort()).toMatch(/^ok +port +the service runs on \d+ already\n?$/);
  });

  it('finds the service without a secret or a database, too', async () => {
    expect(await onPort(url, { JWT_SECRET: '' })).toMatch(/^ok /);
    expect(await onPort('postgres://127.0.0.1:1/x')).toMatch(/^ok /);
  });

  it('fails where the service is on another database', async () => {
    expect(await onPort(await createDatabase())).toMatch(
      /^FAIL +port +a service like this one runs on \d+, on another database\n +→ /,
    );
  });

  it('warns of a service without its database', async () => {
    const proxy = await DatabaseProxy.to(url);
    const lonely = await Launched.at(proxy.url(url), { JWT_SECRET: SECRET });
    const own = new URL(lonely.anonymous.url).port;
    expect(await onPort(url, { PORT: own })).toMatch(
      /^warn .*the service runs on \d+ already, but is not ready/,
    );
    await lonely.stop();
  });

  it.each(['hello', '{"status":"UP"}'])(
    'fails where another program answers %s, which gets no token',
    async (text) => {
      const headers: unknown[] = [];
      const other = createServer((request, response) => {
        headers.push(request.headers.authorization);
        response.end(text);
      });
      opened(() => void other.close());
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const taken = String((other.address() as AddressInfo).port);
      expect(await onPort(url, { PORT: taken })).toMatch(
        /^FAIL +port +\d+ on 127\.0\.0\.1 is taken by another program \(EADDRINUSE\)\n +→ something else listens there: .*lsof/,
      );
      expect(headers).toEqual([undefined]);
    },
  );
});

describe('the doctor behind a pooler', () => {
  const found = async (manners: PoolerManners, env: Record<string, string> = {}): Promise<string> => {
    const result = await doctor(await FakePooler.before(await createDatabase(), manners), env);
    expect(about(result, 'database')).toMatch(/^ok +database +PostgreSQL \d+\S* answers$/);
    return about(result, 'pooler');
  };
  const remedy = '\n +→ DB_POOLER=session or DB_POOLER=transaction, as its pool_mode is';

  it.each([
    ['refuses startup parameters', { refuses: true }],
    ['drops startup parameters', {}],
  ])('names the setting where it is none and the pooler %s', async (_, manners) => {
    expect(await found(manners)).toMatch(
      new RegExp(`^FAIL +pooler +one stands before PostgreSQL: .*${remedy}$`),
    );
  });

  it.each([
    ['session', 'its pool must hold DB_POOL_SIZE \\+ 2 connections for each instance'],
    ['transaction', 'a request waits where its pool is smaller than DB_POOL_SIZE of all instances'],
  ])('says what its pool has to hold in %s mode', async (mode, text) => {
    const manners = { refuses: true, byTransaction: mode === 'transaction' };
    expect(await found(manners, { DB_POOLER: mode })).toMatch(
      new RegExp(`^ok +pooler +in ${mode} mode by DB_POOLER: ${text}$`),
    );
  });

  it('warns of the setting where there is no pooler', async () => {
    const result = await doctor(await createDatabase(), { DB_POOLER: 'transaction' });
    expect(about(result, 'pooler')).toMatch(
      /^warn +pooler +DB_POOLER is transaction, but no pooler was found\n +→ remove DB_POOLER$/,
    );
  });
});
