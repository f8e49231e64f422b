import { cli, environmentFor } from './support/cli.js';
import { createDatabase } from './support/database.js';
import { DatabaseProxy } from './support/database-proxy.js';
import { Service } from './support/service.js';
import { TlsServer } from './support/tls-server.js';

type Environment = Record<string, string>;
/** Made once the server is there. */
type Given = () => [url: string, env: Environment];

let server: TlsServer;
beforeAll(async () => void (server = await TlsServer.start()));

const at = (host: string, env: Environment = {}, query = ''): [string, Environment] => [
  `postgres://ledger@${host}:${server.port}/ledger${query}`,
  { DB_PASSWORD: 'p@ss', ...env },
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

it.each<[string, Given]>([
  ['DB_SSLMODE=require', () => at('localhost', { DB_SSLMODE: 'require' })],
  ['?sslmode=require', () => at('localhost', {}, '?sslmode=require')],
  ['DB_SSLMODE=verify-ca under another name', () => at('127.0.0.1', trusting('verify-ca'))],
  ['DB_SSL_CA alone', () => at('localhost', { DB_SSL_CA: server.file('ca.crt') })],
  ['a client certificate and no password', () => certified('certified')],
])('a service is ready with %s, and every connection is encrypted', async (_, given) => {
  const warned = jest.spyOn(process, 'emitWarning');
  const service = await Service.at(...given());
  await service.ready();
  expect((await service.anonymous.get('/actuator/health/readiness')).status).toBe(200);
  const connections = await server.sql(
    `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'property-finance%'`,
  );
  expect(connections).toEqual([{ ssl: true }]);
  expect(warned).not.toHaveBeenCalled();
  await service.stop();
});

const plainServer = async (env: Environment): Promise<[string, Environment]> => [
  (await DatabaseProxy.open()).url(await createDatabase()),
  env,
];

it.each<[string, string, string, () => ReturnType<Given> | Promise<ReturnType<Given>>]>([
  ['no TLS', 'tls-required', 'wants TLS: set DB_SSLMODE=verify-full', () => at('localhost')],
  [
    'a certificate of an unknown authority',
    'certificate-not-trusted',
    'let DB_SSL_CA name the certificate',
    () => at('localhost', { DB_SSLMODE: 'verify-full' }),
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
  [
    'a server without TLS',
    'tls-not-offered',
    'switch TLS on at the server .* DB_SSLMODE=disable$',
    () => plainServer({ DB_SSLMODE: 'require' }),
  ],
])('the doctor names reason and remedy of %s: %s', async (_, reason, remedy, given) => {
  const [url, env] = await given();
  const { out } = await cli(['doctor'], { env: { ...environmentFor(url), ...env } });
  expect(out.join('\n')).toMatch(new RegExp(`^FAIL +database +${reason}: .*\n +→ .*${remedy}`, 'm'));
});
