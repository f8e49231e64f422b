import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Missing, print } from '../../../bench/command.js';
import { isExecutable, programOf } from '../../support/program.js';
import { pythonWith } from '../../support/python.js';

const REQUIREMENTS = 'test/outside/failover/requirements.txt';
/** Where Debian has each version of PostgreSQL; npm's has not all programs that Patroni needs. */
const POSTGRES = '/usr/lib/postgresql';
const POSTGRES_PROGRAMS = ['postgres', 'initdb', 'pg_ctl', 'pg_basebackup', 'pg_rewind', 'pg_controldata'];

export interface Programs {
  readonly etcd: string;
  readonly haproxy: string;
  /** Folders. */
  readonly postgres: string;
  readonly patroni: string;
}

/** Patroni is installed into the folder; throws {@link Missing} for what has to be there. */
export function findPrograms(cache: string): Programs {
  return {
    etcd: programOf('etcd', 'etcd-server'),
    haproxy: programOf('haproxy'),
    postgres: postgresFolder(),
    patroni: dirname(pythonWith(REQUIREMENTS, cache, print)),
  };
}

function postgresFolder(): string {
  const newestFirst = versions().sort((a, b) => b - a);
  const folder = newestFirst
    .map((version) => join(POSTGRES, String(version), 'bin'))
    .find((bin) => POSTGRES_PROGRAMS.every((name) => isExecutable(join(bin, name))));
  if (folder !== undefined) return folder;
  throw new Missing(
    `There is no PostgreSQL with pg_basebackup and pg_rewind in ${POSTGRES}. On Debian and Ubuntu: apt-get install postgresql`,
  );
}

function versions(): number[] {
  try {
    return readdirSync(POSTGRES).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}
