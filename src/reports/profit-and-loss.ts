import { type CsvColumn, csvLine } from '../database/csv.js';
import { jsonOf } from '../database/json-view.js';
import { FACETS } from '../transactions/transaction.enums.js';
import type { Level, ProfitAndLossQuery } from './dto/reports.request.js';

const { type, status, category } = FACETS;
const [EXPENSE, INCOME] = [type.of('EXPENSE'), type.of('INCOME')];
/** Added to the number of the type. */
const [REFUNDED, DEPOSIT] = [2, 4];
const BOTH = 7; // a security deposit that was received, and then refunded

const TYPE = `(t.facets & ${type.mask})`;
const IS_REFUNDED = `t.facets & ${status.mask} = ${status.of('REFUNDED')}`;

/** SQL over `t`: one number for type, deposit and refund, by which amounts are summed. */
const KIND = `CASE
  WHEN t.facets & ${category.mask} = ${category.of('SECURITY_DEPOSIT')}
    THEN CASE WHEN ${IS_REFUNDED} THEN ${BOTH} ELSE ${DEPOSIT} + ${TYPE} END
  WHEN ${IS_REFUNDED} THEN ${REFUNDED} + ${TYPE} ELSE ${TYPE} END`;

/** SQL over `t`: whether a transaction counts; a cancelled one does not. */
const COUNTS = `t.facets & ${status.mask} <> ${status.of('CANCELLED')}`;

function sumOf(...kinds: number[]): string {
  return `coalesce(sum(e.amount) FILTER (WHERE e.kind IN (${kinds.join(', ')})), 0.00)`;
}

const [income, expenses] = [sumOf(INCOME), sumOf(EXPENSE)];
const [received, returned] = [sumOf(DEPOSIT + INCOME, BOTH), sumOf(DEPOSIT + EXPENSE, BOTH)];
const [net, held] = [`${income} - ${expenses}`, `${received} - ${returned}`];

const WITHOUT = 'Without refunded amounts and security deposits.';

/** Figure → its SQL over `e`, the amounts by kind, and its description and example. */
export const FIGURES = {
  income: [income, WITHOUT, 1319.5],
  expenses: [expenses, WITHOUT, 166.25],
  net: [net, '`income` less `expenses`.', 1153.25],
  refundedIncome: [sumOf(REFUNDED + INCOME), 'Income with the status `REFUNDED`.', 0],
  refundedExpenses: [sumOf(REFUNDED + EXPENSE), 'Expenses with the status `REFUNDED`.', 0],
  depositsReceived: [received, 'Security deposits received.', 500],
  depositsReturned: [returned, 'Security deposits returned, or `REFUNDED`.', 300],
  depositsHeld: [held, '`depositsReceived` less `depositsReturned`: a liability, not income.', 200],
} as const;

const FIGURE_NAMES = Object.keys(FIGURES);
export const MAX_GROUPS = 5000; // of both levels together

/** Unit of time → the name of a period as PostgreSQL formats it, and its length. */
const UNITS = {
  month: { format: 'YYYY-MM', length: '1 month' },
  quarter: { format: 'YYYY-"Q"Q', length: '3 months' },
  year: { format: 'YYYY', length: '1 year' },
};
type Unit = keyof typeof UNITS;

/** A group, after its own parts; at the end the total and, on the cash basis, the transactions paid on no day. */
export interface GroupRow {
  /** Levels summed: none for the finest groups, all for the total, one more for transactions paid on no day. */
  readonly rest: number;
  /** A line of CSV, or an object of JSON. */
  readonly line: string;
}

/** SQL: rows of groups. $1 owner, $2 property, $3 time zone, $4 first day, $5 last day. */
export function profitAndLoss(query: ProfitAndLossQuery, form: 'csv' | 'json' = 'json'): string {
  const { groupBy } = query;
  const order = [...groupBy.map((_, index) => `s.key${index} NULLS LAST`), 's.rest'];
  return `${sums(query)}
    SELECT s.rest, ${form === 'csv' ? csvLine(csvColumns(groupBy), query) : jsonOfGroup(groupBy)} AS line
      FROM sums s ORDER BY ${order.join(', ')} LIMIT ${MAX_GROUPS + 3}`;
}

function keysOf(level: Level, index: number): CsvColumn[] {
  const key = `s.key${index}`;
  const name: CsvColumn = ['propertyName', 'text', nameOf(key)];
  if (level === 'property') return [['propertyId', 'number', key], name];
  if (level === 'category') return [[level, 'word', category.valueOf(key)]];
  const start = `(SELECT p.starts FROM ${level}s p)[${key}] AT TIME ZONE $3::text`;
  return [[level, 'word', `to_char(${start}, '${UNITS[level].format}')`]];
}

export function csvColumns(groupBy: readonly Level[]): CsvColumn[] {
  const { length } = groupBy;
  const line = `CASE s.rest WHEN ${length + 1} THEN 'paidWithoutDate' WHEN ${length} THEN 'total' WHEN 0 THEN 'group' ELSE 'subtotal' END`;
  const figures = FIGURE_NAMES.map((name): CsvColumn => [name, 'number', `s."${name}"`]);
  return [['line', 'word', line], ...groupBy.flatMap(keysOf), ...figures];
}

/** SQL: a group without its parts. Only the key of its own level is set; the total has none. */
function jsonOfGroup(groupBy: readonly Level[]): string {
  const figures = FIGURE_NAMES.map((name) => `s."${name}"`);
  const cases = groupBy.map((level, index) => {
    const columns = keysOf(level, index);
    const own = new Map(columns.map(([name, , value]) => [isUnit(level) ? 'period' : name, value]));
    const keys = ['propertyId', 'propertyName', 'category', 'period'].map(
      (name) => `${own.get(name) ?? 'NULL'} AS "${name}"`,
    );
    return `WHEN ${groupBy.length - 1 - index} THEN ${jsonOf([...figures, ...keys])}`;
  });
  return `(CASE s.rest ${cases.join(' ')} WHEN ${groupBy.length} THEN ${jsonOf(figures)}
    ELSE ${PAID_WITHOUT_DATE} END)::text`;
}

/** SQL over the last row of `sums`: the transactions that the cash basis leaves out. */
export const PAID_WITHOUT_DATE = jsonOf(['s.count', 's.income', 's.expenses']);

/** SQL: a property's name, looked up once a group: a join would read all properties for each, where few are expected. */
export function nameOf(property: string): string {
  return `(SELECT o.name FROM properties o WHERE o.owner_id = $1 AND o.id = ${property})`;
}

/**
 * SQL: WITH `sums`, the figures of all groups. Entries are read once, through the index of the default list, and summed by
 * finest group and kind; the rest is computed from these few rows. On the cash basis a last row sums what is `PAID` without a
 * `paidAt`, by `date`. The statement is not prepared: its best plan depends on the number of entries in the period.
 */
export function sums({ groupBy, basis }: Pick<ProfitAndLossQuery, 'groupBy' | 'basis'>): string {
  const time = basis === 'cash' ? 't.paid_at' : 't.date';
  const keys = groupBy.map((_, index) => `e.key${index}`);
  const rest = keys.length === 0 ? '0' : `num_nulls(${keys.join(', ')})`;
  const groups = keys.length === 0 ? '' : `GROUP BY ROLLUP (${keys.join(', ')})`;
  const figures = Object.entries(FIGURES).map(([name, [sql]]) => `${sql} AS "${name}"`);
  const figuresOf = (row: readonly string[], from: string): string =>
    `SELECT ${[...row, ...figures].join(', ')} FROM ${from}`;
  const undated = [...keys.map(() => 'NULL'), String(keys.length + 1), 'coalesce(sum(e.count), 0)'];
  const tables = [
    ...groupBy.filter(isUnit).map((unit) => `${unit}s AS MATERIALIZED (${startsOf(unit, time)})`),
    `entries AS MATERIALIZED (${entries(groupBy, time)})`,
    `sums AS (${figuresOf([...keys, `${rest} AS rest`, 'NULL::numeric AS count'], `entries e ${groups}`)}
      ${basis === 'cash' ? `UNION ALL ${figuresOf(undated, `(${UNDATED}) e`)}` : ''})`,
  ];
  return `WITH ${tables.join(',\n')}`;
}

/** SQL: amounts by level, as `key0` and `key1`, and by kind. */
function entries(groupBy: readonly Level[], time: string): string {
  const keys = groupBy.map((level, index) => `${keyOf(level, time)} AS key${index}`);
  const columns = [...keys, `${KIND} AS kind`];
  return `SELECT ${columns.join(', ')}, sum(t.amount) AS amount ${inPeriod(time)} AND ${COUNTS} AND ${time} IS NOT NULL
    GROUP BY ${columns.map((_, index) => index + 1).join(', ')}`;
}

function inPeriod(time: string): string {
  return `FROM transactions t
    WHERE t.owner_id = $1 AND ($2::bigint IS NULL OR t.property_id = $2)
      AND ($4::date IS NULL OR ${time} >= ${firstInstantOf('$4::date::timestamp')})
      AND ($5::date IS NULL OR ${time} < ${firstInstantOf('($5::date + 1)::timestamp')})`;
}

const UNDATED = `SELECT ${KIND} AS kind, sum(t.amount) AS amount, count(*) AS count ${inPeriod('t.date')}
  AND t.paid_at IS NULL AND t.facets & ${status.mask} = ${status.of('PAID')} GROUP BY 1`;

const isUnit = (level: Level): level is Unit => level in UNITS;

function keyOf(level: Level, time: string): string {
  if (level === 'property') return 't.property_id';
  if (level === 'category') return `t.facets & ${category.mask}`;
  return `width_bucket(${time}, (SELECT p.starts FROM ${level}s p))`;
}

/**
 * SQL: the starts of all periods of a unit, in one array. `width_bucket` finds the period of an instant among these few
 * dozen in a fraction of the time that `date_trunc` in a time zone takes. The first and last instants of all cost one look
 * at every entry, because no index has times of payment; a query with both days is spared it.
 */
function startsOf(unit: Unit, time: string): string {
  const [first, last] = ['first', 'last'].map((end) => `e.${end} AT TIME ZONE $3::text`);
  return `SELECT array_agg(${firstInstantOf('p.start')} ORDER BY p.start) AS starts
    FROM (SELECT min(${time}) AS first, max(${time}) AS last FROM transactions t
           WHERE t.owner_id = $1 AND ($4::date IS NULL OR $5::date IS NULL)) e,
         generate_series(date_trunc('${unit}', coalesce($4::date, ${first})), coalesce($5::date, ${last}),
           interval '${UNITS[unit].length}') p(start)`;
}

/**
 * SQL: the first instant at which clocks in the zone $3 show this local time or a later one. A time comes twice when clocks
 * are set back, and PostgreSQL takes the second; the first is 24 hours after the same time of the day before.
 */
function firstInstantOf(local: string): string {
  const usual = `${local} AT TIME ZONE $3::text`;
  const dayBefore = `(${local} - interval '1 day') AT TIME ZONE $3::text AT TIME ZONE 'UTC'`;
  const earlier = `(${dayBefore} + interval '1 day') AT TIME ZONE 'UTC'`;
  return `least(${usual}, CASE WHEN ${earlier} AT TIME ZONE $3::text >= ${local} THEN ${earlier} END)`;
}

/** The total, the transactions paid on no day, and the groups with their parts inside. */
export function nested(rows: readonly GroupRow[], levels: number) {
  const groups: string[] = [];
  let parts: string[] = [];
  for (const { rest, line } of rows.filter((row) => row.rest < levels))
    if (rest + 1 < levels) parts.push(line);
    else {
      groups.push(`${line.slice(0, -1)},"groups":[${parts.join(',')}]}`);
      parts = [];
    }
  const lineOf = (level: number): string => rows.find(({ rest }) => rest === level)?.line ?? 'null';
  return { total: lineOf(levels), paidWithoutDate: lineOf(levels + 1), groups: `[${groups.join(',')}]` };
}
