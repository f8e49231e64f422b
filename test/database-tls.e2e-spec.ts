import { cli, environmentFor } from './support/cli.js';
import { createDatabase } from './support/database.js';
import { DatabaseProxy } from './support/database-proxy.js';
import { Launched } from './support/launched.js';
import { LogLines } from './support/log-lines.js';
import { startService } from './support/service.js';
import { TlsServer } from './support/tls-server.js';
import { until } from './support/until.js';

type Environment = Record<string, string>;
/** Made once the server is there. */
type Given = () => [url: string, env: Environment];

const PASSWORD: Environment = { DB_PASSWORD: 'p@ss' };
const READINESS = '/actuator/health/readiness';
let server: TlsServer;
beforeAll(async () => void (server = await TlsServer.start()));

const at = (host: string, env: Environment = {}, query = ''): [string, Environment] => [
  `postgres://ledger@${host}:${server.port}/ledger${query}`,
  { ...PASSWORD, ...env },
];
const trusting = (mode: string): Environment => ({ DB_SSLMODE: mode, DB_SSL_CA: server.file('ca.crt') });

/** A client with a certificate, and without a password. */
function certified(name: 'certified' | 'stranger'): [string, Environment] {
  const files = [server.file('ca.crt'), server.file(`${name}.crt`), server.file(`${name}.key`)];
  const [ca, cert, key] = files.map(encodeURIComponent);
  const query = `?sslmode=verify-full&sslrootcert=${ca}&sslcert=${cert}&sslkey=${key}`;
  const [url] = at('localhost', {}, query);
  return [url.replace('ledger@', 'certified@'), { DB_PASSWORD: '' }];
}

describe('a service with a database that wants TLS', () => {
  it.each<[string, Given]>([
    ['DB_SSLMODE=require', () => at('localhost', { DB_SSLMODE: 'require' })],
    ['?sslmode=require', () => at('localhost', {}, '?sslmode=require')],
    ['DB_SSLMODE=verify-ca under another name', () => at('127.0.0.1', trusting('verify-ca'))],
    ['DB_SSLMODE=verify-full', () => at('localhost', trusting('verify-full'))],
    ['DB_SSL_CA alone', () => at('localhost', { DB_SSL_CA: server.file('ca.crt') })],
    ['a client certificate and no password', () => certified('certified')],
  ])('is ready with %s, and every connection is encrypted', async (_, given) => {
    const warned = jest.spyOn(process, 'emitWarning');
    const service = await Launched.at(...given());
    await service.ready();
    expect((await service.anonymous.get(READINESS)).status).toBe(200);
    const connections = await server.sql(
      `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'property-finance%'`,
    );
    expect(connections).toEqual([{ ssl: true }]);
    expect(warned).not.toHaveBeenCalled();
    await service.stop();
  });

  it('is not ready without TLS, and its log names reason and remedy', async () => {
    const log = new LogLines();
    const service = await Launched.at(...at('localhost', { LOG_LEVEL: 'warn' }));
    await until(() => log.at('warn').length > 0);
    const REMEDY = /^the server wants TLS: .*\?sslmode=verify-full&sslrootcert=/;
    expect(log.at('warn')).toMatchObject([
      { reason: 'tls-required', remedy: expect.stringMatching(REMEDY) as string },
    ]);
    expect((await service.anonymous.get(READINESS)).status).toBe(503);
    await service.stop();
  });

  it('names the reason in its health when the server wants TLS later', async () => {
    const [url] = at('127.0.0.1');
    const service = await startService({}, url.replace('ledger@', 'late@'));
    const admin = await service.account('ADMIN');
    expect((await admin.get('/actuator/health')).status).toBe(200);
    await server.wantTls();
    await server.sql(
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'property-finance health'`,
    );
    expect((await admin.get('/actuator/health')).json).toMatchObject({
      components: { db: { status: 'DOWN', details: { reason: 'tls-required' } } },
    });
  });
});

describe('the doctor', () => {
  const found = async (url: string, env: Environment): Promise<string> =>
    (await cli(['doctor'], { env: { ...environmentFor(url), ...env } })).out.join('\n');

  it.each<[string, string, string, Given]>([
    ['no TLS', 'tls-required', 'wants TLS: set DB_SSLMODE=verify-full', () => at('localhost')],
    ['sslmode=disable', 'tls-required', 'wants TLS', () => at('localhost', {}, '?sslmode=disable')],
    [
      'a certificate of an unknown authority',
      'certificate-not-trusted',
      'let DB_SSL_CA name the certificate',
      () => at('localhost', { DB_SSLMODE: 'verify-full' }),
    ],
    [
      'a certificate of another authority',
      'certificate-not-trusted',
      'let DB_SSL_CA name the certificate',
      () => at('localhost', { DB_SSL_CA: server.file('stranger.crt') }),
    ],
    [
      'a host that the certificate does not name',
      'certificate-for-other-host',
      'DB_SSLMODE=verify-ca',
      () => at('127.0.0.1', trusting('verify-full')),
    ],
    [
      'a wrong password',
      'access-refused',
      'DB_USERNAME and DB_PASSWORD',
      () => at('localhost', { ...trusting('verify-full'), DB_PASSWORD: 'wrong' }),
    ],
    [
      'no client certificate',
      'client-certificate-required',
      '&sslcert=…&sslkey=…',
      () => at('localhost', { ...trusting('require'), DB_USERNAME: 'certified' }),
    ],
    [
      'a client certificate of another authority',
      'tls-failed',
      'refused the TLS handshake',
      () => certified('stranger'),
    ],
  ])('names reason and remedy of %s: %s', async (_, reason, remedy, given) => {
    expect(await found(...given())).toMatch(
      new RegExp(`^FAIL +database +${reason}: ledger at \\S+, port \\d+\n +→ .*${remedy}`, 'm'),
    );
  });

  it.each(['require', 'verify-full'])('names a server without TLS for DB_SSLMODE=%s', async (mode) => {
    const url = (await DatabaseProxy.open()).url(await createDatabase());
    expect(await found(url, { DB_SSLMODE: mode })).toMatch(
      /^FAIL +database +tls-not-offered: .*\n +→ switch TLS on at the server .* DB_SSLMODE=disable$/m,
    );
    expect(await found(url, { DB_SSLMODE: 'disable' })).toMatch(/^ok +database +PostgreSQL/m);
  });
});
