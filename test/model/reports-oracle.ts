import { LosslessNumber } from 'lossless-json';
import { type Entry, type Figures, type Group, profitAndLossOf } from '../support/books-oracle.js';
import { CATEGORIES } from '../support/contract.js';
import { FORM, sheetOf, type TaxSheet } from '../support/tax-oracle.js';
import type { Request } from './commands.js';
import { type JsonObject, Unknown } from './difference.js';
import { callOf, invalid, NOT_FOUND, type Outcome, type Prediction } from './outcomes.js';
import type { Caller, ModelTransaction, World } from './world.js';

type Report = Request<'profitAndLoss' | 'taxYear' | 'cashFlow'>;

const PATH = '/api/reports';
const LEVELS = [
  [],
  [],
  [],
  ['property'],
  ['category'],
  ...['property', 'category', 'month', 'quarter', 'year'].map((level) => [level]),
].concat([
  ['property', 'month'],
  ['category', 'year'],
  ['quarter', 'property'],
  ['year', 'month'],
  ['week'],
  ['month', 'month'],
]);
/** The last of each is a fault. */
const ZONES = [
  'UTC',
  'America/New_York',
  'UTC',
  'Asia/Tokyo',
  'UTC',
  'America/New_York',
  'Asia/Tokyo',
  'EST',
];
const BASES = [...Array.from({ length: 6 }, () => ['accrual', 'cash']).flat(), 'either'];
const YEAR = { from: '2026-01-01', to: '2026-12-31' };
const PERIODS: readonly { from?: string; to?: string }[] = [
  YEAR,
  {},
  YEAR,
  {},
  { from: '2025-12-31', to: '2026-01-15' },
  { from: '2026-01-15', to: '2026-01-15' },
  { from: '2026-06-01', to: '2026-01-01' },
  { from: '2026-13-01' },
  {},
  { from: '2026-01-15' },
];
const YEARS = ['2025', '2026', '2026', '9999', '0', 'MMXXVI'];
const MOST_PERIODS = 5000;
const MONTHS: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 };

export interface Asked {
  readonly call: Prediction['call'];
  /** Of the parameters that all reports have. */
  readonly faults: readonly string[];
  /** What the report is of; undefined when there is no such property. */
  readonly rows: readonly ModelTransaction[] | undefined;
  readonly propertyId: LosslessNumber | null;
}

export function pick<T>(values: readonly T[], index: number): T {
  return values[index % values.length]!;
}

/** The rows of the caller's own account or, when a property is named, of that one. */
export function ask(
  world: World,
  caller: Caller,
  { op, property: ref }: Report,
  parameters: Readonly<Record<string, string | undefined>>,
): Asked {
  const path = { profitAndLoss: 'profit-and-loss', taxYear: 'tax-year', cashFlow: 'cash-flow' }[op];
  const target = ref && world.target('properties', ref, caller);
  const given = Object.entries({ ...parameters, propertyId: target?.text });
  const query = given.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`])).join('&');
  const property = target && world.property(target, caller);
  const ownerId = property?.ownerId ?? (target === undefined ? caller.account?.id : undefined);
  const isIn = (row: ModelTransaction): boolean => target === undefined || row.propertyId === property?.id;
  return {
    call: callOf(caller, 'GET', `${PATH}/${path}?${query}`),
    faults: target?.isWellFormed === false ? ['propertyId'] : [],
    rows:
      ownerId === undefined
        ? undefined
        : [...world.transactions.values()].filter((row) => row.ownerId === ownerId && isIn(row)),
    propertyId: target?.isWellFormed === true ? new LosslessNumber(target.text) : null,
  };
}

function entryOf({ row, propertyId }: ModelTransaction): Entry {
  const { type, category, status, cents, date, paid_at } = row;
  return { property: propertyId, type, category, status, cents: BigInt(cents), date, paidAt: paid_at };
}

export function profitAndLoss(world: World, caller: Caller, command: Report): Prediction {
  const [levels, basis, zone, period] = command.picks;
  const groupBy = pick(LEVELS, levels);
  const asked = { basis: pick(BASES, basis), timeZone: pick(ZONES, zone) };
  // At the ends of the calendar the oracle knows the days of UTC alone.
  const { from, to } = asked.timeZone === 'UTC' ? pick(PERIODS, period) : YEAR;
  const parameters = { ...asked, from, to, groupBy: groupBy.length === 0 ? undefined : groupBy.join() };
  const { call, rows, propertyId, ...others } = ask(world, caller, command, parameters);
  const faults = [
    ...others.faults,
    ...(asked.basis === 'either' ? ['basis'] : []),
    ...(asked.timeZone === 'EST' ? ['timeZone'] : []),
    ...(groupBy[0] === 'week' || (groupBy[1] === groupBy[0] && groupBy.length > 0) ? ['groupBy'] : []),
    ...(from === '2026-13-01' ? ['from'] : []),
  ];
  if (faults.length > 0) return { call, outcomes: [invalid(faults)] };
  if (from !== undefined && to !== undefined && from > to) return { call, outcomes: [invalid(['to'])] };
  if (rows === undefined) return { call, outcomes: [NOT_FOUND] };
  const ofOwner = [...world.transactions.values()].filter(
    (row) => row.ownerId === ownerOf(world, caller, propertyId),
  );
  if (
    groupBy.some((level) => periodsIn(ofOwner.map(entryOf), asked.basis, { from, to }, level) > MOST_PERIODS)
  )
    return { call, outcomes: [invalid(['groupBy'])] };
  const report = profitAndLossOf(rows.map(entryOf), { ...asked, from, to, groupBy });
  const outcome: Outcome = {
    status: 200,
    body: {
      ...asked,
      from: from ?? null,
      to: to ?? null,
      propertyId,
      groupBy,
      total: numbers(report.figures),
      groups: report.groups.map((group) => groupOf(world, group, groupBy)),
    },
  };
  return { call, outcomes: [outcome] };
}

function ownerOf(world: World, { account }: Caller, propertyId: LosslessNumber | null): number | undefined {
  return propertyId === null ? account?.id : world.properties.get(Number(propertyId.value))?.ownerId;
}

/** How many months, quarters or years there are between the two days, or the first and the last of the owner's. */
function periodsIn(
  entries: readonly Entry[],
  basis: string,
  { from, to }: { readonly from: string | undefined; readonly to: string | undefined },
  level: string,
): number {
  const times = entries.flatMap(({ date, paidAt }) => (basis === 'cash' ? (paidAt ?? []) : date)).sort();
  const [first, last] = [from ?? times[0], to ?? times.at(-1)];
  const length = MONTHS[level];
  if (first === undefined || last === undefined || length === undefined) return 0;
  const monthOf = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;
  return Math.floor(monthOf(last) / length) - Math.floor(monthOf(first) / length) + 1;
}

function groupOf(world: World, group: Group, [level = '', below = '']: readonly string[]): JsonObject {
  return {
    ...partOf(world, group, level),
    groups: group.groups.map((part) => partOf(world, part, below)),
  };
}

function partOf(world: World, { key, figures }: Group, level: string): JsonObject {
  const isProperty = level === 'property';
  return {
    propertyId: isProperty ? new LosslessNumber(key) : null,
    propertyName: isProperty ? world.properties.get(Number(key))!.body['name'] : null,
    category: level === 'category' ? key : null,
    period: level in MONTHS ? key : null,
    ...numbers(figures),
  };
}

function numbers(figures: Figures): JsonObject {
  return Object.fromEntries(
    Object.entries(figures).map(([name, decimal]) => [name, new LosslessNumber(decimal)]),
  );
}

const SOME_TEXT = new Unknown('a text', (actual) => typeof actual === 'string' && actual !== '');
const TEXT_OR_NULL = new Unknown('a text or null', (actual) => actual === null || typeof actual === 'string');

export function taxYear(world: World, caller: Caller, command: Report): Prediction {
  const [years, bases, zones] = command.picks;
  const year = pick(YEARS, years);
  const asked = { basis: pick(BASES, bases), timeZone: year === '9999' ? 'UTC' : pick(ZONES, zones) };
  const { call, rows, propertyId, ...others } = ask(world, caller, command, { ...asked, year });
  const faults = [
    ...others.faults,
    ...(asked.basis === 'either' ? ['basis'] : []),
    ...(asked.timeZone === 'EST' ? ['timeZone'] : []),
    ...(year === '0' || year === 'MMXXVI' ? ['year'] : []),
  ];
  if (faults.length > 0) return { call, outcomes: [invalid(faults)] };
  if (rows === undefined) return { call, outcomes: [NOT_FOUND] };
  const entries = rows.map(entryOf);
  const period = { from: `${year}-01-01`, to: `${year}-12-31`, groupBy: ['property'], ...asked };
  const properties = profitAndLossOf(entries, period).groups.map(({ key }) => ({
    ...shown(
      sheetOf(
        entries.filter(({ property }) => String(property) === key),
        asked,
        Number(year),
      ),
    ),
    propertyId: new LosslessNumber(key),
    propertyName: world.properties.get(Number(key))!.body['name'],
  }));
  const body = {
    form: 'schedule-e',
    year: new LosslessNumber(year),
    ...asked,
    propertyId,
    notice: SOME_TEXT,
    total: shown(sheetOf(entries, asked, Number(year))),
    properties,
  };
  return { call, outcomes: [{ status: 200, body }] };
}

function shown({ amounts, totalExpenses, net, apart }: TaxSheet): JsonObject {
  return {
    lines: Object.entries(amounts).map(([line, amount]) => ({
      line: new LosslessNumber(line),
      label: SOME_TEXT,
      amount: new LosslessNumber(amount),
      categories: CATEGORIES.filter((category) => FORM[Number(line)]!.split(' ').includes(category)),
    })),
    totalExpenses: new LosslessNumber(totalExpenses),
    net: new LosslessNumber(net),
    apart: apart.map(({ category, income, expenses }) => ({
      category,
      income: new LosslessNumber(income),
      expenses: new LosslessNumber(expenses),
      note: TEXT_OR_NULL,
    })),
  };
}
