import { type DatabaseSettings, publicAddress } from '../../config/database-settings.js';
import { TABLES } from '../../database/citus.js';
import { type LedgerClient, requireOwnSession } from '../../database/client.js';
import { AUTHENTICATION_CONNECTIONS } from '../../database/connections.js';
import { remedyFor, unavailability } from '../../database/errors.js';
import { type MigrationStatus, migrationStatus, withDataSource } from '../../database/migrate.js';
import { withConnection } from '../session.js';
import { checkCitus } from './citus.js';
import { type Finding, findingsOf } from './findings.js';

/**
 * `closed` are tables that the role may not read and write. `allowed` is the lowest limit of connections, `limit` its name;
 * `taken` are connections of other clients, `held` those of all instances of the service.
 */
type Facts = Readonly<
  Record<'version' | 'limit', string> &
    Record<
      'isStandby' | 'isReadOnly' | 'hasTrigrams' | 'foldsCase' | 'showsSessions' | 'mayMigrate',
      boolean
    > &
    Record<'pid' | 'allowed' | 'taken' | 'held', number> & { closed: readonly string[] }
>;

/** One row; no column needs a right. A role or database without a limit has -1. */
const FACTS = `
  SELECT current_setting('server_version') AS version,
         pg_is_in_recovery() AS "isStandby",
         current_setting('transaction_read_only') = 'on' AS "isReadOnly",
         EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm') AS "hasTrigrams",
         lower('É') = 'é' AS "foldsCase",
         pg_has_role('pg_read_all_stats', 'USAGE') AND current_setting('track_activities') = 'on' AS "showsSessions",
         coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)
           AND NOT EXISTS (SELECT FROM unnest($1::text[]) name JOIN pg_class ON oid = to_regclass(name)
                            WHERE NOT pg_has_role(relowner, 'USAGE')) AS "mayMigrate",
         ARRAY(SELECT relname::text FROM pg_class
                WHERE relnamespace = to_regnamespace(current_schema()) AND relkind = 'r'
                  AND relname = ANY ($1)
                  AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
                           AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
                ORDER BY relname) AS closed,
         pg_backend_pid() AS pid,
         l.allowed, l.name AS limit,
         (SELECT count(*)::int FROM pg_stat_activity
           WHERE datid IS NOT NULL AND application_name NOT LIKE 'property-finance%') AS taken,
         (SELECT count(*)::int FROM pg_stat_activity
           WHERE datname = current_database() AND application_name = 'property-finance') AS held
    FROM (SELECT rolconnlimit, 'the CONNECTION LIMIT of the role' FROM pg_roles WHERE rolname = current_user
          UNION
          SELECT datconnlimit, 'the CONNECTION LIMIT of the database'
            FROM pg_database WHERE datname = current_database()
          UNION
          SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
                   - coalesce(current_setting('reserved_connections', true), '0')::int, 'max_connections'
         ) l (allowed, name)
   WHERE l.allowed >= 0 ORDER BY l.allowed LIMIT 1`;

/** Whether PostgreSQL can be reached and has all that the service needs. */
export async function checkDatabase(settings: DatabaseSettings, instances: number): Promise<Finding[]> {
  try {
    return await withConnection(settings, 'doctor', (client) => examine(client, settings, instances));
  } catch (error) {
    return [refusal(settings, error as Error)];
  }
}

async function examine(client: LedgerClient, settings: DatabaseSettings, count: number): Promise<Finding[]> {
  const { poolSize, pooler } = settings;
  const { rows } = await client.query<Facts>(FACTS, [TABLES]);
  const [facts] = rows as [Facts];
  // A pooler gives each connection a process number of its own, none of PostgreSQL's.
  const isPooled = Reflect.get(client, 'processID') !== facts.pid;
  const usesPooler = isPooled || pooler !== 'none';
  if (pooler === 'session')
    await withConnection(settings, 'doctor', (other) => requireOwnSession(client, other));
  return [
    ...checkServer(facts),
    ...(usesPooler ? checkPooler(pooler, isPooled) : checkConnections(poolSize, count, facts)),
    ...checkSchema(settings, facts, await withDataSource(settings, migrationStatus)),
    ...findingsOf('rights', 'the role may read and write every table', [
      [facts.closed.length > 0, 'fail', `the role may not read and write ${facts.closed.join(', ')}`, GRANT],
    ]),
    ...(await checkCitus(client)),
  ];
}

function refusal({ url }: DatabaseSettings, error: Error): Finding {
  const { host, port, name } = publicAddress(url);
  const reason = unavailability(error);
  const unknown = { status: 'fail', subject: 'database', text: error.message } as const;
  if (reason === undefined) return { ...unknown, remedy: 'see docs/security.md' };
  const owner = decodeURIComponent(new URL(url).username);
  const create = `CREATE DATABASE "${name}" OWNER "${owner}" ENCODING 'UTF8' LOCALE 'C.UTF-8' TEMPLATE template0`;
  const remedy = reason === 'no-such-database' ? `as superuser: ${create}` : remedyFor(reason);
  return { ...unknown, text: `${reason}: ${name} at ${host}, port ${port}`, remedy };
}

const PROMOTE =
  'let DB_HOST (or DB_URL) name the primary; or promote this one, as superuser: SELECT pg_promote()';
const WRITABLE =
  'as superuser: ALTER SYSTEM RESET default_transaction_read_only; SELECT pg_reload_conf(); or, where the role or the ' +
  'database has it: ALTER ROLE … RESET default_transaction_read_only';
const ASCII = 'its locale knows the case of ASCII letters alone: a search for élise does not find ÉLISE';
const RELOAD = "dump it, and load it into one made with LOCALE 'C.UTF-8' TEMPLATE template0";

const HIDDEN = 'it hides when transactions of other roles began: …/changes is 503 while one is connected';
const SHOW = 'as superuser: GRANT pg_read_all_stats TO …; leave track_activities on';

function checkServer({ version, isStandby, isReadOnly, ...facts }: Facts): Finding[] {
  const only = 'it only reads (default_transaction_read_only is on)';
  const contrib = 'install the contrib package of PostgreSQL there';
  return findingsOf('database', `PostgreSQL ${version} answers`, [
    [isStandby, 'fail', 'it is a standby, which only reads', PROMOTE],
    [isReadOnly && !isStandby, 'fail', only, WRITABLE],
    [!facts.hasTrigrams, 'fail', 'the extension pg_trgm is missing', contrib],
    [!facts.foldsCase, 'warn', ASCII, RELOAD],
    [!facts.showsSessions, 'warn', HIDDEN, SHOW],
  ]);
}

const UNSET_POOLER =
  'one stands before PostgreSQL: it refuses the service, or stores a write later that was answered 503';

function checkPooler(pooler: DatabaseSettings['pooler'], isPooled: boolean): Finding[] {
  const room =
    pooler === 'session'
      ? 'its pool must hold DB_POOL_SIZE + 2 connections for each instance'
      : 'a request waits where its pool is smaller than DB_POOL_SIZE of all instances';
  const mode = 'DB_POOLER=session or DB_POOLER=transaction, as its pool_mode is';
  return findingsOf('pooler', `in ${pooler} mode by DB_POOLER: ${room}`, [
    [pooler === 'none', 'fail', UNSET_POOLER, mode],
    [!isPooled, 'warn', `DB_POOLER is ${pooler}, but no pooler was found`, 'remove DB_POOLER'],
  ]);
}

const MIGRATE = 'npm run cli -- db migrate';
const AS_OWNER = `as the owner of the schema: DB_USERNAME=… DB_PASSWORD_FILE=… ${MIGRATE}; or, as superuser: ALTER DATABASE … OWNER TO …`;

/** The first row that holds explains the ones below it. */
function checkSchema({ migrate }: DatabaseSettings, { mayMigrate }: Facts, migrations: MigrationStatus[]) {
  const named = (wanted: string): string[] =>
    migrations.filter(({ state }) => state === wanted).map(({ name }) => name);
  const [unknown, pending] = [named('unknown'), named('pending').length];
  const missing = `${pending} of ${migrations.length} migrations are missing`;
  const fine =
    pending > 0
      ? `${missing}, and are applied at the next start`
      : `up to date: ${migrations.length} migrations are applied`;
  const foreign = `it has migrations that this version of the service does not know: ${unknown.join(', ')}`;
  const version =
    `start the version that has them${migrate ? ', or set DB_MIGRATE=false' : ''}; or, if they are of an older one, dump ` +
    'the rows and load them into an empty database (docs/operations.md)';
  const closed = `${missing}, and the role may not make tables in the schema public, or does not own those there`;
  return findingsOf('schema', fine, [
    [unknown.length > 0, migrate ? 'fail' : 'warn', foreign, version],
    [pending > 0 && !mayMigrate, 'fail', closed, AS_OWNER],
    [pending > 0 && !migrate, 'fail', missing, MIGRATE],
  ]).slice(0, 1);
}

const GRANT =
  'as the owner of the schema, in psql: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO … ' +
  '(docs/security.md has all of them)';

const BESIDE_THE_POOL = AUTHENTICATION_CONNECTIONS + 1; // connections for authentication and the health check

/** Connections of all instances, at least of those that run, against the lowest limit. */
function checkConnections(poolSize: number, given: number, facts: Facts): Finding[] {
  const { taken, held, allowed, limit } = facts;
  const each = poolSize + BESIDE_THE_POOL;
  const instances = Math.max(given, Math.ceil(held / each));
  const needed = instances * each;
  const room = needed > allowed ? allowed : allowed - taken;
  const fitting = Math.max(1, Math.floor(room / instances) - BESIDE_THE_POOL);
  const want = instances === 1 ? '1 instance wants' : `${instances} instances want`;
  const text =
    `DB_POOL_SIZE is ${poolSize}: ${want} ${needed} connections; ${limit} allows ${allowed}; ` +
    `the service holds ${held} now, others ${taken}`;
  const remedy = `DB_POOL_SIZE=${fitting}, or as superuser raise ${limit} to at least ${needed + taken}`;
  return findingsOf('connections', text, [[needed > room, needed > allowed ? 'fail' : 'warn', text, remedy]]);
}
