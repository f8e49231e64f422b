import type { DatabaseSettings } from '../../config/env.js';
import { serverName, serversOf } from '../../database/address.js';
import { connectTo, LedgerClient } from '../../database/client.js';
import { reasonOf, Servers } from '../../database/servers.js';
import { databaseTrouble } from '../database-trouble.js';
import { fail, type Finding, ok, warn } from './finding.js';

/** What one of several servers is. */
interface ServerState {
  readonly standby: boolean;
  readonly readOnly: boolean;
  /** Of a standby: seconds since what it has replayed was written, while more has come; null when nobody can tell. */
  readonly lag: number | null;
  /** Of a standby: whether it is receiving what its primary writes. */
  readonly receives: boolean;
}

const STATE = `
  SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') = 'on' AS "readOnly",
         EXISTS (SELECT FROM pg_stat_wal_receiver) AS receives,
         CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
              ELSE extract(epoch FROM now() - pg_last_xact_replay_timestamp())::float8 END AS lag`;

/** Each of several servers, with what it is just now; nothing where there is only one. */
export async function checkServers({ url, acquireTimeout }: DatabaseSettings): Promise<Finding[]> {
  const { urls, wanted } = serversOf(url);
  if (urls.length === 1) return [];
  const found = await Promise.all(urls.map((one) => look(one, acquireTimeout)));
  const primaries = found.filter(({ isPrimary }) => isPrimary).map(({ name }) => name);
  const findings = found.map(({ finding }) => finding);
  if (primaries.length > 1 && wanted !== 'any')
    findings.push(
      fail(
        'servers',
        `${primaries.join(' and ')} both take writes: rows may be written to one and missing on the other`,
        'stop all but one, and make the others its standbys anew (pg_basebackup or pg_rewind)',
      ),
    );
  return findings;
}

async function look(
  url: string,
  timeout: number,
): Promise<{ name: string; isPrimary: boolean; finding: Finding }> {
  const name = serverName(url);
  try {
    const role = await roleOf(url, timeout);
    return { name, isPrimary: !role.standby && !role.readOnly, finding: findingOf(name, role) };
  } catch (error) {
    const remedy = databaseTrouble(error)?.remedy ?? 'look into its log';
    return { name, isPrimary: false, finding: warn('servers', `${name}: ${reasonOf(error)}`, remedy) };
  }
}

function findingOf(name: string, { standby, readOnly, lag, receives }: ServerState): Finding {
  if (standby && !receives)
    return warn(
      'servers',
      `${name}: a standby that receives nothing from a primary`,
      'look into its log, and at its primary_conninfo',
    );
  if (standby)
    return ok('servers', `${name}: a standby${lag === null ? '' : `, ${Math.round(lag)} s behind`}`);
  if (readOnly)
    return warn(
      'servers',
      `${name}: a primary that only reads`,
      'as superuser: ALTER SYSTEM RESET default_transaction_read_only; SELECT pg_reload_conf()',
    );
  return ok('servers', `${name}: the primary`);
}

async function roleOf(url: string, timeout: number): Promise<ServerState> {
  const servers = new Servers(url, timeout);
  const options = { servers, query_timeout: timeout, application_name: 'property-finance doctor' };
  const client = await connectTo(servers, () => new LedgerClient(options));
  try {
    const { rows } = await client.query<ServerState>(STATE);
    if (rows[0] === undefined) throw new Error('a SELECT without a FROM has one row');
    return rows[0];
  } finally {
    await client.end().catch(() => undefined);
  }
}
