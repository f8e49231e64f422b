import type pg from 'pg';

/** The tables whose rows have an owner: all rows of one owner lie on one server. */
export const OWNED_TABLES: readonly string[] = [
  'properties',
  'transactions',
  'owner_totals',
  'property_totals',
  'idempotency_keys',
];

/** What they refer to: every server has all of it. */
export const REFERENCE_TABLE = 'users';

/** What a server with the extension knows of the servers that it belongs with. */
export interface Citus {
  readonly version: string;
  /** The only one that the service may be connected to. */
  readonly isCoordinator: boolean;
  /** Those that take rows. */
  readonly workers: readonly CitusNode[];
  /** Those of the tables above that are distributed. */
  readonly distributed: readonly string[];
}

export interface CitusNode {
  readonly host: string;
  readonly port: number;
}

/** Undefined where the database has no such extension. Needs no rights. */
export async function citusOf(client: pg.ClientBase): Promise<Citus | undefined> {
  const { rows } = await client.query<{ version: string }>(
    `SELECT extversion AS version FROM pg_extension WHERE extname = 'citus'`,
  );
  if (rows[0] === undefined) return undefined;
  const found = await client.query<Omit<Citus, 'version'>>(
    `SELECT (SELECT groupid = 0 FROM pg_dist_local_group) AS "isCoordinator",
            (SELECT coalesce(json_agg(json_build_object('host', nodename, 'port', nodeport) ORDER BY nodeid), '[]')
               FROM pg_dist_node WHERE shouldhaveshards AND isactive AND noderole = 'primary') AS workers,
            ARRAY(SELECT c.relname::text FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
                   WHERE c.relname = ANY ($1) AND c.relnamespace = to_regnamespace(current_schema())) AS distributed`,
    [[REFERENCE_TABLE, ...OWNED_TABLES]],
  );
  const [known] = found.rows as [Omit<Citus, 'version'>];
  return { version: rows[0].version, ...known };
}

/** Of those that the service needs distributed, those that are not. */
export function undistributed({ distributed }: Citus): string[] {
  return [REFERENCE_TABLE, ...OWNED_TABLES].filter((table) => !distributed.includes(table));
}
