import { type CellKind, csvLine } from '../database/csv.js';
import type { BoundStatement } from '../database/database.js';
import { jsonOf } from '../database/json-view.js';
import { fieldsOf } from '../http/fields/fields.js';
import { FACETS } from '../transactions/facets.js';
import { FIGURES } from './books.js';
import { ProfitAndLossPart } from './profit-and-loss.response.js';
import type { Level, ProfitAndLossQuery } from './reports.dto.js';
import { MAX_GROUPS, sums, type SumsRow } from './sums.js';

export interface ProfitAndLossRow extends SumsRow {
  /** An object of JSON, or a line of CSV. */
  readonly text: string;
}

const FIGURE_NAMES = Object.keys(FIGURES);
const FIGURE_COLUMNS = FIGURE_NAMES.map((name) => `s."${name}"`);

/** A group or part in each row, behind its own parts, and the total in the last: as JSON, unless CSV is asked for. */
export function profitAndLoss(ownerId: string, query: ProfitAndLossQuery, asCsv = false): BoundStatement {
  const text = asCsv ? csvLine(csvCells(query.groupBy), query) : jsonText(query.groupBy);
  return sums(ownerId, query, `${text} AS text`, MAX_GROUPS + 2);
}

/** The names of the columns of CSV. */
export function csvColumns(groupBy: readonly Level[]): string[] {
  return ['line', ...keysOf(groupBy).map(({ column }) => column), ...FIGURE_NAMES];
}

function csvCells(groupBy: readonly Level[]): (readonly [kind: CellKind, value: string])[] {
  const line = `CASE s.rest WHEN ${restOfTotal(groupBy)} THEN 'total' WHEN 0 THEN 'group' ELSE 'subtotal' END`;
  return [
    ['word', line],
    ...keysOf(groupBy).map(({ kind, value }) => [kind, value] as const),
    ...FIGURE_COLUMNS.map((value) => ['number', value] as const),
  ];
}

/** A part has the key of its own level; the keys above it are those of the group that it is in. */
function jsonText(groupBy: readonly Level[]): string {
  const keys = keysOf(groupBy);
  const columns = fieldsOf(ProfitAndLossPart).map((field) => {
    if (FIGURE_NAMES.includes(field)) return `s."${field}"`;
    const cases = keys
      .filter((key) => key.field === field)
      .map(({ rest, value }) => `WHEN ${rest} THEN ${value}`);
    return `${cases.length === 0 ? 'NULL' : `CASE s.rest ${cases.join(' ')} END`} AS "${field}"`;
  });
  return `CASE s.rest WHEN ${restOfTotal(groupBy)} THEN ${jsonOf(FIGURE_COLUMNS)} ELSE ${jsonOf(columns)} END::text`;
}

/** The `rest` of the total, which has no key. */
function restOfTotal(groupBy: readonly Level[]): number {
  return 2 ** groupBy.length - 1;
}

interface Key {
  /** In JSON. */
  readonly field: string;
  /** In CSV. */
  readonly column: string;
  readonly kind: CellKind;
  /** SQL over `s` and `o`. */
  readonly value: string;
  /** The `rest` of the groups by this level. */
  readonly rest: number;
}

function keysOf(groupBy: readonly Level[]): Key[] {
  return groupBy.flatMap((level, index): Key[] => {
    const [value, rest] = [`s.key${index}`, 2 ** (groupBy.length - 1 - index) - 1];
    if (level === 'property')
      return [
        { field: 'propertyId', column: 'propertyId', kind: 'number', value, rest },
        { field: 'propertyName', column: 'propertyName', kind: 'text', value: 'o.name', rest },
      ];
    const word = { column: level, kind: 'word', rest } as const;
    if (level === 'category') return [{ ...word, field: level, value: FACETS.category.valueOf(value) }];
    return [{ ...word, field: 'period', value: `(SELECT p.names FROM periods${index} p)[${value}]` }];
  });
}

/** The groups of JSON, each with its parts in it. */
export function nested(rows: readonly ProfitAndLossRow[], { length }: readonly Level[]): string {
  const groups: string[] = [];
  let parts: string[] = [];
  for (const { rest, text } of rows) {
    if (length === 2 && rest === 0) parts.push(text);
    else {
      groups.push(`${text.slice(0, -1)},"groups":[${parts.join(',')}]}`);
      parts = [];
    }
  }
  return `[${groups.join(',')}]`;
}
