import pg from 'pg';
import type { DatabaseSettings } from '../../config/env.js';
import { migrationStatus } from '../../database/migrate.js';
import { databaseTrouble } from '../database-trouble.js';
import { type Finding, right, wrong } from './finding.js';

const OLDEST = 150_000;
/** Past this much, what is overdue by the database's clock is told wrongly by the service's. */
const CLOCK_TOLERANCE = 5000;

interface Server {
  readonly version: string;
  readonly number: number;
  readonly encoding: string;
  /** Milliseconds of its clock. */
  readonly clock: number;
  readonly trigrams: boolean;
  /** Whether the role may make something in the schema. */
  readonly mayMigrate: boolean;
}

/** Whether PostgreSQL can be reached and is what the service needs. */
export async function checkDatabase(settings: DatabaseSettings): Promise<Finding[]> {
  try {
    const { server, difference } = await askServer(settings);
    return [
      right('database', `PostgreSQL ${server.version} answers`),
      ...faultsOf(server),
      checkClock(difference),
      await checkSchema(settings, server),
    ];
  } catch (error) {
    const trouble = databaseTrouble(error);
    const text = trouble === undefined ? (error as Error).message : `${trouble.reason}: ${trouble.remedy}`;
    return [wrong('database', text)];
  }
}

/** The clock's difference is that to the middle of the question's time. */
async function askServer(settings: DatabaseSettings): Promise<{ server: Server; difference: number }> {
  const client = new pg.Client({
    connectionString: settings.url,
    connectionTimeoutMillis: settings.acquireTimeout,
    query_timeout: settings.statementTimeout,
  });
  client.on('error', () => undefined); // it shows at the query
  await client.connect();
  try {
    const before = Date.now();
    const { rows } = await client.query<Server>(
      `SELECT current_setting('server_version') AS version,
              current_setting('server_version_num')::int AS number,
              current_setting('server_encoding') AS encoding,
              (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS clock,
              EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm') AS trigrams,
              coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayMigrate"`,
    );
    const [server] = rows as [Server];
    return { server, difference: Math.round(server.clock - (before + Date.now()) / 2) };
  } finally {
    await client.end().catch(() => undefined);
  }
}

function faultsOf({ version, number, encoding, trigrams }: Server): Finding[] {
  const faults: Finding[] = [];
  if (number < OLDEST)
    faults.push(wrong('database', `version ${version} is too old: take PostgreSQL 15 or newer`));
  if (encoding !== 'UTF8')
    faults.push(
      wrong('database', `its encoding is ${encoding}: make it with ENCODING 'UTF8' TEMPLATE template0`),
    );
  if (!trigrams)
    faults.push(
      wrong('database', 'the extension pg_trgm is missing: install the contrib package of PostgreSQL'),
    );
  return faults;
}

function checkClock(difference: number): Finding {
  const text = `${Math.abs(difference)} ms ${difference < 0 ? 'behind' : 'ahead of'} this machine's`;
  if (Math.abs(difference) <= CLOCK_TOLERANCE) return right('clock', text);
  return wrong('clock', `${text}: let both be set by NTP`);
}

async function checkSchema(settings: DatabaseSettings, { mayMigrate }: Server): Promise<Finding> {
  const pending = (await migrationStatus(settings)).filter(({ applied }) => !applied).length;
  if (pending === 0) return right('schema', 'up to date');
  if (!mayMigrate)
    return wrong(
      'schema',
      `${pending} migrations are missing: run "npm run cli -- db migrate" as the owner of the schema`,
    );
  if (settings.migrate) return right('schema', `${pending} migrations are applied at the next start`);
  return wrong('schema', `${pending} migrations are missing: run "npm run cli -- db migrate"`);
}
