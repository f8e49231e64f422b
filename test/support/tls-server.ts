import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../bench/launch.js';
import { openCluster } from '../../src/quickstart/embedded-postgres/cluster.js';
import { commandAs } from '../../src/quickstart/embedded-postgres/run-as.js';
import { rowsOf } from './connect.js';
import { opened } from './opened.js';
import { Program, programOf } from './program.js';
import { temporaryFolder } from './temporary-folder.js';

/** Roles, each with its line in pg_hba.conf. All own the database. */
const HBA = `
  hostnossl all postgres  127.0.0.1/32 trust
  hostssl   all ledger    127.0.0.1/32 scram-sha-256
  hostssl   all certified 127.0.0.1/32 cert
`;

/** A PostgreSQL on TCP that takes all but its superuser by TLS only. Its certificate is for `localhost` alone. */
export class TlsServer {
  private constructor(
    private readonly folder: string,
    readonly port: number,
  ) {}

  static async start(): Promise<TlsServer> {
    const cleanup = { defer: opened };
    const folder = temporaryFolder(cleanup, 'tls');
    const { dataDir, binaries, runAs, environment } = openCluster({
      dataDir: folder,
      environment: process.env,
      ephemeral: true,
    });
    makeCertificates(folder);
    const own = (name: string): void => {
      const file = join(folder, name);
      chmodSync(file, 0o600);
      if (runAs.owner !== undefined) chownSync(file, runAs.owner.uid, runAs.owner.gid);
    };
    own('server.key');
    writeFileSync(join(folder, 'pg_hba.conf'), HBA);
    const port = await freePort();
    const settings = {
      listen_addresses: '127.0.0.1',
      port,
      unix_socket_directories: '',
      fsync: 'off',
      hba_file: join(folder, 'pg_hba.conf'),
      ssl: 'on',
      ssl_ca_file: join(folder, 'ca.crt'),
      ssl_cert_file: join(folder, 'server.crt'),
      ssl_key_file: join(folder, 'server.key'),
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const [file, args] = commandAs(runAs, join(binaries.folder, 'postgres'), ['-D', dataDir, ...options]);
    const program = new Program(cleanup, [file, ...args], {
      cwd: '/',
      env: environment,
      signals: ['SIGQUIT'],
    });
    const server = new TlsServer(folder, port);
    await program.until(() => server.sql('SELECT', 'postgres').then(Boolean, () => false));
    await server.sql(`CREATE ROLE ledger LOGIN PASSWORD 'p@ss'`, 'postgres');
    await server.sql('CREATE ROLE certified LOGIN IN ROLE ledger', 'postgres');
    await server.sql('CREATE DATABASE ledger OWNER ledger', 'postgres');
    return server;
  }

  file(name: 'ca.crt' | 'certified.crt' | 'certified.key' | 'stranger.crt' | 'stranger.key'): string {
    return join(this.folder, name);
  }

  /** A statement of the superuser, without TLS. */
  async sql(text: string, database = 'ledger'): Promise<unknown[]> {
    return rowsOf(`postgres://postgres@127.0.0.1:${this.port}/${database}`, text);
  }
}

/** One authority for the server and the client `certified`; `stranger` signed itself. */
function makeCertificates(folder: string): void {
  const openssl = (...args: string[]): Buffer =>
    execFileSync(programOf('openssl'), args, { cwd: folder, stdio: 'pipe' });
  const request = (name: string, ...rest: string[]): Buffer =>
    openssl('req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2',
      '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.crt`, ...rest); // prettier-ignore
  request('ca');
  const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-addext', 'basicConstraints=critical,CA:FALSE'];
  request('server', ...signed, '-addext', 'subjectAltName=DNS:localhost');
  request('certified', ...signed);
  request('stranger');
}
