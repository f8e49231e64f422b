import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../bench/launch.js';
import { openCluster } from '../src/quickstart/embedded-postgres/cluster.js';
import { commandAs } from '../src/quickstart/embedded-postgres/run-as.js';
import { cli } from './support/cli.js';
import { rowsOf } from './support/connect.js';
import { createDatabase } from './support/database.js';
import { DatabaseProxy } from './support/database-proxy.js';
import { cleanup } from './support/opened.js';
import { Program, programOf } from './support/program.js';
import { Service } from './support/service.js';
import { temporaryFolder } from './support/temporary-folder.js';
import { environmentFor } from './support/settings.js';
import { until } from './support/until.js';

/** The superuser by plain TCP; roles that own the database by TLS, with a password and with a client certificate. */
const HBA = `
  hostnossl all postgres  127.0.0.1/32 trust
  hostssl   all ledger    127.0.0.1/32 scram-sha-256
  hostssl   all certified 127.0.0.1/32 cert
`;
const ROLES = [
  `CREATE ROLE ledger LOGIN PASSWORD 'p@ss'`,
  'CREATE ROLE certified LOGIN IN ROLE ledger',
  'ALTER ROLE certified SET role = ledger', // so that each may migrate for the other
  'CREATE DATABASE ledger OWNER ledger',
];

let folder: string;
let port: number;

const file = (name: string): string => join(folder, name);
/** A statement of the superuser. */
const sql = (text: string, database = 'ledger'): Promise<object[]> =>
  rowsOf(`postgres://postgres@127.0.0.1:${port}/${database}`, text);

/** One authority for the server, as `localhost` alone, and for the client `certified`; `stranger` signed itself. */
function makeCertificates(): void {
  const KEY = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2'.split(' ');
  const request = (name: string, ...rest: string[]): void => {
    const files = ['-keyout', `${name}.key`, '-out', `${name}.crt`];
    const args = ['req', ...KEY, '-subj', `/CN=${name}`, ...files, ...rest];
    execFileSync(programOf('openssl'), args, { cwd: folder, stdio: 'pipe' });
  };
  request('ca');
  const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-addext', 'basicConstraints=critical,CA:FALSE'];
  request('server', ...signed, '-addext', 'subjectAltName=DNS:localhost');
  request('certified', ...signed);
  request('stranger');
}

beforeAll(async () => {
  folder = temporaryFolder(cleanup, 'tls');
  const made = process.env['TEST_PGDATA'];
  if (made !== undefined) execFileSync('cp', ['-a', made, folder]); // initdb takes a second
  const options = { dataDir: folder, environment: process.env, ephemeral: true };
  const { dataDir, binaries, runAs, environment } = openCluster(options);
  makeCertificates();
  chmodSync(file('server.key'), 0o600);
  if (runAs.owner !== undefined) chownSync(file('server.key'), runAs.owner.uid, runAs.owner.gid);
  writeFileSync(file('pg_hba.conf'), HBA);
  port = await freePort();
  const settings = [
    ...['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', 'fsync=off', 'ssl=on'],
    ...[`hba_file=${file('pg_hba.conf')}`, `ssl_ca_file=${file('ca.crt')}`],
    ...[`ssl_cert_file=${file('server.crt')}`, `ssl_key_file=${file('server.key')}`],
  ];
  const words = ['-D', dataDir, ...settings.flatMap((setting) => ['-c', setting])];
  const [postgres, args] = commandAs(runAs, join(binaries.folder, 'postgres'), words);
  const how = { cwd: '/', env: environment, signals: ['SIGQUIT'] as const };
  const program = new Program(cleanup, [postgres, ...args], how);
  await program.until(() => sql('SELECT', 'postgres').then(Boolean, () => false));
  for (const statement of ROLES) await sql(statement, 'postgres');
});

type Environment = Record<string, string>;
type Given = [url: string, env: Environment];

const at = (host: string, env: Environment = {}, query = ''): Given => [
  `postgres://ledger@${host}:${port}/ledger${query}`,
  { DB_PASSWORD: 'p@ss', ...env },
];
const trusting = (mode: string, env: Environment = {}): Environment => ({
  ...{ DB_SSLMODE: mode, DB_SSL_CA: file('ca.crt'), ...env },
});
const VERIFIED = { DB_SSLMODE: 'verify-full' };
const WRONG = { DB_PASSWORD: 'wrong' };
const CERTIFIED = { DB_USERNAME: 'certified' };

/** A client with a certificate, and without a password. */
function certified(name: string): Given {
  const [ca, cert, key] = ['ca.crt', `${name}.crt`, `${name}.key`].map((one) =>
    encodeURIComponent(file(one)),
  );
  const [url] = at('localhost', {}, `?sslmode=verify-full&sslrootcert=${ca}&sslcert=${cert}&sslkey=${key}`);
  return [url.replace('ledger@', 'certified@'), { DB_PASSWORD: '' }];
}

it.each<[string, () => Given]>([
  ['DB_SSLMODE=require', () => at('localhost', { DB_SSLMODE: 'require' })],
  ['?sslmode=require', () => at('localhost', {}, '?sslmode=require')],
  ['DB_SSLMODE=verify-ca under another name', () => at('127.0.0.1', trusting('verify-ca'))],
  ['DB_SSL_CA alone', () => at('localhost', { DB_SSL_CA: file('ca.crt') })],
  ['a client certificate and no password', () => certified('certified')],
])('a service is ready with %s, and every connection is encrypted', async (_, given) => {
  const warned = jest.spyOn(process, 'emitWarning');
  const service = await Service.at(...given());
  await service.ready();
  // Its own connection, of which the handshake may take longer on a busy machine than a probe waits.
  await until(async () => (await service.anonymous.get('/actuator/health/readiness')).status === 200);
  const connections = await sql(
    `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'property-finance%'`,
  );
  expect(connections).toEqual([{ ssl: true }]);
  expect(warned).not.toHaveBeenCalled();
  await service.stop();
});

const withoutTls = async (): Promise<Given> => [
  (await DatabaseProxy.open()).url(await createDatabase()),
  { DB_SSLMODE: 'require' },
];

it.each<[reason: string, remedy: string, () => Given | Promise<Given>]>([
  ['tls-required', 'wants TLS: set DB_SSLMODE=verify-full', () => at('localhost')],
  ['certificate-not-trusted', 'let DB_SSL_CA name the certificate', () => at('localhost', VERIFIED)],
  ['certificate-for-other-host', 'DB_SSLMODE=verify-ca', () => at('127.0.0.1', trusting('verify-full'))],
  ['access-refused', 'DB_USERNAME and DB_PASSWORD', () => at('localhost', trusting('require', WRONG))],
  ['client-certificate-required', '&sslcert=…', () => at('localhost', trusting('require', CERTIFIED))],
  ['tls-failed', 'refused the TLS handshake', () => certified('stranger')], // of another authority
  ['tls-not-offered', 'switch TLS on at the server .* DB_SSLMODE=disable$', withoutTls],
])('the doctor names the reason %s, and its remedy: %s', async (reason, remedy, given) => {
  const [url, env] = await given();
  const { out } = await cli(['doctor'], { env: { ...environmentFor(url), ...env } });
  expect(out.join('\n')).toMatch(new RegExp(`^FAIL +database +${reason}: .*\n +→ .*${remedy}`, 'm'));
});
