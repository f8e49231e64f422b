import { cli } from './support/cli.js';
import { createDatabase } from './support/database.js';
import { DatabaseProxy } from './support/database-proxy.js';
import { Launched } from './support/launched.js';
import { LogLines } from './support/log-lines.js';
import { startService } from './support/service.js';
import { TEST_SECRET } from './support/settings.js';
import { TlsServer } from './support/tls-server.js';
import { until } from './support/until.js';

let server: TlsServer;
beforeAll(async () => void (server = await TlsServer.start()));

type Environment = Record<string, string>;
const PASSWORD: Environment = { DB_PASSWORD: 'p@ss' };
const urlAt = (host: string, query = ''): string => `postgres://ledger@${host}:${server.port}/ledger${query}`;
const trusting = (mode: string): Environment => ({ DB_SSLMODE: mode, DB_SSL_CA: server.file('ca.crt') });

/** The URL of a client with a certificate, and without a password. */
function certifiedUrl(name: 'certified' | 'stranger'): string {
  const files = [server.file('ca.crt'), server.file(`${name}.crt`), server.file(`${name}.key`)];
  const [ca, cert, key] = files.map(encodeURIComponent);
  const query = `?sslmode=verify-full&sslrootcert=${ca}&sslcert=${cert}&sslkey=${key}`;
  return urlAt('localhost', query).replace('ledger@', 'certified@');
}

describe('a service with a database that wants TLS', () => {
  it.each<[string, () => [url: string, env: Environment]]>([
    ['DB_SSLMODE=require', () => [urlAt('localhost'), { ...PASSWORD, DB_SSLMODE: 'require' }]],
    ['?sslmode=require', () => [urlAt('localhost', '?sslmode=require'), PASSWORD]],
    [
      'DB_SSLMODE=verify-ca under another name',
      () => [urlAt('127.0.0.1'), { ...PASSWORD, ...trusting('verify-ca') }],
    ],
    ['DB_SSLMODE=verify-full', () => [urlAt('localhost'), { ...PASSWORD, ...trusting('verify-full') }]],
    ['DB_SSL_CA alone', () => [urlAt('localhost'), { ...PASSWORD, DB_SSL_CA: server.file('ca.crt') }]],
    ['a client certificate and no password', () => [certifiedUrl('certified'), { DB_PASSWORD: '' }]],
  ])('is ready with %s, and every connection is encrypted', async (_, given) => {
    const warned = jest.spyOn(process, 'emitWarning');
    const [url, env] = given();
    const service = await Launched.at(url, env);
    await service.ready();
    expect((await service.anonymous.get('/actuator/health/readiness')).status).toBe(200);
    const connections = await server.sql(
      `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'property-finance%'`,
    );
    expect(connections).toEqual([{ ssl: true }]);
    expect(warned).not.toHaveBeenCalled();
    await service.stop();
  });

  it('without TLS is not ready, and its log and health name the reason, not a wrong password', async () => {
    const log = new LogLines();
    const service = await Launched.at(urlAt('localhost'), { ...PASSWORD, LOG_LEVEL: 'warn' });
    await until(() => log.at('warn').length > 0);
    const remedy: unknown = expect.stringMatching(
      /^the server wants TLS: .*\?sslmode=verify-full&sslrootcert=/,
    );
    expect(log.at('warn')).toEqual([expect.objectContaining({ reason: 'tls-required', remedy })]);
    expect((await service.anonymous.get('/actuator/health/readiness')).status).toBe(503);
    await service.stop();
  });

  it('names the reason in its health when the server wants TLS from now on', async () => {
    const url = urlAt('127.0.0.1').replace('ledger@', 'late@');
    const service = await startService({}, url);
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
  const found = async (url: string, env: Environment): Promise<string> => {
    const { out } = await cli(['doctor'], { env: { JWT_SECRET: TEST_SECRET, DB_URL: url, ...env } });
    return out.join('\n');
  };

  it.each<[string, RegExp, RegExp, () => [url: string, env: Environment]]>([
    [
      'no TLS',
      /tls-required/,
      /the server wants TLS: set DB_SSLMODE=verify-full/,
      () => [urlAt('localhost'), PASSWORD],
    ],
    [
      'sslmode=disable',
      /tls-required/,
      /the server wants TLS/,
      () => [urlAt('localhost', '?sslmode=disable'), PASSWORD],
    ],
    [
      'a certificate of an unknown authority',
      /certificate-not-trusted/,
      /let DB_SSL_CA name the certificate/,
      () => [urlAt('localhost'), { ...PASSWORD, DB_SSLMODE: 'verify-full' }],
    ],
    [
      'another authority',
      /certificate-not-trusted/,
      /let DB_SSL_CA name the certificate/,
      () => [urlAt('localhost'), { ...PASSWORD, DB_SSL_CA: server.file('stranger.crt') }],
    ],
    [
      'a host that the certificate does not name',
      /certificate-for-other-host/,
      /DB_SSLMODE=verify-ca/,
      () => [urlAt('127.0.0.1'), { ...PASSWORD, ...trusting('verify-full') }],
    ],
    [
      'a wrong password',
      /access-refused/,
      /DB_USERNAME and DB_PASSWORD/,
      () => [urlAt('localhost'), { ...trusting('verify-full'), DB_PASSWORD: 'wrong' }],
    ],
    [
      'no client certificate',
      /client-certificate-required/,
      /&sslcert=…&sslkey=…/,
      () => [urlAt('localhost'), { ...PASSWORD, ...trusting('require'), DB_USERNAME: 'certified' }],
    ],
    [
      'a client certificate of another authority',
      /tls-failed/,
      /refused the TLS handshake/,
      () => [certifiedUrl('stranger'), {}],
    ],
  ])('names the reason and a remedy for %s', async (_, reason, remedy, given) => {
    expect(await found(...given())).toMatch(
      new RegExp(`^FAIL +database +${reason.source}: ledger at \\S+, port \\d+\n +→ .*${remedy.source}`, 'm'),
    );
  });

  it.each(['require', 'verify-full'])('names a server without TLS for DB_SSLMODE=%s', async (mode) => {
    const url = (await DatabaseProxy.open()).url(await createDatabase());
    expect(await found(url, { DB_PASSWORD: 'x', DB_SSLMODE: mode })).toMatch(
      /^FAIL +database +tls-not-offered: .*\n +→ switch TLS on at the server .* DB_SSLMODE=disable$/m,
    );
    expect(await found(url, { DB_PASSWORD: 'x', DB_SSLMODE: 'disable' })).toMatch(
      /^ok +database +PostgreSQL/m,
    );
  });
});
