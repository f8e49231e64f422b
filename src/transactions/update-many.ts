import type { Statement } from '../database/database.js';
import { byKey, type Column, typedFields, typeOf } from '../database/statements.js';

export const MAX_SHOWN = 255; // characters of a value that a change tells

/** A row that an update of many has found. */
export interface FoundRow {
  readonly id: string;
  readonly version: number;
  readonly isChanged: boolean;
  /** Another write came first. */
  readonly isMissed: boolean;
  /** Of an update that writes nothing. */
  readonly changes: readonly object[];
}

/**
 * $1 owner, $2 JSON array of rows: some fields, the id, and the version that is expected; $3 whether it writes. A row that
 * changes nothing is not written. LIMIT 1 keeps estimates from making a join that reads all of the owner's rows.
 */
export function updateMany(columns: readonly Column[], json: string): Statement {
  const set = columns.map(({ databaseName }) => `${databaseName} = n.${databaseName}`);
  const shown = `'from', left(c.before, ${MAX_SHOWN}), 'to', left(c.after, ${MAX_SHOWN})`;
  const text = `WITH found AS MATERIALIZED (
        SELECT t.id, t.version, v.version AS expected, t.json AS before, ${valuesOf(columns)}
          FROM jsonb_array_elements($2::jsonb) AS r(row)
         CROSS JOIN LATERAL jsonb_to_record(r.row) AS v(id bigint, version integer, ${typedFields(columns)})
         CROSS JOIN LATERAL (
           SELECT t.*, ${json} AS json FROM transactions t WHERE ${byKey('v.id')} LIMIT 1) t),
      wanted AS MATERIALIZED (SELECT t.*, ${json} AS after FROM found t),
      written AS (
        UPDATE transactions t SET ${set.join(', ')}, version = t.version + 1, updated_at = CURRENT_TIMESTAMP,
               property_name = (SELECT p.name FROM properties p WHERE p.owner_id = $1 AND p.id = n.property_id)
          FROM wanted n
         WHERE ${byKey('n.id')} AND t.version = n.expected AND n.version = n.expected
           AND n.before <> n.after AND $3::boolean
        RETURNING t.id)
      SELECT n.id, n.version, n.before <> n.after AS "isChanged",
             $3 AND n.before <> n.after AND n.version = n.expected AND w.id IS NULL AS "isMissed",
             CASE WHEN $3 THEN '{}' ELSE ARRAY(
               SELECT json_build_object('field', c.field, ${shown})
                 FROM ROWS FROM (json_each_text(n.before::json), json_each_text(n.after::json))
                   AS c(field, before, same, after)
                WHERE c.before IS DISTINCT FROM c.after) END AS changes
        FROM wanted n LEFT JOIN written w ON w.id = n.id`;
  return { name: 'transactions.update_many', text };
}

/**
 * SQL: the columns of `t` with the fields that the row has in their place, as a request stores them. A spreadsheet knows one
 * line break, and no empty text beside none: a text that differs in these alone stays.
 */
function valuesOf(columns: readonly Column[]): string {
  const valueOf = (column: Column): string => {
    const [given, old, type] = [`v."${column.propertyName}"`, `t.${column.databaseName}`, typeOf(column)];
    const shown = `regexp_replace(coalesce(${old}, ''), E'\\r\\n?', E'\\n', 'g')`;
    const text = `CASE WHEN coalesce(${given}, '') = ${shown} THEN ${old} ELSE ${given} END`;
    const other = ['text[]', 'jsonb'].includes(type) ? `nullif(${given}, '{}')` : given;
    return `CASE WHEN r.row ? '${column.propertyName}' THEN ${type === 'text' ? text : other} ELSE ${old} END`;
  };
  const values = new Map(columns.map((column) => [column.databaseName, valueOf(column)]));
  const once = `CASE WHEN NOT ${values.get('recurring')} THEN 'ONE_TIME' END`;
  values.set('frequency', `coalesce(${values.get('frequency')}, ${once})`);
  return Array.from(values, ([name, value]) => `${value} AS ${name}`).join(', ');
}
