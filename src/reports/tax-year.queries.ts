import type { Type } from '@nestjs/common';
import type { BoundStatement } from '../database/database.js';
import { jsonOf } from '../database/json-view.js';
import { fieldsOf } from '../http/fields/fields.js';
import { FACETS } from '../transactions/facets.js';
import { CATEGORIES, type Category } from '../transactions/transaction.enums.js';
import { KIND, sumOf } from './books.js';
import { entries, isKnown } from './entries.js';
import type { Level } from './levels.js';
import { Parameters } from './parameters.js';
import type { TaxYearQuery } from './reports.dto.js';
import { SCHEDULE_E, type ScheduleELine, type ScheduleELines } from './schedule-e.js';
import { TaxApart, TaxLine, TaxSheet, TaxSheetOfProperty } from './tax-year.response.js';

export const MAX_PROPERTIES = 500;
const RENTS: ScheduleELine = 3;
const GROUP_BY: readonly Level[] = ['property', 'category'];

export interface TaxYearRow {
  /** Whether the owner has the property that is asked for. */
  readonly known: boolean;
  readonly total: string;
  /** Null when there are more than {@link MAX_PROPERTIES}. */
  readonly properties: string | null;
}

/** Of categories that are often taken for what they are not. */
const NOTES: Partial<Record<Category, string>> = {
  SECURITY_DEPOSIT: 'A liability as long as it may have to be given back.',
  MORTGAGE: 'Holds interest and principal: the interest alone is deductible, on line 12.',
  FURNISHING: 'Is capitalised as a rule: its depreciation is deductible, on line 18.',
};

/** One statement, as for the profit and loss; the sheet of property 0 is of all. */
export function taxYear(ownerId: string, query: TaxYearQuery, lines: ScheduleELines): BoundStatement {
  const parameters = new Parameters(ownerId, query);
  const year = String(query.year).padStart(4, '0');
  const { propertyId, timeZone, basis } = query;
  const period = {
    propertyId,
    timeZone,
    basis,
    from: `${year}-01-01`,
    to: `${year}-12-31`,
    groupBy: GROUP_BY,
  };
  const text = `WITH entries AS MATERIALIZED (${entries(period, parameters)}),
    form AS MATERIALIZED (SELECT f.* FROM json_to_recordset(${parameters.bind(formOf(lines))}::json)
      AS f(line integer, label text, categories json)),
    laid AS MATERIALIZED (SELECT m.* FROM json_to_recordset(${parameters.bind(layoutOf(lines))}::json)
      AS m(category integer, line integer, note text)),
    amounts AS MATERIALIZED (${AMOUNTS}),
    apart AS MATERIALIZED (${APART}),
    sheets AS MATERIALIZED (${SHEETS})
    SELECT ${isKnown(query, parameters)} AS known,
           (SELECT ${objectOf(TaxSheet, 's')}::text FROM sheets s WHERE s.property = 0) AS total,
           CASE WHEN (SELECT count(*) FROM sheets) <= ${MAX_PROPERTIES + 1} THEN coalesce(
             (SELECT string_agg(${objectOf(TaxSheetOfProperty, 's')}::text, ',' ORDER BY s.property)
                FROM sheets s JOIN properties o ON o.owner_id = $1 AND o.id = s.property), '') END AS properties`;
  return { statement: { text }, values: parameters.values };
}

/** The lines of the form, with the categories of each. */
function formOf(lines: ScheduleELines): string {
  const form = Object.entries(SCHEDULE_E).map(([line, label]) => ({
    line: Number(line),
    label,
    categories: CATEGORIES.filter((category) => lines[category] === Number(line)),
  }));
  return JSON.stringify(form);
}

/** Where each category is, by its bits. */
function layoutOf(lines: ScheduleELines): string {
  const layout = CATEGORIES.map((category) => ({
    category: FACETS.category.of(category),
    line: lines[category],
    note: NOTES[category] ?? null,
  }));
  return JSON.stringify(layout);
}

const PROPERTY = 'CASE grouping(e.key0) WHEN 0 THEN e.key0 ELSE 0 END AS property';

/** What came in is good for the line of the rents, and what went out for any other; the opposite is taken off. */
const AMOUNTS = `SELECT ${PROPERTY}, m.line,
    sum(CASE WHEN (e.kind = ${KIND.income}) = (m.line = ${RENTS}) THEN e.amount ELSE -e.amount END) AS amount
  FROM entries e JOIN laid m ON m.category = e.key1
  WHERE m.line IS NOT NULL AND e.kind IN (${KIND.income}, ${KIND.expenses})
  GROUP BY GROUPING SETS ((e.key0, m.line), (m.line))`;

const APART = `SELECT s.property, json_agg(${objectOf(TaxApart, 's')} ORDER BY s.category) AS json FROM (
    SELECT ${PROPERTY}, ${FACETS.category.valueOf('e.key1')} AS category, m.note,
           ${sumOf(KIND.income, KIND.depositsReceived, KIND.depositsRefunded)} AS income,
           ${sumOf(KIND.expenses, KIND.depositsReturned, KIND.depositsRefunded)} AS expenses
      FROM entries e JOIN laid m ON m.category = e.key1
     WHERE m.line IS NULL AND e.kind NOT IN (${KIND.refundedIncome}, ${KIND.refundedExpenses})
     GROUP BY GROUPING SETS ((e.key0, e.key1, m.note), (e.key1, m.note))) s
  GROUP BY s.property`;

const SHEETS = `SELECT c.*, coalesce(q.json, '[]') AS apart FROM (
    SELECT s.property, json_agg(${objectOf(TaxLine, 's')} ORDER BY s.line) AS lines,
           sum(s.amount) FILTER (WHERE s.line <> ${RENTS}) AS "totalExpenses",
           sum(CASE s.line WHEN ${RENTS} THEN s.amount ELSE -s.amount END) AS net
      FROM (SELECT p.property, f.*, coalesce(a.amount, 0.00) AS amount
              FROM (SELECT DISTINCT e.key0 AS property FROM entries e UNION ALL SELECT 0) p CROSS JOIN form f
              LEFT JOIN amounts a ON a.property = p.property AND a.line = f.line) s
     GROUP BY s.property) c
  LEFT JOIN apart q ON q.property = c.property`;

/** SQL over the alias: the fields of a class as an object. */
function objectOf(type: Type, alias: string): string {
  const columns: Record<string, string> = { propertyId: `${alias}.property`, propertyName: 'o.name' };
  const fields = fieldsOf(type).map((name) => `${columns[name] ?? `${alias}."${name}"`} AS "${name}"`);
  return jsonOf(fields);
}
