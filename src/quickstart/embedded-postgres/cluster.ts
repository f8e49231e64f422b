import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { APART, type Binaries, EmbeddedPostgresError, findBinaries } from './binaries.js';
import { chooseUser, commandAs, handOver } from './run-as.js';

export const SUPERUSER = 'postgres';

export interface ClusterOptions {
  /** The folder for everything that belongs to the server. */
  readonly dataDir: string;
  /** Where the programs are looked for. */
  readonly environment: NodeJS.ProcessEnv;
  /** Nothing is kept safe from a power cut: for clusters that are thrown away. */
  readonly ephemeral?: boolean;
  /** Every process that gets at the socket is let in without a password: for tests. */
  readonly trusting?: boolean;
}

/** A folder of data with the programs, the user and the environment that go with it. */
export type Cluster = ReturnType<typeof openCluster>;

/** The format of the data changes from major to major. */
export const clusterName = ({ major }: Binaries): string => `pg${major}`;

/** The cluster in the folder, made first where there is none. */
export function openCluster(options: ClusterOptions) {
  const { dataDir, environment, ephemeral = false, trusting = false } = options;
  const binaries = findBinaries(environment);
  const folder = resolve(dataDir, clusterName(binaries));
  mkdirSync(dirname(folder), { recursive: true });
  if (!trusting) makeSecret(passwordFile(folder));
  const variables = { PATH: environment['PATH'] ?? '', LC_ALL: 'C' }; // all that PostgreSQL's programs see
  const cluster = { dataDir: folder, binaries, runAs: chooseUser(folder), ephemeral, environment: variables };
  if (!isCluster(folder)) initialize(cluster);
  return cluster;
}

/** A secret in a file that nobody else may read. Of two processes that make it at once the second finds that of the first. */
export function makeSecret(file: string): string {
  try {
    writeFileSync(file, randomBytes(48).toString('base64url'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return file;
}

/** Beside the data, which belong to the user of PostgreSQL's programs. */
const passwordFile = (folder: string): string => `${folder}.password`;

/** The superuser's password; empty for a cluster that asks for none. */
export function passwordOf(folder: string): string {
  const file = passwordFile(folder);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

const isCluster = (folder: string): boolean => existsSync(join(folder, 'PG_VERSION'));

/** In a folder beside it first, so that what an interrupted initdb leaves is never taken for a cluster. */
function initialize(cluster: Cluster): void {
  const scratch = mkdtempSync(`${cluster.dataDir}.init-`);
  try {
    handOver(scratch, cluster.runAs);
    runInitdb(cluster, scratch);
    renameSync(scratch, cluster.dataDir);
  } catch (error) {
    if (!isCluster(cluster.dataDir)) throw error; // else another process was faster
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function runInitdb({ dataDir, binaries, runAs, ephemeral, environment: env }: Cluster, folder: string): void {
  // Without an explicit encoding an unset LANG would make it SQL_ASCII.
  const locale =
    binaries.major >= 17
      ? ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
      : ['--locale=C', '--lc-ctype=C.UTF-8'];
  const password = passwordFile(dataDir);
  const command = commandAs(runAs, join(binaries.folder, 'initdb'), [
    ...['--pgdata', folder, '--username', SUPERUSER, '--encoding', 'UTF8'],
    ...locale,
    ...(existsSync(password) ? ['--auth', 'scram-sha-256', '--pwfile', password] : ['--auth', 'trust']),
    ...(ephemeral ? ['--no-sync'] : []),
  ]);
  const { status, stderr, error } = spawnSync(...command, { ...APART, cwd: '/', encoding: 'utf8', env });
  if (status !== 0) throw new EmbeddedPostgresError(`initdb failed: ${stderr || String(error)}`);
}
