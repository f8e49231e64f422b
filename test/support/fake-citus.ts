import { withConnection } from './connect.js';

export interface FakeCitus {
  readonly isCoordinator?: boolean;
  /** Whether they answer. */
  readonly workers?: readonly boolean[];
  readonly distributed?: readonly string[];
}

/**
 * Lets a database look like one of a Citus cluster to whoever asks for what Citus adds to the catalogue: what is in the
 * schema comes before what is in pg_catalog. Its functions note what they are called with.
 */
export async function pretendCitus(
  databaseUrl: string,
  { isCoordinator = true, workers = [true, true], distributed = [] }: FakeCitus,
): Promise<void> {
  await withConnection(databaseUrl, async (client) => {
    await client.query(CATALOGUE);
    await client.query('INSERT INTO pg_dist_local_group VALUES ($1)', [isCoordinator ? 0 : 1]);
    for (const [index, answers] of workers.entries())
      await client.query(`INSERT INTO pg_dist_node VALUES ($1, 'worker', $2, true, true, 'primary', $3)`, [
        index,
        6000 + index,
        answers,
      ]);
    for (const table of distributed)
      await client.query('INSERT INTO pg_dist_partition VALUES ($1::regclass, $2)', [table, 'before']);
    const { rows } = await client.query<{ name: string }>('SELECT current_database() AS name');
    await client.query(`ALTER DATABASE ${rows[0]!.name} SET search_path = public, pg_catalog`);
  });
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
