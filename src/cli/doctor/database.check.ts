import type pg from 'pg';
import type { DatabaseSettings } from '../../config/env.js';
import { publicAddress } from '../../database/address.js';
import { isFromBefore, type MigrationStatus, migrationStatus } from '../../database/migrate.js';
import { databaseTrouble, type DatabaseTrouble } from '../database-trouble.js';
import { checkCitus } from './citus.check.js';
import { checkConnections, CONNECTIONS, type Connections, type Demand } from './connections.check.js';
import { fail, type Finding, ok, warn } from './finding.js';
import { checkPooler } from './pooler.check.js';
import { remedyAt } from './remedies.js';
import { checkRights, CLOSED_TABLES } from './rights.check.js';
import { withConnection } from './server-connection.js';

const ASCII_ALONE =
  'its locale knows the case of ASCII letters alone: a search for élise does not find ÉLISE';
const WITH_LETTERS = "dump it, and load it into one made with LOCALE 'C.UTF-8' TEMPLATE template0";

const OLDEST = 150_000;
/** Past this much, what is overdue by the database's clock is told wrongly by the service's. */
const CLOCK_TOLERANCE = 5000;

interface Server extends Connections {
  readonly version: string;
  readonly number: number;
  readonly encoding: string;
  readonly standby: boolean;
  readonly readOnly: boolean;
  /** Milliseconds of its clock. */
  readonly clock: number;
  readonly trigrams: boolean;
  /** Whether the letter case of other letters than ASCII's is known. */
  readonly foldsCase: boolean;
  /** Whether the role may make something in the schema. */
  readonly mayMigrate: boolean;
}

/** Whether PostgreSQL can be reached and is what the service needs. */
export async function checkDatabase(
  settings: DatabaseSettings,
  instances: Demand['instances'],
): Promise<Finding[]> {
  try {
    return await withConnection(settings, async (connection) => {
      const pooler = await checkPooler(settings, connection);
      const { server, difference } = await askServer(connection.client);
      return [
        ok('database', `PostgreSQL ${server.version} answers`),
        ...faultsOf(server),
        ...(server.foldsCase ? [] : [warn('database', ASCII_ALONE, WITH_LETTERS)]),
        ...pooler,
        // Behind a pooler they are not the service's own, and the pooler's check has what there is to say.
        ...(pooler.length > 0 ? [] : [checkConnections({ poolSize: settings.poolSize, instances }, server)]),
        checkClock(difference),
        await checkSchema(settings, server),
        checkRights(await closedTables(connection.client)),
        ...(await checkCitus(connection.client)),
      ];
    });
  } catch (error) {
    const trouble = databaseTrouble(error);
    if (trouble === undefined) return [fail('database', (error as Error).message, 'see docs/security.md')];
    return [fail('database', ...refusal(settings, trouble))];
  }
}

function refusal({ url }: DatabaseSettings, trouble: DatabaseTrouble): [text: string, remedy: string] {
  const { host, port, name } = publicAddress(url);
  return [`${trouble.reason}: ${name} at ${host}, port ${port}`, remedyAt(url, trouble)];
}

/** The clock's difference is that to the middle of the question's time. */
async function askServer(client: pg.Client): Promise<{ server: Server; difference: number }> {
  const before = Date.now();
  const { rows } = await client.query<Server>(
    `SELECT current_setting('server_version') AS version,
            current_setting('server_version_num')::int AS number,
            current_setting('server_encoding') AS encoding,
            pg_is_in_recovery() AS standby,
            current_setting('transaction_read_only') = 'on' AS "readOnly",
            (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS clock,
            lower('É') = 'é' AS "foldsCase",
            EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm') AS trigrams,
            coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayMigrate",
            ${CONNECTIONS}`,
  );
  const [server] = rows as [Server];
  return { server, difference: Math.round(server.clock - (before + Date.now()) / 2) };
}

async function closedTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(CLOSED_TABLES);
  return rows.map(({ name }) => name);
}

function faultsOf({ version, number, encoding, trigrams, standby, readOnly }: Server): Finding[] {
  const faults: readonly (readonly [isThere: boolean, text: string, remedy: string])[] = [
    [
      standby,
      'it is a standby, which only reads',
      'let DB_HOST (or DB_URL) name the primary; or make this one the primary, as superuser: SELECT pg_promote()',
    ],
    [
      readOnly && !standby,
      'it only reads (default_transaction_read_only is on)',
      'as superuser: ALTER SYSTEM RESET default_transaction_read_only; SELECT pg_reload_conf(); it may also be set for ' +
        'the role or the database: ALTER ROLE … RESET default_transaction_read_only',
    ],
    [number < OLDEST, `its version ${version} is too old`, 'take PostgreSQL 15 or newer'],
    [encoding !== 'UTF8', `its encoding is ${encoding}`, "make it with ENCODING 'UTF8' TEMPLATE template0"],
    [!trigrams, 'the extension pg_trgm is missing', 'install the contrib package of PostgreSQL there'],
  ];
  return faults.flatMap(([isThere, text, remedy]) => (isThere ? [fail('database', text, remedy)] : []));
}

function checkClock(difference: number): Finding {
  const text = `${Math.abs(difference)} ms ${difference < 0 ? 'behind' : 'ahead of'} this machine's`;
  if (Math.abs(difference) <= CLOCK_TOLERANCE) return ok('clock', `the database's is ${text}`);
  return fail('clock', `the database's is ${text}`, 'let both be set by NTP: timedatectl set-ntp true');
}

const FROM_BEFORE = 'older than the first migration of this version, and cannot be brought up to date';
const MIGRATE = 'npm run cli -- db migrate';

async function checkSchema(settings: DatabaseSettings, { mayMigrate }: Server): Promise<Finding> {
  const migrations = await migrationStatus(settings);
  const count = (wanted: MigrationStatus['state']): number =>
    migrations.filter(({ state }) => state === wanted).length;
  const [applied, pending] = [count('applied'), count('pending')];
  const unknown = migrations.filter(({ state }) => state === 'unknown').map(({ name }) => name);
  if (isFromBefore(unknown))
    return fail(
      'schema',
      FROM_BEFORE,
      'dump its rows and load them into an empty database (docs/operations.md)',
    );
  if (unknown.length > 0) return newerSchema(settings, unknown.length);
  if (pending === 0) return ok('schema', `up to date: ${applied} migrations are applied`);
  const text = `${pending} of ${migrations.length} migrations are missing`;
  if (!mayMigrate)
    return fail(
      'schema',
      `${text}, and the role has no right to make tables in the schema public`,
      `as superuser: ALTER DATABASE … OWNER TO …; or, with two roles, as the owner of the schema: DB_USERNAME=… DB_PASSWORD=… ${MIGRATE}`,
    );
  if (settings.migrate) return ok('schema', `${text}, and are applied at the next start`);
  return fail('schema', text, MIGRATE);
}

function newerSchema({ migrate }: DatabaseSettings, unknown: number): Finding {
  const text = `newer than this version of the service, which does not know ${unknown === 1 ? '1 migration' : `${unknown} migrations`} of it`;
  const remedy = 'start the version that has migrated it (npm run cli -- db status names what is unknown)';
  return migrate ? fail('schema', text, `${remedy}, or set DB_MIGRATE=false`) : warn('schema', text, remedy);
}
