import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { distribute } from '../../src/cli/distribute.js';
import { migrate, withDataSource } from '../../src/database/migrate.js';
import { citusServers, joinCluster } from './citus.js';
import { withConnection } from './connect.js';
import { testSettings } from './settings.js';

const TEMPLATE = 'migrated_template';
const TEMPLATE_LOCK = 1;

/** The URL of a database on the run's PostgreSQL. */
export function serverUrl(database: string): string {
  const url = new URL(process.env['TEST_SERVER_URL'] ?? '');
  url.pathname = `/${database}`;
  return url.href;
}

/** A new database with the schema, copied from a template that the first test file makes. */
export async function createDatabase(): Promise<string> {
  const cluster = citusServers();
  if (cluster.length > 0) return createDistributedDatabase(cluster);
  return withAdmin(async (admin) => {
    await admin.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const { rowCount } = await admin.query('SELECT FROM pg_database WHERE datname = $1', [TEMPLATE]);
    if (rowCount === 0) {
      await admin.query(`CREATE DATABASE ${TEMPLATE}`);
      await withDataSource(testSettings(serverUrl(TEMPLATE)).database, migrate);
    }
    return copyOf(admin, TEMPLATE);
  });
}

/** An empty database, with an ICU locale on request. */
export async function createEmptyDatabase(icuLocale?: string): Promise<string> {
  const locale = icuLocale && ` LOCALE_PROVIDER icu ICU_LOCALE '${icuLocale}'`;
  return withAdmin((admin) => copyOf(admin, `template0${locale ?? ''}`));
}

/** Migrated by itself: a copy of a cluster's database would belong to no cluster. */
async function createDistributedDatabase(cluster: readonly URL[]): Promise<string> {
  const url = await createEmptyDatabase();
  await joinCluster(new URL(url).pathname.slice(1), cluster);
  const { database } = testSettings(url);
  await withDataSource(database, migrate);
  await distribute(database, 4);
  return url;
}

async function copyOf(admin: pg.Client, template: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  return serverUrl(name);
}

const withAdmin = <T>(work: (admin: pg.Client) => Promise<T>): Promise<T> =>
  withConnection(serverUrl('postgres'), work);
