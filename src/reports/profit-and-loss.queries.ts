import { type CellKind, csvLine } from '../database/csv.js';
import type { BoundStatement } from '../database/database.js';
import { jsonOf } from '../database/json-view.js';
import { fieldsOf } from '../http/fields/fields.js';
import { FACETS } from '../transactions/facets.js';
import { FIGURES } from './books.js';
import { entries, isKnown, MAX_GROUPS, periods } from './entries.js';
import type { Level } from './levels.js';
import { Parameters } from './parameters.js';
import { isUnit } from './periods.js';
import { ProfitAndLossFigures, ProfitAndLossGroup, ProfitAndLossPart } from './profit-and-loss.response.js';
import type { ProfitAndLossQuery } from './reports.dto.js';

export interface ProfitAndLossRow {
  /** Whether the owner has the property that is asked for. */
  readonly known: boolean;
  readonly total: string;
  /** Null when there are more than {@link MAX_GROUPS}. */
  readonly groups: string | null;
}

/**
 * One statement for all groups, of one owner. The entries are read once, from the index of the default list, and added up
 * by the finest groups and by what they are to the books; all else is made of the few rows that come of that. It is not
 * prepared: how many entries are in the period decides how they are best read.
 */
export function profitAndLoss(ownerId: string, query: ProfitAndLossQuery): BoundStatement {
  const { groupBy } = query;
  return statementOf(
    ownerId,
    query,
    `(SELECT ${jsonOf(figures('s'))}::text FROM sums s WHERE s.rest = ${restOfTotal(groupBy)}) AS total,
     CASE WHEN ${isBounded(groupBy)} THEN coalesce((${groups(groupBy)}), '') END AS groups`,
  );
}

export interface ProfitAndLossLines {
  readonly known: boolean;
  /** The lines of CSV, with an end between two; null when there are more than {@link MAX_GROUPS}. */
  readonly lines: string | null;
}

/** The same figures: a line for each group, each first group's own behind its parts, and the total last. */
export function profitAndLossLines(ownerId: string, query: ProfitAndLossQuery): BoundStatement {
  const { groupBy } = query;
  const cells = csvColumns(groupBy).map(([, ...cell]) => cell);
  const keys = groupBy.map((_, index) => `s.key${index} NULLS LAST`);
  const order = keys.length === 0 ? '' : `ORDER BY ${keys.join(', ')}`;
  const properties = groupBy.map((_, index) => propertyOf(groupBy, index)).join(' ');
  const lines = `SELECT string_agg(${csvLine(cells, query)}, E'\\r\\n' ${order}) FROM sums s ${properties}`;
  return statementOf(ownerId, query, `CASE WHEN ${isBounded(groupBy)} THEN (${lines}) END AS lines`);
}

/** The columns of CSV: their names, kinds, and SQL over `sums s`. */
export function csvColumns(
  groupBy: readonly Level[],
): (readonly [name: string, kind: CellKind, value: string])[] {
  const line = `CASE s.rest WHEN ${restOfTotal(groupBy)} THEN 'total' WHEN 0 THEN 'group' ELSE 'subtotal' END`;
  return [
    ['line', 'word', line],
    ...groupBy.flatMap((level, index) => {
      const fields = level === 'property' ? ['propertyId', 'propertyName'] : [level];
      return fields.map((name) => {
        const kind = { propertyId: 'number', propertyName: 'text' }[name] ?? 'word';
        return [name, kind as CellKind, keyOf(isUnit(name) ? 'period' : name, groupBy, index)] as const;
      });
    }),
    ...fieldsOf(ProfitAndLossFigures).map((name) => [name, 'number', `s."${name}"`] as const),
  ];
}

function statementOf(ownerId: string, query: ProfitAndLossQuery, columns: string): BoundStatement {
  const parameters = new Parameters(ownerId, query);
  const { groupBy } = query;
  const parts = [
    ...periods(query, parameters),
    `entries AS MATERIALIZED (${entries(query, parameters)})`,
    `sums AS MATERIALIZED (${sums(groupBy)})`,
    ...(groupBy.length === 2 ? [`parts AS MATERIALIZED (${partsByGroup(groupBy)})`] : []),
  ];
  const text = `WITH ${parts.join(',\n')}
    SELECT ${isKnown(query, parameters)} AS known, ${columns}`;
  return { statement: { text }, values: parameters.values };
}

/** The `rest` of the total, which has no key. */
function restOfTotal(groupBy: readonly Level[]): number {
  return 2 ** groupBy.length - 1;
}

/** The figures of each part, of each group and of all; `rest` is 0 for the finest. */
function sums(groupBy: readonly Level[]): string {
  const keys = groupBy.map((_, index) => `e.key${index}`);
  const sets = Array.from({ length: keys.length + 1 }, (_, count) => `(${keys.slice(0, count).join(', ')})`);
  const rest = keys.length === 0 ? '0' : `grouping(${keys.join(', ')})`;
  const columns = Object.entries(FIGURES).map(([name, sql]) => `${sql} AS "${name}"`);
  return `SELECT ${[...keys, `${rest} AS rest`, ...columns].join(', ')} FROM entries e
    GROUP BY GROUPING SETS (${sets.join(', ')})`;
}

function figures(alias: string): string[] {
  return fieldsOf(ProfitAndLossFigures).map((name) => `${alias}."${name}"`);
}

/** Of each group, what is below it. */
function partsByGroup(groupBy: readonly Level[]): string {
  const part = jsonOf(fieldsOf(ProfitAndLossPart).map((name) => fieldOf(name, groupBy, 1)));
  return `SELECT s.key0, json_agg(${part} ORDER BY s.key1) AS json FROM sums s ${propertyOf(groupBy, 1)}
    WHERE s.rest = 0 GROUP BY s.key0`;
}

function groups(groupBy: readonly Level[]): string {
  if (groupBy.length === 0) return "''";
  const below = groupBy.length === 2 ? 'q.json' : `'[]'::json`;
  const fields = fieldsOf(ProfitAndLossGroup).map((name) =>
    name === 'groups' ? `${below} AS groups` : fieldOf(name, groupBy, 0),
  );
  return `SELECT string_agg(${jsonOf(fields)}::text, ',' ORDER BY s.key0)
    FROM sums s ${propertyOf(groupBy, 0)} ${groupBy.length === 2 ? 'JOIN parts q ON q.key0 = s.key0' : ''}
    WHERE s.rest = ${2 ** (groupBy.length - 1) - 1}`;
}

/** A field of a group; null where the group is not by it. */
function fieldOf(name: string, groupBy: readonly Level[], index: number): string {
  return `${keyOf(name, groupBy, index)} AS "${name}"`;
}

function keyOf(name: string, groupBy: readonly Level[], index: number): string {
  const level = groupBy[index];
  const key = `s.key${index}`;
  if (name === 'propertyId') return level === 'property' ? key : 'NULL::bigint';
  if (name === 'propertyName') return level === 'property' ? 'o.name' : 'NULL::text';
  if (name === 'category') return level === 'category' ? FACETS.category.valueOf(key) : 'NULL::text';
  if (name === 'period')
    return level !== undefined && isUnit(level)
      ? `(SELECT p.names FROM periods${index} p)[${key}]`
      : 'NULL::text';
  return `s."${name}"`;
}

function propertyOf(groupBy: readonly Level[], index: number): string {
  if (groupBy[index] !== 'property') return '';
  return `LEFT JOIN properties o ON o.owner_id = $1 AND o.id = s.key${index}`;
}

function isBounded(groupBy: readonly Level[]): string {
  const counts = groupBy.flatMap((level, index) =>
    isUnit(level) ? [`(SELECT cardinality(p.starts) FROM periods${index} p)`] : [],
  );
  const most = `<= ${MAX_GROUPS}`;
  return [
    `(SELECT count(*) - 1 FROM sums) ${most}`,
    ...counts.map((count) => `coalesce(${count}, 0) ${most}`),
  ].join(' AND ');
}
