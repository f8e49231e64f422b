import { rowsOf } from './connect.js';

/**
 * The servers of a Citus cluster to test on, the coordinator first; none to test on PostgreSQL itself. Each is a superuser's
 * URL, and has max_worker_processes above the number of test files:
 *
 *     TEST_CITUS='postgres://…/postgres postgres://…/postgres postgres://…/postgres' npm test -- FILE…
 *
 * Tests that read plans or catalogues of one server, make triggers or start servers cannot pass there. Debian has no
 * package. The build takes five minutes, with PostgreSQL's headers and those of lz4, zstd, krb5, ssl, readline, xml2,
 * xslt1, pam0g and selinux1:
 *
 *     git clone --branch v13.2.2 --depth 1 https://github.com/citusdata/citus && cd citus
 *     sed -i 's/^have_createdb_privilege/citus_&/' src/include/pg_version_compat.h   # from PostgreSQL 15.20 on
 *     ./configure --without-libcurl PG_CONFIG=/usr/lib/postgresql/15/bin/pg_config
 *     make with_llvm=no install-extension
 */
export function citusServers(): URL[] {
  return (process.env['TEST_CITUS'] ?? '').split(' ').flatMap((url) => (url === '' ? [] : [new URL(url)]));
}

/** Joins the database to the cluster, whose workers receive its distributed tables. */
export async function joinCluster(name: string, [coordinator, ...workers]: readonly URL[]): Promise<void> {
  if (coordinator === undefined) return;
  const inside = (server: URL): string => new URL(`/${name}`, server).href;
  for (const worker of workers) {
    await rowsOf(worker.href, `CREATE DATABASE ${name}`);
    await rowsOf(inside(worker), 'CREATE EXTENSION citus');
  }
  await rowsOf(inside(coordinator), 'CREATE EXTENSION citus');
  await rowsOf(inside(coordinator), 'SELECT citus_set_coordinator_host($1, $2)', placeOf(coordinator));
  for (const worker of workers)
    await rowsOf(inside(coordinator), 'SELECT citus_add_node($1, $2)', placeOf(worker));
}

function placeOf({ hostname, port }: URL): [string, string] {
  return [hostname, port];
}
