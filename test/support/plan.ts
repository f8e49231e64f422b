import pg from 'pg';
import type { BoundStatement } from '../../src/database/database.js';

/** How PostgreSQL may plan a prepared statement: for its values, or once for all. It chooses between the two by itself. */
export const MODES = ['custom', 'generic'] as const;
export type Mode = (typeof MODES)[number];

export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  /** Of what was run: pages that were in memory, and those that were not. */
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly 'Actual Loops'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** All nodes of the statement's plan, each before those below it. */
export async function planOf(
  client: pg.Client,
  { statement: { text }, values }: BoundStatement,
  mode: Mode,
  options = 'FORMAT JSON',
): Promise<PlanNode[]> {
  await client.query(`SET plan_cache_mode = force_${mode}_plan`);
  await client.query(`PREPARE statement AS ${text}`);
  try {
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `EXPLAIN (${options}) EXECUTE statement${values.length === 0 ? '' : `(${values.map(literal).join(', ')})`}`,
    );
    return nodesOf(rows[0]!['QUERY PLAN'][0].Plan);
  } finally {
    await client.query('DEALLOCATE statement');
  }
}

/** How many pages of the database the statement reads. */
export async function pagesReadBy(client: pg.Client, bound: BoundStatement, mode: Mode): Promise<number> {
  const [root] = await planOf(client, bound, mode, 'ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON');
  return (root?.['Shared Hit Blocks'] ?? 0) + (root?.['Shared Read Blocks'] ?? 0);
}

/** The node and everything below it, the innermost last. */
export function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

function literal(value: unknown): string {
  return value === null ? 'NULL' : pg.escapeLiteral(textOf(value));
}

/** As the driver sends it. */
function textOf(value: unknown): string {
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  if (value instanceof Date) return value.toISOString();
  if (!Array.isArray(value)) return typeof value === 'string' ? value : JSON.stringify(value);
  return `{${value.map((element) => JSON.stringify(String(element))).join(',')}}`;
}
