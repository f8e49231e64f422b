import type { Node } from 'libpg-query';
import { parseSync } from 'libpg-query';
import type pg from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { OWNED_TABLES } from '../../src/database/citus.js';

/** The last migration that knows nothing of distributed tables: what it has made `db distribute` distributes. */
const LAST_BEFORE_DISTRIBUTION = 'Indexes1800000000003';

/** What one direction of a migration runs. */
export async function statementsIn(
  migration: MigrationInterface,
  direction: 'up' | 'down',
): Promise<string[]> {
  const statements: string[] = [];
  const runner = { query: (text: string) => Promise.resolve(void statements.push(text)) };
  await migration[direction](runner as unknown as QueryRunner);
  return statements;
}

/** What keeps these statements of a migration from tables that are distributed. */
export function migrationBreaches(name: string, statements: readonly string[]): string[] {
  const nodes = statements.flatMap((text) => (parseSync(text).stmts ?? []).flatMap(({ stmt }) => stmt ?? []));
  const isAfter = (first: number, setting: string): boolean => {
    const asked = nodes.findIndex((node) => settingOf(node) === setting);
    return first === -1 || (asked !== -1 && asked < first);
  };
  const firstTrigger = nodes.findIndex(isAboutTriggers);
  const firstFunction = nodes.findIndex(isAboutFunctions);
  const isNew = stampOf(name) > stampOf(LAST_BEFORE_DISTRIBUTION);
  return [
    ...(isAfter(firstTrigger, 'citus.enable_unsafe_triggers = on') ? [] : ['does not ask for triggers']),
    ...(isAfter(firstFunction, 'citus.multi_shard_modify_mode = sequential')
      ? []
      : ['makes functions while parts of a table may be changed side by side']),
    ...nodes
      .flatMap(ownedTableOf)
      .filter(
        (table) => isNew && !statements.some((text) => text.includes(`create_distributed_table('${table}'`)),
      )
      .map((table) => `does not distribute ${table}`),
  ];
}

function stampOf(name: string): string {
  return /\d*$/.exec(name)![0];
}

/** What a SET LOCAL sets, and to what. */
function settingOf(node: Node): string | undefined {
  if (!('VariableSetStmt' in node)) return undefined;
  const { name, is_local, args } = node.VariableSetStmt;
  const [value] = args ?? [];
  if (is_local !== true || value === undefined || !('A_Const' in value)) return undefined;
  return `${name} = ${value.A_Const.sval?.sval}`;
}

function isAboutTriggers(node: Node): boolean {
  return 'CreateTrigStmt' in node || ('DropStmt' in node && node.DropStmt.removeType === 'OBJECT_TRIGGER');
}

function isAboutFunctions(node: Node): boolean {
  return (
    'CreateFunctionStmt' in node || ('DropStmt' in node && node.DropStmt.removeType === 'OBJECT_FUNCTION')
  );
}

/** The name of a table that the statement creates with an owner_id. */
function ownedTableOf(node: Node): string[] {
  if (!('CreateStmt' in node)) return [];
  const { relation, tableElts = [] } = node.CreateStmt;
  const isOwned = tableElts.some(
    (element) => 'ColumnDef' in element && element.ColumnDef.colname === 'owner_id',
  );
  return isOwned ? [relation?.relname ?? ''] : [];
}

/** What the schema has that no distributed table can: by owner_id, which tells the server, nothing else is unique. */
export async function schemaBreaches(client: Pick<pg.Client, 'query'>): Promise<string[]> {
  const { rows } = await client.query<{ breach: string }>(BREACHES, [OWNED_TABLES]);
  return rows.map(({ breach }) => breach).sort();
}

const BREACHES = `
  WITH tables AS (
    SELECT c.oid, c.relname::text AS name, c.relname = ANY ($1) AS owned,
           (SELECT a.attnum FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'owner_id') AS owner
      FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
  )
  SELECT t.name || ' is not among the tables to distribute' AS breach
    FROM tables t WHERE t.owner IS NOT NULL AND NOT t.owned
  UNION ALL
  SELECT i.indexrelid::regclass || ' is unique without the owner first'
    FROM tables t JOIN pg_index i ON i.indrelid = t.oid
   WHERE t.owned AND i.indisunique AND i.indkey[0] <> t.owner
  UNION ALL
  SELECT k.conname || ' does not lead from owner to owner'
    FROM pg_constraint k JOIN tables t ON t.oid = k.conrelid JOIN tables r ON r.oid = k.confrelid
   WHERE k.contype = 'f' AND NOT CASE
     WHEN t.owned AND r.owned
       THEN array_position(k.conkey, t.owner) = array_position(k.confkey, r.owner)
     ELSE t.owned AND r.name = 'users' AND k.conkey = ARRAY[t.owner] END IS TRUE
  UNION ALL
  SELECT t.name || '.' || a.attname || ' is an identity column'
    FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid WHERE a.attidentity <> ''`;
