import type pg from 'pg';

/** The tables of owners' rows: all rows of one owner are on one server. */
export const OWNED_TABLES = [
  'properties',
  'transactions',
  'owner_totals',
  'property_totals',
  'idempotency_keys',
  'deletions',
];

/** The accounts, to which they refer, and their keys: every server has all of them. */
export const REFERENCE_TABLES: readonly string[] = ['users', 'api_keys'];

export const TABLES: readonly string[] = [...OWNED_TABLES, ...REFERENCE_TABLES];

/** A server with the extension, and its cluster. */
export interface Citus {
  readonly version: string;
  /** The only server that the service may be connected to. */
  readonly isCoordinator: boolean;
  /** The servers that take rows. */
  readonly workers: readonly { readonly host: string; readonly port: number }[];
  /** The tables above that are not distributed. */
  readonly missing: readonly string[];
}

/** What differs where the owners are on several servers, of which one may be away. */
export const ONE_SERVER = {
  /** One statement may read or write rows of several owners by their keys. */
  takesOwnersTogether: true,
  /** A write is committed in a step of its own: PostgreSQL may report a timeout after another server has committed it. */
  commitsApart: false,
  /** A connection takes further statements after a timeout; otherwise it still waits for a frozen server. */
  survivesTimeouts: true,
  /** The code that tells what an error means. */
  codeOf: ({ code }: pg.DatabaseError) => code,
};
export type Topology = typeof ONE_SERVER;

export const ON_CITUS: Topology = {
  takesOwnersTogether: false,
  commitsApart: true,
  survivesTimeouts: false,
  // Most internal errors mean a server that is away. One that copies rows to another server may report a taken key so.
  codeOf: ({ code, message }) => {
    if (code !== 'XX000') return code;
    return message.startsWith('duplicate key value violates unique') ? '23505' : '08006';
  },
};

/** The version of the extension, if the database has it. */
export const CITUS = `SELECT extversion FROM pg_extension WHERE extname = 'citus'`;

/** Undefined where the database has no such extension. Needs no rights. */
export async function citusOf(client: pg.ClientBase): Promise<Citus | undefined> {
  if ((await client.query(CITUS)).rows.length === 0) return undefined;
  const { rows } = await client.query<Citus>(
    `SELECT (${CITUS}) AS version, (SELECT groupid = 0 FROM pg_dist_local_group) AS "isCoordinator",
            (SELECT coalesce(json_agg(json_build_object('host', nodename, 'port', nodeport) ORDER BY nodeid), '[]')
               FROM pg_dist_node WHERE shouldhaveshards AND isactive AND noderole = 'primary') AS workers,
            ARRAY(SELECT name FROM unnest($1::text[]) name
                   WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass(name))
                   ORDER BY name) AS missing`,
    [TABLES],
  );
  return rows[0];
}
