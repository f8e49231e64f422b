import { rowsOf } from './connect.js';

export interface FakeCitus {
  readonly isCoordinator?: boolean;
  /** Reachable or not. */
  readonly workers?: readonly boolean[];
  readonly distributed?: readonly string[];
}

/**
 * Makes a database look like one of a Citus cluster, with the relations that Citus adds to the catalogue. Its
 * functions store their arguments.
 */
export async function pretendCitus(
  databaseUrl: string,
  { isCoordinator = true, workers = [true, true], distributed = [] }: FakeCitus,
): Promise<string> {
  await rowsOf(databaseUrl, CATALOGUE);
  const filling = `
    WITH g AS (INSERT INTO pg_dist_local_group VALUES ($1)),
         p AS (INSERT INTO pg_dist_partition SELECT name::regclass, 'before' FROM unnest($3::text[]) name)
    INSERT INTO pg_dist_node SELECT n - 1, 'worker', 5999 + n, true, true, 'primary', answers
      FROM unnest($2::boolean[]) WITH ORDINALITY w (answers, n)`;
  await rowsOf(databaseUrl, filling, [isCoordinator ? 0 : 1, workers, distributed]);
  const name = new URL(databaseUrl).pathname.slice(1);
  await rowsOf(databaseUrl, `ALTER DATABASE ${name} SET search_path = public, pg_catalog`);
  return databaseUrl;
}

const CATALOGUE = `
  CREATE TABLE public.pg_extension AS SELECT 'citus' AS extname, '13.2-1' AS extversion;
  CREATE TABLE public.pg_dist_local_group (groupid integer);
  CREATE TABLE public.pg_dist_node (nodeid integer, nodename text, nodeport integer, shouldhaveshards boolean,
                                    isactive boolean, noderole text, answers boolean);
  CREATE TABLE public.pg_dist_partition (logicalrelid oid, how text);
  CREATE FUNCTION create_reference_table(text) RETURNS void LANGUAGE sql AS
    $$ INSERT INTO public.pg_dist_partition VALUES ($1::regclass, 'reference') $$;
  CREATE FUNCTION create_distributed_table(text, text, shard_count integer = NULL, colocate_with text = NULL)
    RETURNS void LANGUAGE sql AS
    $$ INSERT INTO public.pg_dist_partition VALUES ($1::regclass, concat_ws(' ', $2, shard_count, colocate_with)) $$;
  CREATE FUNCTION truncate_local_data_after_distributing_table(text) RETURNS void LANGUAGE sql AS
    $$ UPDATE public.pg_dist_partition SET how = how || ', emptied' WHERE logicalrelid = $1::regclass $$;
  CREATE FUNCTION citus_check_connection_to_node(text, integer) RETURNS boolean LANGUAGE sql AS
    $$ SELECT n.answers FROM public.pg_dist_node n WHERE nodename = $1 AND nodeport = $2 $$;`;
